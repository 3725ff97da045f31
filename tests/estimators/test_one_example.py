"""One example at a time: dicts and rows, river's conventions, and the same bits as a batch."""

from __future__ import annotations

import itertools
from collections import OrderedDict

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from river import datasets, evaluate, metrics, preprocessing
from river.datasets import synth
from river_checks import RIVER_CHECKS, RIVER_STREAM_CHECKS
from states import features_of, keys_of, same, snapshot, state_of
from table import each_class, each_native_pair, each_pair, in_turn, make, stream

from onlineboost import NaiveBayes, OnlineGradient, OSBoostClassifier, prequential

pytestmark = [pytest.mark.engine, pytest.mark.quick]

NAMES = ["price", "size", "age", "word=free", "word=now"]


def _learn(model, rows, labels, weights=None):
    for x, y, w in zip(rows, labels, itertools.repeat(1.0) if weights is None else weights, strict=weights is not None):
        model.learn_one(x, y, w)
    return model


def _by_name(X, names=NAMES):
    return [dict(zip(names, row.tolist(), strict=True)) for row in X]


def _by_column(X, *, sparse=False):
    return [{j: v for j, v in enumerate(row.tolist()) if v != 0 or not sparse} for row in X]


# ---- the same bits as a batch --------------------------------------------------------------------------------


@each_pair
def test_rows_one_by_one_are_the_batch(booster, learner):
    X, y = stream(14)
    w = np.random.default_rng(0).exponential(size=14)
    w[3] = 0.0
    batch = make(booster, learner).partial_fit(X, y, sample_weight=w)
    assert same(snapshot(_learn(make(booster, learner), X, y, w)), snapshot(batch))
    assert same(snapshot(_learn(make(booster, learner), X.tolist(), y.tolist(), w.tolist())), snapshot(batch))


@each_pair
def test_dicts_one_by_one_are_the_batch(booster, learner):
    X, y = stream(14)
    batch = make(booster, learner).partial_fit(X, y)
    for rows in (_by_name(X), _by_column(X)):
        model = _learn(make(booster, learner), rows, y.tolist())
        assert same(state_of(model), state_of(batch))
        for x, row in zip(rows, X, strict=True):
            assert model.predict_one(x) == batch.predict(row[np.newaxis])[0]
            assert list(model.predict_proba_one(x).values()) == batch.predict_proba(row[np.newaxis])[0].tolist()


@pytest.mark.parametrize("learner", ["bayes-auto", "bayes-bernoulli", "bayes-gaussian", "gradient"])
@each_class
def test_sparse_dicts_are_the_sparse_batch(booster, learner):
    X, y = stream(30, d=8, sparse=True)
    batch = make(booster, learner).partial_fit(sp.csr_array(X), y)
    model = _learn(make(booster, learner), _by_column(X, sparse=True), y.tolist())
    assert same(state_of(model), state_of(batch))
    assert np.array_equal(model.margin(X), batch.margin(X))


@each_class
def test_sparse_dicts_are_the_sparse_batch_for_perceptrons_once_the_width_is_known(booster):
    """The random start is scaled by the width, which a stream of dicts shows with its first example."""
    X, y = stream(30, d=8, sparse=True)
    X[0] = 1.0
    batch = make(booster).partial_fit(sp.csr_array(X), y)
    model = _learn(make(booster), _by_column(X, sparse=True), y.tolist())
    assert same(state_of(model), state_of(batch))


@settings(max_examples=30)
@given(data=st.data())
def test_drawn_streams_of_sparse_dicts_agree_with_their_matrix(data):
    value = st.floats(-1e6, 1e6, allow_subnormal=False)
    rows = data.draw(st.lists(st.dictionaries(st.integers(0, 9), value), max_size=12))
    rows.insert(0, {data.draw(st.integers(0, 9)): data.draw(value)})  # shows that keys are columns
    labels = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    learner = data.draw(st.sampled_from([NaiveBayes(), NaiveBayes(kind="gaussian"), OnlineGradient()]))
    X = np.array([[row.get(j, 0.0) for j in range(10)] for row in rows])
    one = _learn(OSBoostClassifier(learner, 3, random_state=0), rows, labels)
    batch = OSBoostClassifier(learner, 3, random_state=0).partial_fit(sp.csr_array(X), labels)
    assert same(state_of(one), state_of(batch))
    assert np.array_equal(one.margin(X), batch.margin(X))


