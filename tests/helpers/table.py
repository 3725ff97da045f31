"""The one table of the tests: every booster, every weak learner, and the rows that they learn."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import os

import numpy as np
import pytest
from twins import SANITIZED
from river import linear_model
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaBoostOLClassifier,
    AdaGradLogistic,
    AveragedPerceptron,
    Bank,
    BayesianLogistic,
    BBMClassifier,
    BlackBox,
    DefensiveClassifier,
    GradientBoostClassifier,
    HoeffdingTree,
    Learner,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    RegressionTree,
    Scaled,
)

N_LEARNERS = 7
N_IN_PYTHON = 3  # a call per learner and example takes its time


class HebbBank(Bank):
    """N linear hypotheses that sum up the examples they were taught, each rotated by its own random signs."""

    def __init__(self, n_learners, n_features, seed):
        self.n_learners = n_learners
        self.weights = np.random.default_rng(seed).normal(size=(n_learners, n_features))

    def predict(self, x):
        known = min(len(x), self.weights.shape[1])
        return np.tanh(self.weights[:, :known] @ x[:known])

    def update(self, x, y, w):
        if len(x) > self.weights.shape[1]:  # a dict brought a new feature
            self.weights = np.pad(self.weights, ((0, 0), (0, len(x) - self.weights.shape[1])))
        self.weights[:, : len(x)] += 0.1 * y * np.outer(w, x)


class Hebb(Learner):
    """A user's own learner, in a few lines of NumPy."""

    def make_bank(self, n_learners, n_features, seed):
        return HebbBank(n_learners, n_features, seed)


BOOSTERS = {
    "osboost": OSBoostClassifier,
    "ocp": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="ocp", **more),
    "eg": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="eg", **more),
    "experts": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="experts", **more),
    "ozaboost": OzaBoostClassifier,
    "ogboost": OGBoostClassifier,
    "ogboost-k2": lambda learner, n, **more: OGBoostClassifier(learner, n, n_candidates=2, **more),
    "bbm": BBMClassifier,
    "bbm-real": lambda learner, n, **more: BBMClassifier(learner, n, output="real", **more),
    "adaboost-ol": lambda learner, n, **more: AdaBoostOLClassifier(learner, n, update="sample", output="sign", **more),
    "adaboost-ol-w": AdaBoostOLClassifier,
    "defensive": lambda learner, _, **more: DefensiveClassifier(learner, **more),
    "gradient-boost": GradientBoostClassifier,
    "single": lambda learner, _, **more: OnlineClassifier(learner, **more),
}

NATIVE = {
    "perceptron": Perceptron,
    "bayes-auto": NaiveBayes,
    "bayes-bernoulli": lambda: NaiveBayes(kind="bernoulli"),
    "bayes-gaussian": lambda: NaiveBayes(kind="gaussian"),
    "bayes-paper": lambda: NaiveBayes(kind="gaussian", estimates="paper"),
    "gradient": OnlineGradient,
    "averaged": AveragedPerceptron,
    "adagrad": AdaGradLogistic,
    "ftrl": lambda: FTRL(l1=0.1),
    "arow": AROW,
    "arow-full": lambda: AROW(covariance="full"),
    "scw": SCW,
    "scw-full": lambda: SCW(covariance="full", variant="II"),
    "ridge": OnlineRidge,
    "logistic": BayesianLogistic,
    "bayes-typed": lambda: NaiveBayes(kind="typed", max_values=4),
    "fourier": lambda: RandomFourier(AdaGradLogistic(), 12),
    "subsets": lambda: RandomSubsets(AROW(), 0.8, group=2),
    "scaled": lambda: Scaled(AROW()),
    "scaled-maxabs": lambda: Scaled(RandomFourier(RandomSubsets(AveragedPerceptron(), 0.7), 9), "maxabs"),
    "tree": lambda: HoeffdingTree(grace_period=10, delta=0.1),
    "regression-tree": lambda: RegressionTree(grace_period=10, delta=0.1),
}

IN_PYTHON = {
    "sklearn-sgd": lambda: BlackBox(SGDClassifier(loss="log_loss")),
    "sklearn-gaussian-nb": lambda: BlackBox(GaussianNB()),
    "river-logistic": lambda: BlackBox(linear_model.LogisticRegression()),
    "own-bank": Hebb,
}

LEARNERS = NATIVE | IN_PYTHON


def make(booster, learner="perceptron", **more):
    """The model of a cell of the table, with seed 0 unless told otherwise."""
    n_learners = N_IN_PYTHON if learner in IN_PYTHON else N_LEARNERS
    return BOOSTERS[booster](LEARNERS[learner](), n_learners, **{"random_state": 0, **more})


