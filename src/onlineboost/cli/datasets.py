"""`onlineboost datasets`: the paper's data sets, where they are, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost import datasets
from onlineboost.cli.output import show, shown, table

if TYPE_CHECKING:
    import argparse


def run(arguments: argparse.Namespace) -> int:
    """Print the list."""
    records = datasets.status(arguments.data)
    rows = [["data set", "examples", "features", "here", "where"]]
    rows += [[r.name, f"{r.examples:,}", str(r.features), f"{r.available:,}", shown(r.where)] for r in records]
    lines = [f"{numbers}  {row[-1]}" for numbers, row in zip(table([row[:-1] for row in rows], 2), rows, strict=True)]
    for record in records:
        lines += [f"- {shown(note)}" for note in record.notes]
        if record.missing and not record.notes:
            lines.append(f"- {record.name} needs {shown(record.missing)}")
    show("\n".join(lines))
    return 0
