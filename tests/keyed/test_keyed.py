"""A model per key: as if each key had a model of its own, whatever the batches, the memory and the crashes."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from onlineboost import (
    AROW,
    BBMClassifier,
    HoeffdingTree,
    KeyedClassifier,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
)
from onlineboost.machine import Machine

pytestmark = [pytest.mark.quick, pytest.mark.engine]


def frame(n, keys=4, seed=0):
    """The sign of the rule depends on the key."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    X["key"] = rng.integers(0, keys, n)
    y = np.where(np.where(X["key"] % 2, -1, 1) * X["a"] > 0, "yes", "no")
    return X, y


def recipe():
    return OnlineClassifier(AROW(), random_state=0)


def test_a_key_is_a_model_of_its_own():
    """Born as a copy of the parent before the key's first row, then taught the rows of the key alone."""
    X, y = frame(120)
    model = KeyedClassifier(recipe()).partial_fit(X, y)
    rows = X[["a", "b"]]
    for key in range(4):
        own = np.flatnonzero(X["key"] == key)
        expected = recipe()
        if own[0] > 0:
            expected.partial_fit(rows[: own[0]], y[: own[0]])
        expected.partial_fit(rows.iloc[own], y[own])
        assert model.model_of(key).to_bytes() == expected.to_bytes()
    assert model.parent_.to_bytes() == recipe().partial_fit(rows, y).to_bytes()
    assert model.score(*frame(200, seed=1)) > 0.85 > model.parent_.score(rows, y)


@pytest.mark.parametrize("max_models", [1, 100])
def test_batches_and_memory_change_nothing(max_models):
    X, y = frame(60)
    whole = KeyedClassifier(recipe()).partial_fit(X, y)
    cut = KeyedClassifier(recipe(), max_models=max_models)
    for start in range(0, 60, 7):
        cut.partial_fit(X[start : start + 7], y[start : start + 7], classes=["no", "yes"])
    for key in [*range(4), "new"]:
        np.testing.assert_array_equal(
            cut.model_of(key).predict_proba(X[["a", "b"]]), whole.model_of(key).predict_proba(X[["a", "b"]])
        )
    assert sorted(cut.keys_) == [0, 1, 2, 3]


def test_dicts():
    X, y = frame(80)
    model = KeyedClassifier(recipe())
    for row, label in zip(X.to_dict("records"), y, strict=True):
        model.learn_one(row, label)
    assert model.predict_one({"key": 0, "a": 3.0, "b": 0.0}) == "yes"
    assert model.predict_one({"key": 1, "a": 3.0, "b": 0.0}) == "no"
    assert sum(model.predict_proba_one({"key": "new", "a": 3.0}).values()) == pytest.approx(1.0)


def test_many_rows_are_learned_as_one_by_one():
    X, y = frame(80)
    one, many = KeyedClassifier(recipe()), KeyedClassifier(recipe(), max_models=2)
    for row, label in zip(X.to_dict("records"), y, strict=True):
        one.learn_one(row, label)
    many.learn_many(X[:30], y[:30])
    many.learn_many(X[30:], y[30:])
    np.testing.assert_array_equal(many.predict_proba(X), one.predict_proba(X))
    assert many.predict_proba_one({"key": 3, "a": 1.0, "b": -1.0}) == one.predict_proba_one(
        {"key": 3, "a": 1.0, "b": -1.0}
    )
    with pytest.raises(ValueError, match="one label per row"):
        many.learn_many(X, y[:3])


