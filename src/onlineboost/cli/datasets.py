"""`onlineboost datasets`: the paper's data sets, where they are, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def register(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("datasets", help="list the paper's data sets: size, where each is, what is missing")
    command.add_argument("--data", metavar="DIR", help="folder with LIBSVM files (default: $ONLINEBOOST_DATA)")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list."""
    from onlineboost import datasets

    records = datasets.status(arguments.data)
    rows = [("data set", "examples", "features", "here", "where")]
    rows += [(r.name, f"{r.examples:,}", str(r.features), f"{r.available:,}", r.where) for r in records]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for name, *numbers, where in rows:
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells, where]))
    for record in records:
        for note in record.notes or ([f"{record.name} needs {record.missing}"] if record.missing else ()):
            print(f"- {note}")
    return 0
