"""What the trials share: a stream to learn, the command line as a process, and what became of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Result:
    """A row of the page."""

    what: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    note: str = ""  # true if nothing failed

    def check(self, good: bool, failure: str) -> None:
        """Count a failure unless all is good."""
        if not good:
            self.failures.append(failure)


def command(*arguments: str) -> list[str]:
    """The command line, with this interpreter."""
    return [sys.executable, "-m", "onlineboost", *arguments]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, **options)


def lines(rows: int, seed: int = 0, features: int = 50, cells: int = 8) -> list[str]:
    """Lines of LIBSVM text with labels that can be learned."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=features + 1)
    made = []
    for _ in range(rows):
        columns = np.sort(rng.choice(features, cells, replace=False)) + 1
        values = rng.random(cells).round(3)
        label = 1 if truth[columns] @ values + 0.3 * rng.normal() > 0 else -1
        made.append(f"{label} " + " ".join(f"{c}:{v}" for c, v in zip(columns, values, strict=True)) + "\n")
    return made


def as_csv(libsvm: list[str]) -> str:
    """The same as a table of two columns and texts."""
    out = ["label,first,second,words\n"]
    for line in libsvm:
        label, *cells = line.split()
        words = " ".join(cell.split(":")[0] for cell in cells)
        out.append(f"{'yes' if label == '1' else 'no'},{cells[0].split(':')[1]},c{cells[1].split(':')[0]},{words}\n")
    return "".join(out)


def folder_holds(folder: Path, *names: str) -> bool:
    """Whether there is nothing else in a folder."""
    return {path.name for path in folder.iterdir()} == set(names)
