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
from table import N_LEARNERS, HebbBank, each_class, each_class_in_python, make, stream

from onlineboost import (
    BlackBox,
    Learner,
    OGBoostClassifier,
    OnlineRidge,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
    prequential,
)

pytestmark = pytest.mark.engine

X, y = stream(12, d=5)
NAMES = list("abcde")


ERRORS = (ValueError, TypeError)

# ---- parameters ----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("seed", ["seed", 1.5, np.random.default_rng(0)])
@each_class
def test_a_seed_that_is_none(booster, seed):
    _refuses(make(booster).set_params(random_state=seed), "random_state must be an integer, a RandomState or None")


@pytest.mark.parametrize("n_jobs", [0, -2, 1.0, "2", 10**6, True])
def test_a_number_of_threads_that_is_none(n_jobs):
    _refuses(make("osboost").set_params(n_jobs=n_jobs), "n_jobs must be")


@pytest.mark.parametrize("inner", [Perceptron, 3, SklearnPerceptron()])
@pytest.mark.parametrize("kind", [RandomFourier, RandomSubsets, Scaled])
def test_a_wrapper_around_something_else(kind, inner):
    _refuses(make("osboost").set_params(learner=kind(inner)), f"{kind.__name__} needs an onlineboost learner")


@pytest.mark.parametrize("kind", [RandomFourier, RandomSubsets, Scaled])
def test_a_learner_in_python_cannot_be_inside_another(kind):
    _refuses(make("osboost").set_params(learner=kind(BlackBox(SklearnPerceptron()))), "native bank")


def test_more_components_than_a_matrix_takes():
    _refuses(make("osboost").set_params(learner=RandomFourier(OnlineRidge(), 513)), "at most 512 components")


@pytest.mark.parametrize("learner", [Perceptron, "perceptron", SklearnPerceptron(), 7])
@each_class
def test_a_learner_that_is_none(booster, learner):
    _refuses(make(booster).set_params(learner=learner), "learner must be an onlineboost learner")


def test_too_many_learners_in_all():
    model = OGBoostClassifier(Perceptron(), 1000, n_candidates=1001)
    _refuses(model, "the number of weak learners, .*, must be an integer from 1 to 1,000,000, not 1001000")


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


@each_class_in_python
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


@each_class_in_python
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
