"""Attacks on the native engine: columns, variances, forged files, forks, exits, races, keys."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from states import fresh_engine, same
from table import make, stream

import onlineboost
from onlineboost import (
    BayesianLogistic,
    BBMClassifier,
    NaiveBayes,
    OSBoostClassifier,
    _core,
)

LINUX = sys.platform == "linux"

pytestmark = pytest.mark.engine


def run(code, **more):
    """A process of its own: it may crash."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False, **more
    )


def untaught(model, n_features):
    """The engine of a model that is going to learn rows of so many features."""
    machine = model.machine_to_learn()
    machine.start_features = n_features
    return machine.make_engine().core


# ---- columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", [2**31, 2**32 - 1, 2**32 + 5])
def test_columns_beyond_what_a_model_takes(column):
    A = sp.csr_array((np.ones(2), np.array([5, column]), np.array([0, 1, 2])), shape=(2, 2**33))
    m = OSBoostClassifier(NaiveBayes(), 5, random_state=0)
    with pytest.raises(ValueError, match=rf"^X has the column {column} in row 1, and columns are numbered .* first\.$"):
        m.partial_fit(A, [0, 1])
    assert not m.__sklearn_is_fitted__()


def test_the_last_column_that_a_model_takes():
    A = sp.csr_array((np.ones(2), np.array([5, 2**31 - 1]), np.array([0, 1, 2])), shape=(2, 2**33))
    m = OSBoostClassifier(NaiveBayes(), 5, random_state=0)
    for _ in range(5):
        m.partial_fit(A, [0, 1])
    first, second = m.decision_function(A)
    assert first < second
    assert same(onlineboost.from_bytes(m.to_bytes()).machine.engine.core.state(), m.machine.engine.core.state())


def test_dense_rows_that_are_too_wide():
    wide = np.lib.stride_tricks.as_strided(np.ones(1), (1, 2**31 + 1), (0, 0))
    with pytest.raises(ValueError, match=r"^X has 2147483649 columns"):
        untaught(make("osboost"), 3).learn_dense(wide, np.ones(1))


# ---- variances ---------------------------------------------------------------------------------------------------


def test_rounding_takes_no_variance_below_zero():
    X = [[1e82, 0, 1.3e86], [0, 0, -3.6e93], [0, 0, 0]]
    m = BBMClassifier(BayesianLogistic(), 9, random_state=0).partial_fit(X, [0, 0, 1])
    again = onlineboost.from_bytes(m.to_bytes())
    assert same(again.machine.engine.core.state(), m.machine.engine.core.state())
    assert same(pickle.loads(pickle.dumps(m)).machine.engine.core.state(), m.machine.engine.core.state())


@pytest.mark.parametrize(
    "learner", ["arow-full", "scw-full", "ridge", "logistic", "bayes-typed", "bayes-gaussian", "scaled"]
)
def test_extreme_rows_make_models_that_load(learner):
    rng = np.random.default_rng(7)
    for seed in range(40):
        X = rng.normal(size=(8, 3)) * 10.0 ** rng.uniform(-99, 99, size=(8, 3))
        X[rng.random(X.shape) < 0.4] = 0.0
        w = 10.0 ** rng.uniform(-15, 14, size=8)
        m = make("bbm", learner, random_state=seed).partial_fit(
            X, rng.integers(0, 2, 8) | (np.arange(8) == 0), sample_weight=w
        )
        assert same(onlineboost.from_bytes(m.to_bytes()).machine.engine.core.state(), m.machine.engine.core.state())


# ---- files -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LINUX, reason="the memory is read from Linux's files")
def test_a_small_file_takes_little_memory():
    done = run("""
        import numpy as np
        from onlineboost import *
        from onlineboost import _core
        m = OnlineClassifier(RandomFourier(AdaGradLogistic(), 65_536), random_state=0)
        m.learn_one({0: 1.0}, 0)
        m.learn_one({0: -1.0}, 1)
        engine = m.machine.engine
        forged = _core.Model(engine.n_learners, engine.bank, engine.booster)
        state = {**engine.core.state(), "features": np.arange(6_000)}
        state = {name: array for name, array in state.items() if not name.startswith(("set_", "feature_"))}
        size = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
        before = size()
        forged.load(state)
        assert size() - before < 50 * 2**20, size() - before
        assert forged.predict_dict({0: 0.5}, {}, 1) == engine.core.predict_dict({0: 0.5}, {}, 1)
        print("small")
    """)
    assert done.stdout == "small\n", done.stderr


def test_a_count_that_loads_can_be_saved():
    m = make("osboost").partial_fit(*stream(10))
    state = m.machine.engine.core.state()
    forged = fresh_engine(m)
    forged.load({**state, "rounds": np.array([2**60])})
    X, y = stream(3)
    forged.learn_dense(X, np.where(y > 0, 1.0, -1.0))
    fresh_engine(m).load(forged.state())
    with pytest.raises(ValueError, match="not a count"):
        fresh_engine(m).load({**state, "rounds": np.array([2**60 + 1])})