@each_class
def test_one_by_one_and_batches_can_take_turns(booster):
    X, y = stream(30)
    model = make(booster).partial_fit(X[:7], y[:7])
    _learn(model, X[7:12], y[7:12])
    _learn(model, _by_column(X[12:20]), y[12:20])
    model.partial_fit(X[20:], y[20:])
    assert same(snapshot(model), snapshot(make(booster).partial_fit(X, y)))


@each_class
def test_prequential_is_predict_then_learn(booster):
    X, y = stream(40)
    model = make(booster)
    margins, predictions = [], []
    for x, label in zip(X, y.tolist(), strict=True):
        predictions.append(model.predict_one(x))
        margins.append(model.margin([x])[0] if predictions[-1] is not None else None)
        model.learn_one(x, label)
    whole = make(booster)
    result = prequential(whole, X, y)
    assert same(snapshot(whole), snapshot(model))
    assert result.margins[2:].tolist() == margins[2:]
    assert result.predictions[2:].tolist() == predictions[2:]


def test_a_batch_without_weight_is_its_rows_without_weight():
    """Nothing is learned, but labels become known; which of them is +1 inside is the latest one's matter until then."""
    X, y = stream(20)
    batch, ones = make("osboost"), make("osboost")
    batch.partial_fit(X[:2], ["a", "b"], sample_weight=[0.0, 0.0])
    for x, label in zip(X[:2], "ab", strict=True):
        ones.learn_one(x, label, 0.0)
    assert batch.to_bytes() == ones.to_bytes()
    names = np.array(["a", "b"])[y]
    for x, label in zip(X[2:], names[2:].tolist(), strict=True):
        ones.learn_one(x, label)
    assert batch.partial_fit(X[2:], names[2:]).to_bytes() == ones.to_bytes()


# ---- dicts ---------------------------------------------------------------------------------------------------


@each_native_pair
def test_the_order_of_known_keys_is_irrelevant(booster, learner):
    X, y = stream(20)
    rng = np.random.default_rng(0)
    straight = _learn(make(booster, learner), _by_name(X), y.tolist())
    mixed = [{key: x[key] for key in rng.permutation(NAMES).tolist()} for x in _by_name(X)]
    mixed[0] = _by_name(X)[0]
    assert same(snapshot(_learn(make(booster, learner), mixed, y.tolist())), snapshot(straight))
    assert [straight.predict_proba_one(x) for x in mixed] == [straight.predict_proba_one(x) for x in _by_name(X)]


@pytest.mark.parametrize("learner", ["bayes-auto", "bayes-gaussian", "gradient"])
@each_class
def test_the_order_in_which_keys_become_known_is_irrelevant(booster, learner):
    """To rounding. Not for Perceptrons, whose k-th feature has the k-th random start."""
    X, y = stream(20)
    straight = _learn(make(booster, learner), _by_name(X), y.tolist())
    reverse = _learn(make(booster, learner), [dict(reversed(x.items())) for x in _by_name(X)], y.tolist())
    for x in _by_name(X):
        assert straight.predict_proba_one(x) == pytest.approx(reverse.predict_proba_one(x), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "keys", [NAMES, [9, 0, 4, 2, 7], ["a", 0, ("pair", 1), 2.5, None]], ids=["names", "ints", "mixed"]
)
@each_class
def test_features_may_come_and_go(booster, keys):
    """A missing feature is a feature of value 0, whenever it is first seen."""
    X, y = stream(30, sparse=True)
    X[0, :] = [1, 2, 0, 0, 0]
    full = [dict(zip(keys, row.tolist(), strict=True)) for row in X]
    short = [{k: v for k, v in row.items() if v != 0} for row in full]
    learner = "gradient"
    padded, sparse = (
        _learn(make(booster, learner), full, y.tolist()),
        _learn(make(booster, learner), short, y.tolist()),
    )
    if keys[-1] is not None:  # a file holds no such key
        assert features_of(padded) == features_of(sparse) == 5
    for one, other in zip(full, short, strict=True):
        assert padded.predict_proba_one(one) == pytest.approx(sparse.predict_proba_one(other), rel=1e-9, abs=1e-12)
        assert sparse.predict_proba_one(one) == sparse.predict_proba_one(other)


