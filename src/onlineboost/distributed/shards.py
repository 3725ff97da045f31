"""Parts of a data set that one worker learns. A shard knows its length and reads any range of its rows."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from onlineboost.declarations.extras import require

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

Batch = tuple[Any, Any, Any]
_READ = 2**15  # rows at a time from a file


class Rows(Protocol):
    """What reads rows."""

    def rows(self, start: int, stop: int) -> Batch:
        """X, y and weights (or None) of these rows."""


class Shard(Rows, Protocol):
    """What `train_shards` asks of a shard: it is sent to a worker, so it can be pickled.

    Where it has a method `reader()`, a worker calls it once and asks what it gives for the rows of round after round.
    Where a reader has `read_ahead(start, stop)`, a worker says so which rows it will ask for next.
    """

    def __len__(self) -> int:
        """How many rows."""


@dataclass(frozen=True, eq=False)
class ArrayShard:
    """Rows in memory: arrays, sparse matrices or data frames."""

    X: Any
    y: Any
    sample_weight: Any = None

    def __len__(self) -> int:
        """How many rows."""
        return int(np.shape(self.X)[0])

    def rows(self, start: int, stop: int) -> Batch:
        """These rows."""
        weights = None if self.sample_weight is None else self.sample_weight[start:stop]
        return _slice(self.X, start, stop), _slice(self.y, start, stop), weights


@dataclass(frozen=True)
class ParquetShard:
    """Row groups of a Parquet file: a worker reads them where it runs."""

    path: str
    label: str
    groups: tuple[int, ...]
    n_rows: int

    def __len__(self) -> int:
        """How many rows."""
        return self.n_rows

    def rows(self, start: int, stop: int) -> Batch:
        """These rows, as a data frame without the label."""
        return self.reader().rows(start, stop)

    def reader(self) -> ParquetReader:
        """Reads row after row without going back."""
        return ParquetReader(self)


class ParquetReader:
    """Reads the rows of a shard in their order, a batch at a time and by one thread: workers run side by side.

    Parameters
    ----------
    shard : ParquetShard
        Its rows.

    """

    def __init__(self, shard: ParquetShard) -> None:
        self._shard = shard
        self._file = require("pyarrow.parquet", "streams", "Reading Parquet").ParquetFile(shard.path)
        self._concat = require("pyarrow", "streams", "Reading Parquet").Table.from_batches
        self._thread = ThreadPoolExecutor(1)
        self._ahead: tuple[int, int, Future[Batch]] | None = None
        self._seek(0)

    def _seek(self, row: int) -> None:
        """Go to a row, by the row group that has it."""
        groups, first = list(self._shard.groups), 0
        while len(groups) > 1 and first + (size := self._file.metadata.row_group(groups[0]).num_rows) <= row:
            groups, first = groups[1:], first + size
        self._batches = self._file.iter_batches(_READ, groups, use_threads=False)
        self._rest, self._at = next(self._batches), first
        self._read(row - first)

    def _read(self, n_rows: int) -> list[Any]:
        """The next rows, as record batches."""
        parts, after, self._at = [], self._at + n_rows, -1  # nowhere, if reading fails
        while n_rows > self._rest.num_rows:
            parts.append(self._rest)
            n_rows -= self._rest.num_rows
            self._rest = next(self._batches)
        parts.append(self._rest.slice(0, n_rows))
        self._rest, self._at = self._rest.slice(n_rows), after
        return parts

    def read_ahead(self, start: int, stop: int) -> None:
        """Read these rows in a thread, for the next call of `rows`."""
        self._ahead = start, stop, self._thread.submit(self._rows, start, stop)

    def rows(self, start: int, stop: int) -> Batch:
        """These rows, as a data frame without the label."""
        if self._ahead is not None:
            (first, last, found), self._ahead = self._ahead, None
            if (first, last) == (start, stop):
                return found.result()
            found.exception()  # waits; other rows are wanted
        return self._rows(start, stop)

    def _rows(self, start: int, stop: int) -> Batch:
        if start != self._at:
            self._seek(start)
        table, label = self._concat(self._read(stop - start)), self._shard.label
        y = table.select([label]).to_pandas(use_threads=False)[label].to_numpy()
        return table.drop_columns([label]).to_pandas(use_threads=False), y, None


def _slice(values: Any, start: int, stop: int) -> Any:
    return values.iloc[start:stop] if hasattr(values, "iloc") else values[start:stop]


def array_shards(X: Any, y: Any, n_shards: int, sample_weight: Any = None) -> list[ArrayShard]:
    """Rows of arrays dealt to shards in blocks, in their order: shard k has the k-th block.

    Parameters
    ----------
    X, y, sample_weight : array-like
        As for `fit`.
    n_shards : int
        How many shards; they differ in length by at most one row.

    """
    n_rows = int(np.shape(X)[0])
    _check_count(n_shards, n_rows, "rows")
    cuts = [k * n_rows // n_shards for k in range(n_shards + 1)]
    whole = ArrayShard(X, y, sample_weight)
    return [ArrayShard(*whole.rows(start, stop)) for start, stop in itertools.pairwise(cuts)]


def parquet_shards(paths: Sequence[str] | str, label: str, n_shards: int) -> list[ParquetShard]:
    """Row groups of Parquet files, each file cut into as many shards as its share of the row groups allows.

    Parameters
    ----------
    paths : str or list of str
        The files; every worker must be able to read them.
    label : str
        The column with the label.
    n_shards : int
        How many shards in all; at least one per file.

    """
    parquet = require("pyarrow.parquet", "streams", "Reading Parquet")
    names = [paths] if isinstance(paths, str) else list(paths)
    files = {str(path): parquet.ParquetFile(path).metadata for path in names}
    groups = [(path, k) for path, data in files.items() for k in range(data.num_row_groups)]
    _check_count(n_shards, len(groups), "row groups")
    _check_count(len(files), n_shards, "shards for the files")
    found = []
    for block in np.array_split(np.arange(len(groups)), n_shards):
        for path in dict.fromkeys(groups[k][0] for k in block):
            own = tuple(groups[k][1] for k in block if groups[k][0] == path)
            n_rows = sum(files[path].row_group(k).num_rows for k in own)
            found.append(ParquetShard(path, label, own, n_rows))
    return found


def _check_count(wanted: int, there: int, what: str) -> None:
    if not isinstance(wanted, int) or not 1 <= wanted <= there:
        raise ValueError(f"{wanted!r} shards cannot be made of {there} {what}: ask for 1 to {there}.")
