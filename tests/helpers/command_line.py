"""Small streams for the tests of the command line, and the command line itself, in this process."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from onlineboost import cli

if TYPE_CHECKING:
    from pathlib import Path


def libsvm_lines(rows: int, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    truth = [rng.gauss(0, 1) for _ in range(12)]
    made = []
    for _ in range(rows):
        columns = sorted(rng.sample(range(1, 12), 4))
        values = [rng.choice((1.0, 0.5, rng.random())) for _ in columns]
        score = sum(truth[c] * v for c, v in zip(columns, values, strict=True))
        made.append(f"{1 if score > 0 else -1} " + " ".join(f"{c}:{v!r}" for c, v in zip(columns, values, strict=True)))
    return made


def table_rows(rows: int, seed: int = 0) -> list[dict[str, object]]:
    rng = random.Random(seed)
    made = []
    for _ in range(rows):
        spam = rng.random() < 0.4
        words = rng.sample(["free", "money", "now", "hello", "meeting", "lunch"], 2) + ["winner"] * (
            spam and rng.random() < 0.8
        )
        made.append(
            {
                "spam": "spam" if spam else "ham",
                "age": rng.randint(18, 80),
                "country": rng.choice(["de", "fr", "us"]),
                "body": " ".join(words),
                "w": rng.choice([1, 2]),
            }
        )
    return made


def write_csv(path: Path, rows: list[dict[str, object]]) -> Path:
    names = list(rows[0])
    text = [",".join(names), *(",".join(str(row[name]) for name in names) for row in rows)]
    path.write_text("\n".join(text) + "\n")
    return path


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def read_libsvm(lines):
    """The rows as dicts, with their labels."""
    for line in lines:
        label, *cells = line.split()
        yield {int(c.split(":")[0]): float(c.split(":")[1]) for c in cells}, int(label)
