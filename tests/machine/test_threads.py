"""Many read while one learns: what a reader sees is a model before or after a batch, labels and names included."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from states import same, snapshot
from table import make, stream

from onlineboost import from_bytes, prequential
from onlineboost.machine.commit import commit

pytestmark = pytest.mark.engine

PROBE = stream(8, seed=5)[0]
DICTS = [{f"f{j}": v for j, v in enumerate(x.tolist())} for x in PROBE]


@pytest.fixture
def restless():
    """Threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


MOMENTS = ("before the rows", "after the rows")


class Pause:
    """Stops other threads that learn, with labels and names in place, before or after the engine learns the rows."""

    def __init__(self, monkeypatch, moment):
        self.reached, self.go = threading.Event(), threading.Event()
        main = threading.current_thread()

        def wait_at(here):
            if here == moment and threading.current_thread() is not main:
                self.reached.set()
                assert self.go.wait(20)

        @contextmanager
        def paused(*arguments):
            with commit(*arguments):
                wait_at(MOMENTS[0])
                yield
                wait_at(MOMENTS[1])

        monkeypatch.setattr("onlineboost.machine.machine.commit", paused)
        monkeypatch.setattr("onlineboost.machine.one_example.commit", paused)


def _seen_meanwhile(monkeypatch, moment, learn, read):
    """What a reader gets that comes in while `learn` is paused."""
    pause = Pause(monkeypatch, moment)
    with ThreadPoolExecutor(2) as pool:
        learning = pool.submit(learn)
        assert pause.reached.wait(20)
        reading = pool.submit(read)
        try:
            reading.exception(timeout=0.2)  # it may answer now, or wait for its turn
        except TimeoutError:
            pass
        finally:
            pause.go.set()
        learning.result(20)
        return reading.result(20)


READERS = {
    "margin": lambda model: model.margin(PROBE),
    "decision_function": lambda model: model.decision_function(PROBE),
    "predict": lambda model: model.predict(PROBE),
    "predict_proba": lambda model: model.predict_proba(PROBE),
    "predict_one": lambda model: [model.predict_one(x) for x in PROBE],
    "predict_proba_one": lambda model: [model.predict_proba_one(x) for x in PROBE],
}


def _before_or_after(seen, read, before, after):
    return any(same(seen, read(model)) for model in (before, after))


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("reader", list(READERS))
def test_the_batch_that_brings_the_second_label(monkeypatch, reader, moment):
    """The first label is the smaller one: the second turns the sign of every margin."""
    X, y = stream(40)
    read = READERS[reader]
    model = make("osboost").partial_fit(X[:20], np.zeros(20, int))
    before, after = copy.deepcopy(model), copy.deepcopy(model).partial_fit(X, y)
    seen = _seen_meanwhile(monkeypatch, moment, lambda: model.partial_fit(X, y), lambda: read(model))
    assert _before_or_after(seen, read, before, after)
    assert not same(read(before), read(after))


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("reader", list(READERS))
def test_the_first_batch(monkeypatch, reader, moment):
    X, y = stream(40)
    read = READERS[reader]
    model = make("osboost")
    seen = _seen_meanwhile(monkeypatch, moment, lambda: model.partial_fit(X, y), lambda: read(model))
    after = read(make("osboost").partial_fit(X, y))
    assert same(seen, after) or (reader.endswith("one") and set(map(str, seen)) <= {"None", "{}"})


@pytest.mark.parametrize("moment", MOMENTS)
def test_fitting_again_with_other_columns_and_labels(monkeypatch, moment):
    """Until it has ended, readers see the model from before it: labels and counters, too."""
    X, y = stream(40)
    model = make("osboost").fit(X, y)

    def told():
        return model.margin(PROBE), model.classes_, np.array([model.n_examples_, model.n_features_in_])

    before = told()
    names = np.array(["no", "yes"])[y[:30]]
    seen = _seen_meanwhile(monkeypatch, moment, lambda: model.fit(X[:30, :3], names), told)
    assert all(map(same, seen, before))
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.n_examples_ == 30
    with pytest.raises(ValueError, match="3 features"):
        model.margin(PROBE)


@pytest.mark.parametrize(
    "take", [lambda m: from_bytes(m.to_bytes()), lambda m: pickle.loads(pickle.dumps(m)), copy.copy]
)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_copy_is_a_whole_model(monkeypatch, take, moment):
    X, y = stream(40)
    model = make("osboost").partial_fit(X[:20], np.zeros(20, int))
    before, after = copy.deepcopy(model), copy.deepcopy(model).partial_fit(X, y)
    seen = _seen_meanwhile(monkeypatch, moment, lambda: model.partial_fit(X, y), lambda: take(model))
    assert any(same(snapshot(seen), snapshot(one)) for one in (before, after))


@pytest.mark.usefixtures("restless")
def test_a_batch_that_is_refused_shows_nowhere():
    """The error gives attributes back one by one; the model is never without any of them."""
    X, y = stream(40)
    model = make("osboost").partial_fit(X, y)
    expected, failures, done = model.predict_proba(PROBE), [], threading.Event()

    def read():
        while not done.is_set():
            if not same(model.predict_proba(PROBE), expected):
                failures.append(1)

    with ThreadPoolExecutor(2) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        try:
            for _ in range(300):
                with pytest.raises(ValueError, match="one type"):
                    model.partial_fit(X, np.full(40, "seven"))
        finally:
            done.set()
        for reader in reading:
            reader.result(20)
    assert failures == []


@pytest.mark.usefixtures("restless")
def test_names_that_appear_while_others_read():
    """A new name gets the number that a reader would have given to its own unknown one."""
    learner = "perceptron"
    rng = np.random.default_rng(0)
    rows = [({"a": 1.0, f"new{k}": float(rng.normal()) * 5}, bool(k % 2)) for k in range(300)]
    probe = {"a": 1.0, "never": 2.0, "met": -3.0}
    twin = make("osboost", learner)
    allowed = set()
    for x, y in rows:
        twin.learn_one(x, y)
        allowed.add(str(twin.predict_proba_one(probe)))
    model, seen, done = make("osboost", learner), [], threading.Event()
    model.learn_one(*rows[0])

    def read():
        while not done.is_set():
            seen.append(str(model.predict_proba_one(probe)))

    with ThreadPoolExecutor(2) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        try:
            for x, y in rows[1:]:
                model.learn_one(x, y)
        finally:
            done.set()
        for reader in reading:
            reader.result(20)
    assert seen
    assert set(seen) <= allowed
    assert same(snapshot(model), snapshot(twin))


def test_several_writers_take_turns():
    """Every batch is learned once and whole; labels and names of all of them are known."""
    X, y = stream(30)
    model = make("ozaboost", "bayes-auto")

    def learn(k):
        if k % 3 == 0:
            prequential(model, X, y)
        elif k % 3 == 1:
            model.partial_fit(X, y)
        else:
            for x, label in zip(X, y.tolist(), strict=True):
                model.learn_one(x, label)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(learn, range(12)))
    assert model.n_examples_ == 12 * 30
    assert model.classes_.tolist() == [0, 1]


def test_readers_of_a_settled_model_do_not_wait_for_the_turn():
    X, y = stream(40)
    model = make("osboost").partial_fit(X, y)
    with model.machine.lock.writer, ThreadPoolExecutor(1) as pool:
        assert pool.submit(model.predict, PROBE).result(20).shape == (8,)


def test_an_error_of_a_reader_is_its_own():
    X, y = stream(20)
    model = make("osboost").partial_fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(PROBE[:, :2])
