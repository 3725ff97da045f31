"""The one table of the tests: every booster, every weak learner, and the rows that they learn."""

from __future__ import annotations

import functools
import inspect
import itertools
import os

import numpy as np
import pytest
from river import linear_model
from sklearn.base import clone
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
    BayesVoteClassifier,
    BBMClassifier,
    BlackBox,
    BOLEClassifier,
    DefensiveClassifier,
    GradientBoostClassifier,
    HoeffdingTree,
    IBoostClassifier,
    Learner,
    NaiveBayes,
    Neighbours,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostADWINClassifier,
    OzaBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    RegressionTree,
    Repeats,
    Scaled,
)
from onlineboost.estimators import ESTIMATORS

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


# Prototypes, which `make` clones and gives a learner, a size and a seed; kinds without one are added from the
# declarations.
BOOSTERS = {
    "osboost": OSBoostClassifier(None),
    "ocp": OSBoostClassifier(None, vote="ocp"),
    "eg": OSBoostClassifier(None, vote="eg"),
    "experts": OSBoostClassifier(None, vote="experts"),
    "ozaboost": OzaBoostClassifier(None),
    "ozaboost-adwin": OzaBoostADWINClassifier(None, drift_delta=0.9),
    "bole": BOLEClassifier(None, drift_delta=0.9),
    "ogboost": OGBoostClassifier(None),
    "ogboost-k2": OGBoostClassifier(None, n_candidates=2),
    "bbm": BBMClassifier(None),
    "bbm-real": BBMClassifier(None, output="real"),
    "adaboost-ol": AdaBoostOLClassifier(None, update="sample", output="sign"),
    "adaboost-ol-w": AdaBoostOLClassifier(None),
    "defensive": DefensiveClassifier(None),
    "gradient-boost": GradientBoostClassifier(None),
    "bayes-vote": BayesVoteClassifier(None),
    "iboost": IBoostClassifier(None, window=30, every=5),
    "single": OnlineClassifier(None),
}
NATIVE_ONLY = {"iboost"}  # boosters that take no learners in Python

NATIVE = {
    "perceptron": Perceptron(),
    "bayes-auto": NaiveBayes(),
    "bayes-bernoulli": NaiveBayes(kind="bernoulli"),
    "bayes-gaussian": NaiveBayes(kind="gaussian"),
    "bayes-paper": NaiveBayes(kind="gaussian", estimates="paper"),
    "gradient": OnlineGradient(),
    "averaged": AveragedPerceptron(),
    "adagrad": AdaGradLogistic(),
    "ftrl": FTRL(l1=0.1),
    "arow": AROW(),
    "arow-full": AROW(covariance="full"),
    "scw": SCW(),
    "scw-full": SCW(covariance="full", variant="II"),
    "ridge": OnlineRidge(),
    "logistic": BayesianLogistic(),
    "bayes-typed": NaiveBayes(kind="typed", max_values=4),
    "fourier": RandomFourier(AdaGradLogistic(), 12),
    "subsets": RandomSubsets(AROW(), 0.8, group=2),
    "scaled": Scaled(AROW()),
    "scaled-maxabs": Scaled(RandomFourier(RandomSubsets(AveragedPerceptron(), 0.7), 9), "maxabs"),
    "tree": HoeffdingTree(grace_period=10, delta=0.1),
    "tree-reexamined": HoeffdingTree(grace_period=5, delta=0.5, reexamine=20),
    "regression-tree": RegressionTree(grace_period=10, delta=0.1),
    "neighbours": Neighbours(5, memory=20),
    "repeats": Repeats(memory=20),
}


def _with_the_rest(chosen, declared):
    """The chosen prototypes, and one with its defaults of every declared kind that has none among them."""
    have = {type(one) for one in chosen.values()}
    return chosen | {kind.__name__: kind() for kind in declared if kind not in have}


NATIVE = _with_the_rest(NATIVE, Learner.declared.values())
BOOSTERS = _with_the_rest(
    BOOSTERS,
    [
        kind
        for kind in ESTIMATORS.values()
        if not kind.booster_type.many_classes and "learner" in kind.booster_type.parameters
    ],
)

