"""One model split among threads: the number of threads changes no bit, whoever else uses them."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from states import same, state_of
from table import NATIVE, cross, in_turn, make, stream
from twins import SANITIZED

from onlineboost import (
    AROW,
    AdaGradLogistic,
    HoeffdingTree,
    LastLabel,
    Neighbours,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    Scaled,
    WindowBoostClassifier,
    _core,
    from_bytes,
)
from onlineboost.machine.parameters import threads_of

pytestmark = pytest.mark.engine

PROBE = stream(5, 6, seed=5)[0]
SPLIT = cross(["osboost", "ocp", "experts", "ozaboost", "ogboost"], NATIVE, {"perceptron", "bayes-auto"})
SPLIT += [("ozaboost", "tree"), ("ozaboost", "arow"), ("ogboost", "gradient")]


@pytest.fixture
def split_all():
    """Every sweep is split that has learners enough, however few numbers there are."""
    before = _core.split_threshold()
    _core.set_split_threshold(0)
    yield
    _core.set_split_threshold(before)


def _learned(booster, learner, n_learners, n_jobs, n_rows=40):
    """A model after a batch, a few single rows, features that appear late and a batch that is only half known."""
    X, y = stream(n_rows, 6, sparse=True)
    X[: n_rows // 2, 5] = 0.0
    model = make(booster, learner, n_learners, n_jobs=n_jobs)
    model.partial_fit(X[:-3], y[:-3])
    for x, label in zip(X[-3:], y[-3:].tolist(), strict=True):
        model.learn_one(x, label)
    return model


def _found(model):
    return model.to_bytes(), model.margin(PROBE).tobytes(), model.predict_proba(PROBE).tobytes()


@pytest.mark.usefixtures("split_all")
@pytest.mark.parametrize(("booster", "learner"), SPLIT, ids=map("-".join, SPLIT))
@in_turn("n_learners", [1, 9, 129] if SANITIZED else [1, 8, 9, 17, 25, 128, 129])
def test_threads_change_no_bit(booster, learner, n_learners):
    alone = _found(_learned(booster, learner, n_learners, None))
    for n_jobs in (1, 3) if n_learners == 129 else (2,):
        assert _found(_learned(booster, learner, n_learners, n_jobs)) == alone


@pytest.mark.usefixtures("split_all")
@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto", "tree", "arow"])
@pytest.mark.parametrize("booster", ["eg", "bbm", "adaboost-ol"])
def test_threads_change_no_bit_of_the_boosters_that_followed(booster, learner):
    """Each asks a bank for what OSBoost asks of it: two sizes will do."""
    for n_learners in (17, 128):
        alone = _found(_learned(booster, learner, n_learners, None))
        assert _found(_learned(booster, learner, n_learners, 3)) == alone


@pytest.mark.usefixtures("split_all")
@pytest.mark.parametrize("learner", ["perceptron", "gradient", "bayes-auto"])
@pytest.mark.parametrize("booster", ["osboost", "ocp", "experts"])
def test_threads_change_no_bit_of_a_large_bank(booster, learner):
    """On every instruction set."""
    n_learners, (X, y) = 3_001, stream(12, 90)
    before, found = _core.instruction_set(), set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            for n_jobs in (1, 2, 3):
                model = make(booster, learner, n_learners, n_jobs=n_jobs)
                found.add(model.partial_fit(X, y).to_bytes())
    finally:
        _core.use_instruction_set(before)
    assert len(found) == 1


def test_threads_change_no_bit_of_a_mixture():
    """Its families are asked and taught side by side: through a birth, a change of the lead and a retirement."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))
    X[:, 5] *= np.arange(900) > 500  # a feature that comes late is one too many for a family
    y = (X[:, 0] + X[:, 1] > 0) ^ (np.arange(900) > 600)
    families = [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=20), 5)),
        ("linear", OSBoostClassifier(Scaled(AdaGradLogistic()), 9)),
        ("full", OnlineClassifier(AROW(covariance="full")), 5),
        ("neighbours", OnlineClassifier(Scaled(Neighbours(3, 50)))),
        ("window", WindowBoostClassifier(200, 8)),
    ]
    models = [OnlineBoostClassifier(families, n_jobs=n, random_state=0).partial_fit(X, y) for n in (1, 2, 8)]
    kinds = {change.kind for change in models[0].changes_}
    assert {"alarm", "young generation leads"} <= kinds
    assert len({_found(model.partial_fit(PROBE, [0, 1, 0, 1, 0])) for model in models}) == 1


