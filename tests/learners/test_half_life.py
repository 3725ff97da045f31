"""Learners that forget by a half-life: as the reference has them, over many half-lives, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest
from parity import assert_parity
from sklearn.base import clone
from table import in_turn
from twins import make_stream, run_native

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    BayesianLogistic,
    NaiveBayes,
    OnlineClassifier,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    Scaled,
    from_bytes,
    prequential,
)
from onlineboost.merging import CannotMergeError, merge

pytestmark = [pytest.mark.engine, pytest.mark.quick]

FORGETFUL = [
    AdaGradLogistic(),
    FTRL(l1=0.1, l2=0.2),
    *(kind(covariance=shape) for kind in (AROW, SCW, BayesianLogistic) for shape in ("full", "diagonal")),
    OnlineRidge(),
    Scaled(OnlineRidge(forecast="ridge")),
    NaiveBayes(alpha=0.5, variance_floor=1e-3),
    NaiveBayes(kind="gaussian", estimates="paper", variance_floor=1e-3),
    NaiveBayes(kind="typed", alpha=0.5, variance_floor=1e-3),
]


def forgetful(learner, half_life):
    name = "learner__half_life" if isinstance(learner, Scaled) else "half_life"
    return clone(learner).set_params(**{name: half_life})


@pytest.mark.parametrize(
    ("booster", "half_life", "rows"),
    [
        (OSBoostClassifier(None, 9), 1.0, 70),  # takes a scale that grows past where it is divided
        (OzaBoostClassifier(None, 3), 7.5, 30),
        (OnlineClassifier(None), 7.5, 30),
    ],
)
@in_turn("learner", FORGETFUL)
def test_they_are_the_reference(booster, half_life, rows, learner):
    model = clone(booster).set_params(learner=forgetful(learner, half_life), random_state=7)
    stream = make_stream("mixed", 3, rows, 6, weighted=True)
    assert_parity(model, stream, stream.X[:5])


@in_turn("learner", FORGETFUL)
def test_batches_and_files_make_no_difference(learner):
    stream = make_stream("mixed", 5, 90, 6, weighted=False)
    model = OSBoostClassifier(forgetful(learner, 1.5), 9, random_state=0)
    whole, parts = clone(model).partial_fit(stream.X, stream.y), clone(model)
    for at in range(0, 90, 7):
        parts.partial_fit(stream.X[at : at + 7], stream.y[at : at + 7], classes=[-1, 1])
        parts = from_bytes(parts.to_bytes())
    assert whole.to_bytes() == parts.to_bytes()


@in_turn("learner", FORGETFUL)
def test_many_classes(learner):
    """As many learn as of two, and the model goes on from its file."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.argmax(X, axis=1)
    model = OSBoostClassifier(forgetful(learner, 60.0), 3, random_state=0).partial_fit(X[:200], y[:200])
    again = from_bytes(model.to_bytes())
    for one in (model, again):
        one.partial_fit(X[200:], y[200:])
    assert model.to_bytes() == again.to_bytes()
    assert np.mean(model.predict(X[200:]) != y[200:]) < 0.4


@in_turn("learner", FORGETFUL)
def test_a_long_half_life_forgets_nothing(learner):
    stream = make_stream("mixed", 4, 60, 6, weighted=False)
    margins = [
        run_native(OSBoostClassifier(one, 5, random_state=0), stream).margins
        for one in (clone(learner), forgetful(learner, 1e12))
    ]
    np.testing.assert_allclose(*margins, atol=1e-6)


@in_turn("learner", [NaiveBayes(), AROW(), SCW(), BayesianLogistic(), OnlineRidge(), AdaGradLogistic()])
def test_a_flip_is_learned_in_a_few_half_lives(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4600, 4))
    y = (X @ [1.0, -2.0, 0.5, 1.0] > 0) ^ (np.arange(4600) >= 4000) ^ (rng.random(4600) < 0.1)
    late = [
        (prequential(OnlineClassifier(one, random_state=0), X, y).margins > 0)[4200:] != y[4200:]
        for one in (clone(learner), forgetful(learner, 50.0))
    ]
    assert late[1].mean() < 0.3
    assert late[1].mean() < late[0].mean()


def test_forgetful_learners_are_not_merged():
    X, y = make_stream("gaussian", 0, 20, 3, weighted=False).X, np.tile([-1, 1], 10)
    models = [OSBoostClassifier(AROW(half_life=9), 3, random_state=0).partial_fit(X, y) for _ in range(2)]
    with pytest.raises(CannotMergeError, match="half_life"):
        merge(models)
