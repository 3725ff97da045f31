"""Bad input gets one clear sentence and leaves the model exactly as it was: a batch is all or nothing."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from states import same, snapshot, state_of
from table import BOOSTERS, NATIVE, each_class, each_native_pair, every_class_in_turn, in_turn, make, set_rows, stream

from onlineboost import (
    prequential,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

X, y = stream(12, d=5)
NAMES = list("abcde")


def _with(value, where=(7, 2), dtype=float):
    changed = X.astype(dtype)
    changed[where] = value
    return changed


def _frame(column, values):
    return pd.DataFrame(X, columns=NAMES).assign(**{column: values})


def _csr(**changes):
    """The rows as CSR, some of its arrays replaced behind SciPy's back."""
    matrix = sp.csr_array(X + 10.0)  # no zeros: five entries per row
    for name, change in changes.items():
        part = getattr(matrix, name).copy()
        changed = change(part)
        setattr(matrix, name, part if changed is None else changed)
    return matrix


def _put(place, value):
    def change(array):
        array[place] = value

    return change


def _broken(kind, place, value):
    """COO or CSC with a row or column that does not exist."""
    matrix = kind(X)
    part = (matrix.row if matrix.format == "coo" else matrix.indices).copy()
    part[place] = value
    if matrix.format == "coo":
        matrix.coords = (part, matrix.col)
    else:
        matrix.indices = part
    return matrix


# What is wrong with X, and what the sentence says.
BAD_X = {
    "infinity": (_with(np.inf), "infinity"),
    "minus infinity in the last row": (_with(-np.inf, (-1, -1)), "infinity"),
    "infinity in CSR": (sp.csr_array(_with(np.inf)), "infinity"),
    "huge": (_with(1e308), "beyond 1e"),
    "huge, both signs": (np.where(X > 0, 1e308, -1e308), "beyond 1e"),
    "huge in CSR": (sp.csr_array(_with(-1e101)), "beyond 1e"),
    "one-dimensional": (X[:, 0], "1D array"),
    "three-dimensional": (X[np.newaxis], "dim 3"),
    "scalar": (3.0, "scalar"),
    "nothing": (None, "scalar"),
    "no rows": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"),
    "ragged": ([[1.0, 2.0], [1.0]], "inhomogeneous"),
    "words": ([["a", "b", "c", "d", "e"]] * 12, "column 0, row 0: the value 'a' is not a number: pass a data frame"),
    "complex": (X * 1j, "[Cc]omplex"),
    "complex CSR": (sp.csr_array(X * 1j), "[Cc]omplex"),
    "objects": (_with({}, dtype=object), "float"),
    "index out of range": (_csr(indices=_put(3, 10**6)), "column index 1000000 in row 0"),
    "index just out of range": (_csr(indices=_put(4, 5)), "column index 5 in row 0"),
    "negative index": (_csr(indices=_put(10, -1)), "column index -1 in row 2"),
    "indptr falls": (_csr(indptr=_put(5, 0)), "not a valid CSR.*decrease"),
    "indptr points behind the data": (_csr(indptr=_put(-1, 10**6)), "not a valid CSR.*behind"),
    "indptr jumps": (_csr(indptr=_put(4, 10**6)), "not a valid CSR"),
    "indptr starts below 0": (_csr(indptr=_put(0, -3)), "not a valid CSR"),
    "indptr too short": (_csr(indptr=lambda part: part[:-4]), "12 rows but indptr has 9"),
    "indptr too long": (_csr(indptr=lambda part: np.append(part, part[-1])), "12 rows but indptr has 14"),
    "indptr empty": (_csr(indptr=lambda part: part[:0]), "indptr has 0"),
    "indices too short": (_csr(indices=lambda part: part[:-2]), "not a valid CSR.*behind"),
    "data too short": (_csr(data=lambda part: part[:-2]), "not a valid CSR.*behind"),
    "int64 index out of range": (
        _csr(indices=lambda part: np.append(part[:-1], 2**40), indptr=lambda part: part.astype(np.int64)),
        "column index 1099511627776",
    ),
    "COO row out of range": (_broken(sp.coo_array, 0, 10**6), "not a valid COO"),
    "COO negative row": (_broken(sp.coo_array, 5, -2), "not a valid COO"),
    "CSC row out of range": (_broken(sp.csc_array, 0, 10**6), "not a valid CSC"),
    "CSC negative row": (_broken(sp.csc_matrix, 5, -2), "not a valid CSC"),
    "BSR column out of range": (_broken(sp.bsr_array, 0, 10**6), "not a valid BSR"),
}
BAD_WIDTH = {  # and what only later batches must not have
    "words in a frame": (_frame("c", "red"), "column 'c', row 0: the value .red. is not a finite number"),
    "categories in a frame": (_frame("d", pd.Categorical(["x"] * 12)), "column 'd', row 0"),
    "words in polars": (pl.DataFrame(X, schema=NAMES).with_columns(b=pl.lit("no")), "column 'b', row 0"),
    "too few columns": (X[:, :4], "4 features"),
    "too many columns": (np.hstack([X, X]), "10 features"),
    "too few columns in CSR": (sp.csr_array(X[:, :4]), "4 features"),
}
BAD_Y = {
    "another type": (np.where(y, "1", "0"), "one type"),
    "nan": (np.where(y, np.nan, 0.0), r"y\[1\] is nan"),
    "infinity": (np.where(y, np.inf, 0.0), r"y\[1\] is inf"),
    "None": (np.where(y, None, 0), r"y\[1\] is None"),
    "None among words": (np.array(["a", None] * 6, dtype=object), r"y\[1\] is None"),
    "NA": (pd.Series([pd.NA, 1] * 6, dtype=object), "y.0. is <NA>"),
    "mixed types": (np.array([0, "a"] * 6, dtype=object), "one type"),
    "lists": (np.array([[0], [1, 2]] * 6, dtype=object), r"y\[0\] is \[0\]"),
    "numbers of a regression": (X[:, 0] + 0.1, "continuous"),
    "complex": (y * 1j, "[Cc]omplex"),
    "too short": (y[:-1], "12 rows but y has 11 labels"),
    "too long": (np.append(y, y), "12 rows but y has 24 labels"),
    "empty": ([], "12 rows but y has 0 labels"),
    "two columns": (np.c_[y, y], "1d array"),
    "scalar": (1, "1d array"),
    "nothing": (None, "1d array"),
}
BAD_WEIGHTS = {
    "negative": (np.append(np.ones(11), -1e-9), "from 0 to 1e"),
    "nan": (np.append(np.ones(11), np.nan), "NaN"),
    "infinity": (np.append(np.ones(11), np.inf), "infinity"),
    "too large": (np.append(np.ones(11), 1.1e15), "from 0 to 1e"),
    "too few": (np.ones(11), "one weight for each of the 12 rows"),
    "too many": (np.ones(13), "one weight for each of the 12 rows"),
    "none at all": ([], "one weight for each of the 12 rows"),
    "two-dimensional": (np.ones((12, 1)), "one weight for each of the 12 rows"),
    "words": (["heavy"] * 12, "could not convert"),
    "complex": (np.ones(12) * 1j, "[Cc]omplex"),
    "negative scalar": (-1.0, "from 0 to 1e"),
}
BAD_CLASSES = {
    "others": ([5, 6], "lacks 0|not one of classes"),
    "one of them missing": ([1, 2], "lacks 0|not one of classes"),
    "None": ([0, None], r"classes\[1\] is None"),
    "nan": ([0.0, np.nan], r"classes\[1\] is nan"),
    "mixed types": (np.array([0, "a"], dtype=object), "one type"),
}