def test_threads_change_no_bit_of_a_mixture_of_many_classes():
    """Classes begin late, the stream changes, a family retires, and one hears labels that others sleep through."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6))
    X[:, 5] *= np.arange(1500) > 500
    y = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    y[:100] %= 2
    y[700:] = 3 - y[700:]
    y[1200::7] = 4
    families = [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=20), 5)),
        ("linear", OSBoostClassifier(Scaled(AdaGradLogistic()), 9)),
        ("full", OnlineClassifier(AROW(covariance="full")), 5),
        ("neighbours", OnlineClassifier(Scaled(Neighbours(3, 50)))),
        ("window", WindowBoostClassifier(200, 8)),
        ("last", OnlineClassifier(LastLabel())),
    ]
    models = [OnlineBoostClassifier(families, n_jobs=n, random_state=0).partial_fit(X, y) for n in (1, 2, 8)]
    assert {"alarm", "young generation leads"} <= {change.kind for change in models[0].changes_}
    assert len({_found(model.partial_fit(PROBE, [0, 4, 0, 3, 2])) for model in models}) == 1


@pytest.mark.usefixtures("split_all")
def test_models_that_want_the_threads_at_once():
    """Who finds them at work goes on alone."""
    alone = _found(_learned("osboost", "perceptron", 64, 1, 400))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda k: _found(_learned("osboost", "perceptron", 64, 2 + k % 3, 400)), range(12)):
            assert found == alone


@pytest.mark.usefixtures("split_all")
def test_readers_at_once():
    model = _learned("osboost", "gradient", 64, 3)
    alone = _learned("osboost", "gradient", 64, 1).margin(PROBE)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.margin(PROBE), range(50)):
            assert same(found, alone)


def _in_child(connection, model):
    X, y = stream(40, 6, seed=3)
    connection.send(_found(model.partial_fit(X, y)))
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # Python 3.12 and later; the point here
@pytest.mark.usefixtures("split_all")
def test_a_forked_child_makes_its_own_threads():
    model = _learned("osboost", "perceptron", 64, 3)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_in_child, args=(theirs, model))
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        X, y = stream(40, 6, seed=3)
        assert ours.recv() == _found(model.partial_fit(X, y))
    finally:
        child.kill()
        child.join()


@pytest.mark.usefixtures("split_all")
def test_copies():
    """A file does not hold n_jobs; copies within Python do. All go on with the same bits."""
    model = _learned("experts", "bayes-auto", 25, 2)
    X, y = stream(30, 6, seed=9)
    assert from_bytes(model.to_bytes()).n_jobs is None
    assert clone(model).n_jobs == pickle.loads(pickle.dumps(model)).n_jobs == 2
    copies = [from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    expected = state_of(model.partial_fit(X, y))
    for one in copies:
        assert same(state_of(one.partial_fit(X, y)), expected)


def test_what_n_jobs_means():
    assert threads_of(None) == 1
    assert threads_of(np.int64(3)) == 3
    assert 1 <= threads_of(-1) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.0, True, "2", 10**6])
def test_bad_n_jobs(n_jobs):
    X, y = stream(20)
    model = OSBoostClassifier(Perceptron(), 8, random_state=0).partial_fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="n_jobs must be"):
        model.set_params(n_jobs=n_jobs).partial_fit(X, y)
    assert model.to_bytes() == before
    with pytest.raises(ValueError, match="n_jobs must be"):
        OSBoostClassifier(Perceptron(), 8, n_jobs=n_jobs).fit(X, y)
