"""Spark's vectors as they come through Arrow: structs of type (0 sparse, 1 dense), size, indices and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse


def rows_of(column: Any) -> Any:
    """A column of vectors as an array, or as a CSR array where some are sparse; a row that is null has NaN only."""
    kinds, sizes, indices, values = (column.field(name) for name in ("type", "size", "indices", "values"))
    given = np.asarray(column.is_valid())
    lengths = _lengths(values, given)
    flat = _flat(values, np.float64)
    dense = np.asarray(kinds.fill_null(1)) == 1
    declared = np.asarray(sizes.fill_null(-1))
    widths = np.where(dense, lengths, declared)[given]
    if len(np.unique(widths)) > 1:
        raise ValueError(f"The vectors have {widths.min()} to {widths.max()} entries: all must have the same number.")
    width = int(widths[0]) if len(widths) else 0
    if dense.all():
        found = np.full((len(given), width), np.nan)
        found[given] = flat.reshape(-1, width)
        return found
    starts = np.concatenate([[0], np.cumsum(lengths)])
    owner = np.repeat(np.arange(len(given)), lengths)
    columns = np.arange(len(flat)) - starts[owner]
    columns[~dense[owner]] = _flat(indices, np.int64)
    return sparse.csr_array((flat, columns, starts), shape=(len(given), width))


def rows_of_structs(frame: Any) -> Any:
    """The same for a data frame of pandas with the structs' fields."""
    columns = [pa.array(frame["type"].fillna(1), pa.int8()), pa.array(frame["size"], pa.int32(), from_pandas=True)]
    columns += [pa.array(frame["indices"], pa.list_(pa.int32()), from_pandas=True)]
    columns += [pa.array(frame["values"], pa.list_(pa.float64()), from_pandas=True)]
    missing = pa.array(frame["values"].isna())
    return rows_of(pa.StructArray.from_arrays(columns, ["type", "size", "indices", "values"], mask=missing))


def _lengths(lists: Any, given: Any) -> Any:
    ends = np.asarray(lists.offsets)
    return np.where(given, np.diff(ends), 0)


def _flat(lists: Any, dtype: Any) -> Any:
    return np.asarray(lists.flatten(), dtype)