# Every bad batch: what `partial_fit` is given beside what is good.
BATCHES = {
    **{f"X: {name}": ({"X": bad}, match) for name, (bad, match) in BAD_X.items()},
    **{f"y: {name}": ({"y": bad}, match) for name, (bad, match) in BAD_Y.items()},
    **{f"weights: {name}": ({"sample_weight": bad}, match) for name, (bad, match) in BAD_WEIGHTS.items()},
    **{f"classes: {name}": ({"classes": bad}, match) for name, (bad, match) in BAD_CLASSES.items()},
}
LABELS_TO_COME = {"y: nan", "y: None", "y: None among words"}  # `prequential` leaves rows without a label out
# scikit-learn reports these as TypeErrors.
ERRORS = (ValueError, TypeError)


@pytest.mark.parametrize("case", [*BATCHES, *(f"X: {name}" for name in BAD_WIDTH)])
@every_class_in_turn
def test_a_bad_batch_leaves_a_model_as_it_was(booster, case):
    batches = BATCHES | {f"X: {name}": ({"X": bad}, match) for name, (bad, match) in BAD_WIDTH.items()}
    bad, match = batches[case]
    batch = {"X": X, "y": y, **bad}
    good = pd.DataFrame(X, columns=NAMES) if hasattr(batch["X"], "columns") else X
    model = make(booster).partial_fit(good, y)
    before, margins = snapshot(model), model.margin(good)
    with pytest.raises(ERRORS, match=match):
        model.partial_fit(**batch)
    if case not in LABELS_TO_COME:
        with pytest.raises(ERRORS, match=match):
            prequential(model, **batch)
    if "classes" not in batch and case.removeprefix("X: ") not in BAD_WIDTH and case != "y: another type":
        with pytest.raises(ERRORS, match=match):
            model.fit(**batch)
    if "X" in bad:
        for predict in (model.predict, model.predict_proba, model.decision_function):
            with pytest.raises(ERRORS, match=match):
                predict(bad["X"])
    assert same(snapshot(model), before)
    assert np.array_equal(model.margin(good), margins)


