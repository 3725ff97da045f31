"""Rows of a shard into a model, and what happens to bad ones: the same rules as on one machine.

Tables are learned as a file of them would be (`onlineboost.streams`): the schema's kinds of columns, labels, weights.
Arrays are learned as `partial_fit` does. `bad_rows` is the command line's: "stop" at the first, "skip" them, or take a
cell that does not fit as "missing".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations.extras import require
from onlineboost.machine.labels import is_label
from onlineboost.machine.rows import LARGEST_VALUE, LARGEST_WEIGHT
from onlineboost.streams import Feed, MalformedLineError, Schema, Source, open_stream

if TYPE_CHECKING:
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.schema import ColumnSchema
    from onlineboost.streams import Problem

BAD_ROWS = ("stop", "skip", "missing")
_BATCH = 10_000


class BadRowError(ValueError):
    """A row that cannot be learned, where the policy is to stop."""

    def __init__(self, bad: BadRow) -> None:
        super().__init__(str(bad))
        self.bad = bad


@dataclass(frozen=True)
class BadRow:
    """A row that was skipped, or a cell that was taken as missing."""

    row: int
    column: str
    message: str

    def __str__(self) -> str:
        """In one sentence."""
        return f"row {self.row:,}{f', column {self.column!r}' if self.column else ''}: {self.message}"


def check_policy(bad_rows: str) -> str:
    """Refuse what is no policy."""
    if bad_rows not in BAD_ROWS:
        raise ValueError(f"bad_rows must be one of {', '.join(BAD_ROWS)}, not {bad_rows!r}.")
    return bad_rows


# ---- tables --------------------------------------------------------------------------------------------------


class _Memory(Source):
    """Bytes in memory as a source."""

    def __init__(self, data: bytes) -> None:
        self.name, self.path, self._data, self._fd = "the table", None, data, -1

    @property
    def plain(self) -> bool:
        return False

    def peek(self, size: int) -> bytes:
        return self._data[:size]

    def read(self, timeout: float | None = None) -> bytes:
        found, self._data = self._data, b""
        return found


def learn_table(
    model: OnlineEstimator,
    data: bytes,
    *,
    label: str,
    weight: str | None = None,
    columns: ColumnSchema | None = None,
    bad_rows: str = "stop",
    first_row: int = 0,
) -> list[BadRow]:
    """Learn a table; the rows and cells that were bad.

    Parameters
    ----------
    model : estimator
        It learns the rows in their order.
    data : bytes
        The table in Arrow's stream format, with the label's column.
    label, weight : str
        Columns.
    columns : ColumnSchema, default=None
        The kinds of the columns, for a model that has learned nothing; None: its own schema's, else by their types.
    bad_rows : {"stop", "skip", "missing"}, default="stop"
        What is done with rows that cannot be learned. With "stop", the rows before the bad one are learned.
    first_row : int, default=0
        The number of the table's first row, for messages.

    """
    found: list[BadRow] = []

    def keep(problem: Problem) -> None:
        found.append(BadRow(first_row + problem.line - 1, problem.column, problem.message))

    machine, recipe = model.machine_to_learn(), model.recipe()
    ignore = recipe.missing_columns == "ignore"
    known = machine.schema if machine.begun else columns
    if known is None:
        schema = Schema(label=label, weight=weight, columns=machine.declared)
    else:
        schema = Schema.of_model(known, ignore_missing=ignore, label=label, weight=weight)
    stream = open_stream(
        _Memory(data),
        "arrow",
        schema,
        batch_rows=_BATCH,
        strict=bad_rows == "stop",
        forgiving=bad_rows == "missing",
        buckets=machine.buckets,
        on_problem=keep,
    )
    feed = Feed(model)
    try:
        for batch in stream:
            feed.learn(batch)
    except MalformedLineError:
        raise BadRowError(found[-1]) from None
    return found


def arrow_bytes(X: Any, y: Any, weights: Any) -> tuple[bytes, str, str | None]:
    """A data frame with labels and weights in Arrow's stream format, and the names of these columns."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # for those who have frames

    pa = require("pyarrow", "streams", "Learning tables with bad rows")
    if hasattr(X, "reset_index"):
        X = X.reset_index(drop=True)  # an index of pandas is no feature
    table = nw.from_native(X, eager_only=True).to_arrow()
    label, weight = (_free(name, table.column_names) for name in ("label", "weight"))
    table = table.append_column(label, pa.array(np.asarray(y), from_pandas=True))
    if weights is not None:
        table = table.append_column(weight, pa.array(np.asarray(weights, np.float64)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes(), label, None if weights is None else weight


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


# ---- arrays --------------------------------------------------------------------------------------------------


def without_bad_rows(X: Any, y: Any, weights: Any, bad_rows: str, first_row: int = 0) -> tuple[Any, Any, Any, Any]:
    """Dense or sparse rows, labels and weights without bad ones, by the policy; and what was bad.

    A number is bad if it is infinite or beyond 1e100; NaN is a missing value. A row without a label, or with a weight
    that is none, is bad whatever the policy.
    """
    y = np.asarray(y)
    is_sparse = hasattr(X, "tocsr")
    cells: Any = X.tocsr(copy=True) if is_sparse else np.array(X, dtype=np.float64)
    values: Any = cells.data if is_sparse else cells
    huge = ~(np.isnan(values) | (np.abs(values) <= LARGEST_VALUE))
    bad: dict[int, BadRow] = {}
    if huge.any():
        remedy = "; taken as missing." if bad_rows == "missing" else "."
        at = np.flatnonzero(huge)
        rows = np.searchsorted(cells.indptr, at, side="right") - 1 if is_sparse else at // cells.shape[1]
        columns = cells.indices[at] if is_sparse else at % cells.shape[1]
        names = getattr(X, "columns", range(cells.shape[1]))
        for row, column, value in zip(rows.tolist(), columns.tolist(), values[huge].tolist(), strict=True):
            text = f"{value} is no number up to {LARGEST_VALUE:g}{remedy}"
            bad.setdefault(row, BadRow(first_row + row, str(names[column]), text))
        if bad_rows == "missing":
            values[huge] = np.nan
    lost = set() if bad_rows == "missing" else set(bad)
    for row, one in enumerate(y.tolist()) if y.dtype.kind not in "iub" else ():
        if not is_label(one):
            bad[row] = BadRow(first_row + row, "", f"{one!r} is no label.")
            lost.add(row)
    if weights is not None:
        weights = np.asarray(weights, np.float64)
        for row in np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT))).tolist():
            bad[row] = BadRow(first_row + row, "", f"{weights[row]} is no weight from 0 to {LARGEST_WEIGHT:g}.")
            lost.add(row)
    found = [bad[row] for row in sorted(bad)]
    if found and bad_rows == "stop":
        raise BadRowError(found[0])
    kept = np.array([row not in lost for row in range(len(y))], bool)
    return cells[kept], y[kept], None if weights is None else weights[kept], found
