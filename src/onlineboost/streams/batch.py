"""Batches of rows, positions in a stream, and malformed lines."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onlineboost.streams.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from onlineboost.machine import SparseRows
    from onlineboost.machine.schema import ColumnSchema


@dataclass(frozen=True)
class Position:
    """How far a stream was read. Resuming here gives exactly the rows that are left.

    Attributes
    ----------
    bytes : of the decompressed stream (text formats; 0 for Parquet and Arrow).
    lines : lines before it (text formats), or rows (Parquet and Arrow).
    rows : examples given before it.
    bad : malformed lines or rows before it.

    """

    bytes: int = 0
    lines: int = 0
    rows: int = 0
    bad: int = 0

    def to_json(self) -> dict[str, int]:
        """As a dict of integers."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> Position:
        """From such a dict."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or set(data) != names:
            raise FormatError(
                f"A position is an object with the numbers {', '.join(sorted(names))}, not {data!r:.200}."
            )
        if not all(type(value) is int and 0 <= value < 2**63 for value in data.values()):
            raise FormatError(f"A position has whole numbers that are not negative, not {data!r:.200}.")
        return cls(**data)


@dataclass(frozen=True)
class Problem:
    """A malformed line: its number, the place in it or the name of the column, and what is wrong, in one sentence."""

    line: int
    column: str
    message: str

    @property
    def kept(self) -> bool:
        """Whether the line was kept, and only its cell taken as missing."""
        return self.message.endswith("taken as missing.")

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}: {self.message}"


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows in the order of the stream.

    Attributes
    ----------
    cells : the rows as plain arrays; `X` is the same as a csr_array of float64.
        Columns are the file's indices (LIBSVM), or ids of names that `Stream.names` lists;
        a row's features stand in the order of the input.
    y : one label per row (int64, float64 or str; an object array where labels are of several types or None); with
        `Schema.label_separator` an object array of frozensets; None where labels are ignored.
    weight : one weight per row, or None where all are 1.
    position : of the stream, behind the batch.
    lines : the number of the line (or row) that each example came from, counted from 1.
    names : the stream's names by id, or None where columns are numbers (LIBSVM).
    schema : the kinds of the columns up to here; None where there are no columns (LIBSVM, VW).

    """

    cells: SparseRows
    y: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    position: Position
    lines: NDArray[np.int64]
    names: list[str] | None
    schema: ColumnSchema | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def X(self) -> sp.csr_array:  # noqa: N802  # scikit-learn's name
        """The rows as SciPy's array, over the same memory."""
        import scipy.sparse as sp  # noqa: PLC0415  # the command line does without it

        cells = self.cells
        return sp.csr_array((cells.data, cells.indices, cells.indptr), shape=(len(self), cells.width))