def set_rows(model, **parameters):
    """Set `intercept` and `unit_norm` of the learner, or of the one inside it, where it has them."""
    names = model.get_params()
    for name, value in parameters.items():
        inside = [f"{path}{name}" for path in ("learner__", "learner__learner__") if f"{path}{name}" in names]
        model.set_params(**dict.fromkeys(inside[:1], value))


def in_turn(name, values):
    """As `pytest.mark.parametrize`, within one test: a quick case takes longer to be listed than to be run."""

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def test(**others):
            for value in values:
                try:
                    function(**{name: value}, **others)
                except BaseException as error:
                    error.add_note(f"with {name} = {value!r}")
                    raise

        rest = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        test.__signature__ = signature.replace(parameters=rest)
        return test

    return decorate


def each_booster(function):
    """Run the test for every booster."""
    return pytest.mark.parametrize("booster", list(BOOSTERS))(function)


def one_of_every_class():
    """A booster of every class, for where its parameters have no part."""
    first = {type(make(name)): name for name in reversed(BOOSTERS)}
    first |= {kind: name for name, kind in BOOSTERS.items() if isinstance(kind, type)}  # as it is by default
    return sorted(first.values())


def each_class(function):
    """Run the test for one booster of every class."""
    return pytest.mark.parametrize("booster", one_of_every_class())(function)


def every_class_in_turn(function):
    """Run the test for one booster of every class after the other."""
    return in_turn("booster", one_of_every_class())(function)


def each_learner(function):
    """Run the test for every weak learner."""
    return pytest.mark.parametrize("learner", list(LEARNERS))(function)


def each_native_learner(function):
    """Run the test for every weak learner with a native bank."""
    return pytest.mark.parametrize("learner", list(NATIVE))(function)


EVERY_PAIR = "ONLINEBOOST_EVERY_PAIR" in os.environ
# Under the sanitizers a bank makes OzaBoost's steps in the tests of parity only.
UNDER = frozenset({"osboost"} if SANITIZED else {"osboost", "ozaboost"})


def cross(boosters, learners, through, under=UNDER):
    """Every learner under the boosters of `under`, and every booster over the learners of `through`.

    A booster reaches any bank through the same few calls, so that a fault lies with one of the two: a sweep as OSBoost
    makes it or a step as OzaBoost makes it shows that of a bank, a bank that is otherwise sound that of a booster.
    What depends on both, the numbers, is compared pair by pair in test_reference_parity.py. With the environment
    variable ONLINEBOOST_EVERY_PAIR, every pair.
    """
    return [
        (booster, learner)
        for booster, learner in itertools.product(boosters, learners)
        if EVERY_PAIR or booster in under or learner in through
    ]


def each_native_pair(function):
    """Run the test for the cross of the boosters and the weak learners with a native bank."""
    pairs = cross(BOOSTERS, NATIVE, {"perceptron"})
    return pytest.mark.parametrize(("booster", "learner"), pairs, ids=map("-".join, pairs))(function)


def each_pair(function):
    """Run the test for the cross of the boosters and all weak learners."""
    pairs = cross(BOOSTERS, LEARNERS, {"perceptron", "own-bank"})
    return pytest.mark.parametrize(("booster", "learner"), pairs, ids=map("-".join, pairs))(function)


def stream(n=60, d=5, seed=0, *, sparse=False, flip=0.1):
    """Rows that float32 holds exactly, and labels 0 and 1 of a noisy hyperplane; both labels in the first two."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, size=(n, d)) / 4.0
    if sparse:
        X[rng.random((n, d)) < 0.6] = 0.0
    y = (X @ rng.normal(size=d) > 0).astype(int)
    y ^= rng.random(n) < flip
    y[:2] = 0, 1
    return X, y


def snapshot(model):
    """All that a model has learned, apart from itself: comparable with `same`."""
    found = {name: copy.deepcopy(value) for name, value in vars(model).items() if name not in {"_model", "_spec"}}
    if "_labels" in found:
        found["_labels"] = {**vars(found["_labels"]), "known": sorted(found["_labels"].known)}
    if "_model" in vars(model):
        found["state"] = model._model.state()
        found["bank"] = copy.deepcopy(model._spec[1].get("bank"))
    return found


def same(one, other):
    """Whether two snapshots hold the same bits."""
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and (one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes())
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.random.Generator):
        return same(one.bit_generator.state, other.bit_generator.state)
    if hasattr(one, "__dict__") and not isinstance(one, type):
        return same(vars(one), vars(other))
    if one is None or isinstance(one, type) or type(one).__eq__ is not object.__eq__:
        return bool(one == other)
    return same(one.__reduce__(), other.__reduce__())  # compiled, and without a notion of equality
