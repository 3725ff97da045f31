"""The streams of the cells: one file per data set and order, made when it is first asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.accuracy import plan
from onlineboost import datasets


def load(name: str, data: str | None) -> tuple[Any, Any]:
    """X and y; w8a is the first copy in the paper's stream."""
    found = datasets.load("web page" if name == "w8a" else name, data=data)
    rows = plan.DATA[name].examples
    if len(found.y) < rows:
        raise ValueError(f"{name} has {len(found.y)} examples, not {rows}: name the folder of the data sets by --data.")
    return sp.csr_array(found.X[:rows]), found.y[:rows]


def load_stream(name: str, folder: Path) -> tuple[Any, Any]:
    """X, a column per value of a category, and the numbers of the classes, in the order of the file."""
    import pandas as pd  # noqa: PLC0415  # for streams only

    at = plan.STREAMS[name]
    table = pd.read_csv(folder / f"{name}.csv.xz", nrows=at.rows).drop(columns=list(at.dropped))
    y = pd.factorize(table.pop("class"))[0]
    return sp.csr_array(pd.get_dummies(table, columns=list(at.nominal)).to_numpy(float)), y


def min_max(X: Any) -> Any:
    """Each feature between -1 and 1, by its least and greatest value in the whole set."""
    dense = X.toarray()
    low, high = dense.min(axis=0), dense.max(axis=0)
    return sp.csr_array(2 * (dense - low) / np.where(high > low, high - low, 1) - 1)


class Streams:
    """The files, and one data set at a time in memory."""

    def __init__(self, folder: Path, data: str | None) -> None:
        self.folder, self.data = folder, data
        self._name, self._rows = "", (None, None)

    def _load(self, name: str) -> tuple[Any, Any]:
        if name not in plan.STREAMS:
            return load(name, self.data)
        return load_stream(name, Path(self.data or ".") / ".." / "streams")

    def path(self, cell: plan.Cell) -> Path:
        """The stream of a cell; that of streaming peers is scaled where the features are not."""
        own = cell.data in plan.STREAMS
        scaled = not own and plan.DATA[cell.data].scaled and plan.BY_NAME[cell.system].peer not in {"ours", "batch"}
        path = self.folder / f"{cell.data}-{cell.order}-{cell.rows or 'all'}{'-scaled' if scaled else ''}.npz"
        if not path.is_file():
            if self._name != cell.data:
                self._name, self._rows = cell.data, self._load(cell.data)
            X, y = self._rows
            order = np.arange(len(y)) if own else np.random.default_rng(cell.order).permutation(len(y))[: cell.rows]
            X, y = (min_max(X) if scaled else X)[order], y[order]
            arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}
            np.savez(path, **arrays, n_features=X.shape[1], order=cell.order)
        return path
