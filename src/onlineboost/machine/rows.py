"""Rows as the engine reads them: a dense array, or CSR arrays. They are checked where they are made, and only there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.progress import Notices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine.progress import Wrong

LARGEST_WEIGHT = 1e15
LARGEST_VALUE = 1e100  # its square, times a weight, is still far from overflow


@dataclass(frozen=True, eq=False)
class DenseRows:
    """A dense batch of float32 or float64, with any strides."""

    X: NDArray[Any]

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return int(self.X.shape[0])

    @property
    def width(self) -> int:
        """How many columns."""
        return int(self.X.shape[1])

    def first_size(self) -> int:
        """The number of columns of the first row."""
        return self.width

    def part(self, start: int, stop: int) -> DenseRows:
        """The rows from start to stop, without a copy."""
        return DenseRows(self.X[start:stop])

    def take(self, order: NDArray[np.intp]) -> DenseRows:
        """The rows in another order, copied."""
        return DenseRows(self.X[order])

    def renumbered(self, ids: NDArray[np.intp]) -> SparseRows:
        """The rows with column j as feature ids[j]."""
        order = np.argsort(ids, kind="stable")
        rows, columns = np.nonzero(self.X[:, order])
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.n_rows))])
        data = self.X[:, order][rows, columns].astype(np.float64)
        return SparseRows(data, ids[order][columns].astype(np.int64), starts.astype(np.int64), int(ids.max()) + 1)

    def learn(self, engine: Any, *arguments: Any, wrong: Wrong | None = None) -> None:
        """Test, then train; the arguments are codes, weights or None, and arrays to fill; `wrong` is for a watcher.

        The engine returns every few hundredths of a second, and Python sees to what came up, such as Ctrl-C.
        """
        done, notices = 0, Notices(self.n_rows, wrong)
        while done < self.n_rows:
            done = engine.learn_dense(self.X, *arguments, start=done)
            notices.tell(done)

    def predict(self, engine: Any, *outputs: NDArray[np.float64]) -> None:
        """Fill the arrays with what the engine predicts."""
        engine.predict_dense(self.X, *outputs)

    def learn_keyed(self, models: Any, *arguments: Any) -> Any:
        """The states of a model per key after the rows."""
        return models.learn_dense(self.X, *arguments)

    def predict_keyed(self, models: Any, *arguments: Any) -> None:
        """Fill arrays with what the model of each row's key predicts."""
        models.predict_dense(self.X, *arguments)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The values, the column of each, and where each row starts and the last one ends."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    width: int

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return len(self.indptr) - 1

    def first_size(self) -> int:
        """The number of values of the first row."""
        return int(self.indptr[1] - self.indptr[0])

    def part(self, start: int, stop: int) -> SparseRows:
        """The rows from start to stop, without a copy."""
        starts = self.indptr[start : stop + 1]
        first, last = starts[0], starts[-1]
        return SparseRows(self.data[first:last], self.indices[first:last], starts - first, self.width)

    def take(self, order: NDArray[np.intp]) -> SparseRows:
        """The rows in another order, copied."""
        sizes = np.diff(self.indptr)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.arange(starts[-1]) + np.repeat(self.indptr[order] - starts[:-1], sizes)
        return SparseRows(self.data[cells], self.indices[cells], starts.astype(self.indptr.dtype), self.width)

    def renumbered(self, ids: NDArray[np.intp]) -> SparseRows:
        """The rows with column j as feature ids[j]."""
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.indptr))
        columns = ids[self.indices].astype(np.int64)
        order = np.lexsort((columns, rows))
        starts = self.indptr.astype(np.int64)
        return SparseRows(self.data[order], columns[order], starts, int(ids.max()) + 1)

    def learn(self, engine: Any, *arguments: Any, wrong: Wrong | None = None) -> None:
        """Test, then train, as dense rows do."""
        done, notices = 0, Notices(self.n_rows, wrong)
        while done < self.n_rows:
            done = engine.learn_sparse(self.data, self.indices, self.indptr, *arguments, start=done)
            notices.tell(done)

    def predict(self, engine: Any, *outputs: NDArray[np.float64]) -> None:
        """Fill the arrays with what the engine predicts."""
        engine.predict_sparse(self.data, self.indices, self.indptr, *outputs)

    def learn_keyed(self, models: Any, *arguments: Any) -> Any:
        """As dense rows do."""
        return models.learn_sparse(self.data, self.indices, self.indptr, *arguments)

    def predict_keyed(self, models: Any, *arguments: Any) -> None:
        """As dense rows do."""
        models.predict_sparse(self.data, self.indices, self.indptr, *arguments)


Rows = DenseRows | SparseRows
