"""The paper's tables with our figures beside the printed ones: terminal, Markdown, LaTeX, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from onlineboost.experiments import paper, statistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onlineboost.experiments.store import Store

RELATIVE_TOLERANCE = 0.03
STANDARD_ERRORS = 3.0


@dataclass(frozen=True)
class Entry:
    """One cell: the paper's figure and ours."""

    data: str
    learner: str
    algorithm: str
    paper: float
    trials: int
    error: float
    standard_error: float
    difference: float  # in standard errors of the difference; NaN for a single trial

    @property
    def agrees(self) -> bool:
        """Within three standard errors of the difference of the two means, or within 3 % of the paper's figure."""
        near = abs(self.error - self.paper) <= RELATIVE_TOLERANCE * self.paper
        return near or abs(self.difference) <= STANDARD_ERRORS

    @property
    def ours(self) -> str:
        """As printed."""
        return f"{short(self.error)} ± {short(self.standard_error)}"

    @property
    def difference_text(self) -> str:
        """Signed, in standard errors."""
        return "–" if math.isnan(self.difference) else f"{self.difference:+.1f}"


def short(value: float) -> str:
    """Four places without the leading zero, as the paper prints errors."""
    return f"{value:.4f}".removeprefix("0")


@dataclass(frozen=True)
class FilledTable:
    """A table of the paper with its rows filled in."""

    table: paper.Table
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    notes: tuple[str, ...]

    @property
    def entries(self) -> list[Entry]:
        """All cells."""
        return [entry for _, row in self.rows for entry in row]


def fill(
    table: paper.Table,
    store: Store,
    hashes: Mapping[str, str],
    trials: int = paper.TRIALS,
    notes: Mapping[str, Sequence[str]] | None = None,
) -> FilledTable:
    """The table for the data sets given; `notes` says by data set what is missing from its data."""
    rows = []
    for data, data_hash in hashes.items():
        row = []
        for algorithm in table.algorithms:
            ours = store.errors(trials, data, data_hash, table.learner, algorithm)
            printed = paper.FIGURES[data, table.learner, algorithm]
            mean, error = map(float, statistics.mean_error(ours))
            difference = statistics.difference_in_errors(ours, printed, paper.TRIALS)
            row.append(Entry(data, table.learner, algorithm, printed, trials, mean, error, difference))
        rows.append((data, tuple(row)))
    said = [note for data in hashes for note in (notes or {}).get(data, ())]
    return FilledTable(table, tuple(rows), tuple(said))


def with_best(row: Sequence[Entry]) -> list[tuple[Entry, bool, bool]]:
    """Each cell of a row, whether its figure of ours is the row's lowest, and whether the paper's is."""
    ours, printed = min(entry.error for entry in row), min(entry.paper for entry in row)
    return [(entry, entry.error == ours, entry.paper == printed) for entry in row]


def _with_bold(row: Sequence[Entry], bold: str) -> list[tuple[Entry, str, str]]:
    """Each cell of a row, our figure and the paper's as text; the lowest ones by the pattern `bold`."""
    return [
        (
            entry,
            (bold if best else "{}").format(entry.ours),
            (bold if printed_best else "{}").format(short(entry.paper)),
        )
        for entry, best, printed_best in with_best(row)
    ]


# ---- renderers ---------------------------------------------------------------------------------------------------


def terminal(filled: FilledTable) -> Any:
    """A rich table: ours above, the paper's figure and the difference below; disagreement is marked."""
    from rich.table import Table as RichTable  # noqa: PLC0415  # an extra
    from rich.text import Text  # noqa: PLC0415

    view = RichTable(title=filled.table.title, title_justify="left", show_lines=True)
    view.add_column("data set")
    for head in filled.table.heads:
        view.add_column(head, justify="right")
    for data, row in filled.rows:
        cells = []
        for entry, best, printed_best in with_best(row):
            cell = Text(entry.ours, style="bold" if best else "")
            cell.append("\npaper ", style="")
            cell.append(short(entry.paper), style="bold" if printed_best else "")
            cell.append(f" {entry.difference_text}", style="" if entry.agrees else "bold red")
            cell.append(" " if entry.agrees else "!", style="bold red")
            cells.append(cell)
        view.add_row(data, *cells)
    return view


def markdown(filled: FilledTable) -> str:
    """A pipe table."""
    columns = filled.table.heads
    lines = [f"### {filled.table.title}", ""]
    lines += ["| data set | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for data, row in filled.rows:
        cells = []
        for entry, ours, printed in _with_bold(row, "**{}**"):
            mark = "" if entry.agrees else " ❗"
            cells.append(f"{printed} \\| {ours} \\| {entry.difference_text}{mark}")
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {note}" for note in filled.notes)]
    return "\n".join(lines).rstrip() + "\n"


def latex(filled: FilledTable) -> str:
    """A booktabs tabular, three columns per algorithm: paper, ours, difference."""
    columns = filled.table.heads
    heads = " & ".join(rf"\multicolumn{{3}}{{c}}{{{head}}}" for head in columns)
    lines = [
        f"% {filled.table.title}; columns: paper, ours, difference in standard errors",
        rf"\begin{{tabular}}{{l{'rrr' * len(columns)}}}",
        r"\toprule",
        rf"data set & {heads} \\",
        r"\midrule",
    ]
    for data, row in filled.rows:
        cells = []
        for entry, ours, printed in _with_bold(row, r"\textbf{{{}}}"):
            sign = entry.difference_text.replace("–", "--")
            cells.append(rf"{printed} & {ours} & ${sign}$".replace("±", r"$\pm$") + ("" if entry.agrees else r"\,!"))
        lines.append(rf"{data} & {' & '.join(cells)} \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def comma_separated(tables: Sequence[FilledTable]) -> str:
    """All tables in long form, a line per cell."""
    out = io.StringIO()
    names = ["table", *Entry.__dataclass_fields__, "agrees"]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for filled in tables:
        for entry in filled.entries:
            writer.writerow({"table": filled.table.number, **asdict(entry), "agrees": entry.agrees})
    return out.getvalue()


def as_json(tables: Sequence[FilledTable]) -> str:
    """All tables as one document; a missing difference is null."""
    document = [
        {
            "table": filled.table.number,
            "title": filled.table.title,
            "notes": list(filled.notes),
            "cells": [
                {
                    **asdict(entry),
                    "difference": None if math.isnan(entry.difference) else entry.difference,
                    "agrees": entry.agrees,
                }
                for entry in filled.entries
            ],
        }
        for filled in tables
    ]
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def agreement(tables: Sequence[FilledTable], learner: str, *, without: Sequence[str] = ()) -> tuple[int, int]:
    """Cells that agree with the paper, and all cells, over one learner's tables; OSBoost's column counts once."""
    cells = {
        (entry.data, entry.algorithm): entry.agrees
        for filled in tables
        if filled.table.learner == learner
        for entry in filled.entries
        if entry.data not in without
    }
    return sum(cells.values()), len(cells)