# ---- forks and exits ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_in_the_middle():
    """Beside readers a child works; beside learning, it does or gets one sentence. It never waits for a lost thread."""
    done = run("""
        import os, signal, threading, time
        import numpy as np
        from onlineboost import *
        X = np.random.default_rng(0).normal(size=(3000, 30)); y = (X[:, 0] > 0).astype(int)
        def use():
            signal.alarm(20)
            try:
                m.predict_one(X[0]); m.learn_one(X[0], 1); m.to_bytes()
                return 3
            except RuntimeError as error:
                return 4 if "load or copy it anew in the child" in str(error) else 5
        for verb, n_threads in ((lambda m: m.predict(X), 2), (lambda m: m.partial_fit(X, y), 1)):
            m = OSBoostClassifier(Perceptron(), 300, random_state=0).partial_fit(X[:10], y[:10])
            def loop(m, verb):
                while not over.is_set(): verb(m)
            over = threading.Event()
            crew = [threading.Thread(target=loop, args=(m, verb), daemon=True) for _ in range(n_threads)]
            for one in crew: one.start()
            time.sleep(0.1)
            codes = []
            for k in range(4):
                pid = os.fork()
                if pid == 0:
                    os._exit(use())
                codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                time.sleep(0.02)
            over.set()
            print(*codes, flush=True)
        os._exit(0)
    """)
    beside_readers, beside_learning = done.stdout.splitlines()
    assert beside_readers == "3 3 3 3", done.stderr
    assert set(beside_learning.split()) <= {"3", "4"}, done.stderr


@pytest.mark.parametrize("learner", ["Perceptron()", "Own()"])
def test_daemon_threads_at_exit(learner):
    """Each verb on a model of its own, so that none waits for another."""
    done = run(f"""
        import threading, time
        import numpy as np
        from onlineboost import *
        from onlineboost.persistence import container
        class Zero(Bank):
            n_learners = 100
            def predict(self, x): return np.zeros(100)
            def update(self, x, y, w): pass
        class Own(Learner):
            def make_bank(self, n_learners, n_features, seed): return Zero()
        X = np.random.default_rng(0).normal(size=(2000, 30)); y = (X[:, 0] > 0).astype(int)
        def loop(verb):
            m = OSBoostClassifier({learner}, 100, random_state=0).partial_fit(X[:10], y[:10])
            while True: verb(m)
        verbs = (
            lambda m: m.partial_fit(X, y),
            lambda m: m.predict(X),
            lambda m: m.machine.engine.core.state(),
            lambda m: m.predict_one(X[0]),
            lambda m: container.pack({{}}, {{"x": X}}),
        )
        for verb in verbs: threading.Thread(target=loop, args=(verb,), daemon=True).start()
        time.sleep(0.3)
    """)
    assert done.returncode == 0
    assert "terminate" not in done.stderr
    assert hasattr(_core, "fail_allocation") or done.stderr == ""  # that build reports what such a thread holds


# ---- arrays that change --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["indptr", "indices", "data", "y", "s"])
def test_arrays_that_another_thread_changes(part):
    """Whatever is written there, the engine stays within the arrays, ends, and can be saved and loaded."""
    rng = np.random.default_rng(0)
    A = sp.random(4000, 40, 0.2, format="csr", random_state=0)
    y, s = np.where(rng.random(4000) < 0.5, 1.0, -1.0), np.ones(4000)
    m = OSBoostClassifier(NaiveBayes(), 20, random_state=0).partial_fit(A, y)
    target = {"indptr": A.indptr, "indices": A.indices, "data": A.data, "y": y, "s": s}[part]
    good, stop = target.copy(), threading.Event()
    bad = 2**30 if part in {"indptr", "indices"} else np.nan

    def spoil():
        while not stop.is_set():
            target[2000:2010] = bad
            time.sleep(0.0005)
            target[:] = good
            time.sleep(0.0005)

    thread = threading.Thread(target=spoil)
    thread.start()
    refused = 0
    try:
        for _ in range(30):
            try:
                m.machine.engine.core.learn_sparse(A.data, A.indices, A.indptr, y, s)
            except ValueError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert same(onlineboost.from_bytes(m.to_bytes()).machine.engine.core.state(), m.machine.engine.core.state())


def test_what_is_read_is_looked_at_again():
    """The same without luck: the arrays are wrong from the beginning, as a thread could make them after the checks."""
    m = untaught(make("osboost", "bayes-auto"), 4)
    ones, starts = np.ones(2), np.array([0, 1, 2])
    for data, indices in ((np.array([1.0, -np.inf]), [0, 1]), (np.array([1.0, 1e101]), [0, 1])):
        with pytest.raises(ValueError, match="changed while it was read"):
            m.learn_sparse(data, np.array(indices), starts, ones)
    with pytest.raises(ValueError, match="changed while it was read"):
        m.learn_sparse(np.ones(3), np.array([2, 1, 1]), np.array([0, 0, 3]), ones)
    with pytest.raises(ValueError, match="changed while it was read"):
        m.learn_dense(np.array([[1.0, 0.0, 0.0, np.inf]]), ones[:1])
    assert m.rounds == 2 + 1  # the rows before


# ---- keys ----------------------------------------------------------------------------------------------------------


class Column:
    """An integer by `__index__` that is equal to no other."""

    def __index__(self):
        return 1


def test_two_keys_for_one_column():
    m = make("osboost")
    m.learn_one({0: 1.0, 1: 1.0}, 0)
    m.learn_one({1: -1.0}, 1)
    before = m.machine.engine.core.state()
    with pytest.raises(ValueError, match="two keys of the dict are column 1"):
        m.learn_one({1: 1.0, Column(): 2.0}, 0)
    assert same(m.machine.engine.core.state(), before)


@pytest.mark.parametrize("key", [float("nan"), np.float32("nan")])
def test_a_key_that_does_not_equal_itself(key):
    m = make("osboost")
    m.learn_one({"a": 1.0}, 0)
    m.learn_one({"a": -1.0}, 1)
    before = m.machine.engine.core.state()
    for _ in range(2):
        with pytest.raises(ValueError, match="does not equal itself"):
            m.learn_one({"a": 1.0, key: 1.0}, 0)
    assert same(m.machine.engine.core.state(), before)
