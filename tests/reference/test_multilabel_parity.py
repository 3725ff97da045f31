"""Sets of labels: the native engine against onlineboost.reference, and both against the theory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from states import state_of
from twins import TOLERANCE, reference_bank, reference_of

from onlineboost import (
    AdaOLMRClassifier,
    MultiLabelClassifier,
    NaiveBayes,
    OnlineBMRClassifier,
    OnlineGradient,
    OSBoostClassifier,
    Perceptron,
    reference,
)
from onlineboost.reference.multilabel import pair_potential, pair_pulls

pytestmark = pytest.mark.engine

SEED = 7
N = 6
LEARNERS = {
    "perceptron": Perceptron(),
    "gradient": OnlineGradient(),
    "bayes": NaiveBayes(kind="gaussian", variance_floor=1e-2),
}
MODELS = {
    "relevance": lambda learner: MultiLabelClassifier(OSBoostClassifier(learner, N, random_state=SEED)),
    "olmr": lambda learner: AdaOLMRClassifier(learner, N, random_state=SEED),
    "bmr": lambda learner: OnlineBMRClassifier(learner, N, gamma=0.3, random_state=SEED),
}


def rows(n=100, labels=4, d=4, seed=0):
    """Rows, an indicator matrix, weights; labels come one after the other, and some rows have none or all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = X @ rng.normal(size=(d, labels)) + rng.normal(size=(n, labels)) > 0.3
    for k in range(labels):
        Y[: 10 * k, k] = False
    Y[70:73] = True
    return X, Y, rng.exponential(size=n)


def twin(model, d):
    """The reference of an estimator of label sets."""
    if isinstance(model, MultiLabelClassifier):
        return reference.BinaryRelevance(lambda: reference_of(model.booster, d))
    make = lambda: reference_bank(model.learner, N, d, SEED)  # noqa: E731
    return reference.AdaOLMR(make, N) if isinstance(model, AdaOLMRClassifier) else reference.OnlineBMR(make, N, 0.3)


@pytest.mark.parametrize("learner", list(LEARNERS))
@pytest.mark.parametrize("name", list(MODELS))
def test_native_is_the_reference(name, learner):
    X, Y, s = rows()
    model = MODELS[name](LEARNERS[learner])
    found = model.learn_batch(X, Y, None, s, report=True).opinion.decisions
    booster, numbers = twin(model, X.shape[1]), {}
    for x, y, w, got in zip(X, Y, s, found, strict=True):
        wanted = booster.decide(x)
        by_column = [wanted[1 + numbers[k]] if k in numbers else wanted[0] for k in range(Y.shape[1])]
        np.testing.assert_allclose(got, by_column, atol=TOLERANCE)
        for k in np.flatnonzero(y):
            numbers.setdefault(int(k), len(numbers))
        booster.learn(x, {numbers[int(k)] for k in np.flatnonzero(y)}, w)
    if name == "olmr":
        fields = state_of(model)
        np.testing.assert_allclose(fields["alpha"], booster.alpha, atol=TOLERANCE)
        np.testing.assert_allclose(fields["expert_losses"], booster.losses, atol=TOLERANCE)


def logistic(s, has):
    return np.mean(np.log1p(np.exp(s[~has] - s[has][:, None])))


def hinge(s, has):
    return np.mean(np.maximum(0, 1 + s[~has] - s[has][:, None]))


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_costs_of_ada_olmr_are_the_gradient(seed):
    rng = np.random.default_rng(seed)
    s, has = rng.normal(size=6), np.array([True, False, False, True, False])
    slope = lambda leads: 1 / (1 + np.exp(leads))  # noqa: E731
    pulls = np.where(has, -1, 1) * pair_pulls(s, has, slope, slope)[1:] / 6
    for k, step in enumerate(1e-6 * np.eye(5)):
        assert np.isclose(pulls[k], (logistic(s[1:] + step, has) - logistic(s[1:] - step, has)) / 2e-6, atol=1e-7)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.2, 0.5]))
def test_the_theorem_of_online_bmr(seed, gamma):
    """hinge(s_N) <= phi_N(0) + sum_i c_i . (h_i - u), whatever the learners say: with an edge, the sum is at most 0."""
    rng = np.random.default_rng(seed)
    n_votes, has = 5, np.array([True, False, True, False, False])
    gamma = min(gamma, 1 / has.sum())
    a = (1 - gamma * has.sum()) / len(has)
    u = a + gamma * has

    def potential(n, s):
        leads = s[has][:, None] - s[~has]
        return np.mean([pair_potential(n, lead, a + gamma, a) for lead in leads.ravel()])

    s, regret = np.zeros(5), 0.0
    assert np.isclose(potential(0, s), hinge(s, has))
    for n in reversed(range(n_votes)):
        h = rng.dirichlet(np.full(5, 0.4))
        c = np.array([potential(n, s + e) for e in np.eye(5)])
        assert np.isclose(c @ u, potential(n + 1, s))
        regret += c @ (h - u)
        s += h
    assert hinge(s, has) <= potential(n_votes, np.zeros(5)) + regret + 1e-9
