"""Shards of Dask's data frames and arrays and of Ray's datasets: a worker reads its partition or block itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations.extras import require
from onlineboost.distributed.shards import ArrayShard

if TYPE_CHECKING:
    from onlineboost.distributed.shards import Batch


@dataclass(frozen=True, eq=False)
class DaskShard:
    """A partition of a Dask data frame, or a block of rows of Dask arrays, computed where it is learned."""

    parts: tuple[Any, ...]  # delayed: a frame with the label; or rows, labels and weights
    n_rows: int
    label: str | None = None
    weight: str | None = None

    def __len__(self) -> int:
        """How many rows."""
        return self.n_rows

    def rows(self, start: int, stop: int) -> Batch:
        """These rows."""
        return self.reader().rows(start, stop)

    def reader(self) -> ArrayShard:
        """The partition in memory."""
        dask = require("dask", "dask", "A shard of Dask")
        found = dask.compute(*self.parts, scheduler="synchronous")
        return ArrayShard(*found) if self.label is None else _of_frame(found[0], self.label, self.weight)


@dataclass(frozen=True, eq=False)
class RayShard:
    """A block of a Ray dataset, in Ray's store."""

    block: Any
    n_rows: int
    label: str
    weight: str | None = None

    def __len__(self) -> int:
        """How many rows."""
        return self.n_rows

    def rows(self, start: int, stop: int) -> Batch:
        """These rows."""
        return self.reader().rows(start, stop)

    def reader(self) -> ArrayShard:
        """The block in memory."""
        ray = require("ray", "ray", "A shard of Ray")
        return _of_frame(ray.get(self.block), self.label, self.weight)


def _of_frame(frame: Any, label: str, weight: str | None) -> ArrayShard:
    weights = None if weight is None else frame[weight].to_numpy()
    columns = [label] if weight is None else [label, weight]
    return ArrayShard(frame.drop(columns=columns), frame[label].to_numpy(), weights)


def dask_shards(X: Any, y: Any, sample_weight: Any = None) -> list[DaskShard]:
    """A shard per partition of a Dask data frame, or per block of rows of Dask arrays.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array
        Rows; an array's blocks must hold whole rows.
    y : str or dask.array.Array
        The column of the labels, or an array with the blocks of X.
    sample_weight : str or dask.array.Array, default=None
        The same for weights.

    """
    if hasattr(X, "columns"):
        parts = [(one,) for one in X.to_delayed()]
        sizes = X.map_partitions(len).compute()
        made = [DaskShard(part, int(n), y, sample_weight) for part, n in zip(parts, sizes, strict=True)]
    else:
        if X.numblocks[1] != 1:
            raise ValueError("The blocks of X hold parts of rows: rechunk it with X.rechunk({1: -1}).")
        arrays = [X, y] if sample_weight is None else [X, y, sample_weight]
        if any(one.chunks[0] != X.chunks[0] for one in arrays) or np.isnan(X.chunks[0]).any():
            raise ValueError("X, y and sample_weight must have the same blocks of rows, of known sizes: rechunk them.")
        blocks = [one.to_delayed().ravel() for one in arrays]
        made = [DaskShard(tuple(part), int(n)) for *part, n in zip(*blocks, X.chunks[0], strict=True)]
    return [one for one in made if len(one)]


def ray_shards(dataset: Any, label: str, weight: str | None = None) -> list[RayShard]:
    """A shard per block of a Ray dataset.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Rows with their labels.
    label, weight : str
        Columns.

    """
    ray = require("ray", "ray", "A shard of Ray")
    blocks = dataset.materialize().to_pandas_refs()
    sizes = ray.get([ray.remote(_length).remote(one) for one in blocks])
    return [RayShard(one, n, label, weight) for one, n in zip(blocks, sizes, strict=True) if n]


def _length(frame: Any) -> int:
    return len(frame)