@pytest.mark.parametrize("case", [case for case in BATCHES if case != "y: another type"])
@in_turn("booster", ["osboost", "ogboost"])  # batches are checked in front of all of them
def test_a_bad_first_batch_leaves_a_model_unfitted(booster, case):
    bad, match = BATCHES[case]
    batch = {"X": X, "y": y, **bad}
    model = make(booster)
    before = dict(vars(model))
    with pytest.raises(ERRORS, match=match):
        model.partial_fit(**batch)
    assert vars(model) == before
    if "classes" not in batch:
        with pytest.raises(ERRORS, match=match):
            model.fit(**batch)
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert same(snapshot(model.partial_fit(X, y)), snapshot(make(booster).partial_fit(X, y)))


@each_class
def test_predicting_before_fit(booster):
    model = make(booster)
    for ask in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(NotFittedError, match="learned nothing yet"):
            ask(X)
    with pytest.raises(NotFittedError):
        _ = model.n_examples_


def test_fit_with_nothing_but_zero_weights():
    with pytest.raises(ValueError, match="zero for every row"):
        make("osboost").fit(X, y, sample_weight=np.zeros(12))


def test_unsorted_and_duplicate_indices_are_no_error():
    dense = np.array([[3.0, 0.0, 5.0], [0.0, 1.0, 0.0]])
    loose = sp.csr_array(
        (np.array([5.0, 1.0, 2.0, 4.0, -3.0]), np.array([2, 0, 0, 1, 1]), np.array([0, 3, 5])), shape=(2, 3)
    )
    model = make("osboost").fit(dense, [0, 1])
    assert same(state_of(make("osboost").fit(loose, [0, 1])), state_of(model))
    assert loose.indices.tolist() == [2, 0, 0, 1, 1], "the matrix given is not tidied"


# ---- one example ---------------------------------------------------------------------------------------------

BAD_DICTS = {
    "infinity": ({"a": 1.0, "b": -np.inf}, ValueError, "feature 'b' is -inf"),
    "huge": ({"a": 1.0, "b": 1e101}, ValueError, "beyond 1e100"),
    "a list": ({"a": 1.0, "b": [1]}, ValueError, r"column 'b', row 0: the value \[1\] is a list"),
    "complex": ({"a": 1.0, "b": 1j}, ValueError, "column 'b', row 0"),
    "a key without a name": ({"z": "red", 7: 1.0}, ValueError, "row 0: the key 7 is not a text"),
    "new features before the bad one": ({"new": 1.0, "newer": 2.0, "b": np.inf}, ValueError, "feature 'b'"),
}
BAD_COLUMNS = {
    "negative": ({0: 1.0, -1: 1.0}, ValueError, "feature -1: an integer key is a column number"),
    "beyond 2**31": ({2**31: 1.0}, ValueError, "feature 2147483648"),
    "beyond everything": ({0: 1.0, 10**30: 1.0}, ValueError, "an integer key is a column number"),
    "numpy's negative": ({np.int64(-5): 1.0}, ValueError, "an integer key is a column number"),
    "infinity": ({7: np.inf}, ValueError, "feature 7 is inf"),
    "a word": ({7: "red"}, ValueError, "values must be numbers"),
}
BAD_LABELS = {
    "word": ("0", "one type|OneVsRestClassifier"),
    "None": (None, "a label is"),
    "nan": (np.nan, "a label is"),
    "NA": (pd.NA, "a label is"),
    "infinity": (np.inf, "a label is"),
    "complex": (1j, "a label is"),
    "list": ([0], "a label is"),
    "array": (np.array([0]), "a label is"),
    "tuple": ((0, 1), "a label is"),
}
BAD_WEIGHT = [-1.0, np.nan, np.inf, 2e15, "1", None, np.ones(1), 1j]


def _stream_of_dicts(booster, keys):
    model = make(booster)
    for row, label in zip(X, y.tolist(), strict=True):
        model.learn_one(dict(zip(keys, row.tolist(), strict=True)), label)
    return model


_LABEL, _WEIGHT = 1, 1.0  # good ones


