"""Data frames of pandas, polars and PyArrow by column, through narwhals: one rule for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from onlineboost.machine.schema import FLAG, NUMBER, TIME, WEIGHT

_NUMBERS = {NUMBER, FLAG, WEIGHT}
_PLAIN = frozenset({"float64", "float32", "int64", "int32", "int16", "int8", "bool"})
_MICROSECONDS = 1e6
_EXACT = 2.0**53  # from here on not every integer is a double


def tabular(X: Any) -> Frame | list[Mapping[Any, Any]] | None:
    """X as a frame or a list of dicts; None if it is neither."""
    if isinstance(X, np.ndarray):
        if X.dtype.names:
            raise ValueError("X is an array of records: pass a data frame, as pandas.DataFrame(X) makes of it.")
        return None
    if isinstance(X, (list, tuple)):
        return _dicts(X) if X and isinstance(X[0], Mapping) else None
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # a sparse matrix may be a dict of its cells
        raise TypeError("X is a dict: pass a list of dicts, one for each row, or a data frame.")
    if hasattr(X, "to_frame"):
        raise ValueError("X is one column: pass a table, as X.to_frame() makes of it.")
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise ValueError("X is a lazy frame: pass X.collect().")
    arrow = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    if not (arrow or hasattr(X, "columns") or hasattr(X, "column_names")):
        return None
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # for those who have frames

    if nw.dependencies.is_into_dataframe(X):
        return Frame(X)
    return _arrow_table(X) if arrow else None


def _arrow_table(X: Any) -> Frame:
    """Record batches, readers, and tables of other libraries, by Arrow's interface."""
    import pyarrow as pa  # noqa: PLC0415  # for those who have Arrow's data

    try:
        return Frame(pa.table(X))
    except (TypeError, ValueError):
        raise ValueError("X is one column: pass a table, such as a pyarrow.Table.") from None