def growing(n, labels, seed=0):
    """Towns appear over time, each a feature of its own, and labels do."""
    rng = np.random.default_rng(seed)
    town = [f"town {k}" for k in rng.integers(0, 1 + np.arange(n) // 8)]
    X = pd.DataFrame({"a": rng.normal(size=n), "town": town, "key": [f"k{k}" for k in rng.integers(0, 6, n)]})
    return X, np.array(["x", "y", "z"])[np.minimum(rng.integers(0, labels, n), np.arange(n) // 20)]


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("learner", [AROW(), Perceptron(init="random")], ids=["arow", "perceptron"])
def test_names_and_labels_that_come_later(labels, learner, tmp_path):
    """A third label takes the models from states to estimators; neither depends on batches, memory or a restart."""
    X, y = growing(90, labels)
    whole = KeyedClassifier(OnlineClassifier(learner, random_state=3)).partial_fit(X, y)
    cut = KeyedClassifier(OnlineClassifier(learner, random_state=3), max_models=2, store=tmp_path / "models.db")
    for start, stop in ((0, 1), (1, 4), (4, 17), (17, 60), (60, 61), (61, 90)):
        cut.partial_fit(X[start:stop], y[start:stop])
        if stop == 60:
            cut.save(stop)
            cut.close()
    singly = KeyedClassifier(OnlineClassifier(learner, random_state=3)).partial_fit(X[:15], y[:15])
    for row, label in zip(X[15:30].to_dict("records"), y[15:30], strict=True):
        singly.learn_one(row, label)
    singly.partial_fit(X[30:], y[30:])
    expected = whole.predict_proba(X)
    assert expected.shape == (90, labels)
    np.testing.assert_array_equal(cut.predict_proba(X), expected)
    np.testing.assert_array_equal(singly.predict_proba(X), expected)
    np.testing.assert_array_equal(expected.sum(axis=1), pytest.approx(1.0))


@pytest.mark.parametrize(
    "recipe",
    [
        OSBoostClassifier(AROW(), 3, random_state=1),
        OnlineClassifier(HoeffdingTree(), random_state=1),
        OneVsRest(OnlineClassifier(Perceptron(init="random"), random_state=1)),
        BBMClassifier(AROW(), 3, random_state=1),
        OnlineBoostClassifier([("arow", OnlineClassifier(AROW()))], random_state=1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_key_with_three_labels_is_a_model_of_its_own(recipe):
    """Whether its classes begin with the parent's or in an order of its own, and whichever it never meets."""
    X, _ = frame(150, keys=6)
    y = np.array(["x", "y", "z", "w"])[np.minimum((X["a"] > 0).to_numpy() * 1 + (X["key"] % 3), np.arange(150) // 5)]
    model = KeyedClassifier(recipe)
    for start in (0, 40, 41):
        stop = {0: 40, 40: 41, 41: 150}[start]
        model.partial_fit(X[start:stop], y[start:stop])
    rows = X[["a", "b"]]
    for key in range(6):
        own = np.flatnonzero(X["key"] == key)
        expected = clone(recipe)
        if own[0] > 0:
            expected.partial_fit(rows[: own[0]], y[: own[0]])
        for row in own:
            expected.learn_one(rows.iloc[row].to_dict(), y[row])
        found = model.model_of(key)
        assert set(found.classes_) == set(expected.classes_)
        np.testing.assert_array_equal(found.predict_proba(rows), expected.predict_proba(rows))
    assert model.parent_.to_bytes() == clone(recipe).partial_fit(rows, y).to_bytes()


def test_many_classes_that_are_interrupted_change_nothing(monkeypatch):
    X, y = growing(90, 3)
    model = KeyedClassifier(OnlineClassifier(AROW(), random_state=3)).partial_fit(X[:80], y[:80])
    keys = model.keys_
    before = [model.parent_.to_bytes(), *(model.model_of(key).to_bytes() for key in keys)]
    learn, calls = Machine.learn, []

    def stop_at_the_third(*given, **named):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return learn(*given, **named)

    monkeypatch.setattr(Machine, "learn", stop_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[80:], y[80:])
    assert [model.parent_.to_bytes(), *(model.model_of(key).to_bytes() for key in keys)] == before


def test_a_state_of_a_stranger():
    """Bytes that are no state are refused; none of them can do worse than predict badly."""
    X, y = frame(30)
    core = recipe().fit(X[["a", "b"]], y).machine.engine.core
    state = core.packed()
    spec = core.state()
    for bad in (
        b"",
        state[:-1],
        state[:3],
        state + b"1234567",
        state + state[4:28],
        state[:20] + b"\xff" * 8 + state[28:],
    ):
        machine = recipe().fit(X[["a", "b"]][:1], y[:1]).machine
        with pytest.raises(ValueError, match="state"):
            machine.make_engine().core.unpack(bad)
    fresh = recipe().fit(X[["a", "b"]][:1], y[:1]).machine.make_engine().core
    fresh.unpack(state)
    assert all(np.array_equal(fresh.state()[name], array) for name, array in spec.items())


def test_a_store_of_whole_model_files_goes_on(tmp_path):
    """Stores once held a model file per key."""
    X, y = frame(60)
    expected = KeyedClassifier(recipe()).partial_fit(X, y)
    half = KeyedClassifier(recipe()).partial_fit(X[:30], y[:30])
    older = KeyedClassifier(recipe(), store=tmp_path / "models.db")
    older.partial_fit(X[:30], y[:30])
    older.save(30)
    for key in range(4):
        older.store_.write(str(key), half.model_of(key).to_bytes())
    older.store_.commit()
    older.close()
    assert older.predict_proba(X[:5]).shape == (5, 2)
    older.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(older.predict_proba(X), expected.predict_proba(X))


def test_bad_rows_change_nothing():
    X, y = frame(30)
    model = KeyedClassifier(recipe()).partial_fit(X, y)
    before = model.parent_.to_bytes(), model.model_of(2).to_bytes()
    bad = X.copy()
    bad.loc[29, "a"] = np.inf
    with pytest.raises(ValueError, match="inf"):
        model.partial_fit(bad, y)
    with pytest.raises(ValueError, match="no string, bool or number"):
        model.partial_fit(X.assign(key=None), y)
    with pytest.raises(ValueError, match="column 'key'"):
        model.partial_fit(X[["a", "b"]], y)
    with pytest.raises(ValueError, match="one label per row"):
        model.partial_fit(X, y[:3])
    with pytest.raises(ValueError, match="needs its key"):
        model.learn_one({"a": 1.0}, "yes")
    assert (model.parent_.to_bytes(), model.model_of(2).to_bytes()) == before
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    assert clone(model).key == "key"
    with pytest.raises(ValueError, match="max_models"):
        KeyedClassifier(recipe(), max_models=0).partial_fit(X, y)


def learn(store, crash=-1):
    """Ten rows at a time, each saved, from where the store ends; killed in the middle of one if told so."""
    X, y = frame(90)
    model = KeyedClassifier(recipe(), max_models=2, store=store)
    for start in range(len(model.keys_) and model.position_, 90, 10):
        model.partial_fit(X[start : start + 10], y[start : start + 10], classes=["no", "yes"])
        if start == crash:
            os.kill(os.getpid(), signal.SIGKILL)
        model.save(start + 10)


@pytest.mark.slow
def test_a_kill_loses_and_repeats_nothing(tmp_path):
    store = str(tmp_path / "models.db")
    here = str(Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r}); import test_keyed; test_keyed.learn({store!r}, crash=40)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    learn(store)
    X, y = frame(90)
    undisturbed = KeyedClassifier(recipe()).partial_fit(X, y)
    resumed = KeyedClassifier(recipe(), store=store)
    for key in range(4):
        assert resumed.model_of(key).to_bytes() == undisturbed.model_of(key).to_bytes()
    assert resumed.position_ == 90
    with pytest.raises(ValueError, match="holds models already"):
        KeyedClassifier(recipe(), store=store).fit(X, y)


def test_a_file_that_is_no_store(tmp_path):
    (tmp_path / "x.db").write_bytes(b"no database" * 100)
    with pytest.raises(ValueError, match="is not a store of models"):
        KeyedClassifier(recipe(), store=tmp_path / "x.db").partial_fit(*frame(5))