def _each_bad_example():
    def case(name, match, keys=NAMES, x=None, label=_LABEL, w=_WEIGHT, error=ValueError):
        return pytest.param(keys, {"a": 1.0, "new": 1.0} if x is None else x, label, w, error, match, id=name)

    for name, (x, error, match) in BAD_DICTS.items():
        yield case(f"dict: {name}", match, x=x, error=error)
    for name, (x, error, match) in BAD_COLUMNS.items():
        yield case(f"columns: {name}", match, range(5), x, error=error)
    for name, (label, match) in BAD_LABELS.items():
        yield case(f"label: {name}", match, label=label)
    for w in BAD_WEIGHT:
        yield case(f"weight: {w}", "The weight must be", w=w)
    yield case("two rows", "1-D array", x=X[:2])
    yield case("a number", "1-D array", x=3.0)
    yield case("row without names", "dicts with names", x=X[0])
    yield case("infinity in a row", "infinity", range(5), _with(np.inf)[7])
    yield case("a word where numbers were", "column 'b'", x={"a": 1.0, "b": "red"})


@pytest.mark.parametrize(("keys", "x", "label", "w", "error", "match"), [*_each_bad_example()])
@every_class_in_turn
def test_a_bad_example_leaves_a_model_as_it_was(booster, keys, x, label, w, error, match):
    model = _stream_of_dicts(booster, keys)
    before = snapshot(model)
    with pytest.raises(error, match=match):
        model.learn_one(x, label, w)
    assert same(snapshot(model), before)
    if label is _LABEL and w is _WEIGHT:
        for predict in (model.predict_one, model.predict_proba_one):
            with pytest.raises(error, match=match):
                predict(x)
        assert same(snapshot(model), before)


@pytest.mark.parametrize("case", list(BAD_DICTS))
@every_class_in_turn
def test_a_bad_first_example_leaves_a_model_unfitted(booster, case):
    x, error, match = BAD_DICTS[case]
    model = make(booster)
    before = dict(vars(model))
    with pytest.raises(error, match=match):
        model.learn_one(x, 1)
    with pytest.raises(ValueError, match="a label is"):
        model.learn_one({"a": 1.0}, None)
    assert vars(model) == before
    assert model.predict_one({"a": 1.0}) is None


@each_class
def test_dicts_with_names_and_arrays_without_do_not_mix(booster):
    of_arrays = make(booster).partial_fit(X, y)
    before = snapshot(of_arrays)
    for use in (of_arrays.predict_one, lambda x: of_arrays.learn_one(x, 1)):
        with pytest.raises(ValueError, match="'price' has no column"):
            use({"price": 1.0})
    assert same(snapshot(of_arrays), before)
    of_dicts = _stream_of_dicts(booster, NAMES)
    before = snapshot(of_dicts)
    for use in (of_dicts.predict, lambda rows: of_dicts.partial_fit(rows, y)):
        with pytest.raises(ValueError, match="dicts with names"):
            use(X)
        with pytest.raises(ValueError, match="two columns named"):
            use(pd.DataFrame(X, columns=["a", 1, "1", "b", "c"]))
    with pytest.raises(ValueError, match="12 rows but y has 1 label"):
        of_dicts.partial_fit(pd.DataFrame(X, columns=list("vwxyz")), [1])
    assert same(snapshot(of_dicts), before)


# ---- numbers at the edge -------------------------------------------------------------------------------------


@pytest.mark.slow
@each_native_pair
@in_turn("unit_norm", [True, False])
@in_turn("value", [1e100, 1.6e51, 1e-100, 1e-160, 5e-324, 1.7976931348623157e308 / 1e209])
def test_extreme_numbers_that_are_allowed_do_no_harm(booster, learner, value, unit_norm):
    model = make(booster, learner)
    set_rows(model, unit_norm=unit_norm)
    rows = X.copy()
    rows[3], rows[4], rows[5, 0], rows[6, 1] = value, -value, value, -value
    weights = np.where(np.arange(12) % 4 == 0, 1e15, 1e-15)
    for w in (None, weights):
        model.partial_fit(rows, y, sample_weight=w)
        assert all(np.isfinite(part).all() for part in state_of(model).values())
        f, P = model.margin(rows), model.predict_proba(rows)
        assert (np.abs(f) <= 1 + 1e-12).all()
        assert ((P >= 0) & (P <= 1)).all()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).margin(rows), f)


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(st.floats(-1e100, 1e100), min_size=3, max_size=3), min_size=1, max_size=8),
    data=st.data(),
)
def test_no_allowed_numbers_make_a_model_that_is_not_finite(rows, data):
    booster = data.draw(st.sampled_from(sorted(BOOSTERS)))
    learner = data.draw(st.sampled_from(sorted(NATIVE)))
    labels = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    weights = data.draw(st.lists(st.floats(0, 1e15), min_size=len(rows), max_size=len(rows)))
    model = make(booster, learner)
    set_rows(model, unit_norm=data.draw(st.booleans()), intercept=data.draw(st.booleans()))
    model.partial_fit(rows, labels, sample_weight=weights)
    assert all(np.isfinite(part).all() for part in state_of(model).values())
    assert (np.abs(model.margin(rows)) <= 1 + 1e-12).all()
    assert np.isfinite(model.predict_proba(rows)).all()
