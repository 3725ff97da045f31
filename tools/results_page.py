"""What every results page starts with: the command, the machine and the commit that it was measured on."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from onlineboost import datasets

ROOT = Path(__file__).resolve().parents[1]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def commit() -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)  # noqa: S607
        return done.stdout.strip()

    changed = " with uncommitted changes" if git("status", "--porcelain", "--", "src") else ""
    return (git("rev-parse", "--short", "HEAD") or "unknown") + changed


def load(name: str) -> tuple[Any, Any]:
    """(X, y) of a data set of the paper, from $ONLINEBOOST_DATA or the folder shared/data beside the checkout."""
    data = datasets.load(name, data=data_folder())
    return data.X, data.y


def data_folder() -> str | None:
    """The folder of the data sets, if there is one."""
    folder = Path(os.environ.get("ONLINEBOOST_DATA", ROOT.parent / "shared" / "data"))
    return str(folder) if folder.is_dir() else None


def header(title: str, command: str) -> list[str]:
    """Lines of Markdown."""
    import onlineboost._core as core  # noqa: PLC0415  # after the caller has chosen an instruction set

    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    return [
        f"# {title}",
        "",
        f"Written by `{command}` on {today}, commit {commit()}, Python {sys.version.split()[0]},",
        f"{_processor()}, {core.instruction_set()}. Do not edit: run the command again.",
        "",
    ]


def write(path: Path, lines: list[str]) -> None:
    """Write the page and say where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    print(f"wrote {path}")
