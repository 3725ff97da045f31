"""What every estimator promises: no argument is needed, probabilities and labels agree, parameters wait for fit."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from states import is_fitted, same, snapshot
from table import stream

from onlineboost import (
    AROW,
    HoeffdingTree,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    prequential,
)
from onlineboost.boosters.base import WHILE_LEARNING
from onlineboost.declarations import Choice, Flag, Integer, Real
from onlineboost.estimators import ESTIMATORS
from onlineboost.learners import BlackBox, Learner

pytestmark = [pytest.mark.quick, pytest.mark.engine]

SMALL = {"n_learners": 4, "random_state": 0}
FAMILIES = [("boosted", OSBoostClassifier(NaiveBayes(), 3)), ("single", OnlineClassifier(AROW()))]
ONE_LABEL = [name for name, kind in ESTIMATORS.items() if not kind.booster_type.label_sets]
each_estimator = pytest.mark.parametrize("name", ONE_LABEL)


def make(name, learner=None, **more):
    """A small model of the class; `more` goes where it has such parameters."""
    kind = ESTIMATORS[name]
    given = {"learner": learner, **SMALL, **more}
    if kind is OneVsRest:
        return OneVsRest(make("OSBoostClassifier", learner, **more))
    own = {"families": FAMILIES} if kind is OnlineBoostClassifier else {}
    return kind(**own, **{key: value for key, value in given.items() if key in kind.booster_type.parameters})


def labels_for(name, y):
    """Of many classes, a third label every fourth row."""
    many = ESTIMATORS[name].booster_type.many_classes
    return np.where(np.arange(len(y)) % 4 == 3, 2, y) if many else y


# ---- without arguments -------------------------------------------------------------------------------------------


@each_estimator
def test_no_argument_is_needed(name):
    X, y = stream(30)
    model = ESTIMATORS[name]().fit(X, y)
    assert model.classes_.tolist() == [0, 1]
    assert np.isfinite(model.predict_proba(X)).all()
    assert repr(clone(model)) == f"{name}()"


@pytest.mark.parametrize("kind", [*Learner.declared.values(), BlackBox])
def test_no_learner_needs_an_argument(kind):
    X, y = stream(30)
    assert OSBoostClassifier(kind(), 3, random_state=0).fit(X, y).n_examples_ == 30


# ---- labels and probabilities agree ------------------------------------------------------------------------------

LEARNERS = [Perceptron(), NaiveBayes(), HoeffdingTree(grace_period=5, delta=0.3), RandomFourier(AROW(), 5)]
drawn = settings(max_examples=12)


@each_estimator
@drawn
@given(st.integers(0, 10**6), st.sampled_from(LEARNERS), st.floats(0.0, 0.5), st.floats(-2.0, 2.0))
def test_the_label_predicted_is_the_most_probable(name, seed, learner, flip, shift):
    X, y = stream(60, seed=seed, flip=flip)
    X[:, 0] += shift  # the classes are not of one size
    y = labels_for(name, (y.astype(bool) | (X[:, 1] > shift)).astype(int))
    model = make(name, learner).partial_fit(X[:40], y[:40], classes=np.unique(y) if len(np.unique(y)) > 1 else [0, 1])
    for rows in (X[:40], X[40:], 100 * X):
        P = model.predict_proba(rows)
        assert np.allclose(P.sum(axis=1), 1.0)
        best = model.classes_[P.argmax(axis=1)]
        assert (model.predict(rows) == best).all()
        assert [model.predict_one(x) for x in rows] == best.tolist()
        decisions = model.decision_function(rows)
        if decisions.ndim == 1:
            assert (model.classes_[(decisions > 0).astype(int)] == best).all()
            assert np.allclose(decisions, 2 * P[:, 1] - 1)
        else:
            assert (decisions == P).all()
    passed = prequential(model, X[40:], y[40:])
    if passed.probabilities.ndim == 1:
        wanted = model.classes_[(passed.probabilities > 0.5).astype(int)]
    else:
        wanted = passed.classes[passed.probabilities.argmax(axis=1)]
    assert (passed.predictions == wanted).all()
    assert ((passed.predictions != y[40:]) == passed.losses).all()


@pytest.mark.parametrize("name", [name for name in ONE_LABEL if name != "OnlineBoostClassifier"])
@drawn
@given(st.integers(0, 10**6), st.sampled_from(LEARNERS), st.floats(0.0, 0.5), st.floats(-2.0, 2.0))
def test_by_the_vote(name, seed, learner, flip, shift):
    X, y = stream(60, seed=seed, flip=flip)
    y = labels_for(name, (y.astype(bool) | (X[:, 1] > shift)).astype(int))
    model = make(name, learner, threshold="vote").partial_fit(X[:40], y[:40], classes=np.unique(y))
    f, P = model.margin(X), model.predict_proba(X)
    if f.ndim == 2:
        assert (model.predict(X) == model.classes_[f.argmax(axis=1)]).all()
        return
    if len(model.classes_) < 2:
        return
    assert (model.predict(X) == model.classes_[(f > 0).astype(int)]).all()
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
    assert (model.decision_function(X) == f).all()
    assert (P[:, 1][f > 0] >= 0.5).all()
    assert (P[:, 1][f < 0] <= 0.5).all()
    assert (P[:, 1][f == 0] == 0.5).all()
    passed = prequential(model, X[40:], y[40:])
    assert (passed.predictions == model.classes_[(passed.margins > 0).astype(int)]).all()


def test_the_two_thresholds_differ():
    """Where one class is rare, the calibration's intercept moves the threshold; by the vote, there is none."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    y = (X[:, 0] + rng.normal(size=500) > 1.5).astype(int)
    calibrated, voted = (make("OSBoostClassifier", threshold=way).fit(X, y) for way in ("calibrated", "vote"))
    assert (calibrated.margin(X) == voted.margin(X)).all()
    assert (calibrated.predict(X) != voted.predict(X)).any()
    assert ((voted.predict_proba(X)[:, 1] > 0.5) == (voted.predict(X) == 1)).all()


