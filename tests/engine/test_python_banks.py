"""Banks in Python that raise, break, refuse copies and refer to themselves."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
from states import bank_of, same
from table import LEARNERS, make, stream

from onlineboost import (
    Bank,
    BlackBox,
    Learner,
    OneVsRest,
    OSBoostClassifier,
    OzaBoostClassifier,
)
from onlineboost.learners import undoable

LINUX = sys.platform == "linux"

pytestmark = pytest.mark.engine


def run(code, **more):
    """A process of its own: it may crash."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False, **more
    )


class Fragile(Bank):
    """Raises at the learner `broken` for a row that begins with `BAD`, after those before it were taught."""

    broken, outage = None, False
    BAD = 99.0

    def __init__(self, n_learners):
        self.n_learners, self.balance, self.kept = n_learners, np.zeros(n_learners), []

    def predict(self, x):
        return np.tanh(self.balance)

    def update(self, x, y, w):
        for i in np.flatnonzero(w):
            if Fragile.outage or (i == Fragile.broken and x[0] == Fragile.BAD):
                raise ZeroDivisionError("the bank broke")
            self.balance[i] += w[i] * y
        self.kept.append(x.sum())
        x[:] = -1.0  # what a bank is given is its own


class FragileLearner(Learner):
    def make_bank(self, n_learners, n_features, seed):
        return Fragile(n_learners)


BOOSTERS_OF_SWEEPS = [
    "osboost",
    "ocp",
    "eg",
    "experts",
    "bbm",
    "adaboost-ol-w",
    "defensive",
    "gradient-boost",
    "single",
]


def contents(m):
    """All that the engine and the banks hold."""
    specs = [spec for spec, _ in m.machine.engine.classes] if hasattr(m.machine.engine, "classes") else None
    banks = [spec["bank"].bank for spec in specs or [m.machine.engine.bank]]
    return m.machine.engine.core.state(), [(bank.balance.copy(), list(bank.kept)) for bank in banks]


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("booster", [*BOOSTERS_OF_SWEEPS, "ozaboost", "ogboost", "many"])
@pytest.mark.parametrize("verb", ["learn_one", "partial_fit", "dict"])
def test_a_bank_that_raises_midway_leaves_the_model_as_it_was(booster, verb, at, monkeypatch):
    """It goes on like a twin that never saw the row; earlier rows are replayed on the copy, for many or few of them."""
    monkeypatch.setitem(LEARNERS, "fragile", FragileLearner())
    monkeypatch.setattr(undoable, "PATIENCE", 1e9 if at else 0.0)
    m, twin = ((OneVsRest(make("osboost", "fragile")) if booster == "many" else make(booster, "fragile")) for _ in "12")
    X, y = stream(12)
    given = (lambda x: {f"f{j}": v for j, v in enumerate(x)}) if verb == "dict" else (lambda x: x)
    monkeypatch.setattr(Fragile, "broken", at)
    bad = given(np.array([Fragile.BAD, *X[0, 1:]])) | {"new": 1.0} if verb == "dict" else np.array([99.0, *X[0, 1:]])
    raised = 0
    for k, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        if k >= 6:
            before = contents(m)
            try:
                m.partial_fit([bad], [label]) if verb == "partial_fit" else m.learn_one(bad, label)
            except ZeroDivisionError:
                raised += 1
                assert same(contents(m), before)
            else:  # OzaBoost has drawn 0 repetitions for the learner
                twin.learn_one(bad, label)
        for one in (m, twin):
            one.learn_one(given(x), label)
    assert raised or (booster in {"single", "defensive"} and at)  # which have or teach fewer learners
    assert same(contents(m), contents(twin))
    assert same(contents(pickle.loads(pickle.dumps(m))), contents(twin))


def test_a_bank_that_breaks_for_a_while(monkeypatch):
    """While it raises whatever it is taught, nothing can be taken back: that is done at its next use that works."""
    monkeypatch.setattr(undoable, "PATIENCE", 1e9)
    m, twin = (OzaBoostClassifier(FragileLearner(), 3, update="weight", random_state=0) for _ in "12")
    X, y = stream(12)
    for x, label in zip(X, y.tolist(), strict=True):
        m.learn_one(x, label)
        twin.learn_one(x, label)
    Fragile.outage = True
    for use in (lambda: m.learn_one(X[0], 1), lambda: m.predict_one(X[0])):
        with pytest.raises(ZeroDivisionError, match="the bank broke"):
            use()
    Fragile.outage = False
    assert m.predict_proba_one(X[0]) == twin.predict_proba_one(X[0])
    assert same(contents(m), contents(twin))


def test_a_bank_that_cannot_be_copied_is_refused():
    m = OSBoostClassifier(FragileLearner(), 3, random_state=0).partial_fit(*stream(12))
    bank_of(m).lock = threading.Lock()
    with pytest.raises(TypeError, match=r"^The bank Fragile cannot be copied .* Give it a method __deepcopy__\.$"):
        m.learn_one(stream()[0][0], 1)


def test_black_box_refuses_a_row_before_any_of_its_models_learns_it():
    from sklearn.linear_model import SGDClassifier

    m = OSBoostClassifier(BlackBox(SGDClassifier(loss="log_loss")), 3, random_state=0)
    m.learn_one({0: 1.0, 1: -1.0}, 0)
    m.learn_one({0: -1.0, 1: 1.0}, 1)
    before = copy.deepcopy([model.coef_ for model in bank_of(m).models])
    with pytest.raises(ValueError, match="3 features"):
        m.learn_one({0: 1.0, 2: 1.0}, 0)
    assert same(before, [model.coef_ for model in bank_of(m).models])


class Backwards(Learner):
    """Its bank refers to the estimator."""

    def make_bank(self, n_learners, n_features, seed):
        bank = Fragile(n_learners)
        bank.owner = self.owner
        return bank


@pytest.mark.parametrize("wrap", [lambda m: m, OneVsRest])
def test_a_bank_that_refers_to_its_estimator_is_freed(wrap):
    model = Backwards.owner = wrap(OSBoostClassifier(Backwards(), 3, random_state=0))
    model.partial_fit(*stream(10))
    gone = weakref.ref(model)
    del model, Backwards.owner
    gc.collect()
    assert gone() is None


def test_no_leak_is_reported_at_exit():
    done = run("""
        import numpy as np
        from onlineboost import *
        class Zero(Bank):
            n_learners = 3
            def predict(self, x): return np.zeros(3)
            def update(self, x, y, w): pass
        class Own(Learner):
            def make_bank(self, n_learners, n_features, seed): return Zero()
        model = OSBoostClassifier(Own(), 3, random_state=0).partial_fit([[1.0], [2.0]], [0, 1])
    """)
    assert (done.returncode, done.stderr) == (0, "")
