"""SmoothBoost in batch: its guarantee under weak learners of a prescribed edge, its record of it, and its contract."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from onlineboost.theory.smoothboost import SmoothBoostClassifier, stage_bound

drawn = settings(max_examples=40)
ORDERS = ["random", "heaviest", "lightest", "first", "rotating"]


class Oracle(ClassifierMixin, BaseEstimator):
    """A weak learner that errs on all the weight that an edge of gamma leaves it; rows are known by their number.

    It errs on the examples in the given order while their weight is at most 1/2 - gamma. On the stages in `fails`
    it has the edge `weak_gamma` instead. `stage` belongs to the class, since every stage has its own clone.
    """

    def __init__(self, gamma, order="random", fails=(), weak_gamma=0.0, seed=0):
        self.gamma = gamma
        self.order = order
        self.fails = fails
        self.weak_gamma = weak_gamma
        self.seed = seed

    stage = 0

    def fit(self, X, y, sample_weight):
        Oracle.stage += 1
        m = len(y)
        D = sample_weight / sample_weight.sum()
        gamma = self.weak_gamma if Oracle.stage in self.fails else self.gamma
        order = {
            "random": np.random.default_rng((self.seed, Oracle.stage)).permutation(m),
            "heaviest": np.argsort(-D, kind="stable"),
            "lightest": np.argsort(D, kind="stable"),
            "first": np.arange(m),
            "rotating": np.roll(np.arange(m), Oracle.stage * m // 3),
        }[self.order]
        self.h_ = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        left = 0.5 - gamma
        for j in order:
            if D[j] <= left:
                left -= D[j]
                self.h_[X[j, 0]] = -y[j]
        return self

    def predict(self, X):
        return np.array([self.h_[number] for number in X[:, 0].tolist()])


def problem(m, seed):
    X = np.arange(m, dtype=float)[:, None]
    y = np.random.default_rng(seed).choice([-1, 1], m)
    y[:2] = -1, 1
    return X, y


def boost(m, seed, oracle, **parameters):
    X, y = problem(m, seed)
    Oracle.stage = 0
    return X, y, SmoothBoostClassifier(oracle, **parameters).fit(X, y)


@drawn
@given(
    m=st.integers(2, 120),
    gamma=st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.45, 0.5]),
    kappa=st.sampled_from([0.05, 0.1, 0.3, 0.9]),
    order=st.sampled_from(ORDERS),
    seed=st.integers(0, 2**16),
)
def test_the_guarantee_holds_for_every_learner_with_the_edge(m, gamma, kappa, order, seed):
    X, y, model = boost(m, seed, Oracle(gamma, order, seed=seed), gamma=gamma, kappa=kappa)
    g = model.guarantee_
    T, theta, beta = len(model.estimators_), gamma / (2 + gamma), -math.log(1 - gamma) / 2
    # The algorithm again, example by example, from its hypotheses alone.
    outputs = np.array([weak.predict(X) for weak in model.estimators_])
    weights = np.ones((T + 1, m))
    for j in range(m):
        n = 0.0
        for t in range(T):
            n += y[j] * outputs[t, j] - theta
            weights[t + 1, j] = (1 - gamma) ** (n / 2) if n >= 0 else 1.0
    D = weights[:-1] / weights[:-1].sum(axis=1, keepdims=True)
    advantages = (D * y * outputs).sum(axis=1)
    np.testing.assert_allclose(g.weights, weights.mean(axis=1), rtol=1e-9)
    np.testing.assert_allclose(g.advantages, advantages, atol=1e-9)
    np.testing.assert_allclose(g.peaks, m * D.max(axis=1), rtol=1e-9)
    assert advantages.min() >= 2 * gamma - 1e-9, "the oracle keeps its promise"
    # Statements 1, 2 and 3, and the sharper form of the third.
    assert D.max() <= (1 + 1e-9) / (kappa * m)
    assert (g.weights[:-1] >= kappa).all()
    assert g.weights[-1] < kappa
    margins = y * model.decision_function(X)
    assert np.mean(margins <= theta - 1e-9) <= g.margin_error <= np.mean(margins <= theta + 1e-9)
    assert g.training_error <= g.margin_error <= g.certified_error < kappa
    assert stage_bound(gamma, kappa) >= T
    gamma_hat = (math.exp(beta * (1 + theta)) - 1) / beta - 1
    assert (advantages - gamma_hat) @ g.weights[:-1] <= 1 / beta + 1e-9
    assert g.stopped
    assert g.broken == []
    assert g.stage_bound == stage_bound(gamma, kappa)
    assert len(g.failed_stages) == 0
    assert "Every stage had advantage" in g.summary()


@drawn
@given(fails=st.sets(st.integers(1, 8), min_size=1), order=st.sampled_from(ORDERS), seed=st.integers(0, 2**16))
def test_a_learner_that_sometimes_fails_is_reported(fails, order, seed):
    oracle = Oracle(0.2, order, tuple(fails), weak_gamma=0.0, seed=seed)
    X, y, model = boost(200, seed, oracle, gamma=0.2, kappa=0.1)
    g = model.guarantee_
    assert set(g.failed_stages) == set(np.flatnonzero(g.advantages < 2 * 0.2 - 1e-6) + 1) <= fails
    assert min(fails) in g.failed_stages, "on the first of them the oracle can err on half of the weight"
    assert g.stage_bound is None
    assert f"on {len(g.failed_stages)} stages" in g.summary()
    assert "does not apply" in g.summary()
    assert g.broken == []
    assert g.stopped, "it recovers"
    assert np.mean(y * model.decision_function(X) <= 0) <= g.certified_error < 0.1


def test_a_learner_without_an_edge_never_stops_and_says_so():
    X, y = problem(100, 0)
    Oracle.stage = 0
    model = SmoothBoostClassifier(Oracle(0.0), gamma=0.2, kappa=0.1, max_learners=50)
    with pytest.warns(ConvergenceWarning, match="Did not stop"):
        model.fit(X, y)
    g = model.guarantee_
    assert not g.stopped
    assert g.n_stages == 50
    assert g.training_error <= g.margin_error <= g.certified_error
    assert g.certified_error > 0.4
    assert g.broken == []
    assert "10.0% was asked for" in g.summary()


def test_a_stump_with_the_edge_it_claims():
    """One feature decides: the stump is right, every stage is perfect, and few stages are needed."""
    X = np.linspace(-1, 1, 50)[:, None]
    g = SmoothBoostClassifier(gamma=0.5, kappa=0.2).fit(X, X[:, 0] > 0).guarantee_
    np.testing.assert_allclose(g.advantages, 1)
    assert g.margin_error == 0
    # (1/2)^(T (1-θ)/2) < 0.2 with θ = 0.2.
    assert g.n_stages == math.ceil(math.log(0.2) / (0.4 * math.log(0.5)))


@pytest.mark.parametrize(
    ("change", "name"),
    [({"peaks": np.array([11.0])}, "smooth"), ({"margin_error": 0.99}, "margins"), ({"gamma": 0.5}, "stages")],
)
def test_a_broken_guarantee_would_be_named(change, name):
    _, _, model = boost(60, 1, Oracle(0.5 if name == "stages" else 0.1), gamma=0.1, kappa=0.1)
    g = model.guarantee_
    if name == "stages":
        change = {"theta": 0.2, "gamma": 0.5, "advantages": np.ones(1000)}
    assert g.broken == []
    broken = dataclasses.replace(g, **change)
    assert broken.broken == [name]
    assert f"BROKEN: {name}" in broken.summary()


def test_the_bound_on_stages():
    assert stage_bound(0.1, 0.1) == math.ceil(200 / math.sqrt(0.9) / 0.1)
    _, _, model = boost(60, 1, Oracle(0.1), gamma=0.1, theta=0.0, kappa=0.1)
    assert model.guarantee_.stage_bound is None, "it is stated for θ = γ/(2+γ) only"


# ---- scikit-learn ------------------------------------------------------------------------------------------------


_TIES = "of the splits that divide the training rows equally well, the rounding of the weights picks one"


def _expected_failures(estimator):
    if isinstance(estimator.estimator, GaussianNB):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": _TIES for kind in ("dense", "sparse")}


@pytest.mark.untraced  # thousands of calls that other tests make too; being traced is half of their time
@parametrize_with_checks(
    [SmoothBoostClassifier(GaussianNB(), max_learners=5, hypothesis="probability", random_state=0)],
    expected_failed_checks=_expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_classification(300, 6, n_informative=4, random_state=0)


def tree(**parameters):
    weak = DecisionTreeClassifier(max_depth=4)
    return SmoothBoostClassifier(weak, **{"gamma": 0.15, "kappa": 0.1, "random_state": 0, **parameters})


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (False, True), (7, 2**40)])
def test_labels_of_any_kind(data, labels):
    X, y = data
    model = tree().fit(X, np.array(labels)[y])
    assert model.classes_.tolist() == list(labels)
    assert np.array_equal(model.predict(X), np.array(labels)[(model.decision_function(X) > 0).astype(int)])
    assert np.array_equal(model.decision_function(X), tree().fit(X, y).decision_function(X))
    assert model.score(X, np.array(labels)[y]) >= 0.9


def test_a_weight_of_two_is_two_rows(data):
    X, y = data
    s = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), s)
    model = SmoothBoostClassifier(GaussianNB(), gamma=0.15, kappa=0.4)
    weighted, repeated = clone(model).fit(X, y, sample_weight=s), clone(model).fit(X[copies], y[copies])
    for field in ("weights", "peaks", "advantages", "margin_error"):
        np.testing.assert_allclose(getattr(weighted.guarantee_, field), getattr(repeated.guarantee_, field), rtol=1e-9)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


def test_probabilities_and_sparse_rows(data):
    X, y = data
    X = np.where(abs(X) < 0.5, 0, X)
    model = SmoothBoostClassifier(LogisticRegression(), gamma=0.3, kappa=0.8, hypothesis="probability")
    dense, sparse = clone(model).fit(X, y), clone(model).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(sp.csr_array(X)), atol=1e-4)
    assert len(np.unique(dense.decision_function(X))) > 100
    assert dense.guarantee_.broken == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gamma": 0.6}, "gamma must be a number in"),
        ({"kappa": 1.0}, "kappa must be a number in"),
        ({"theta": 0.2}, "theta must be a number in"),
        ({"max_learners": 0}, "max_learners must be an integer"),
        ({"hypothesis": "margin"}, "hypothesis must be one of"),
    ],
)
def test_parameters_out_of_range(data, wrong, message):
    with pytest.raises(ValueError, match=message):
        tree(**wrong).fit(*data)


def test_a_learner_that_takes_no_weights(data):
    with pytest.raises(TypeError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        SmoothBoostClassifier(KNeighborsClassifier()).fit(*data)
