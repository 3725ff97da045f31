"""Rows of cells, as the engine reads them: CSR arrays, without a library around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost import _core


@dataclass(frozen=True, eq=False)
class Cells:
    """The values, the column of each, and where each row starts and the last one ends."""

    data: NDArray[np.float64]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    width: int

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return len(self.indptr) - 1

    def part(self, start: int, stop: int) -> Cells:
        """Some rows."""
        starts = self.indptr[start : stop + 1]
        first, last = starts[0], starts[-1]
        return Cells(self.data[first:last], self.indices[first:last], starts - first, self.width)

    def learn(self, model: _core.Model, *outputs: Any) -> None:
        """Test, then train; `outputs` are labels, weights or None, and up to four arrays to fill."""
        model.learn_sparse(self.data, self.indices, self.indptr, *outputs)

    def predict(self, model: _core.Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Margins and probabilities, in the engine's orientation."""
        margins, probabilities = np.empty(self.n_rows), np.empty(self.n_rows)
        model.predict_sparse(self.data, self.indices, self.indptr, margins, probabilities)
        return margins, probabilities
