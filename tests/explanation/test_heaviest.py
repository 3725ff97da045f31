"""Which features weigh most: against what the model itself says when asked about one feature at a time."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from states import plus_of, spec_of, state_of
from table import make, stream

from onlineboost import (
    AROW,
    FTRL,
    AdaBoostOLClassifier,
    AdaGradLogistic,
    AveragedPerceptron,
    HoeffdingTree,
    NaiveBayes,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    Perceptron,
    RegressionTree,
    theory,
)
from onlineboost.explanation.heaviest import _expert_weights, heaviest, vote_shares

X, Y = stream(80)


@pytest.mark.parametrize("kind", [Perceptron, OnlineGradient])
def test_one_linear_learner(kind):
    """Without an intercept and a norm, the margin of half a unit vector is half its weight."""
    model = OnlineClassifier(kind(intercept=False, unit_norm=False), random_state=0).fit(X, Y)
    found = {h.feature: h for h in heaviest(model, 5)}
    for j, margin in enumerate(model.margin(np.eye(5) / 2)):
        assert found[j].weight == pytest.approx(2 * abs(margin), rel=1e-9)
        assert found[j].towards == int(margin > 0)
    assert [h.weight for h in heaviest(model, 5)] == sorted((h.weight for h in found.values()), reverse=True)


@pytest.mark.parametrize("learner", [AveragedPerceptron(), AROW(), AdaGradLogistic(), FTRL(l1=0.5)])
def test_one_learner_of_the_other_linear_kinds(learner):
    """A small step along a feature changes the score by its weight; a logistic learner says tanh of half its score."""
    learner.set_params(intercept=False, unit_norm=False)
    model = OnlineClassifier(learner, random_state=0).fit(X, Y)
    found = {h.feature: h for h in heaviest(model, 5)}
    assert len(found) >= 3
    for j, margin in enumerate(model.margin(np.eye(5) * 2.0**-9)):
        logistic = isinstance(learner, (AdaGradLogistic, FTRL))
        score = 2.0**9 * (2 * math.atanh(margin) if logistic else margin)
        assert (found[j].weight if j in found else 0.0) == pytest.approx(abs(score), rel=1e-9, abs=1e-12)
        assert j not in found or found[j].towards == int(margin > 0)


@pytest.mark.parametrize(
    "booster", ["osboost", "ocp", "eg", "experts", "ozaboost", "ogboost", "ogboost-k2", "bbm", "single"]
)
def test_shares_of_the_vote(booster):
    """They explain the margin that the engine gives, from the learners' outputs."""
    model = make(booster, random_state=3).fit(X, Y)
    state, spec = state_of(model), spec_of(model)
    n = len(theory.record(copy.deepcopy(model), X[:1], Y[:1]).h[0])
    share = vote_shares(state, spec, n)
    assert share.sum() == pytest.approx(1)
    assert share.min() >= 0
    for x in stream(10, seed=4)[0]:
        h = theory.record(copy.deepcopy(model), [x], [1]).h[0]
        if booster == "ozaboost":
            h = np.where(h > 0, 1.0, -1.0)
        if booster == "experts":
            prefixes = np.where(np.cumsum(h) > 0, 1.0, -1.0)
            expected = _expert_weights(state, spec, n) @ prefixes
        else:
            expected = share @ h
        assert model.margin([x])[0] == pytest.approx(
            expected * (1 if plus_of(model) == model.classes_[1] else -1), abs=1e-9
        )


@pytest.mark.parametrize("rate", ["adahedge", "anytime", "paper", 0.3])
def test_shares_of_experts(rate):
    model = OSBoostClassifier(Perceptron(), 6, vote="experts", expert_rate=rate, random_state=0).fit(X, Y)
    share = vote_shares(state_of(model), spec_of(model), 6)
    assert (np.diff(share) <= 0).all(), "an early learner is in every prefix that a later one is in"
    assert share.sum() == pytest.approx(1)


def test_shares_of_adaboost_ol():
    """By hand: prefix i gives its weight to its learners by the size of their votes."""
    model = AdaBoostOLClassifier(Perceptron(), 6, random_state=0).fit(X, Y)
    state, spec = state_of(model), spec_of(model)
    v, size = np.exp(-(state["expert_losses"] - state["expert_losses"].min())), np.abs(state["alpha"])
    expected = sum(v[i] / v.sum() * np.where(np.arange(6) <= i, size, 0) / size[: i + 1].sum() for i in range(6))
    np.testing.assert_allclose(vote_shares(state, spec, 6), expected, rtol=1e-12)
    state["alpha"] = np.zeros(6)
    np.testing.assert_allclose(vote_shares(state, spec, 6), 1 / 6)


def test_bayes_by_hand():
    """Present in both examples of one class and in one of two of the other: ln 2, in three of four examples."""
    model = OnlineClassifier(NaiveBayes(kind="bernoulli"), random_state=0)
    for x, y in [({"a": 1, "b": 1}, "p"), ({"a": 1}, "p"), ({"a": 1}, "q"), ({"b": 1}, "q")]:
        model.learn_one(x, y)
    (found,) = heaviest(model)
    assert (found.feature, found.towards) == ("a", "p")
    assert found.weight == pytest.approx(0.75 * math.log(2))
    gaussian = OnlineClassifier(NaiveBayes(kind="gaussian", unit_norm=False, intercept=False, variance_floor=1e-30))
    gaussian.fit([[0.0, 0.0], [2.0, 1.0], [4.0, 0.0], [8.0, 1.0]], [0, 0, 1, 1])
    first, *rest = heaviest(gaussian)
    assert (first.feature, first.towards, rest) == (0, None, [])
    assert first.weight == pytest.approx((6 - 1) ** 2 * (1 / 1 + 1 / 4) / 4)


@pytest.mark.parametrize(
    "learner",
    [
        HoeffdingTree(grace_period=20, delta=0.1, max_features=None, resample=None, criterion="gain", max_depth=2),
        RegressionTree(grace_period=20, delta=0.1, max_features=None, max_depth=2),
    ],
)
def test_a_tree_by_hand(learner):
    """All rows meet the first test; those with "a", half of the weight, also meet the second."""
    model = OnlineClassifier(learner, random_state=0)
    for k in range(400):
        a, b = k % 2, k // 2 % 2
        model.learn_one({"one": 1.0} | ({"a": 1.0} if a else {}) | ({"b": 1.0} if b else {}), a and (b or k % 7 > 0))
    first, second = heaviest(model)
    assert (first.feature, first.towards) == ("a", None)
    assert first.weight == pytest.approx(1.0)
    assert second.feature == "b"
    assert second.weight == pytest.approx(0.5, abs=0.01)


def test_one_label_and_one_class():
    model = make("osboost", "bayes-auto").partial_fit(X[:5], [1] * 5)
    assert all(h.towards is None for h in heaviest(model))
