"""Pages that are written by hand, with tables in them that are not, and with code that is run.

A tool owns what stands between `<!-- begin: name -->` and `<!-- end: name -->` and replaces it when it runs. The tests
run the `python` blocks of a page, in order and in one process; what cannot run is a `text` block.
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def fill(page: Path, name: str, lines: Sequence[str]) -> None:
    """Put the lines into the page's block of that name."""
    text = page.read_text(encoding="utf8")
    begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"{page} has no block {name!r}.")
    page.write_text(head + begin + "\n".join(["", *lines, ""]) + "\n" + found + tail, encoding="utf8")
    print(f"filled {name} in {page}")


def python_blocks(page: Path) -> list[str]:
    """The page's Python code, block by block."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table; every column but the first is a number and stands to the right."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    return ["| " + " | ".join(row) + " |" for row in [columns, rule, *rows]]


def mean(values: Sequence[float], digits: int = 3) -> str:
    """Mean ± standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.fmean(values):.{digits}f} ± {error:.{digits}f}"
