"""Parameters out of range, banks of the user's own that misbehave, and threads."""

from __future__ import annotations

import copy
import faulthandler
import pickle
import threading

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import Perceptron as SklearnPerceptron
from states import bank_of, keys_of, same, snapshot, state_of
from table import N_LEARNERS, HebbBank, each_class, make, stream

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaBoostOLClassifier,
    AdaGradLogistic,
    AveragedPerceptron,
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
    prequential,
)

pytestmark = pytest.mark.engine

X, y = stream(12, d=5)
NAMES = list("abcde")


ERRORS = (ValueError, TypeError)

# ---- parameters ----------------------------------------------------------------------------------------------

_NUMBERS = (np.nan, np.inf, -1.0, "0.1", None, [0.1], True)
BAD_PARAMETERS = [
    *((OSBoostClassifier, "n_learners", v) for v in (0, -1, 2.0, "7", None, 10**7, True)),
    *((OzaBoostClassifier, "n_learners", v) for v in (0, 1.5, 10**7)),
    *((OGBoostClassifier, "n_learners", v) for v in (0, "7", 10**7)),
    *((OSBoostClassifier, "gamma", v) for v in (*_NUMBERS, 0, 0.0, 0.51, 1)),
    *((OSBoostClassifier, "theta", v) for v in (np.nan, -0.01, 0.1, 0.2, "0.05", True)),
    *((OSBoostClassifier, "eta0", v) for v in (*_NUMBERS, 0.0, "practice")),
    *((OSBoostClassifier, "vote", v) for v in ("OCP", None, 1, ["ocp"])),
    *((OSBoostClassifier, "schedule", v) for v in ("linear", None)),
    *((OSBoostClassifier, "projection", v) for v in ("none", None)),
    *((OSBoostClassifier, "expert_rate", v) for v in ("slow", None, -1.0, 0.0, np.nan, np.inf, True)),
    *((OSBoostClassifier, "expert_mode", v) for v in ("draw", None)),
    *((OSBoostClassifier, "margin_scale", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((OSBoostClassifier, "fading", v) for v in (np.nan, np.inf, -1.0, 0.5, "100", True)),
    *((OzaBoostClassifier, "update", v) for v in ("binomial", None)),
    *((OzaBoostClassifier, "evaluate", v) for v in ("never", None)),
    *((OzaBoostClassifier, "denominator", v) for v in ("n", None)),
    *((OGBoostClassifier, "n_candidates", v) for v in (0, 1.0, 10_001, None)),
    *((OGBoostClassifier, "loss", v) for v in ("hinge", None)),
    *((OGBoostClassifier, "shrinkage", v) for v in (*_NUMBERS, 0.0, 1.1)),
    *((OGBoostClassifier, "forgetting", v) for v in (*_NUMBERS, 0.0, 1.1)),
    *((OGBoostClassifier, "evaluate", v) for v in ("never", None)),
    *((BBMClassifier, "n_learners", v) for v in (0, 1.5, 10**7)),
    *((BBMClassifier, "edge", v) for v in (*_NUMBERS, 0.0, 0.5)),
    *((BBMClassifier, "weights", v) for v in ("binomial", None, True)),
    *((BBMClassifier, "output", v) for v in ("probability", None, True)),
    *((AdaBoostOLClassifier, "n_learners", v) for v in (0, 1.5, 10**7)),
    *((AdaBoostOLClassifier, "update", v) for v in ("poisson", None, True)),
    *((AdaBoostOLClassifier, "output", v) for v in ("probability", None)),
    *((AdaBoostOLClassifier, "expert_rate", v) for v in ("slow", None, -1.0, 0.0, np.nan, np.inf, True)),
    *((AdaBoostOLClassifier, "expert_mode", v) for v in ("draw", None)),
    *((DefensiveClassifier, "n_passes", v) for v in (0, 1.0, None)),
    *((GradientBoostClassifier, "learning_rate", v) for v in (*_NUMBERS, 0.0, 1.1)),
    *((GradientBoostClassifier, "order", v) for v in ("third", 2, None)),
    *((OnlineClassifier, "n_passes", v) for v in (0, -1, 1.0, None, "2")),
    *((OnlineClassifier, "shuffle", v) for v in ("yes", None, 0.5)),
    *((OnlineClassifier, "random_state", v) for v in ("seed", 1.5, np.random.default_rng(0))),
]
BAD_LEARNER_PARAMETERS = [
    *((Perceptron, "init", v) for v in ("ones", None)),
    *(
        (cls, name, v)
        for cls in (
            Perceptron,
            OnlineGradient,
            NaiveBayes,
            AveragedPerceptron,
            AdaGradLogistic,
            FTRL,
            AROW,
            SCW,
            OnlineRidge,
            BayesianLogistic,
        )
        for name in ("intercept", "unit_norm")
        for v in ("yes", None)
    ),
    *((NaiveBayes, "kind", v) for v in ("multinomial", None)),
    *((NaiveBayes, "alpha", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((NaiveBayes, "variance_floor", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((NaiveBayes, "max_values", v) for v in (0, 1001, 2.0, None)),
    *((cls, "covariance", v) for cls in (AROW, SCW, BayesianLogistic) for v in ("block", None)),
    *((AROW, "r", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((SCW, "C", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((SCW, "eta", v) for v in (*_NUMBERS, 0.5, 1.0)),
    *((SCW, "variant", v) for v in ("III", 1, None)),
    *((BayesianLogistic, "variance", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((OnlineRidge, "a", v) for v in (*_NUMBERS, 0.0, 1e7)),
    *((OnlineRidge, "forecast", v) for v in ("lasso", None)),
    *((AdaGradLogistic, "rate", v) for v in (*_NUMBERS, 0.0, 1e4)),
    *((FTRL, name, v) for name in ("alpha", "beta") for v in (*_NUMBERS, 0.0)),
    *((FTRL, name, v) for name in ("l1", "l2") for v in _NUMBERS),
    *((AveragedPerceptron, "clock", v) for v in ("time", None)),
    *((AveragedPerceptron, "init", v) for v in ("ones", None)),
    *((HoeffdingTree, "leaf", v) for v in ("mean", None)),
    *((HoeffdingTree, "subset", v) for v in ("node", None)),
    *((HoeffdingTree, "criterion", v) for v in ("entropy", None)),
    *((HoeffdingTree, "rule", v) for v in ("tie", None)),
    *((HoeffdingTree, "max_features", v) for v in (np.nan, -1.0, 0.0, 1.5, "log2", [0.1], True)),
    *((HoeffdingTree, "resample", v) for v in (np.nan, -1.0, 0.0, 101.0, "6", True)),
    *((HoeffdingTree, "grace_period", v) for v in (*_NUMBERS, 0)),
    *((HoeffdingTree, "delta", v) for v in (*_NUMBERS, 0.0, 1.0)),
    *((HoeffdingTree, "tie_threshold", v) for v in (*_NUMBERS, 1.5)),
    *((HoeffdingTree, "bins", v) for v in (0, 1001, 2.0, None)),
    *((HoeffdingTree, name, v) for name in ("max_depth", "max_leaves") for v in (0, -1, 2.0, "3")),
    *((HoeffdingTree, "max_bytes", v) for v in (0, 999, None, 1e9)),
    *((RegressionTree, "subset", v) for v in ("node", None)),
    *((RegressionTree, "max_features", v) for v in (np.nan, -1.0, 0.0, 1.5, "sqrt", True)),
    *((RegressionTree, "grace_period", v) for v in (0, 1.5, None)),
    *((RegressionTree, "delta", v) for v in (*_NUMBERS, 0.0, 1.0)),
    *((RegressionTree, "regularization", v) for v in (*_NUMBERS, 1e16)),
    *((RegressionTree, "bins", v) for v in (0, 1001, 2.0, None)),
    *((RegressionTree, name, v) for name in ("max_depth", "max_leaves") for v in (0, 2.0)),
    *((RegressionTree, "max_bytes", v) for v in (999, None, 1e9)),
]
BAD_WRAPPER_PARAMETERS = [
    *((RandomFourier, "n_components", v) for v in (0, 70_000, 2.0, None)),
    *((RandomFourier, "scale", v) for v in (*_NUMBERS, 0.0)),
    *((RandomFourier, name, v) for name in ("intercept", "unit_norm") for v in ("yes", None)),
    *((RandomSubsets, "share", v) for v in (*_NUMBERS, 0.0, 1.1)),
    *((RandomSubsets, "group", v) for v in (0, 1.5, None)),
    *((Scaled, "method", v) for v in ("robust", None)),
    *((Scaled, "clip", v) for v in (*_NUMBERS, 0.0)),
    *((cls, "learner", v) for cls in (RandomFourier, RandomSubsets, Scaled) for v in (None, Perceptron, 3)),
]


def _refuses(model, match):
    """All ways of starting say the same, and none of them starts."""
    before = dict(vars(model))
    ways = [lambda: model.fit(X, y)]
    if not {"n_passes", "shuffle"} & {match}:
        ways += [
            lambda: model.partial_fit(X, y),
            lambda: model.learn_one({"a": 1.0}, 1),
            lambda: prequential(model, X, y),
        ]
    for start in ways:
        with pytest.raises(ERRORS, match=match):
            start()
        assert vars(model) == before


@pytest.mark.parametrize(("kind", "name", "value"), BAD_PARAMETERS)
def test_a_parameter_out_of_range_is_named(kind, name, value):
    _refuses(kind(Perceptron()).set_params(**{name: value}), name if name != "random_state" else "seed")


@pytest.mark.parametrize(("kind", "name", "value"), BAD_LEARNER_PARAMETERS)
def test_a_parameter_of_the_learner_out_of_range_is_named(kind, name, value):
    _refuses(make("osboost").set_params(learner=kind(**{name: value})), name)


@pytest.mark.parametrize(("kind", "name", "value"), BAD_WRAPPER_PARAMETERS)
def test_a_parameter_of_a_learner_around_a_learner(kind, name, value):
    _refuses(make("osboost").set_params(learner=kind(**{"learner": Perceptron(), name: value})), name)


@pytest.mark.parametrize("kind", [RandomFourier, RandomSubsets, Scaled])
def test_a_learner_in_python_cannot_be_inside_another(kind):
    _refuses(make("osboost").set_params(learner=kind(BlackBox(SklearnPerceptron()))), "native bank")


def test_more_components_than_a_matrix_takes():
    _refuses(make("osboost").set_params(learner=RandomFourier(OnlineRidge(), 513)), "at most 512 components")


@pytest.mark.parametrize("learner", [None, Perceptron, "perceptron", SklearnPerceptron(), 7])
@each_class
def test_a_learner_that_is_none(booster, learner):
    _refuses(make(booster).set_params(learner=learner), "learner must be an onlineboost learner")


def test_too_many_learners_in_all():
    model = OGBoostClassifier(Perceptron(), 1000, n_candidates=1001)
    _refuses(model, "number of weak learners must be an integer from 1 to 1,000,000")


def test_refitting_with_a_bad_parameter_keeps_the_old_model():
    model = make("osboost").fit(X, y)
    before = state_of(model)
    model.set_params(gamma=7)
    with pytest.raises(ValueError, match="gamma"):
        model.fit(X, y)
    assert same(state_of(model), before)
    assert model.predict(X).shape == (12,)


def test_black_box_over_something_that_cannot_learn_online():
    _refuses(make("osboost").set_params(learner=BlackBox(LinearRegression())), "partial_fit .* or learn_one")


def test_prequential_of_something_else():
    with pytest.raises(TypeError, match="an estimator of onlineboost, not LinearRegression"):
        prequential(LinearRegression(), X, y)


# ---- a bank of the user's own that misbehaves ----------------------------------------------------------------


class _Faulty(HebbBank):
    """Behaves for a number of calls of one of its methods, then does not."""

    fault, method, after = None, "", 0

    def _spoil(self, method, result):
        if method != self.method:
            return result
        self.after -= 1
        return result if self.after >= 0 else self.fault(result)

    def predict(self, x):
        return self._spoil("predict", super().predict(x))

    def update(self, x, y, w):
        super().update(x, y, w)
        self._spoil("update", None)

    def step(self, i, x, y, w, times):
        return self._spoil("step", super().step(i, x, y, w, times))


class _FaultyLearner(Learner):
    def __init__(self, method="predict", fault=None, after=0):
        self.method = method
        self.fault = fault
        self.after = after

    def make_bank(self, n_learners, n_features, seed):
        bank = _Faulty(n_learners, n_features, seed)
        bank.method, bank.fault, bank.after = self.method, self.fault, self.after
        return bank


def _raise(_):
    raise ArithmeticError("my own mistake")


FAULTS = {
    "too short": ("predict", lambda h: h[:-1], "must return a float64 array of shape"),
    "too long": ("predict", lambda h: np.append(h, 0.0), "must return a float64 array of shape"),
    "two-dimensional": ("predict", lambda h: h[:, np.newaxis], "must return a float64 array of shape"),
    "None": ("predict", lambda _: None, "must return a float64 array of shape"),
    "words": ("predict", lambda h: np.full(len(h), "x"), "must return a float64 array of shape"),
    "nan": ("predict", lambda h: np.where(np.arange(len(h)) == 0, np.nan, h), "returned NaN for learner 0"),
    "predict raises": ("predict", _raise, "my own mistake"),
    "update raises": ("update", _raise, "my own mistake"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.parametrize("booster", ["osboost", "ocp", "eg", "experts", "bbm", "adaboost-ol-w", "defensive", "single"])
def test_a_bank_that_fails_within_a_batch_undoes_the_batch(booster, fault):
    method, how, match = FAULTS[fault]
    model = make(booster).set_params(learner=_FaultyLearner(method, how, after=8))
    model.partial_fit(X[:5], y[:5])
    before = snapshot(model)
    with pytest.raises((ValueError, ArithmeticError), match=match):
        model.partial_fit(X[5:], y[5:])
    assert same(snapshot(model), before)
    with pytest.raises((ValueError, ArithmeticError), match=match):
        model.fit(X, y)
    assert same(snapshot(model), before)
    model.partial_fit(X[5:7], y[5:7])
    assert model.n_examples_ == 7


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (lambda _: np.nan, "returned NaN"),
        (lambda _: "x", "must return a number"),
        (lambda _: None, "must return a number"),
        (_raise, "my own mistake"),
    ],
    ids=["nan", "word", "None", "raises"],
)
@pytest.mark.parametrize("booster", ["ozaboost", "ogboost", "ogboost-k2"])
def test_a_bank_whose_step_fails_within_a_batch_undoes_the_batch(booster, fault, match):
    model = make(booster).set_params(learner=_FaultyLearner("step", fault, after=70))
    model.partial_fit(X[:3], y[:3])
    before = snapshot(model)
    with pytest.raises((ValueError, ArithmeticError), match=match):
        model.partial_fit(np.vstack([X] * 4), np.tile(y, 4))
    assert same(snapshot(model), before)


@each_class
def test_a_bank_that_cannot_predict_an_example_leaves_a_model_as_it_was(booster):
    model = make(booster).set_params(learner=_FaultyLearner())
    model.learner.after = 10**6
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(zip(NAMES, x, strict=True)), label)
    bank_of(model).after = 0
    bank_of(model).fault = _raise
    before = snapshot(model)
    for x in ({"a": 1.0}, {"new": 1.0, "b": 2.0}):
        with pytest.raises(ArithmeticError, match="my own mistake"):
            model.learn_one(x, 1)
        with pytest.raises(ArithmeticError, match="my own mistake"):
            model.predict_one(x)
        bank_of(model).after = 0
        assert same(snapshot(model), before)


def test_a_bank_without_the_methods_of_a_bank():
    class Empty(Learner):
        def make_bank(self, n_learners, n_features, seed):
            return object()

    _refuses(make("osboost").set_params(learner=Empty()), r"without predict\(\)")
    _refuses(make("osboost").set_params(learner=Learner()), "has no make_bank")


def test_outputs_beyond_one_are_clipped():
    model = make("osboost").set_params(learner=_FaultyLearner("predict", lambda h: 1e300 * np.sign(h)))
    assert np.abs(model.fit(X, y).margin(X)).max() <= 1


@each_class
def test_a_bank_in_python_refuses_rows_too_wide_for_it(booster):
    """It sees dense rows: a hashed column number must not ask for gigabytes."""
    model = make(booster, "own-bank").partial_fit(X, y)
    before = snapshot(model)
    for use in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match="2000000001 columns are more than it can take"):
            use({0: 1.0, 2_000_000_000: 1.0})
    assert same(snapshot(model), before)
    mixed = make(booster, "own-bank")
    mixed.learn_one({0: 1.0}, 0)
    with pytest.raises(ValueError, match="do not mix integer and other keys"):
        mixed.learn_one({"name": 1.0}, 1)
    assert keys_of(mixed) == []


@pytest.mark.parametrize("learner", ["perceptron", "own-bank"])
def test_readers_and_a_writer_at_once(learner):
    """Predictions, copies and counters from other threads neither fail nor wait for ever, and change nothing."""
    rows, labels = stream(400)
    model, failures, done = make("osboost", learner).partial_fit(rows[:1], labels[:1]), [], threading.Event()

    def read():
        try:
            while not done.is_set():
                model.predict_proba(X), model.n_examples_, copy.deepcopy(model), pickle.dumps(model)
        except Exception as error:  # noqa: BLE001  # told to the main thread
            failures.append(error)

    def write():
        try:
            for row, label in zip(rows[1:], labels[1:], strict=True):
                model.learn_one(row, label)
        finally:
            done.set()

    threads = [threading.Thread(target=work) for work in (read, read, write)]
    faulthandler.dump_traceback_later(120, exit=True)  # a deadlock that holds the GIL stops everything else
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    faulthandler.cancel_dump_traceback_later()
    assert not failures
    alone = make("osboost", learner).partial_fit(rows, labels)
    assert same(state_of(model), state_of(alone))
    assert len(alone.weight_mass_) <= N_LEARNERS + 1
