"""A stream: an iterator of batches over a source, whatever its format."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from onlineboost import _core
from onlineboost.machine.rows import SparseRows
from onlineboost.streams.batch import Batch, Position, Problem
from onlineboost.streams.errors import MalformedLineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from onlineboost.machine.schema import ColumnSchema
    from onlineboost.streams.schema import Schema
    from onlineboost.streams.source import Source

LabelMode = Literal["required", "optional", "ignored"]
LABEL_MODES: tuple[LabelMode, ...] = ("required", "optional", "ignored")
KEPT_PROBLEMS = 100
ANY_NUMBER = 2**62


@dataclass(frozen=True)
class Options:
    """How a stream is read, as `open_stream` explains."""

    start: Position | None
    batch_rows: int
    strict: bool
    max_bad: int | None
    labels: LabelMode
    tick: float | None
    on_problem: Callable[[Problem], None] | None


class Stream:
    """Batches of rows, in order. Made by `open_stream`; iterate over it once.

    Attributes
    ----------
    position : behind the last batch given.
    problems : the last 100 malformed lines; `position.bad` counts them all.
    named : whether features have names, and `names` lists them by id; otherwise columns are numbers.

    """

    def __init__(self, source: Source, reader: _core.Reader, schema: Schema, options: Options) -> None:
        self.source = source
        self._schema = schema
        self.position = options.start or Position()
        self.problems: deque[Problem] = deque(maxlen=KEPT_PROBLEMS)
        self.named = reader.named
        self._reader = reader
        self._names: list[str] = []
        self._label_values: list[Any] = []
        self._set_values: list[frozenset[Any]] = []
        self._width = 0
        self._kinds: ColumnSchema | None = None
        self._changes = -1
        self._options = options
        self._most_bad = ANY_NUMBER if options.max_bad is None else options.max_bad + 1
        if options.strict:
            self._most_bad = 1 + self.position.bad
        self._failure: BaseException | None = None
        self._last_straw: Problem | None = None  # the malformed line that was one too many
        self._over = False
        self._ready = False  # whether the columns are known and the reader stands at `position`

    def __iter__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()

    @property
    def schema(self) -> Schema:
        """How columns become features, with everything that was decided up to `position`."""
        if self._ready and isinstance(self._reader, _core.TableReader):
            return self._schema.with_kinds(self._reader.columns)
        return self._schema

    def _columns(self) -> ColumnSchema | None:
        """The kinds of the columns, as a model keeps them."""
        reader = self._reader
        if not isinstance(reader, _core.TableReader):
            return None
        if self._kinds is None or self._changes != reader.changes:
            self._changes = reader.changes
            self._kinds = self._schema.of_columns(reader.columns, closed=not isinstance(reader, _core.JsonReader))
        return self._kinds

    @property
    def names(self) -> list[str]:
        """The names of the features by id, in order of first appearance; it grows as the stream is read."""
        if len(self._names) < self._reader.n_names:
            self._names += self._reader.names(len(self._names))
        return self._names

    def __next__(self) -> Batch:
        """The next batch. With `tick`, whatever is there after so many seconds, be it nothing."""
        self._stop_if_over()
        deadline = None if self._options.tick is None else time.monotonic() + self._options.tick
        self._advance(deadline)
        batch = self._take() if self._ready else self._nothing()
        if not len(batch):
            self._stop_if_over()
        return batch

    def _stop_if_over(self) -> None:
        if self._failure is not None:
            if self._last_straw is not None:
                self._report(self._last_straw)
                self._last_straw = None
            raise self._failure
        if self._over:
            raise StopIteration

    def _advance(self, deadline: float | None) -> None:
        """Read until a batch is full, the time is up, or the stream ends (`_over`) or fails (`_failure`)."""
        raise NotImplementedError

    def _nothing(self) -> Batch:
        y = None if self._options.labels == "ignored" else np.empty(0, np.int64)
        return Batch(
            SparseRows(np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int32), self._width),
            y,
            None,
            self.position,
            np.empty(0, np.int64),
            self.names if self.named else None,
        )

    def _take(self) -> Batch:
        data, indices, starts, codes, weight, lines, problems = self._reader.take()
        place = self._reader.place
        if place[3] >= self._most_bad:  # the rows before it are given first, with the position before it
            place = self._reader.before_problem
            self._last_straw = Problem(*problems.pop())
            self._failure = self._too_many(self._last_straw, place[3])
        for problem in problems:
            self._report(Problem(*problem))
        if not self.named and len(indices):
            self._width = max(self._width, int(indices.max()) + 1)
        width = self._reader.n_names if self.named else self._width
        cells = SparseRows(data, indices, starts, width)
        self.position = Position(place[0], place[1], place[2], place[3])
        names = self.names if self.named else None
        return Batch(cells, self._decode(codes), weight, self.position, lines, names, self._columns())

    def _report(self, problem: Problem) -> None:
        self.problems.append(problem)
        if self._options.on_problem is not None:
            self._options.on_problem(problem)

    def _too_many(self, problem: Problem, before: int) -> MalformedLineError:
        name = self.source.name
        if self._options.strict:
            return MalformedLineError(f"{name}, {problem}", problem.line)
        allowed = f"{before:,} malformed line{'s were' if before != 1 else ' was'} passed over, and no more are allowed"
        return MalformedLineError(f"{name}, {problem} {allowed}.", problem.line)

    def _decode(self, codes: NDArray[np.int32]) -> NDArray[Any] | None:
        """Labels from their codes. The type follows from the labels in the batch, and equal labels are equal."""
        if self._options.labels == "ignored":
            return None
        self._label_values += self._reader.labels(len(self._label_values))
        values = self._label_values
        if self._schema.label_separator is not None:
            return self._sets(codes)
        counts = np.bincount(codes + 1, minlength=len(values) + 1)
        present = [values[code] for code in np.flatnonzero(counts[1:])]
        if counts[0]:
            present.append(None)
        positive = self._schema.positive
        if positive is not None:
            number = _core.parse_number(str(positive).encode())
            wanted = number if isinstance(number, float) else positive
            values = [int(value == wanted) for value in values]
            present = [None if value is None else 0 for value in present]
        kinds = {type(value) for value in present}
        if kinds <= {int}:
            table = np.array([value if isinstance(value, int) else 0 for value in values] or [0], np.int64)
        elif kinds <= {int, float}:
            table = np.array([value if isinstance(value, (int, float)) else 0 for value in values], np.float64)
        elif kinds == {str}:
            table = np.array([value if isinstance(value, str) else "" for value in values])
        else:
            table = np.array([*values, None], object)
        return table[codes]

    def _sets(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        """The set of labels of each row; numbers are whole."""
        separator = self._schema.label_separator
        for text in self._label_values[len(self._set_values) :]:
            labels = (label.strip(" \t\r") for label in text.split(separator))
            self._set_values.append(frozenset(map(_set_label, labels)))
        found = np.empty(len(codes), object)
        found[:] = [self._set_values[code] if code >= 0 else frozenset() for code in codes.tolist()]
        return found


def _set_label(text: str) -> int | str:
    number = _core.parse_number(text.encode())
    return int(number) if isinstance(number, float) else text
