"""A user's rows, labels and weights are checked here, once and whole, before the model is touched."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from onlineboost import _core
from onlineboost.machine.label_sets import LabelSets, read_label_sets
from onlineboost.machine.labels import as_array, tidy_labels
from onlineboost.machine.rows import LARGEST_VALUE, LARGEST_WEIGHT, DenseRows, Rows, SparseRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS_PER_RUN = 10


def read_rows(estimator: Any, X: Any, *, reset: bool = False) -> Rows:
    """Check X, against the estimator's columns unless it is None.

    float32 and float64, dense in any layout and CSR, pass without a copy.
    """
    rules: dict[str, Any] = {
        "accept_sparse": "csr",
        "dtype": [np.float64, np.float32],
        "ensure_all_finite": False,  # below, with the column and the row
    }
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if sparse.issparse(X):
        _refuse_broken(X)
    else:
        _refuse_strange(X)
        X = _unmasked(X)
    try:
        X = check_array(X, **rules) if estimator is None else validate_data(estimator, X, reset=reset, **rules)
    except ValueError as error:
        if "could not convert" in str(error) and (place := _text_cell(X, names)):
            raise ValueError(place) from None
        raise
    _refuse_huge(X, names)
    return _canonical(X) if sparse.issparse(X) else DenseRows(_aligned(X))


def read_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """One usable label per row."""
    _refuse_masked("y", y)
    if not (isinstance(y, (list, tuple)) and y and isinstance(y[0], str)):
        y = column_or_1d(y, warn=True)
    labels = tidy_labels("y", as_array(y))
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(labels)} labels.")
    return labels


def read_sets(y: Any, n_rows: int) -> LabelSets:
    """A set of usable labels per row."""
    if y is None:
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    _refuse_masked("y", y)
    if sparse.issparse(y):
        y = y.toarray()
    elif hasattr(y, "columns") and hasattr(y, "to_numpy"):
        y = y.to_numpy()
    sets = read_label_sets(y)
    if len(sets) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(sets)} sets of labels.")
    return sets


def sorted_by_class(labels: NDArray[Any], weights: NDArray[np.float64] | None) -> bool:
    """Whether every class comes in one run, and the rows are too many for that to be chance."""
    if weights is not None:
        labels = labels[weights > 0]
    changes = np.flatnonzero(labels[1:] != labels[:-1])
    n_runs = len(changes) + 1
    if n_runs < 2 or len(labels) < _ROWS_PER_RUN * n_runs:
        return False
    return len(np.unique(labels[np.append(changes, len(labels) - 1)])) == n_runs


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """One weight per row in [0, 1e15], or None where all are 1."""
    if sample_weight is None:
        return None
    _refuse_masked("sample_weight", sample_weight)
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, sample_weight)
    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        input_name="sample_weight",
        ensure_min_samples=0,
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows, not the shape {weights.shape}."
        )
    if not 0 <= weights.min() <= weights.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight must be from 0 to {LARGEST_WEIGHT:g}; it has {weights.min():g} to {weights.max():g}."
        )
    return np.asarray(weights)


def read_single_row(x: Any) -> NDArray[Any]:
    """One example as an array of one dimension."""
    row = np.asarray(_unmasked(x))
    if row.ndim != 1:
        raise ValueError(f"One example is a dict or a 1-D array, not an array of shape {row.shape}.")
    return row.astype(np.float64) if row.dtype.kind in "iub" else row


def _text_cell(X: Any, names: list[Any]) -> str:
    """The first cell that is no number, and what to do."""
    if sparse.issparse(X):
        return ""
    cells = np.asarray(X)
    if cells.ndim != 2 or cells.dtype.kind not in "OSU":
        return ""
    for (row, column), cell in np.ndenumerate(cells):
        try:
            float(cell)
        except (TypeError, ValueError):
            value = repr(cell.item() if isinstance(cell, np.generic) else cell)
            where = repr(names[column]) if names else column
            advice = (
                "this model has learned from numbers" if names else "pass a data frame, whose columns may hold texts"
            )
            return f"X, column {where}, row {row}: the value {value:.60} is not a number: {advice}."
    return ""


def _refuse_strange(X: Any) -> None:
    """NumPy would turn these into numbers without a word."""
    dtypes = [X.dtype] if isinstance(X, np.ndarray) else getattr(X, "dtypes", ())
    if any(getattr(dtype, "kind", "") in {"m", "M"} for dtype in dtypes):
        raise ValueError("X holds dates or times: turn them into numbers first, such as hours or days.")


def _masked(values: Any) -> bool:
    return type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray) and bool(np.any(values.mask))


def _unmasked(X: Any) -> Any:
    """Masked values are missing: NaN."""
    if not _masked(X):
        return X
    return (X if X.dtype.kind in "fO" else X.astype(np.float64)).filled(np.nan)


def _refuse_masked(name: str, values: Any) -> None:
    if _masked(values):
        raise ValueError(f"{name} is a masked array with masked values: fill them first, e.g. with .filled(0).")


def _refuse_broken(X: Any) -> None:
    """SciPy converts to CSR without looking, so an index out of range would write out of bounds."""
    try:
        if X.format in {"csc", "bsr"}:
            type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format()
        elif X.format == "coo" and len(X.shape) == 2:
            type(X)((X.data, (X.row, X.col)), shape=X.shape)
    except ValueError as error:
        raise ValueError(f"X is not a valid {X.format.upper()} matrix: {error}") from None


def _refuse_huge(X: Any, names: list[Any]) -> None:
    values: NDArray[Any] = X.data if sparse.issparse(X) else X
    largest = float(np.fmax(np.fmax.reduce(values, None), -np.fmin.reduce(values, None))) if values.size else 0.0
    if np.isnan(largest) or largest <= LARGEST_VALUE:
        return
    place = np.unravel_index(int(np.argmax(np.abs(values.astype(np.float64)) > LARGEST_VALUE)), values.shape)
    value, row, column = values[place], place[0], place[-1]
    if sparse.issparse(X):
        row, column = np.searchsorted(X.indptr, row, side="right") - 1, X.indices[row]
    huge = f"the number {value:g} is beyond {LARGEST_VALUE:g}: rescale the column"
    raise ValueError(
        f"X, column {repr(names[column]) if names else column}, row {row}: "
        f"{'infinity is not accepted' if np.isinf(value) else huge}."
    )


def _aligned(X: NDArray[Any]) -> NDArray[Any]:
    """Copies X only if it is misaligned, as a field of a packed record array is."""
    misaligned = not X.flags.aligned or any(step % X.itemsize for step in X.strides)
    return X.copy() if misaligned else X


def _canonical(X: Any) -> SparseRows:
    """CSR with ascending indices and no duplicates; a copy is made only where it has to be changed."""
    if len(X.indptr) != X.shape[0] + 1:
        raise ValueError(
            f"X is not a valid CSR matrix: it has {X.shape[0]} rows but indptr has {len(X.indptr)} entries."
        )
    data, indices, indptr = map(np.ascontiguousarray, (X.data, X.indices, X.indptr))
    if indices.dtype != indptr.dtype:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    try:
        order = _core.csr_order(data, indices, indptr, X.shape[1])
    except IndexError as error:  # a column beyond those that a model takes
        raise ValueError(str(error)) from None
    except ValueError as error:
        raise ValueError(f"X is not a valid CSR matrix: {error}") from None
    if order != 0:
        X = sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=X.shape)
        X.sum_duplicates()
        data, indices, indptr = X.data, X.indices, X.indptr
    return SparseRows(data, indices, indptr, X.shape[1])