# ---- parameters that are set after learning -----------------------------------------------------------------------


def another(declared, value):
    """A value of the parameter's range that differs from the one it has."""
    if isinstance(declared, Flag):
        return not value
    if isinstance(declared, Choice):
        return next(one for one in declared.of if one != value)
    if isinstance(declared, Integer):
        return declared.low if value is None else value + 1
    low, high = declared.low, min(declared.high, 1e3)
    return next(one for one in (low + (high - low) * share for share in (0.05, 0.1)) if one != value)


SETTABLE = [
    (name, parameter)
    for name in ONE_LABEL
    for parameter, declared in ESTIMATORS[name].booster_type.parameters.items()
    if isinstance(declared, Choice | Flag | Integer | Real)
]


@pytest.mark.parametrize(("name", "parameter"), SETTABLE, ids=map("-".join, SETTABLE))
def test_a_parameter_set_after_learning_waits_for_fit(name, parameter):
    X, y = stream(40)
    model, twin = (make(name).partial_fit(X[:20], y[:20]) for _ in range(2))
    before = getattr(model, parameter)
    value = another(type(model).booster_type.parameters[parameter], before)
    model.set_params(**{parameter: value})
    ways = [
        lambda: model.partial_fit(X[20:], y[20:]),
        lambda: model.learn_one(X[20], 1),
        lambda: model.learn_one({0: 1.0}, 1),
        lambda: prequential(model, X[20:], y[20:]),
        lambda: model.learn_many(X[20:], y[20:]),
    ]
    if parameter in WHILE_LEARNING:
        model.partial_fit(X[20:], y[20:])
        twin.partial_fit(X[20:], y[20:])
    else:
        for learn in ways:
            with pytest.raises(ValueError, match=f"^{parameter} was set to .* after learning with .*: call fit to"):
                learn()
    assert (model.predict_proba(X) == twin.predict_proba(X)).all()
    assert model.n_examples_ == twin.n_examples_
    again = copy.deepcopy(model).fit(X, y)
    assert again.predict_proba(X).tobytes() == clone(model).fit(X, y).predict_proba(X).tobytes()
    again.partial_fit(X, y)
    model.set_params(**{parameter: before})
    if parameter not in WHILE_LEARNING:
        assert model.partial_fit(X[20:], y[20:]).n_examples_ == 40
        assert (model.predict_proba(X) == twin.partial_fit(X[20:], y[20:]).predict_proba(X)).all()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"learner__intercept": False}, "learner__intercept"),
        ({"learner": NaiveBayes()}, "learner"),
        ({"learner": None}, "learner"),
        ({"random_state": 1}, "random_state"),
    ],
)
def test_learners_and_seeds_set_after_learning(given, named):
    X, y = stream(40)
    model = OSBoostClassifier(Perceptron(), 3, random_state=0).partial_fit(X, y)
    model.set_params(**given)
    with pytest.raises(ValueError, match=f"^{named} was set to"):
        model.partial_fit(X, y)
    assert model.fit(X, y).n_examples_ == 40


def test_a_parameter_set_as_an_attribute_waits_as_well():
    X, y = stream(40)
    model = OSBoostClassifier(Perceptron(), 3, random_state=0).partial_fit(X, y)
    model.n_learners = 50
    with pytest.raises(ValueError, match=r"^n_learners was set to 50 after learning with 3: call fit to start afresh"):
        model.partial_fit(X, y)


# ---- copies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda model: model.clone(include_attributes=True)])
@each_estimator
def test_a_copy_shares_nothing(name, duplicate):
    rows = [({f"f{j}": value for j, value in enumerate(x)}, label) for x, label in zip(*stream(30), strict=True)]
    model = make(name)
    for x, label in rows[:15]:
        model.learn_one(x, label)
    before = snapshot(model)
    other = duplicate(model)
    for x, label in rows[15:]:
        other.learn_one(x | {"new": 1.0}, label)
    assert same(snapshot(model), before)
    assert other.n_examples_ == 30
    for x, label in rows[15:]:
        model.learn_one(x | {"new": 1.0}, label)
    assert model.to_bytes() == other.to_bytes()


@each_estimator
def test_a_clone_of_river_is_fresh(name):
    X, y = stream(30)
    model = make(name).fit(X, y)
    fresh = model.clone()
    assert not is_fitted(fresh)
    assert repr(fresh) == repr(clone(model))
    assert math.isclose(float(fresh.fit(X, y).predict_proba(X)[0, 0]), float(model.predict_proba(X)[0, 0]))
