"""From columns to features: the one way that frames, dicts and files share.

The native readers turn cells into named features (`src/native/text/table.cpp`); names become the model's numbers in
`NamedRows`. Frames and dicts are read here, files by `onlineboost.streams`, both by the same code and so to the same
bits.
"""

from __future__ import annotations

import sys
import threading
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from onlineboost import _core
from onlineboost.machine.features import COLUMNS, NAMES, Features
from onlineboost.machine.rows import SparseRows
from onlineboost.machine.schema import FLAG, IGNORED, MISSING, NUMBER, TIME, ColumnSchema, kind_name, near

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_LABELS_IGNORED = 2
_ANY_NUMBER = 2**62
_MOST_ROWS = 2**31


class Columns(Protocol):
    """A table by column."""

    names: list[str]
    n_rows: int

    def kind(self, name: str) -> str | None:
        """The kind that the type of a column stands for; None if its first value decides."""

    def view(self, name: str, code: int) -> Any:
        """The column as the native reader wants it for a kind: numbers with NaN for nothing, or a list of objects."""


class NameTable:
    """The model's number of each of a reader's names, kept up to date at the price of what is new."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self._keys: dict[Any, int] | None = None
        self._n_keys = 0
        self.known = np.empty(0, np.int64)  # by the reader's id: the model's number, or -1

    def look_up(self, names: list[str], keys: dict[Any, int]) -> None:
        """Bring the table up to date: whole if the model's keys were changed elsewhere, else for what is new."""
        if self._names is not names or self._keys is not keys or len(keys) < self._n_keys:
            self._names, self._keys, self.known = names, keys, np.empty(0, np.int64)
        elif len(keys) > self._n_keys:
            unknown = np.flatnonzero(self.known < 0)
            self.known[unknown] = [keys.get(names[k], -1) for k in unknown]
        self._n_keys = len(keys)
        if len(self.known) < len(names):
            more = [keys.get(name, -1) for name in names[len(self.known) :]]
            self.known = np.concatenate([self.known, np.array(more, np.int64)])


class NamedRows:
    """Rows over a reader's names, or over column numbers where there are no names, as a machine reads them.

    Parameters
    ----------
    cells : SparseRows
        The rows; a row's features stand in the order of the input.
    names : list of str or None
        The reader's names by id.
    table : NameTable
        Of the reader and the model.
    schema : ColumnSchema or None
        The kinds of the columns once these rows are learned.

    """

    def __init__(
        self, cells: SparseRows, names: list[str] | None, table: NameTable, schema: ColumnSchema | None = None
    ) -> None:
        self._cells = cells
        self._names = names
        self._table = table
        self.schema = schema

    @property
    def n_rows(self) -> int:
        """How many."""
        return self._cells.n_rows

    def begin(self) -> tuple[Features, int]:
        """Rows may have any features."""
        return Features(COLUMNS if self._names is None else NAMES), self._cells.first_size()

    def take(self, order: NDArray[np.intp]) -> NamedRows:
        """The rows in another order."""
        return NamedRows(self._cells.take(order), self._names, self._table, self.schema)

    def read(
        self, features: Features, weights: NDArray[np.float64] | None, *, learn: bool
    ) -> tuple[SparseRows, list[Any]]:
        """The rows by the model's feature numbers, and the names that learning them adds, in order."""
        cells, names = self._cells, self._names
        kind = COLUMNS if names is None else NAMES
        if features.kind != kind or (names is None and features.n_columns is not None):
            what = "numbered columns" if names is None else "names"
            raise ValueError(
                f"This model has learned from {features}, and this stream has {what}: use a stream of the same kind."
            )
        if names is None:
            if _core.csr_order(cells.data, cells.indices, cells.indptr, cells.width) != 0:
                raise ValueError("A LIBSVM batch has ascending column numbers, each once in a row.")
            return cells, []
        self._table.look_up(names, features.numbers)
        starts, columns = (part.astype(np.int32, copy=False) for part in (cells.indptr, cells.indices))
        data, indices, fresh, width = _core.relabel(
            cells.data, columns, starts, weights, learn, self._table.known, len(features.numbers)
        )
        return SparseRows(data, indices, starts, width), [names[k] for k in fresh]


