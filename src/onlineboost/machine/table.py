"""Rows that were checked, as a machine reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from onlineboost.machine.features import COLUMNS, Features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from onlineboost.machine.rows import Rows
    from onlineboost.machine.schema import ColumnSchema


class NotPlainError(Exception):
    """The row needs the checks of a batch."""


class RowSource(Protocol):
    """Rows that were checked, and how their columns are identified."""

    @property
    def n_rows(self) -> int:
        """How many."""

    def begin(self) -> tuple[Features, int]:
        """The features of a machine that begins with these rows, and how many it starts with."""

    @property
    def schema(self) -> ColumnSchema | None:
        """The kinds of the columns once the rows are learned; None where all are numbers."""

    def read(self, features: Features, weights: NDArray[np.float64] | None, *, learn: bool) -> tuple[Rows, list[Any]]:
        """The rows by feature numbers, and the names that learning them would add."""


class Table:
    """Checked rows of an array or a data frame, for a machine."""

    def __init__(self, rows: Rows, names: list[str] | None = None) -> None:
        self.rows = rows
        self.names = names

    @property
    def n_rows(self) -> int:
        """How many."""
        return self.rows.n_rows

    @property
    def schema(self) -> None:
        """All columns are numbers."""

    def begin(self) -> tuple[Features, int]:
        """Columns, with their names where there are any."""
        return Features.of_columns(self.rows.width, self.names), self.rows.width

    def take(self, order: NDArray[np.intp]) -> Table:
        """The rows in another order."""
        return Table(self.rows.take(order), self.names)

    def read(self, features: Features, _: NDArray[np.float64] | None, *, learn: bool) -> tuple[Rows, list[Any]]:
        """The rows as they are, or by name for a model that identifies features by name."""
        if features.n_columns is not None or features.kind == COLUMNS:
            return self.rows, []
        if self.names is None:
            raise ValueError("This model has learned from dicts with names: pass dicts, or a data frame with names.")
        ids, unknown = features.numbers_of(self.names)
        return self.rows.renumbered(ids), unknown if learn else []
