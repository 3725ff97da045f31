"""Results pages: where they go, and what they start with."""

from __future__ import annotations

from tools import results_page

ROOT = results_page.ROOT
header = results_page.header


def write(name: str, lines: list[str], *, keep: bool) -> None:
    """Write docs/results/NAME, or only print it where the measurement was not a whole one."""
    if keep:
        results_page.write(ROOT / "docs" / "results" / name, lines)
    else:
        print("\n".join(lines))
