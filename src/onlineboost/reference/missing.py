"""Missing values as every learner but trees sees them (docs/missing.md).

    x_j missing in row t:   x_j <- m_j,   z_j <- 1        (z_j is a feature of its own, 0 elsewhere)

    m_j = mean of x_j over the rows since the first in which it was missing, those left out in which it was missing;
          0 until there is one

Which variant: a row is filled before it is learned, so m_j is of the rows before it. A value that a sparse row does not
have is 0, and counts as such. `src/native/engine/missing.cpp` fills a mean of 0 as 1e-150, so it keeps its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def filled(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows with gaps filled, and an indicator for each column behind them."""
    columns = X.shape[1]
    made = np.zeros((len(X), 2 * columns))
    tracked, sums, counts = np.zeros(columns, bool), np.zeros(columns), np.zeros(columns)
    for t, row in enumerate(X):
        missing = np.isnan(row)
        means = np.divide(sums, counts, out=np.zeros(columns), where=counts > 0)
        made[t, :columns] = np.where(missing, means, row)
        made[t, columns:] = missing
        tracked |= missing
        present = tracked & ~missing
        sums[present] += row[present]
        counts[present] += 1
    return made