@each_native_pair
def test_a_feature_never_seen_can_be_predicted_with(booster, learner):
    X, y = stream(20)
    model = _learn(make(booster, learner), _by_name(X), y.tolist())
    before = snapshot(model)
    assert model.predict_one({"brand new": 3.0}) in {0, 1}
    assert model.predict_one({}) in {0, 1}
    assert sum(model.predict_proba_one({**_by_name(X)[0], "brand new": -1.0}).values()) == pytest.approx(1)
    assert same(snapshot(model), before), "predicting remembers nothing"


def test_names_keep_apart():
    """Two names are two features; a name and a number too."""
    model = make("osboost")
    _learn(model, [{"a": 1.0, "b": -1.0}, {"b": 2.0, 1: 1.0}, {"1": 1.0}], [0, 1, 0])
    assert keys_of(model) == ["a", "b", 1, "1"]
    assert features_of(model) == 4


def test_integer_keys_are_columns():
    X, y = stream(20)
    model = _learn(make("osboost"), _by_column(X), y.tolist())
    assert model.predict(X).tolist() == [model.predict_one(x) for x in _by_column(X)]
    assert model.partial_fit(X, y).n_examples_ == 40
    by_numpy = _learn(make("osboost"), [{np.int64(k): v for k, v in x.items()} for x in _by_column(X)], y.tolist())
    assert np.array_equal(by_numpy.margin(X), _learn(make("osboost"), _by_column(X), y.tolist()).margin(X))


def test_beside_integer_keys_there_may_be_names():
    model = _learn(make("osboost"), [{0: 1.0, 3: 2.0}, {0: -1.0, "extra": 1.0}, {3: 1.0, "extra": -1.0}], [0, 1, 0])
    assert features_of(model) == 3
    assert model.predict_one({"extra": 1.0, 0: -1.0}) == 1


@pytest.mark.parametrize("kind", [int, np.float32, np.float64, np.int8, bool, np.bool_, np.array])
def test_values_may_be_any_number(kind):
    model = _learn(make("osboost"), [{"a": kind(1), "b": kind(0)}, {"a": kind(0), "b": kind(1)}], [0, 1])
    plain = _learn(make("osboost"), [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}], [0, 1])
    assert same(snapshot(model), snapshot(plain))


def test_any_mapping_is_a_dict():
    X, y = stream(10)
    model = _learn(make("osboost"), map(OrderedDict, _by_name(X)), y.tolist())
    assert same(snapshot(model), snapshot(_learn(make("osboost"), _by_name(X), y.tolist())))
    series = _learn(make("osboost"), [pd.Series(row) for row in X], y.tolist())
    assert same(snapshot(series), snapshot(make("osboost").partial_fit(X, y)))


# ---- dicts and frames ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda X, columns: pl.DataFrame(X, schema=columns)], ids=["pandas", "polars"]
)
@each_class
def test_a_model_of_frames_takes_dicts_by_column_name(booster, frame):
    X, y = stream(30)
    table = frame(X, columns=NAMES)
    model = make(booster).partial_fit(table, y)
    mixed = make(booster).partial_fit(table[:10], y[:10])
    _learn(mixed, [dict(reversed(x.items())) for x in _by_name(X[10:])], y[10:].tolist())
    assert same(snapshot(mixed), snapshot(model))
    assert [model.predict_one(x) for x in _by_name(X)] == model.predict(table).tolist()
    mixed.learn_one({"a new one": 1.0, "price": 2.0}, 1)
    assert features_of(mixed) == 6
    assert mixed.predict(table).shape == (30,)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda X, columns: pl.DataFrame(X, schema=columns)], ids=["pandas", "polars"]
)
@each_class
def test_a_model_of_dicts_takes_frames_by_column_name(booster, frame):
    X, y = stream(30)
    model = _learn(make(booster), _by_name(X), y.tolist())
    order = [3, 1, 4, 0, 2]
    table = frame(X[:, order], columns=[NAMES[j] for j in order])
    assert model.predict(table).tolist() == [model.predict_one(x) for x in _by_name(X)]
    twin = _learn(make(booster), _by_name(np.vstack([X, X])), [*y.tolist(), *y.tolist()])
    assert same(snapshot(model.partial_fit(table, y)), snapshot(twin))
    wider = frame(np.hstack([X, X[:, :1]]), columns=[*NAMES, "another"])
    before = snapshot(model)
    assert model.predict(wider).shape == (30,)
    assert same(snapshot(model), before), "predicting remembers nothing"
    model.partial_fit(wider, y)
    assert keys_of(model).index("another") == 5
    assert features_of(model) == 6