IN_PYTHON = {
    "sklearn-sgd": BlackBox(SGDClassifier(loss="log_loss")),
    "sklearn-gaussian-nb": BlackBox(GaussianNB()),
    "river-logistic": BlackBox(linear_model.LogisticRegression()),
    "own-bank": Hebb(),
}

LEARNERS = NATIVE | IN_PYTHON

# ---- variants: other parameters, each compared with its twin in onlineboost.reference ----------------------------

VFDT = {"rule": "hoeffding", "criterion": "gain", "max_features": None, "resample": None}
LEARNER_VARIANTS = {
    **{
        f"perceptron-{init}-{intercept:d}{unit_norm:d}": Perceptron(intercept=intercept, unit_norm=unit_norm, init=init)
        for init, intercept, unit_norm in itertools.product(["random", "zero"], [True, False], [True, False])
    },
    **{f"naive_bayes-{kind}": NaiveBayes(kind=kind, variance_floor=1e-4) for kind in ("auto", "bernoulli", "gaussian")},
    "naive_bayes-auto-00": NaiveBayes(intercept=False, unit_norm=False, variance_floor=1e-3),
    "naive_bayes-gaussian-01": NaiveBayes(kind="gaussian", intercept=False, variance_floor=1e-2),
    "naive_bayes-gaussian-10": NaiveBayes(kind="gaussian", unit_norm=False, variance_floor=1e-3),
    "naive_bayes-paper-gaussian": NaiveBayes(kind="gaussian", estimates="paper", variance_floor=1e-4),
    "naive_bayes-paper-bernoulli": NaiveBayes(kind="bernoulli", estimates="paper", alpha=1e-3),
    "naive_bayes-laplace": NaiveBayes(kind="bernoulli", alpha=1.0),
    **{
        f"online_gradient-{intercept:d}{unit_norm:d}": OnlineGradient(intercept=intercept, unit_norm=unit_norm)
        for intercept, unit_norm in itertools.product([True, False], [True, False])
    },
    "online_gradient-clock": OnlineGradient(restart="clock"),
    **{
        f"tree-{leaf}": HoeffdingTree(leaf=leaf, **VFDT, grace_period=5, delta=0.1, tie_threshold=0.3, max_leaves=9)
        for leaf in ("majority", "naive_bayes", "adaptive")
    },
    "tree-gini": HoeffdingTree(rule="hoeffding", resample=None, grace_period=3, delta=0.3, tie_threshold=0.4, bins=3),
    "tree-evidence": HoeffdingTree(criterion="gain", grace_period=5, delta=0.2),
    "tree-evidence-gini": HoeffdingTree(resample=1.0, grace_period=5, delta=0.3, bins=4),
    "tree-random": HoeffdingTree(
        rule="hoeffding", max_features="sqrt", subset="tree", grace_period=20, tie_threshold=0.3, max_depth=3
    ),
    "tree-reexamined": HoeffdingTree(
        leaf="naive_bayes", **VFDT, grace_period=5, delta=0.9, tie_threshold=0.9, reexamine=4, bins=5, max_leaves=6
    ),
    "neighbours": Neighbours(7, memory=25),
    "repeats": Repeats(memory=25),
    "tree-stump": HoeffdingTree(max_depth=1, leaf="majority", **VFDT, grace_period=5, tie_threshold=0.6),
}
BOOSTER_VARIANTS = {
    "single": OnlineClassifier(None),
    "osboost": OSBoostClassifier(None),
    "osboost-gamma": OSBoostClassifier(None, gamma=0.5, theta=0.0),
    "osboost-scaled": OSBoostClassifier(None, margin_scale=8.0, fading=10.0),
    "ocp-scaled": OSBoostClassifier(None, vote="ocp", margin_scale=0.3, fading=1.0),
    "experts-scaled": OSBoostClassifier(None, vote="experts", margin_scale=2.5),
    **{
        f"ocp-{projection}-{schedule}-{eta0}": OSBoostClassifier(
            None, vote="ocp", projection=projection, schedule=schedule, eta0=eta0
        )
        for projection, schedule, eta0 in itertools.product(
            ["newton", "sort", "pivot"], ["sqrt", "adaptive"], [1.0, "theory"]
        )
    },
    **{
        f"experts-{rate}-{mode}": OSBoostClassifier(None, vote="experts", expert_rate=rate, expert_mode=mode)
        for rate, mode in itertools.product(
            ["adahedge", "anytime", "paper", "share", 0.3], ["vote", "sample", "expected"]
        )
    },
    **{
        f"oza-{update}-{evaluate}-{denominator}": OzaBoostClassifier(
            None, update=update, evaluate=evaluate, denominator=denominator
        )
        for update, evaluate, denominator in itertools.product(
            ["poisson", "weight"], ["after", "before"], ["weights", "count"]
        )
    },
    **{
        f"og-{K}-{loss}-{evaluate}": OGBoostClassifier(None, n_candidates=K, loss=loss, evaluate=evaluate)
        for K, loss, evaluate in itertools.product([1, 3], ["logit", "exp", "doom2", "savage"], ["after", "before"])
    },
    "og-shrinkage": OGBoostClassifier(None, shrinkage=0.3),
    "og-forgetting": OGBoostClassifier(None, n_candidates=3, forgetting=0.9),
    "og-smallest": OGBoostClassifier(None, n_candidates=2, smallest_weight=0.2),
    "og-both": OGBoostClassifier(None, n_candidates=2, loss="exp", shrinkage=0.5, forgetting=0.99),
    "eg": OSBoostClassifier(None, vote="eg"),
    "eg-scaled": OSBoostClassifier(None, vote="eg", gamma=0.37, margin_scale=2.5, fading=3.0),
    "bbm-sign": BBMClassifier(None),
    "bbm-real": BBMClassifier(None, output="real", edge=0.02),
    "bbm-strong": BBMClassifier(None, edge=0.45),
    "bbm-absolute": BBMClassifier(None, weights="absolute", output="real"),
    **{
        f"adaboost-ol-{update}-{output}-{rate}-{mode}": AdaBoostOLClassifier(
            None, update=update, output=output, expert_rate=rate, expert_mode=mode
        )
        for update, output, rate, mode in [
            ("weight", "sign", "paper", "vote"),
            ("sample", "sign", "adahedge", "sample"),
            ("weight", "real", "anytime", "expected"),
            ("sample", "real", 0.3, "vote"),
            ("weight", "sign", "share", "vote"),
        ]
    },
    "defensive": DefensiveClassifier(None),
    "bayes-vote": BayesVoteClassifier(None),
}


