"""Naive Bayes leaves missing values out: the engine against the reference, and files of before."""

import numpy as np
import pytest
from sklearn.base import clone
from states import state_of
from twins import Stream, run_native, run_reference

import onlineboost
from onlineboost import HoeffdingTree, NaiveBayes, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier
from onlineboost.merging import merge
from onlineboost.reference import missing

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def stream(n=150, seed=0):
    """Numbers, flags, few values, a column that appears late; a sixth is missing, of one column from row 100 on."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    X[:, 1], X[:, 2], X[:, 3] = random.integers(0, 2, n), random.integers(0, 3, n), random.random(n) < 0.3
    X[:40, 4] = 0
    X[40:90, 4] = random.integers(0, 2, 50)
    y = np.where(X[:, 0] + X[:, 1] > 0.3, 1, -1)
    gaps = random.random(X.shape) < 0.16
    gaps[:100, 0] = False
    gaps[120] = True
    return np.where(gaps, np.nan, X), y, random.random(n) + 0.5


@pytest.mark.parametrize("kind", ["gaussian", "bernoulli", "auto", "typed"])
@pytest.mark.parametrize(
    "booster", [OSBoostClassifier(None, 9), OzaBoostClassifier(None, 9)], ids=["all", "one by one"]
)
def test_as_the_reference(booster, kind):
    X, y, s = stream()
    learner = NaiveBayes(kind=kind, alpha=0.5, half_life=None if isinstance(booster, OSBoostClassifier) else 60.0)
    model = clone(booster).set_params(learner=learner, random_state=1)
    given = Stream(X, y, s)
    got, wanted = run_native(clone(model), given), run_reference(model, given)
    np.testing.assert_allclose(got.margins, wanted.margins, rtol=0, atol=1e-9)
    fresh = np.where(np.arange(5) == 3, np.nan, X)
    after = np.array([wanted.booster.margin(x) for x in fresh]) * given.outside
    np.testing.assert_allclose(got.booster.margin(fresh), after, rtol=0, atol=1e-9)
    loaded = onlineboost.from_bytes(got.booster.to_bytes())
    assert np.array_equal(loaded.partial_fit(X, y).margin(fresh), got.booster.partial_fit(X, y).margin(fresh))


@pytest.mark.parametrize("kind", ["gaussian", "auto", "typed"])
def test_a_column_that_was_never_missing_when_it_was_learned(kind):
    X, y, s = stream()
    given = Stream(np.nan_to_num(X), y, s)
    model = OSBoostClassifier(NaiveBayes(kind=kind, alpha=0.5), 9, random_state=1)
    got, wanted = run_native(clone(model), given), run_reference(model, given)
    after = np.array([wanted.booster.margin(x) for x in X]) * given.outside
    np.testing.assert_allclose(got.booster.margin(X), after, rtol=0, atol=1e-9)


def test_a_row_of_nothing_has_the_odds_of_the_classes():
    model = OnlineClassifier(NaiveBayes(), random_state=0).fit([[1.5, np.nan], [2.5, 1.0], [0.5, 3.0]], [0, 1, 1])
    assert model.margin([[np.nan, np.nan]]) == pytest.approx(2 * 2 / 3 - 1)


@pytest.mark.parametrize("kind", ["gaussian", "auto", "typed"])
def test_own_weights_merge_exactly(kind):
    X, y, _ = stream(200)
    learner = NaiveBayes(kind=kind, unit_norm=False)
    whole = OnlineClassifier(learner, random_state=0).fit(X, y)
    shards = [OnlineClassifier(learner, random_state=0).fit(X[part], y[part]) for part in (slice(90), slice(90, 200))]
    np.testing.assert_allclose(merge(shards).margin(X), whole.margin(X), rtol=0, atol=1e-8)


def test_files_of_before_keep_their_rule():
    """A missing value is its mean and an indicator there."""
    X, y, _ = stream()
    X[:50] = np.nan_to_num(X[:50])
    X[0] = 1.5  # all features are met before one is missing
    fresh = OSBoostClassifier(NaiveBayes(), 5, random_state=0)
    wanted = clone(fresh).fit(missing.filled(X), y)
    old = fresh.partial_fit(X[:50], y[:50])
    state = old.machine.engine.core.state()
    del state["own_weights"]
    old.machine.engine = old.machine.make_engine()
    old.machine.engine.core.load(state)
    old = onlineboost.from_bytes(old.partial_fit(X[50:100], y[50:100]).to_bytes()).partial_fit(X[100:], y[100:])
    assert "own_weights" not in state_of(old)
    whole = np.nan_to_num(X)
    np.testing.assert_allclose(old.margin(whole), wanted.margin(np.hstack([whole, 0 * whole])), rtol=0, atol=1e-9)


@pytest.mark.parametrize("field", ["own_weights", "plus.own_totals"])
def test_a_state_from_a_stranger(field):
    X, y, _ = stream()
    model = OSBoostClassifier(NaiveBayes(), 3, random_state=0).fit(X, y)
    core = model.machine.engine.core
    state = dict(core.state())
    state[field] = state[field] * 0 + (99 if field == "own_weights" else 1e9)
    with pytest.raises(ValueError, match="own_"):
        model.machine.make_engine().core.load(state)


def test_trees_are_left_alone():
    X, y, _ = stream()
    assert "own_weights" not in state_of(OSBoostClassifier(HoeffdingTree(), 3, random_state=0).fit(X, y))