# ---- river's conventions -------------------------------------------------------------------------------------


@each_class
def test_before_anything_is_learned(booster):
    model = make(booster)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.predict_one([1.0, 2.0]) is None
    assert not hasattr(model, "classes_")


@each_class
def test_classes_appear_one_after_the_other(booster):
    model = make(booster)
    assert model.learn_one({"a": 1.0}, "spam") is None
    assert model.classes_.tolist() == ["spam"]
    assert model.predict_one({"a": 1.0}) == "spam"
    assert model.predict_proba_one({"a": 1.0}) == {"spam": 1.0}
    model.learn_one({"a": -1.0, "b": 1.0}, "ham")
    assert model.classes_.tolist() == ["ham", "spam"]
    assert list(model.predict_proba_one({"a": 1.0})) == ["ham", "spam"]
    model.learn_one({"a": 1.0}, "eggs")
    assert list(model.predict_proba_one({"a": 1.0})) == ["eggs", "ham", "spam"]


@pytest.mark.parametrize(("one", "two"), [("a", "b"), (True, False), (2, 1), (0.5, -0.5), (np.str_("x"), np.str_("y"))])
def test_labels_come_back_as_plain_python(one, two):
    model = _learn(make("osboost"), [{"a": 1.0}, {"a": -1.0}] * 10, [one, two] * 10)
    plain = one.item() if isinstance(one, np.generic) else one
    assert model.predict_one({"a": 1.0}) == plain
    assert type(model.predict_one({"a": 1.0})) is type(plain)
    assert type(max(model.predict_proba_one({"a": 1.0}))) is type(plain)


@each_class
def test_declared_classes_change_nothing(booster):
    X, y = stream(20)
    y[:5] = 1
    declared = make(booster).partial_fit(X[:1], y[:1], classes=[0, 1])
    plain = make(booster).partial_fit(X[:1], y[:1])
    assert same(snapshot(_learn(declared, X[1:], y[1:])), snapshot(_learn(plain, X[1:], y[1:])))


@each_class
def test_an_example_of_weight_zero_is_not_learned(booster):
    X, y = stream(10)
    model = _learn(make(booster), _by_name(X), y.tolist())
    before = snapshot(model)
    model.learn_one({"price": 5.0, "unseen": 1.0}, 0, w=0)
    assert same(snapshot(model), before)


@each_class
def test_river_evaluates_us(booster):
    """The error that river's progressive validation finds is the one of our own test-then-train pass."""
    rows = list(synth.SEA(seed=1).take(400))
    score = evaluate.progressive_val_score(rows, make(booster), metrics.Accuracy())
    X, y = pd.DataFrame([x for x, _ in rows]), [label for _, label in rows]
    result = prequential(make(booster), X, y)
    known = len(rows) - 1  # the first has no prediction
    second = next(k for k, label in enumerate(y) if label != y[0])
    told = [y[0] if k <= second else label for k, label in enumerate(result.predictions)]  # while it knew one label
    assert score.get() * known == pytest.approx(sum(a == b for a, b in zip(told[1:], y[1:], strict=True)))
    assert score.get() > 0.6


@each_class
def test_in_a_pipeline_of_river(booster):
    rows = list(datasets.Phishing().take(300))
    auc = evaluate.progressive_val_score(rows, preprocessing.StandardScaler() | make(booster), metrics.ROCAUC())
    assert auc.get() > 0.8


@pytest.mark.parametrize("check", list(RIVER_CHECKS))
@each_class
def test_river_checks(booster, check):
    RIVER_CHECKS[check](make(booster))


@each_native_pair
@in_turn("check", list(RIVER_STREAM_CHECKS))
def test_river_checks_on_a_stream(booster, learner, check):
    RIVER_STREAM_CHECKS[check](make(booster, learner), list(datasets.Phishing().take(60)))
