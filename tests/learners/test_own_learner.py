"""The worked example of docs/your-own-learner.md with every booster."""

import copy
import pickle

import numpy as np
import pytest
from own_learner import DeltaRule
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from states import bank_of

from onlineboost import OGBoostClassifier, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier, prequential

BOOSTERS = [
    OSBoostClassifier(DeltaRule(), 20, random_state=0),
    OSBoostClassifier(DeltaRule(), 20, vote="ocp", random_state=0),
    OSBoostClassifier(DeltaRule(), 20, vote="experts", random_state=0),
    OzaBoostClassifier(DeltaRule(), 5, random_state=0),
    OGBoostClassifier(DeltaRule(), 5, n_candidates=2, random_state=0),
    OnlineClassifier(DeltaRule(), random_state=0),
]


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 8))
    return X, X @ rng.normal(size=8) > 0


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: f"{type(b).__name__}-{getattr(b, 'vote', '')}")
def test_learns_with_every_booster(booster, stream):
    """Half of the weights of a random hyperplane are out of one learner's sight; an ensemble sees them all."""
    X, y = stream
    error = prequential(clone(booster), X, y).error
    alone = prequential(OnlineClassifier(DeltaRule(), random_state=0), X, y).error
    assert error <= alone < 0.45


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: f"{type(b).__name__}-{getattr(b, 'vote', '')}")
@pytest.mark.parametrize("twin", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copy", "pickle"])
def test_copies_go_on_identically_and_apart(booster, twin, stream):
    X, y = stream
    model = clone(booster).partial_fit(X[:200], y[:200])
    other = twin(model)
    model.partial_fit(X[200:300], y[200:300])
    other.partial_fit(X[200:300], y[200:300])
    assert np.array_equal(model.margin(X), other.margin(X))
    model.partial_fit(X[300:], y[300:])
    assert not np.array_equal(model.margin(X), other.margin(X))


def test_parameters_reach_the_learner(stream):
    X, y = stream
    model = OSBoostClassifier(DeltaRule(), 5, random_state=0)
    grid = GridSearchCV(model, {"learner__rate": [0.01, 0.5]}, cv=2).fit(X, y)
    assert len(set(grid.cv_results_["mean_test_score"])) == 2
    model.set_params(learner__rate=0.25).partial_fit(X, y)
    assert bank_of(model).rate == 0.25
