"""The same numbers give the same bits, whatever container, type and layout they come in; the input is only read."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from states import features_of, same, snapshot, state_of
from table import each_class, each_learner, each_pair, in_turn, make, stream

from onlineboost import OSBoostClassifier, Perceptron, prequential

pytestmark = pytest.mark.engine

NAMES = list("abcde")


def _record_field(X):
    records = np.zeros(len(X), dtype=[("x", "f8", X.shape[1]), ("odd", "i1")])
    records["x"] = X
    return records["x"]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _with_surplus(X):
    """CSR whose arrays are longer than its content."""
    X = sp.csr_array(X)
    data, indices = np.append(X.data, [7.0] * 3), np.append(X.indices, [0, 1, 2])
    wide = sp.csr_array(X.shape)
    wide.data, wide.indices, wide.indptr = data, indices.astype(X.indices.dtype), X.indptr
    return wide


def _wide_indices(X, kind=sp.csr_array):
    X = kind(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _mixed_indices(X):
    X = sp.csr_array(X)
    X.indptr = X.indptr.astype(np.int64)
    return X


def _explicit_zeros(X):
    n, d = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(d), n), np.arange(n + 1) * d), shape=(n, d))


def _strided_parts(X):
    X = sp.csr_array(X)
    return sp.csr_array((np.repeat(X.data, 2)[::2], np.repeat(X.indices, 2)[::2], X.indptr), shape=X.shape)


def _unsorted(X):
    X = sp.csr_array(X)
    for r in range(X.shape[0]):
        part = slice(X.indptr[r], X.indptr[r + 1])
        X.data[part], X.indices[part] = X.data[part][::-1].copy(), X.indices[part][::-1].copy()
    X.has_sorted_indices = False
    return X


def _duplicated(X):
    """Every entry twice, each half as large: the dense sum is the same number."""
    X = sp.coo_array(X)
    two = (np.tile(X.row, 2), np.tile(X.col, 2))
    order = np.argsort(two[0], kind="stable")
    starts = np.searchsorted(two[0][order], np.arange(X.shape[0] + 1))
    return sp.csr_array((np.tile(X.data / 2, 2)[order], two[1][order], starts), shape=X.shape)


DENSE = {
    "float64": np.ascontiguousarray,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "fortran": np.asfortranarray,
    "fortran-float32": lambda X: np.asfortranarray(X, dtype=np.float32),
    "every-second": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "record-field": _record_field,
    "read-only": _read_only,
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X)),
    "rows": list,
    "matrix-like-frame": pd.DataFrame,
}
SPARSE = {
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csr-float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csc_array": sp.csc_array,
    "csc_matrix": sp.csc_matrix,
    "coo_array": sp.coo_array,
    "coo_matrix": sp.coo_matrix,
    "bsr_array": sp.bsr_array,
    "lil_array": sp.lil_array,
    "dok_array": sp.dok_array,
    "dia_array": sp.dia_array,
    "int64": _wide_indices,
    "int64-csc": lambda X: _wide_indices(X, sp.csc_array),
    "mixed-indices": _mixed_indices,
    "explicit-zeros": _explicit_zeros,
    "strided-parts": _strided_parts,
    "surplus": _with_surplus,
    "unsorted": _unsorted,
    "duplicated": _duplicated,
}
FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas-float32": lambda X: pd.DataFrame(X.astype(np.float32), columns=NAMES),
    "pandas-nullable": lambda X: pd.DataFrame(X, columns=NAMES).astype("Float64"),
    "pandas-arrow": lambda X: pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "pandas-mixed": lambda X: pd.DataFrame(X, columns=NAMES).astype({"a": np.float32, "b": object}),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "polars-mixed": lambda X: pl.DataFrame(X, schema=NAMES).with_columns(pl.col("c").cast(pl.Float32)),
}
CONTAINERS = DENSE | SPARSE | FRAMES


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("container", list(CONTAINERS))
@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto"])
def test_the_container_does_not_matter(container, learner):
    X, y = stream(40, sparse=True)
    plain = make("osboost", learner).fit(X, y)
    given_X = CONTAINERS[container](X)
    model = make("osboost", learner).fit(given_X, y)
    assert same(state_of(plain), state_of(model))
    assert np.array_equal(plain.margin(X), model.margin(given_X))
    assert np.array_equal(plain.predict_proba(X), model.predict_proba(given_X))
    part = make("osboost", learner).partial_fit(given_X, y)
    assert same(state_of(plain), state_of(part))


@each_pair
@in_turn("container", ["float32", "fortran", "csr_array", "duplicated"])
def test_no_booster_or_learner_minds_the_container(booster, learner, container):
    X, y = stream(10, sparse=True)
    plain = make(booster, learner).partial_fit(X, y)
    model = make(booster, learner).partial_fit(CONTAINERS[container](X), y)
    assert same(snapshot(plain), snapshot(model))


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, bool])
def test_integers_and_booleans_are_their_numbers(kind):
    X, y = stream(40)
    X = np.abs(X).astype(kind)
    plain = make("osboost").fit(X.astype(float), y).margin(X.astype(float))
    for same_numbers in (X, sp.csr_array(X), pd.DataFrame(X), X.tolist()):
        assert np.array_equal(make("osboost").fit(same_numbers, y).margin(same_numbers), plain)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), d=st.integers(1, 9), fill=st.floats(0, 1))
def test_dense_and_sparse_agree_on_drawn_rows(seed, n, d, fill):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < fill)
    y, w = rng.integers(0, 2, n), rng.exponential(size=n)
    dense = make("ogboost-k2", "bayes-auto").partial_fit(X, y, sample_weight=w)
    for convert in (sp.csr_array, _explicit_zeros, _unsorted, sp.csc_array, np.asfortranarray):
        other = make("ogboost-k2", "bayes-auto").partial_fit(convert(X), y, sample_weight=w)
        assert same(state_of(dense), state_of(other))
        assert np.array_equal(dense.margin(X), other.margin(convert(X)))


def test_negative_zero_is_zero():
    X, y = stream(20, sparse=True)
    minus = np.where(X == 0, -0.0, X)
    assert same(state_of(make("osboost").fit(X, y)), state_of(make("osboost").fit(minus, y)))


def test_a_column_that_is_always_zero_takes_no_memory():
    X, y = stream(20)
    wide = sp.hstack([sp.csr_array((20, 2_000_000)), sp.csr_array(X)], format="csr")
    assert features_of(make("osboost").fit(wide, y)) == 5


# ---- the input is only read ------------------------------------------------------------------------------------


def _content(X):
    """What is inside, down to the order of indices."""
    if not sp.issparse(X):
        return np.asarray(X).dtype, np.asarray(X).tolist()
    parts = (X.data, X.row, X.col) if X.format == "coo" else (X.data, X.indices, X.indptr)
    return [(part.dtype, part.tolist()) for part in parts]


@pytest.mark.parametrize(
    "container",
    [c for c in CONTAINERS if c not in {"lil_array", "dok_array", "dia_array"}],
)
def test_nothing_given_is_changed(container):
    X, y = stream(20, sparse=True)
    X, w = CONTAINERS[container](X), np.linspace(0, 2, 20)
    before = _content(X), y.tobytes(), w.tobytes()
    model = make("osboost", shuffle=True).fit(X, y, sample_weight=w).partial_fit(X, y, sample_weight=w)
    model.predict(X), model.predict_proba(X), prequential(model, X, y, sample_weight=w)
    assert (_content(X), y.tobytes(), w.tobytes()) == before


@each_learner
def test_a_dict_is_not_changed(learner):
    model = make("osboost", learner)
    x = {0: 1.0, 1: 0.0, 2: -2.5}
    for label in (0, 1, 0):
        model.learn_one(x, label)
        model.predict_one(x), model.predict_proba_one(x)
    assert x == {0: 1.0, 1: 0.0, 2: -2.5}


def test_results_do_not_share_memory_with_the_model():
    X, y = stream(20)
    model = make("osboost").fit(X, y)
    before = snapshot(model)
    for result in (model.margin(X), model.predict_proba(X), model.weight_mass_):
        result[:] = 99
    assert same(snapshot(model), before)


def _peak(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BIG = {
    "float64": np.ascontiguousarray,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "every-second": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csr_array": sp.csr_array,
    "csr-int64": _wide_indices,
}


@pytest.mark.parametrize("container", list(BIG))
def test_the_input_is_not_copied(container):
    """Beside y and the outputs, all of one number per row, nothing of the size of the input is allocated."""
    n, d = 2000, 300
    X, y = np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 2
    X = BIG[container](X)
    model = OSBoostClassifier(Perceptron(), 2, random_state=0)
    model.partial_fit(X[:50], y[:50])
    size = X.data.nbytes
    for use in (lambda: model.partial_fit(X, y), lambda: model.predict_proba(X), lambda: prequential(model, X, y)):
        assert _peak(use) < size / 6


# ---- labels ----------------------------------------------------------------------------------------------------

LABELS = {
    "str": ["no", "yes"],
    "words of different length": ["a", "a very long label"],
    "bool": [False, True],
    "int": [-7, 3],
    "big int": [0, 2**62],
    "float": [-1.0, 2.0],
}


@pytest.mark.parametrize("labels", list(LABELS))
@each_class
def test_labels_of_any_type(booster, labels):
    X, y = stream(30)
    plain = make(booster).fit(X, y)
    named = np.array(LABELS[labels])[y]
    for form in (named, named.tolist(), pd.Series(named), named.astype(object), pl.Series(named.tolist())):
        model = make(booster).fit(X, form)
        assert model.classes_.tolist() == LABELS[labels]
        assert np.array_equal(model.margin(X), plain.margin(X))
        assert model.predict(X).tolist() == np.array(LABELS[labels])[plain.predict(X)].tolist()
        assert model.partial_fit(X, form).n_examples_ == 60
    assert model.predict_one(X[0]) in LABELS[labels]


@pytest.mark.parametrize("kind", ["category", "string", "str"])
def test_text_labels_of_pandas(kind):
    X, y = stream(30)
    model = make("osboost").fit(X, pd.Series(np.where(y, "u", "v")).astype(kind))
    assert model.classes_.tolist() == ["u", "v"]
    assert np.array_equal(model.margin(X), -make("osboost").fit(X, y).margin(X) + 0.0)


@each_class
def test_a_column_of_labels_is_taken_with_scikit_learns_warning(booster):
    X, y = stream(20)
    with pytest.warns(UserWarning, match="column-vector y"):
        model = make(booster).fit(X, y[:, np.newaxis])
    assert same(snapshot(model), snapshot(make(booster).fit(X, y)))


@each_class
def test_swapping_the_labels_swaps_the_sign(booster):
    X, y = stream(40)
    f = make(booster).fit(X, y).margin(X)
    assert np.array_equal(make(booster).fit(X, 1 - y).margin(X), -f + 0.0)


@each_class
def test_classes_may_be_declared_or_come_one_after_the_other(booster):
    X, y = stream(30)
    y[:10], y[10] = 1, 0
    plain = make(booster).partial_fit(X, y)
    for classes in ([0, 1], [1, 0], np.array([0, 1]), (0, 1)):
        model = make(booster).partial_fit(X[:10], y[:10], classes=classes)
        assert model.classes_.tolist() == [0, 1]
        assert same(snapshot(model.partial_fit(X[10:], y[10:])), snapshot(plain))
    model = make(booster).partial_fit(X[:10], y[:10])
    assert model.classes_.tolist() == [1]
    assert model.predict(X).tolist() == [1] * 30
    assert model.predict_proba(X).tolist() == [[1.0]] * 30
    assert same(snapshot(model.partial_fit(X[10:], y[10:])), snapshot(plain))


# ---- weights ---------------------------------------------------------------------------------------------------


@each_pair
def test_a_row_of_weight_zero_is_as_if_it_were_not_there(booster, learner):
    X, y = stream(16)
    w = np.where(np.arange(16) % 3 == 0, 0.0, 1.0)  # the first row among them
    model = make(booster, learner).partial_fit(X, y, sample_weight=w)
    without = make(booster, learner).partial_fit(X[w > 0], y[w > 0])
    assert same(state_of(model), state_of(without))
    assert np.array_equal(model.margin(X), without.margin(X))
    assert np.array_equal(model.predict_proba(X), without.predict_proba(X))


@each_class
def test_a_batch_of_weight_zero_teaches_nothing_but_the_labels(booster):
    X, y = stream(20)
    model = make(booster).partial_fit(X, 1 - y, sample_weight=np.zeros(20))
    assert model.n_examples_ == 0
    assert model.classes_.tolist() == [0, 1]
    assert same(snapshot(model.partial_fit(X, y)), snapshot(make(booster).partial_fit(X, y)))
    model.learn_one(X[0], 0, w=0.0)
    assert same(snapshot(model), snapshot(make(booster).partial_fit(X, y)))


@each_pair
def test_no_weights_are_weights_of_one(booster, learner):
    X, y = stream(8)
    plain = make(booster, learner).partial_fit(X, y)
    for ones in (np.ones(8), [1] * 8, 1.0, np.ones(8, dtype=np.float32), np.ones(16)[::2], pd.Series(np.ones(8))):
        assert same(snapshot(make(booster, learner).partial_fit(X, y, sample_weight=ones)), snapshot(plain))


@each_class
def test_weights_have_an_effect(booster):
    X, y = stream(40)
    w = np.random.default_rng(0).exponential(size=40)
    weighted = make(booster, "bayes-gaussian").fit(X, y, sample_weight=w)
    plain = make(booster, "bayes-gaussian").fit(X, y)
    assert not np.array_equal(weighted.margin(X), plain.margin(X))