class Encoder:
    """Reads frames and dicts by a schema, which grows with what it reads."""

    def __init__(self, schema: ColumnSchema, buckets: int) -> None:
        self.schema = schema
        reader = self._reader = _core.ColumnsReader(_LABELS_IGNORED, list(MISSING))
        reader.columns = schema.native()
        reader.gaps, reader.buckets = schema.gaps, buckets
        self._changes = reader.changes
        self._names: list[str] = []
        self._table = NameTable()

    def columns(self, table: Columns, *, ignore_missing: bool) -> NamedRows:
        """The rows of a table that has the schema's columns, in any order."""
        given, views = set(table.names), []
        for name, code, _ in self._reader.columns:
            if name in given:
                views.append(None if code == IGNORED else table.view(name, code))
            else:
                absent = code in {NUMBER, FLAG, TIME} and ignore_missing
                views.append(np.full(table.n_rows, np.nan) if absent else None)
        self._reader.rewind((0, 0, 0, 0))
        self._reader.append(views, 0, table.n_rows, _MOST_ROWS, 1)
        return self._take()

    @property
    def memory(self) -> int:
        """Bytes that it holds; the texts of the names are the model's."""
        return int(self._reader.memory + sys.getsizeof(self._names) + self._table.known.nbytes)

    def dicts(self, rows: Sequence[Mapping[Any, Any]]) -> NamedRows:
        """Rows given as dicts, whose keys are names of columns."""
        self._reader.rewind((0, 0, 0, 0))
        self._reader.rows([row if type(row) is dict else dict(row) for row in rows], 1)
        return self._take()

    def _take(self) -> NamedRows:
        reader = self._reader
        data, indices, starts, _, _, _, problems = reader.take()
        if problems:
            line, column, message = problems[0]
            where = f"column {column!r}, row {line - 1}" if column else f"row {line - 1}"
            raise ValueError(f"X, {where}: {message}")
        if reader.changes != self._changes:
            self._changes = reader.changes
            kinds = {name: kind_name(code, setting) for name, code, setting in reader.columns}
            self.schema = replace(self.schema, columns=kinds)
        if len(self._names) < reader.n_names:
            self._names += reader.names(len(self._names))
        return NamedRows(SparseRows(data, indices, starts, reader.n_names), self._names, self._table, self.schema)


class Encoders:
    """The encoders of one machine: what is only predicted must decide nothing about columns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[bool, Encoder] = {}
        self._warned = False

    def __reduce__(self) -> tuple[type[Encoders], tuple[()]]:
        """Copies begin anew: all that matters is the schema."""
        return Encoders, ()

    @property
    def memory(self) -> int:
        """Bytes that they hold."""
        with self._lock:
            return sum(encoder.memory for encoder in self._of.values())

    def read(self, data: Columns | Sequence[Mapping[Any, Any]], plan: Plan, *, learn: bool) -> NamedRows:
        """The rows of a frame, or of a list of dicts."""
        with self._lock:
            encoder = self._of.get(learn)
            if encoder is None or encoder.schema is not plan.schema:
                encoder = Encoder(plan.schema, plan.buckets)
            self._of.pop(learn, None)  # after an error it has seen what nobody learns
            if isinstance(data, (list, tuple)):
                made = encoder.dicts(data)
            else:
                schema = replace(plan.schema, closed=plan.schema.closed and not plan.ignore_missing)
                self._warn(schema.require(data.names))  # type: ignore[union-attr]  # a table
                made = encoder.columns(data, ignore_missing=plan.ignore_missing)  # type: ignore[arg-type]  # as above
            if learn or encoder.schema is plan.schema:
                self._of[learn] = encoder
            return made

    def _warn(self, extra: list[str]) -> None:
        if extra and not self._warned:
            self._warned = True
            names = ", ".join(map(repr, extra[:5])) + (" …" if len(extra) > 5 else "")
            warnings.warn(
                f"X has columns that the model does not know and ignores: {names}.", UserWarning, stacklevel=5
            )


class Plan:
    """How rows are read: the schema, into how many buckets names are hashed, and whether columns may lack."""

    def __init__(self, schema: ColumnSchema, buckets: int, *, ignore_missing: bool) -> None:
        self.schema = schema
        self.buckets = buckets
        self.ignore_missing = ignore_missing


def schema_of_table(table: Columns, declared: Mapping[str, str]) -> ColumnSchema:
    """The schema of a model that begins with a table; columns whose first value decides have no kind yet."""
    unknown = next((name for name in declared if name not in table.names), None)
    if unknown is not None:
        raise ValueError(f"The schema declares column {unknown!r}, which X does not have.{near(unknown, table.names)}")
    kinds = {name: declared.get(name) or table.kind(name) or "undecided" for name in table.names}
    return ColumnSchema(kinds, frozenset(declared))
