"""A single row as an array: whatever it is, the outcome is that of a batch of one row, in bits and in words."""

from __future__ import annotations

import copy
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from states import bank_of, same, snapshot
from table import BOOSTERS, NATIVE, each_class, make, stream

from onlineboost.estimators import owner

pytestmark = pytest.mark.engine

X, Y = stream(12, d=5)


def _outcome(act):
    """What came of it: the warnings, and the value or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = act()
        except (ValueError, TypeError) as error:
            value = f"{type(error).__name__}: {error}"
    return value, sorted({f"{w.category.__name__}: {w.message}" for w in caught})


def _agree(model, row, label=1, w=1.0):
    """Learn and predict the row alone and as a batch of one; both models afterwards."""
    alone, batch = copy.deepcopy(model), copy.deepcopy(model)
    weights = None if w == 1 else [w]
    rows = np.asarray(row)[np.newaxis]
    told = _outcome(lambda: alone.learn_one(row, label, w))
    wanted = _outcome(lambda: batch.partial_fit(rows, [label], sample_weight=weights))
    assert told[1] == wanted[1]
    assert told[0] == (None if wanted[0] is batch else wanted[0])
    assert same(snapshot(alone), snapshot(batch))
    told, wanted = _outcome(lambda: alone.predict_one(row)), _outcome(lambda: batch.predict(rows).tolist()[0])
    assert told == wanted
    told = _outcome(lambda: [*alone.predict_proba_one(row).values()])
    assert told == _outcome(lambda: [*batch.predict_proba(rows)[0].tolist()])
    return alone, batch


FORMS = {
    "float64": np.array,
    "float32": lambda values: np.array(values, np.float32),
    "float16": lambda values: np.array(values, np.float16),
    "other byte order": lambda values: np.array(values, ">f8"),
    "int64": lambda values: np.array(values).astype(np.int64),
    "uint8": lambda values: np.abs(values).astype(np.uint8),
    "bool": lambda values: np.array(values) > 0,
    "object": lambda values: np.array(values, object),
    "list": list,
    "every second": lambda values: np.repeat(values, 2)[::2],
    "backwards": lambda values: np.array(values)[::-1],
    "column of a matrix": lambda values: np.stack([np.array(values)] * 3, axis=1)[:, 1],
    "one value for all": lambda values: np.broadcast_to(np.float64(values[0]), (5,)),
    "packed record": lambda values: np.array([(1, v) for v in values], dtype=[("tag", "i1"), ("v", "f8")])["v"],
    "masked": np.ma.array,
    "Series": pd.Series,
}


@settings(max_examples=60)
@given(data=st.data())
def test_a_drawn_row_is_a_batch_of_one(data):
    booster, learner = data.draw(st.sampled_from(sorted(BOOSTERS))), data.draw(st.sampled_from(sorted(NATIVE)))
    number = st.integers(-40, 40).map(lambda k: k / 8.0)
    form = data.draw(st.sampled_from(sorted(FORMS)))
    row = FORMS[form](data.draw(st.lists(number, min_size=5, max_size=5)))
    model = make(booster, learner).partial_fit(X, Y)
    w = data.draw(st.sampled_from([1.0, 1, 0.0, 0.25, 3, np.float32(1.5), np.float64(2.0)]))
    alone, _ = _agree(model, row, data.draw(st.integers(0, 1)), w)
    values = np.asarray(row, dtype=np.float64).tolist()
    again = data.draw(st.integers(0, 1))
    by_column = copy.deepcopy(alone)
    by_column.learn_one(dict(enumerate(values)), again, w)
    alone.learn_one(row, again, w)
    assert same(snapshot(alone), snapshot(by_column)), "and that of a dict of columns"
    assert alone.predict_proba_one(row) == by_column.predict_proba_one(dict(enumerate(values)))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "object"])
def test_a_plain_row_does_without_the_checks_of_a_batch(form, monkeypatch):
    """They take far longer than learning."""
    plain = form not in {"float16", "other byte order", "packed record"}
    model, row = make("osboost").partial_fit(X, Y), FORMS[form]([1.0, 2.0, 0.0, 3.0, -1.0])
    calls = []
    read = owner.read_rows
    monkeypatch.setattr(owner, "read_rows", lambda *args, **more: calls.append(args) or read(*args, **more))
    model.predict_one(row)
    model.predict_proba_one(row)
    model.learn_one(row, 1)
    assert len(calls) == (0 if plain else 3)


BAD_ROWS = {
    "infinity at the end": [1.0, 0.0, 0.0, 0.0, -np.inf],
    "infinity": [np.inf, 1.0, 0.0, 0.0, 2.0],
    "minus infinity": [0.0, 1.0, 0.0, -np.inf, 2.0],
    "beyond 1e100": [0.0, 1.0, 0.0, 1.1e100, 2.0],
    "beyond -1e100": [0.0, 1.0, -1e300, 0.0, 2.0],
    "too short": [1.0, 2.0, 3.0, 4.0],
    "too long": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "words": ["a", "b", "c", "d", "e"],
    "complex": [1j, 2.0, 3.0, 4.0, 5.0],
    "nothing at all": [],
    "infinity in float32": np.float32([1.0, 0.0, 0.0, -np.inf, 2.0]),
    "too short in float32": np.float32([1.0, 2.0]),
}


@pytest.mark.parametrize("case", list(BAD_ROWS))
@each_class
def test_a_bad_row_gets_the_sentence_of_a_batch_and_changes_nothing(booster, case):
    row = np.asarray(BAD_ROWS[case])
    model = make(booster).partial_fit(X, Y)
    alone, _ = _agree(model, row)
    assert same(snapshot(alone), snapshot(model))
    assert _outcome(lambda: alone.learn_one(row, 1))[0] is not None


def test_the_largest_number_allowed_is_learned():
    alone, _ = _agree(make("osboost").partial_fit(X, Y), np.array([0.0, 1.0, 1e100, -1e100, 2.0]))
    assert alone.n_examples_ == 13


@pytest.mark.parametrize("shape", [(), (1, 5), (5, 1)])
def test_a_row_has_one_dimension(shape):
    model = make("osboost").partial_fit(X, Y)
    for use in (model.predict_one, model.predict_proba_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match=r"1-D array, not an array of shape \("):
            use(np.ones(shape))


LABELS = {
    "int": 1,
    "the other": 0,
    "bool": True,
    "float": 1.0,
    "numpy's int": np.int64(1),
    "numpy's bool": np.bool_(False),
    "numpy's float": np.float32(1.0),
    "in words": "1",
    "third": 2,
    "fraction": Fraction(1),
    "complex": 1 + 0j,
    "None": None,
    "nan": np.nan,
}


@pytest.mark.parametrize("name", list(LABELS))
@pytest.mark.parametrize("known", ["numbers", "words", "one", "none yet"])
def test_a_label_means_what_it_means_in_a_batch(name, known):
    model = make("osboost")
    if known == "one":
        model.partial_fit(X[:1], [0], classes=None)
    elif known == "none yet":
        model.partial_fit(X[:1], [1], classes=[0, 1], sample_weight=[0.0])
    else:
        model.partial_fit(X, Y if known == "numbers" else np.where(Y, "1", "0"))
    _agree(model, X[3] + 0.5, LABELS[name])


def test_a_model_with_feature_names_warns_of_a_row_without():
    model = make("osboost").partial_fit(pd.DataFrame(X, columns=list("abcde")), Y)
    _agree(model, X[3])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict_one(X[3])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.learn_one(X[3], 1)


def test_a_model_of_dicts_by_column_takes_rows_of_any_width():
    model = make("osboost")
    model.learn_one({0: 1.0, 2: 1.0}, 0)
    for row in ([1.0, 2.0, 3.0, 4.0], [1.0], np.array([0.0, 0.0, 5.0])):
        model.learn_one(row, 1)
        assert model.predict_one(row) in {0, 1}
    assert model.n_examples_ == 4
    model.learn_one([np.nan], 1)
    with pytest.raises(ValueError, match="infinity"):
        model.learn_one([np.inf], 1)


def test_a_bank_in_python_that_fails_leaves_the_labels_and_the_count():
    model = make("osboost", "own-bank").partial_fit(X, Y)
    bank_of(model).update = None
    with pytest.raises(TypeError, match="not callable"):
        model.learn_one(X[0], 1)
    assert model.n_examples_ == 12
    assert model.classes_.tolist() == [0, 1]
