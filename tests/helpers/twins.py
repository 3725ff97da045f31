"""What the parity tests share: an estimator's twin in onlineboost.reference, and streams to compare them on."""

from __future__ import annotations

import functools
import inspect
import os
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from onlineboost import (
    AdaBoostOLClassifier,
    Bank,
    BayesVoteClassifier,
    BBMClassifier,
    BOLEClassifier,
    DefensiveClassifier,
    GradientBoostClassifier,
    IBoostClassifier,
    Learner,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostADWINClassifier,
    OzaBoostClassifier,
    prequential,
    reference,
)

SEED = 7
TOLERANCE = 1e-9
# The engine then runs alone: NumPy takes most of the time, and numbers are compared without the sanitizers.
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


TWINS = {
    OSBoostClassifier: reference.OSBoost,
    OzaBoostClassifier: reference.OzaBoost,
    OzaBoostADWINClassifier: reference.OzaBoostADWIN,
    BOLEClassifier: reference.BOLE,
    BayesVoteClassifier: reference.BayesVote,
    BBMClassifier: reference.BBM,
    AdaBoostOLClassifier: reference.AdaBoostOL,
    DefensiveClassifier: reference.Defensive,
}


def reference_bank(learner, n_learners, n_features, seed):
    """The twin of a learner has its name and its parameters, and a seed where it draws."""
    parameters = learner.get_params(deep=False)
    twin = getattr(reference, type(learner).__name__)
    if parameters.get("restart") == "clock":
        twin = reference.ClockGradient
    if parameters.get("kind") == "typed":
        twin = reference.TypedNaiveBayes
    parameters = {
        name: parameters[name] for name in parameters if name in {*inspect.signature(twin).parameters, "learner"}
    }
    if "seed" in inspect.signature(twin).parameters:
        parameters["seed"] = seed
    if "learner" in parameters:
        parameters["make"] = functools.partial(reference_bank, parameters.pop("learner"))
    return twin(n_learners, n_features, **parameters)


def reference_of(model, n_features):
    """The NumPy booster with the parameters of an estimator whose random_state is an integer."""
    names = model.get_params(deep=False)
    beside = (
        "learner",
        "threshold",
        "shuffle",
        "n_passes",
        "n_jobs",
        "schema",
        "max_features",
        "missing_columns",
        "verbose",
    )
    for name in beside:
        names.pop(name, None)
    seed = names.pop("random_state")
    n = names.pop("n_learners", 1)
    if isinstance(model, OGBoostClassifier):
        K = names.pop("n_candidates")
        return reference.OGBoost(reference_bank(model.learner, n * K, n_features, seed), K=K, **names)
    if isinstance(model, IBoostClassifier):
        make = functools.partial(reference_bank, model.learner, 1, n_features)
        return reference.IBoost(make=make, n_learners=n, seed=seed, **names)
    understudies = names.get("drift") == "background"
    for name in ("history", "late_learners"):  # the latter is of many classes
        names.pop(name, None)
    bank = reference_bank(model.learner, 2 * n if understudies else n, n_features, seed)
    if isinstance(model, OnlineClassifier):
        return reference.Single(bank)
    if isinstance(model, GradientBoostClassifier):
        return reference.GradientBoost(bank, **names)
    return TWINS[type(model)](bank, seed=seed, **names)


class ReferenceLearner(Learner):
    """The NumPy twin of a learner, plugged into the native boosters through the Bank protocol."""

    def __init__(self, learner):
        self.learner = learner

    def make_bank(self, n_learners, n_features, seed):
        return reference_bank(self.learner, n_learners, n_features, seed)


class Scripted(Bank):
    """Learners whose outputs are the features of the row, before and after an update; keeps what it is handed."""

    def __init__(self, n_learners):
        self.n_learners = n_learners
        self.weights = []

    def meet(self, x):
        """As a bank of the reference: there is nothing to make room for."""

    def predict(self, x):
        return x[: self.n_learners]

    def update(self, x, y, w):
        self.weights.append(w)

    def step(self, i, x, y, w, times):
        self.weights.append((i, w, times))
        return float(x[i])


class ScriptedLearner(Learner):
    """Its bank is what `states.bank_of` gives."""

    def make_bank(self, n_learners, n_features, seed):
        return Scripted(n_learners)


