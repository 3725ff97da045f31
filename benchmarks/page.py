"""Results pages: where they go, and what they start with."""

from __future__ import annotations

import os

from tools import results_page

ROOT = results_page.ROOT
_LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")  # before anything is measured


def header(title: str, command: str) -> list[str]:
    """Lines of Markdown; they say how busy the machine was, which every time below depends on."""
    quiet = f"The machine's load was {_LOAD:.1f} when it began, where below 0.5 is quiet."
    return [*results_page.header(title, command), quiet, ""]


def write(name: str, lines: list[str], *, keep: bool) -> None:
    """Write docs/results/NAME, or only print it where the measurement was not a whole one."""
    if keep:
        results_page.write(ROOT / "docs" / "results" / name, lines)
    else:
        print("\n".join(lines))