def _dicts(rows: Sequence[Any]) -> list[Mapping[Any, Any]]:
    other = next((k for k, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if other is not None:
        raise ValueError(f"X, row {other}: it is a {type(rows[other]).__name__}, and the rows before it are dicts.")
    return list(rows)


def arrow_view(pa: Any, column: Any) -> Any:
    """A column of Arrow whose cells are no numbers, as the native reader wants it.

    Texts as they are stored: where each begins, their bytes, and which are there. Other values as Python has them, so
    that their names are those of the same values in dicts.
    """
    types = pa.types
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    texts = (types.is_string, types.is_large_string, getattr(types, "is_string_view", types.is_string))
    if not any(test(kind) for test in texts):
        if not types.is_dictionary(column.type):
            return arrow_view(pa, column.cast(pa.string())) if types.is_integer(kind) else column.to_pylist()
        codes = column.indices.cast(pa.int32()).fill_null(-1)
        return np.ascontiguousarray(codes.to_numpy(zero_copy_only=False)), column.dictionary.to_pylist()
    texts = (column.dictionary_decode() if types.is_dictionary(column.type) else column).cast(pa.large_string())
    _, offsets, data = texts.buffers()
    valid = None if texts.null_count == 0 else texts.is_valid().cast(pa.uint8()).to_numpy(zero_copy_only=False)
    starts = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return starts, np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), valid


def arrow_floats(pa: Any, column: Any) -> Any:
    """Numbers of Arrow as doubles, NaN where there is none; casts that are safe refuse large integers."""
    numbers = column.cast(pa.float64(), safe=False).fill_null(np.nan)
    return np.ascontiguousarray(
        numbers.to_numpy() if isinstance(numbers, pa.ChunkedArray) else numbers.to_numpy(zero_copy_only=False)
    )


def _is_sparse(column: Any) -> bool:
    """Whether pandas stores it sparsely; to ask for its attribute `sparse` takes long."""
    return type(getattr(column, "dtype", None)).__name__ == "SparseDtype"


def _of_plain_numbers(X: Any) -> bool:
    """Whether it is a frame of pandas whose columns are NumPy's numbers: nothing else need be asked of each."""
    dtypes = getattr(X, "dtypes", ())  # a Series of pandas; other frames have a list, or nothing
    return hasattr(dtypes, "items") and all(isinstance(one, np.dtype) and one.name in _PLAIN for one in dtypes)


class Frame:
    """A data frame by column.

    Parameters
    ----------
    X : data frame
        Of pandas, polars, PyArrow or any other library that narwhals reads.

    """

    def __init__(self, X: Any) -> None:
        import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

        self._nw = nw
        given = X.column_names if hasattr(X, "column_names") else X.columns
        self.names = [str(name) for name in given]
        if len(set(self.names)) < len(self.names):
            twice = next(name for k, name in enumerate(self.names) if name in self.names[:k])
            raise ValueError(f"X has two columns named {twice!r}: names must be unique to identify features.")
        self._frame = nw.from_native(X, eager_only=True)
        if not self.names:
            raise ValueError("X has no columns: at least one is needed.")
        self.n_rows = len(self._frame)
        self.numeric = _of_plain_numbers(X) or (not hasattr(X, "column_names") and self._has_numbers_only())

    @cached_property
    def _columns(self) -> dict[str, Any]:
        return dict(zip(self.names, map(self._plain, self._frame.iter_columns()), strict=True))

    @cached_property
    def _types(self) -> dict[str, Any]:
        return {name: self._dtype(column) for name, column in self._columns.items()}

    def _has_numbers_only(self) -> bool:
        nw = self._nw
        others = (nw.Decimal, nw.Int128, nw.UInt128)
        return all(
            not _is_sparse(column.to_native())
            and ((dtype := column.dtype) == nw.Boolean or (dtype.is_numeric() and dtype not in others))
            for column in self._frame.iter_columns()
        )

    def _plain(self, column: Any) -> Any:
        """The column; what pandas stores sparsely, or in long doubles, as doubles."""
        native = column.to_native()
        if _is_sparse(native):
            return self._nw.from_native(native.sparse.to_dense(), series_only=True)
        long = isinstance(getattr(native, "dtype", None), np.dtype) and native.dtype.kind == "f"
        return column.cast(self._nw.Float64) if long and native.dtype.itemsize > 8 else column

    def kind(self, name: str) -> str | None:
        """The kind that the type of a column stands for; None if its first value decides."""
        nw, dtype = self._nw, self._types[name]
        if isinstance(dtype, nw.String):  # first, as most columns that are asked for are texts
            return None
        if dtype.is_numeric() or dtype == nw.Duration:
            return "number"
        if dtype == nw.Boolean:
            return "flag"
        if dtype in (nw.Datetime, nw.Date):
            return "time"
        if dtype in (nw.Categorical, nw.Enum, nw.Time):
            return "category"
        if dtype == nw.Object or self._is_null(name):
            return None
        native = self._columns[name].to_native()
        native = getattr(native, "dtype", getattr(native, "type", dtype))
        raise ValueError(
            f"Column {name!r} of X has the type {native}: a column holds numbers, texts, flags or times. Convert it, "
            'or declare it as "ignored".'
        )

    def _dtype(self, column: Any) -> Any:
        """The type; narwhals knows only some of pandas' time zones."""
        dtype, native = column.dtype, getattr(column.to_native(), "dtype", None)
        zoned = dtype == self._nw.Unknown and getattr(native, "tz", None) is not None
        return self._nw.Datetime("us", "UTC") if zoned else dtype

    def _is_null(self, name: str) -> bool:
        column = self._columns[name]
        return bool(self._types[name] == self._nw.Unknown and column.null_count() == len(column))

    def view(self, name: str, code: int) -> Any:
        """The column as the native reader wants it: numbers with NaN for nothing, or a list of objects."""
        nw, column = self._nw, self._columns[name]
        dtype = self._types[name]
        if isinstance(dtype, nw.String):
            return self._texts(column)
        if self._is_null(name):
            return np.full(self.n_rows, np.nan)
        if dtype.is_numeric():
            made = self._floats(column)
            if code == TIME:  # seconds since 1970
                return made * _MICROSECONDS
            named = code not in _NUMBERS and dtype.is_integer()
            return column.to_list() if named and np.nanmax(np.abs(made), initial=0.0) >= _EXACT else made
        if dtype == nw.Boolean and code in _NUMBERS:
            return self._floats(column)
        if dtype == nw.Duration:
            return self._durations(column) / _MICROSECONDS
        if dtype in (nw.Datetime, nw.Date) and code == TIME:
            return self._micros(column)
        self.kind(name)
        return self._texts(column) if dtype in (nw.Categorical, nw.Enum) else self._objects(column)

    def _texts(self, column: Any) -> Any:
        coded = self._coded(column)
        return self._objects(column) if coded is None else coded

    def _objects(self, column: Any) -> Any:
        native = column.to_native()
        if getattr(native, "dtype", None) == np.dtype(object):
            return np.ascontiguousarray(native.to_numpy())
        return column.to_list()

    def _coded(self, column: Any) -> Any:
        """Codes and what they stand for, or what Arrow has; None where the column is of objects."""
        native, pa = column.to_native(), self._nw.dependencies.get_pyarrow()
        if column.implementation.is_pandas_like():
            if hasattr(native, "cat"):
                return np.ascontiguousarray(native.cat.codes, np.int32), native.cat.categories.tolist()
            if getattr(native.dtype, "storage", "") != "pyarrow" and not hasattr(native.dtype, "pyarrow_dtype"):
                return None
        return None if pa is None else arrow_view(pa, column.to_arrow())

    def _floats(self, column: Any) -> Any:
        nw, native = self._nw, column.to_native()
        if isinstance(getattr(native, "dtype", None), np.dtype):  # NumPy's columns have no nulls
            return np.ascontiguousarray(native.to_numpy(), np.float64)
        if column.implementation.is_pyarrow() or hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):
            return arrow_floats(nw.dependencies.get_pyarrow(), column.to_arrow())
        if column.dtype != nw.Float64:
            column = column.cast(nw.Float64)
        if column.null_count():
            column = column.fill_null(float("nan"))
        return np.ascontiguousarray(column.to_numpy(), np.float64)

    def _durations(self, column: Any) -> Any:
        """Microseconds; narwhals rounds those that pandas keeps in Arrow."""
        native = column.to_native()
        if not hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):
            return self._floats(column.dt.total_microseconds())
        pa = self._nw.dependencies.get_pyarrow()
        return arrow_floats(pa, column.to_arrow().cast(pa.duration("us"), safe=False).cast(pa.int64()))

    def _micros(self, column: Any) -> Any:
        nw = self._nw
        if column.dtype == nw.Date:
            column = column.cast(nw.Datetime("us"))
        elif column.dtype != nw.Datetime:
            column = nw.from_native(column.to_native().dt.tz_convert("UTC"), series_only=True)
        missing = column.is_null().to_numpy()
        times = column.dt.timestamp("us")
        if not missing.any():
            return np.ascontiguousarray(times.to_numpy(), np.float64)
        made = self._floats(times).copy()
        made[missing] = np.nan
        return made