@dataclass(frozen=True)
class Stream:
    """Rows, labels -1 and +1, and weights or None."""

    X: np.ndarray
    y: np.ndarray
    s: np.ndarray | None = None

    @property
    def sign(self):
        """What turns the engine's margins, whose +1 is the first label learned, into the estimator's."""
        first = 0 if self.s is None else int(np.argmax(self.s > 0))
        return float(self.y[first])

    @property
    def two_labels(self):
        return len(np.unique(self.y)) == 2

    @property
    def outside(self):
        """As `sign`, for what the estimator reports: with one label seen there is nothing to turn."""
        return self.sign if self.two_labels else 1.0

    def csr(self):
        return Stream(sp.csr_array(self.X), self.y, self.s)


def binary(rng, rows, columns):
    return (rng.random((rows, columns)) < 0.3).astype(float)


def gaussian(rng, rows, columns):
    return rng.normal(size=(rows, columns))


def mixed(rng, rows, columns):
    """Continuous and 0/1 columns in turn; some of these 0/1 for a while only, some absent at first, one constant."""
    X = np.where(np.arange(columns) % 2 == 0, gaussian(rng, rows, columns), binary(rng, rows, columns))
    X[rows // 3 :, 1::4] *= gaussian(rng, rows - rows // 3, len(X[0, 1::4]))
    X[: rows // 2, 2::3] = 0.0
    X *= rng.random((rows, columns)) < 0.8
    X[:, columns // 2] = 2.5
    return X


def make_stream(kind, seed, rows, columns, *, weighted):
    rng = np.random.default_rng(seed)
    X = {"binary": binary, "gaussian": gaussian, "mixed": mixed}[kind](rng, rows, columns)
    score = X @ rng.normal(size=columns) + 0.5 * rng.normal(size=rows)
    y = np.where(score > np.median(score), 1, -1)
    s = rng.exponential(size=rows) * (rng.random(rows) < 0.85) if weighted else None
    return Stream(X, y, s)


@dataclass(frozen=True)
class Run:
    """What a test-then-train pass gave: margins, and the chances of an error where experts are drawn."""

    margins: np.ndarray
    expected: np.ndarray | None
    booster: object
    ties: float = 0.0  # the weight of the examples on which the vote, or a prefix of the learners, is 0 up to rounding


def cancels(booster, x):
    """Whether votes of AdaBoost.OL add up to 0 but for rounding, as equal ones do: which way it goes is left open."""
    if not isinstance(booster, reference.AdaBoostOL):
        return False
    votes, scores = booster.alpha * booster._h(x), booster._scores(booster._h(x))
    return bool(((np.abs(scores) < 1e-12) & (np.cumsum(np.abs(votes)) > 0)).any())


def draws_experts(booster):
    return getattr(booster, "vote", "experts") == "experts" and getattr(booster, "expert_mode", None) == "expected"


def run_native(model, stream):
    result = prequential(model, stream.X, stream.y, sample_weight=stream.s)
    return Run(result.margins, result.losses if draws_experts(model) else None, model)


def assert_runs(model, stream, fresh):
    """What is left of a comparison under the sanitizers."""
    for given_as in (stream, stream.csr()):
        got = run_native(clone(model), given_as)
        assert np.isfinite(got.margins).all()
        assert np.isfinite(got.booster.margin(fresh)).all()


def run_reference(model, stream):
    booster = reference_of(model, stream.X.shape[1])
    test = getattr(booster, "test", booster.margin)
    drawn = draws_experts(booster)
    margins, expected, ties = [], [], 0.0
    weights = np.ones(len(stream.y)) if stream.s is None else stream.s
    for x, label, s in zip(stream.X, stream.y, weights, strict=True):
        y = int(label * stream.sign)
        margins.append(test(x))
        if drawn:
            expected.append(booster.expected_error(x, y))
        ties += s * cancels(booster, x)
        if isinstance(booster, reference.OSBoost):
            ties += s * bool((np.abs([booster.margin(x), *np.cumsum(booster._h(x))]) < 1e-12).any())
        booster.learn(x, y, s)
    return Run(np.array(margins) * stream.outside, np.array(expected) if drawn else None, booster, ties)
