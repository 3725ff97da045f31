"""Ctrl-C: a long batch stops at once, and what was learned until then stays, with its names and labels."""

from __future__ import annotations

import os
import pickle
import re
import signal
import threading
import time
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from states import same, snapshot
from table import make, stream

import onlineboost
from onlineboost import NaiveBayes, OneVsRest, OSBoostClassifier, Perceptron, _core, prequential
from onlineboost.machine import Machine

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("control_c")]

ROWS = 400_000  # seconds of work


def interrupted(action, after=0.2):
    """How many rows were learned, by the message; the action must end soon after the signal."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    walk = Machine.walk_rows

    def walk_with_timer(self, *rows, **more):
        threading.Timer(after, send).start()  # once the rows are checked, however long that takes
        return walk(self, *rows, **more)

    with patch.object(Machine, "walk_rows", walk_with_timer), pytest.raises(KeyboardInterrupt) as caught:
        action()
    assert time.monotonic() - sent[0] < 1.0
    told = re.fullmatch(rf"Stopped after ([\d,]+) of {ROWS:,} rows; these stay learned\.", str(caught.value))
    learned = int(told[1].replace(",", ""))
    assert 0 < learned < ROWS
    return learned


def long_stream():
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(1000, 30)) / 4.0
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    y[:600] = "no"
    return np.tile(X, (ROWS // 1000, 1)), np.tile(y, ROWS // 1000)


def model(n_learners=300):
    return OSBoostClassifier(Perceptron(), n_learners, random_state=0)


@pytest.mark.parametrize(("verb", "form"), [("fit", "dense"), ("partial_fit", "sparse"), ("partial_fit", "frame")])
def test_what_was_learned_stays(verb, form):
    X, y = long_stream()
    given = {
        "dense": X,
        "sparse": sp.csr_array(X),
        "frame": pd.DataFrame(X, columns=[f"f{j}" for j in range(30)], copy=False),
    }[form]
    m = model()
    learned = interrupted(lambda: getattr(m, verb)(given, y))
    part = given.iloc[:learned] if form == "frame" else given[:learned]
    assert same(snapshot(m), snapshot(model().partial_fit(part, y[:learned])))
    assert m.n_examples_ == learned
    copies = onlineboost.from_bytes(m.to_bytes()), pickle.loads(pickle.dumps(m))
    rest = slice(learned, learned + 50)
    more = given.iloc[rest] if form == "frame" else given[rest]
    expected = m.partial_fit(more, y[rest]).predict_proba(more)
    for again in copies:
        assert again.partial_fit(more, y[rest]).predict_proba(more).tobytes() == expected.tobytes()


def test_many_classes_keep_those_that_have_begun():
    X, y = long_stream()
    y = np.where(y == "yes", 1, 0)
    y[-1] = 7
    make_model = lambda: OneVsRest(OSBoostClassifier(Perceptron(), 100, random_state=0))  # noqa: E731
    m = make_model()
    learned = interrupted(lambda: m.partial_fit(X, y))
    assert 7 not in m.classes_
    assert same(snapshot(m), snapshot(make_model().partial_fit(X[:learned], y[:learned])))
    m.learn_one(X[0], 5)
    assert sorted(onlineboost.from_bytes(m.to_bytes()).classes_) == sorted({*y[:learned], 5})


def test_prequential_is_interrupted_as_well():
    X, y = long_stream()
    m = model()
    learned = interrupted(lambda: prequential(m, X, y))
    assert m.n_examples_ == learned


def test_a_new_name_inherits_nothing():
    """The names of an interrupted batch stay those of its weights."""

    def begun():
        made = OSBoostClassifier(NaiveBayes(), 1000, random_state=0)
        made.learn_one({"a": 1.0}, "no")
        made.learn_one({"b": 1.0}, "yes")
        return made

    m, spam, yes = begun(), pd.DataFrame({"spam": np.ones(ROWS)}), np.full(ROWS, "yes")
    learned = interrupted(lambda: m.partial_fit(spam, yes))
    twin = begun().partial_fit(spam[:learned], yes[:learned])
    for one in (m, twin):
        one.learn_one({"ham": 1.0}, "no")
    found = m.predict_proba_one({"ham": 1.0})
    assert found == twin.predict_proba_one({"ham": 1.0})
    assert found["yes"] < 0.9 < m.predict_proba_one({"spam": 1.0})["yes"]


@pytest.fixture
def short_slices():
    _core.set_slice_seconds(1e-9)
    yield
    _core.set_slice_seconds(0.05)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.usefixtures("short_slices")
def test_slices_change_no_bit(sparse, many):
    """Rows one at a time, and all in one: outputs stand at the places of their rows."""
    X, y = stream(200)
    given = sp.csr_array(X) if sparse else X
    found = []
    for seconds in (1e-9, 0.0):
        _core.set_slice_seconds(seconds)
        one = OneVsRest(make("osboost")) if many else make("osboost")
        opinion = one.learn_batch(given, y, report=True).opinion
        found.append((snapshot(one), opinion.decisions, opinion.probabilities))
    assert same(found[0], found[1])


@pytest.mark.usefixtures("short_slices")
def test_a_call_gives_the_row_to_go_on_with():
    X, y = stream(40)
    codes = np.where(y > 0, 1.0, -1.0)
    core = make("osboost").partial_fit(X, y).machine.engine.core
    before = core.rounds
    assert core.learn_dense(X, codes) == 1
    assert core.learn_dense(X, codes, start=1) == 2
    assert core.rounds == before + 2
    margins = np.full(40, np.nan)
    done = 20
    while done < 40:
        done = core.learn_dense(X, codes, margins=margins, start=done)
    assert np.isnan(margins[:20]).all()
    assert np.isfinite(margins[20:]).all()
    assert core.learn_dense(X, codes, start=40) == 40
    with pytest.raises(ValueError, match="no such row"):
        core.learn_dense(X, codes, start=41)
    _core.set_slice_seconds(0)
    assert core.learn_dense(X, codes) == 40
