"""A batch is checked here, once and whole, before the model is touched."""

from __future__ import annotations

import numbers
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost._scikit import check_array, validate_data
from onlineboost._scikit import sparse as sp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

LARGEST_WEIGHT = 1e15
LARGEST_VALUE = 1e100  # its square, times a weight, is still far from overflow


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Give the estimator its attributes back if the block raises."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.update(before)
        for name in estimator.__dict__.keys() - before.keys():
            del estimator.__dict__[name]
        raise


@dataclass(frozen=True)
class Rows:
    """A checked batch, in the form in which the engine reads it: dense, or canonical CSR."""

    X: Any

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def take(self, order: NDArray[np.intp]) -> Rows:
        """The rows in another order (a copy)."""
        return Rows(self.X[order])

    def relabel(self, ids: NDArray[np.intp]) -> Rows:
        """The rows with column j as feature ids[j]."""
        X = sp.csr_array(self.X)
        X = sp.csr_array((X.data, ids[X.indices], X.indptr.astype(ids.dtype)), shape=(X.shape[0], int(ids.max()) + 1))
        X.sort_indices()
        return Rows(X)

    def learn(self, model: Any, *outputs: Any) -> None:
        """Test, then train; `outputs` are labels, weights or None, and up to four arrays to fill."""
        if sp.issparse(self.X):
            model.learn_sparse(self.X.data, self.X.indices, self.X.indptr, *outputs)
        else:
            model.learn_dense(self.X, *outputs)

    def predict(self, model: _core.Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Margins and probabilities, in the engine's orientation."""
        margins, probabilities = np.empty(self.n_rows), np.empty(self.n_rows)
        self.fill(model, margins, probabilities)
        return margins, probabilities

    def fill(self, model: Any, *outputs: NDArray[np.float64]) -> None:
        """What the model predicts goes to the arrays."""
        if sp.issparse(self.X):
            model.predict_sparse(self.X.data, self.X.indices, self.X.indptr, *outputs)
        else:
            model.predict_dense(self.X, *outputs)


def _text_column(X: Any) -> str:
    """A hint for the commonest mistake: names the first column of a frame that holds no numbers."""
    for name, dtype in zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False):
        if str(dtype).lower() in {"object", "str", "string", "category", "categorical", "utf8"}:
            return f" Column {name!r} holds text or categories: encode it first, e.g. with OneHotEncoder."
    return ""


def read_rows(estimator: Any, X: Any, *, reset: bool = False) -> Rows:
    """Check X, against the estimator's columns unless it is None.

    float32 and float64, dense in any layout and CSR, pass without a copy.
    """
    rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
    if sp.issparse(X):
        _refuse_broken(X)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # sums of huge numbers
            X = check_array(X, **rules) if estimator is None else validate_data(estimator, X, reset=reset, **rules)
    except ValueError as error:
        if hint := _text_column(X):
            raise ValueError(f"{error}{hint}") from None
        raise
    _refuse_huge(X.data if sp.issparse(X) else X)
    return Rows(_canonical(X) if sp.issparse(X) else _whole_steps(X))


def _refuse_broken(X: Any) -> None:
    """SciPy converts to CSR without looking, so that an index out of range would write out of bounds."""
    try:
        if X.format in {"csc", "bsr"}:
            type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format()
        elif X.format == "coo" and len(X.shape) == 2:
            type(X)((X.data, (X.row, X.col)), shape=X.shape)
    except ValueError as error:
        raise ValueError(f"X is not a valid {X.format.upper()} matrix: {error}") from None


def _refuse_huge(values: NDArray[Any]) -> None:
    if values.dtype == np.float64 and values.size and max(values.max(), -values.min()) > LARGEST_VALUE:
        raise ValueError(f"X holds a number beyond {LARGEST_VALUE:g}: rescale its columns.")


def _whole_steps(X: NDArray[Any]) -> NDArray[Any]:
    """A field of a packed record array lies askew in memory: only then a copy."""
    askew = not X.flags.aligned or any(step % X.itemsize for step in X.strides)
    return X.copy() if askew else X


def _canonical(X: Any) -> Any:
    """CSR with ascending indices and no duplicates; a copy is made only where it has to be changed."""
    if len(X.indptr) != X.shape[0] + 1:
        raise ValueError(
            f"X is not a valid CSR matrix: it has {X.shape[0]} rows but indptr has {len(X.indptr)} entries."
        )
    if not all(part.flags.c_contiguous for part in (X.data, X.indices, X.indptr)):
        X = sp.csr_array(tuple(map(np.ascontiguousarray, (X.data, X.indices, X.indptr))), shape=X.shape)
    if X.indices.dtype != X.indptr.dtype:
        X = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    try:
        order = _core.csr_order(X.data, X.indices, X.indptr, X.shape[1])
    except IndexError as error:  # a column beyond those that a model takes
        raise ValueError(str(error)) from None
    except ValueError as error:
        raise ValueError(f"X is not a valid CSR matrix: {error}") from None
    if order != 0:
        X = sp.csr_array((X.data.copy(), X.indices.copy(), X.indptr.copy()), shape=X.shape)
        X.sum_duplicates()
    return X


def check_weight(w: Any) -> None:
    """Refuse what is not the weight of one example."""
    number: Any = w if type(w) is float or isinstance(w, numbers.Real) else -1
    if not 0 <= number <= LARGEST_WEIGHT:
        raise ValueError(f"The weight must be a number from 0 to {LARGEST_WEIGHT:g}, not {w!r}.")


def read_weights(sample_weight: Any, rows: Rows) -> NDArray[np.float64] | None:
    """One weight per row in [0, 1e15], or None where all are 1."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(rows.n_rows, sample_weight)
    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        input_name="sample_weight",
        ensure_min_samples=0,
    )
    if weights.shape != (rows.n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {rows.n_rows} rows, not the shape {weights.shape}."
        )
    if not 0 <= weights.min() <= weights.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight must be from 0 to {LARGEST_WEIGHT:g}; it has {weights.min():g} to {weights.max():g}."
        )
    return np.asarray(weights)
