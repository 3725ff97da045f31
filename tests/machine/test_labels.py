"""Labels and values that NumPy would change without a word: kept apart, or refused with a sentence."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from states import same, snapshot
from table import stream

from onlineboost import AdaBoostOLMClassifier, NaiveBayes, OneVsRest, OSBoostClassifier, Perceptron, prequential

pytestmark = [pytest.mark.quick, pytest.mark.engine]

MODELS = {
    "two": lambda: OSBoostClassifier(Perceptron(), 3, random_state=0),
    "one-vs-rest": lambda: OneVsRest(OSBoostClassifier(NaiveBayes(), 3, random_state=0)),
    "olm": lambda: AdaBoostOLMClassifier(Perceptron(), 3, random_state=0),
}
each_model = pytest.mark.parametrize("kind", list(MODELS))
X, y = stream(20)


def refused(kind, labels, match):
    """By every verb, fresh and after learning; nothing changes."""
    good = np.where(y == 1, "a", "b")
    verbs = (
        lambda model: model.partial_fit(X, labels),
        lambda model: model.fit(X, labels),
        lambda model: prequential(model, X, labels),
        lambda model: model.learn_one(X[0], labels[0]),
        lambda model: model.learn_one({0: 1.0}, labels[0]),
        lambda model: model.partial_fit(X, good, classes=[labels[0], "a", "b"]),
    )
    for model in (MODELS[kind](), MODELS[kind]().partial_fit(X, good)):
        before = snapshot(model)
        for learn in verbs:
            with pytest.raises(ValueError, match=match):
                learn(model)
            assert same(snapshot(model), before)


@pytest.mark.parametrize(
    "box", [list, tuple, lambda labels: np.array(labels, object), lambda labels: pd.Series(labels, dtype=object)]
)
@each_model
def test_a_label_that_ends_with_nul(kind, box):
    """NumPy drops it: "a\\0" would become "a"."""
    refused(kind, box(["a\0", "a"] * 10), r"'a\\x00'.*: a label is a string")


@each_model
def test_nul_inside_a_label_is_kept(kind):
    labels = ["a\0b" if label else "a" for label in y]
    model = MODELS[kind]().partial_fit(X, labels)
    assert model.classes_.tolist() == ["a", "a\0b"]
    assert set(model.predict(X)) <= {"a", "a\0b"}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2021-01-01"] * 10, "datetime64[D]"),
        np.array([1, 2] * 10, "timedelta64[s]"),
        pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"] * 10)),
        [dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 10,
        [dt.timedelta(1), dt.timedelta(2)] * 10,
    ],
    ids=["datetime64", "timedelta64", "pandas", "dates", "timedeltas"],
)
@each_model
def test_dates_are_no_labels(kind, labels):
    refused(kind, labels, "a label is a string, a bool or a finite number")


def test_the_sentence_about_dates_says_what_to_do():
    dates = np.array(["2020-01-01", "2021-01-01"] * 10, "datetime64[D]")
    with pytest.raises(ValueError, match=r"^y holds dates or times: .*; convert them, e\.g\. with \.astype\(str\)\.$"):
        MODELS["two"]().fit(X, dates)
    assert MODELS["two"]().fit(X, dates.astype(str)).classes_.tolist() == ["2020-01-01", "2021-01-01"]


@each_model
def test_masked_labels_and_weights(kind):
    hidden = np.ma.array(y, mask=np.arange(20) == 3)
    with pytest.raises(ValueError, match="masked"):
        MODELS[kind]().fit(X, hidden)
    with pytest.raises(ValueError, match="masked"):
        MODELS[kind]().fit(X, y, sample_weight=np.ma.array(np.ones(20), mask=np.arange(20) == 3))
    nothing_hidden = MODELS[kind]().fit(X, np.ma.array(y), sample_weight=np.ma.ones(20))
    assert nothing_hidden.to_bytes() == MODELS[kind]().fit(X, y).to_bytes()


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (np.full((20, 5), "2020-01-01", "datetime64[D]"), "X holds dates or times"),
        (np.ones((20, 5), "timedelta64[s]"), "X holds dates or times"),
    ],
    ids=["datetime64", "timedelta64"],
)
@each_model
def test_values_that_are_no_numbers(kind, rows, match):
    model = MODELS[kind]().partial_fit(X, y)
    before = snapshot(model)
    for use in (
        lambda: model.partial_fit(rows, y),
        lambda: model.fit(rows, y),
        lambda: model.predict(rows),
        lambda: model.learn_one(rows[2], 1),
        lambda: model.predict_one(rows[2]),
    ):
        with pytest.raises(ValueError, match=match):
            use()
        assert same(snapshot(model), before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, object])
@each_model
def test_masked_values_are_missing(kind, dtype):
    whole = np.round(X).astype(dtype)
    masked, gaps = np.ma.array(whole, mask=X > 1), np.where(X > 1, np.nan, np.round(X))
    model, other = MODELS[kind]().fit(masked, y), MODELS[kind]().fit(gaps, y)
    one = MODELS[kind]()
    for row, label in zip(masked, y, strict=True):
        one.learn_one(row, label)
    assert model.to_bytes() == other.to_bytes()
    np.testing.assert_array_equal(model.predict_proba(masked), other.predict_proba(gaps))
    np.testing.assert_array_equal(one.predict_proba(masked), other.predict_proba(gaps))


def test_a_masked_array_without_masked_values():
    plain = MODELS["two"]().fit(X, y).to_bytes()
    assert MODELS["two"]().fit(np.ma.array(X), y).to_bytes() == plain


@pytest.mark.parametrize("first", ["a", "b"])
@each_model
def test_the_same_bytes_in_one_batch_or_two(kind, first):
    """Whichever label comes first, and whether it is declared in advance."""
    labels = np.where(y == y[0], first, "b" if first == "a" else "a")
    labels[0] = first
    whole = MODELS[kind]().partial_fit(X, labels).to_bytes()
    for cut in (1, 2, 7):
        assert MODELS[kind]().partial_fit(X[:cut], labels[:cut]).partial_fit(X[cut:], labels[cut:]).to_bytes() == whole
    one_by_one = MODELS[kind]()
    for x, label in zip(X, labels.tolist(), strict=True):
        one_by_one.partial_fit(x[np.newaxis], [label])
    assert one_by_one.to_bytes() == whole
    if kind == "two":  # of many classes, declared labels are kept as such
        assert MODELS[kind]().partial_fit(X, labels, classes=["a", "b"]).to_bytes() == whole


@each_model
def test_a_number_that_an_array_of_floats_would_round(kind):
    """Labels are compared as Python does: 2⁵³ + 1 is not 2⁵³."""
    model, twin = MODELS[kind](), MODELS[kind]()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(x)), 2**53 + 1 if label else 0.5)
        twin.learn_one(dict(enumerate(x)), label)
    assert (model.predict_proba(X) == twin.predict_proba(X)).all()
    assert (model.margin(X) == twin.margin(X)).all()


def test_many_labels_in_any_order():
    labels = np.array(["d", "b", "a", "c"])[np.arange(20) % 4]
    whole = MODELS["olm"]().partial_fit(X, labels)
    parts = MODELS["olm"]()
    for start in range(0, 20, 3):
        parts.partial_fit(X[start : start + 3], labels[start : start + 3])
    assert parts.to_bytes() == whole.to_bytes()
    assert whole.machine.labels.known == ["a", "b", "c", "d"]
    assert list(whole.machine.labels.begun) == ["d", "b", "a", "c"]


def test_labels_that_are_one_as_floats():
    """NumPy's array of them would name two classes alike."""
    m = OSBoostClassifier(Perceptron(), 3, random_state=0)
    m.learn_one({"a": 1.0}, 2**53 + 1)
    with pytest.raises(ValueError, match="are equal as floats: use strings, or integers alone"):
        m.learn_one({"b": 1.0}, float(2**53))
    assert m.classes_.tolist() == [2**53 + 1]
    m.learn_one({"b": 1.0}, 2**53)
    assert m.classes_.tolist() == [2**53, 2**53 + 1]