def make(booster, learner="perceptron", n_learners=None, **more):
    """The model of a cell of the table, with seed 0 unless told otherwise."""
    model = clone(BOOSTERS.get(booster) or BOOSTER_VARIANTS[booster])
    size = n_learners or (N_IN_PYTHON if learner in IN_PYTHON else N_LEARNERS)
    sizes = {"n_learners": size} if "n_learners" in model.get_params(deep=False) else {}
    return model.set_params(**{"learner": clone(LEARNERS[learner]), "random_state": 0, **sizes, **more})


def learners_of(booster):
    """The names of the learners that the booster takes."""
    return NATIVE if booster in NATIVE_ONLY else LEARNERS


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
    first |= {type(one): name for name, one in BOOSTERS.items() if repr(one) == repr(type(one)(None))}  # as by default
    return sorted(first.values())


def each_class(function):
    """Run the test for one booster of every class."""
    return pytest.mark.parametrize("booster", one_of_every_class())(function)


def each_class_in_python(function):
    """Run the test for one booster of every class that takes learners in Python."""
    taken = [name for name in one_of_every_class() if name not in NATIVE_ONLY]
    return pytest.mark.parametrize("booster", taken)(function)


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


def cross(boosters, learners, through, under=frozenset({"osboost"})):
    """Every learner under the boosters of `under`, and every booster over the learners of `through`.

    A booster reaches any bank through the same few calls, so that a fault lies with one of the two: a bank's shows
    under OSBoost, a booster's over a bank that is otherwise sound. What depends on both, the numbers, is compared pair
    by pair in tests/reference/test_parity.py and in test_every_pair.py. With the environment variable
    ONLINEBOOST_EVERY_PAIR, every pair.
    """
    return [
        (booster, learner)
        for booster, learner in itertools.product(boosters, learners)
        if (EVERY_PAIR or booster in under or learner in through) and learner in learners_of(booster)
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
