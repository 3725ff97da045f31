"""Progress and logging: silent unless asked for, complete if so."""

import logging

import numpy as np
import pytest

from onlineboost import NaiveBayes, OSBoostClassifier, prequential, progress
from onlineboost.machine.progress import watched_by

pytestmark = pytest.mark.quick

X = np.random.default_rng(0).normal(size=(500, 3))
Y = X[:, 0] > 0


def test_a_watcher_sees_every_row():
    seen = []
    with watched_by(lambda *told: seen.append(told)):
        OSBoostClassifier(n_passes=2).fit(X, Y)
    assert [told[:2] for told in seen].count((500, 500)) == 2
    seen.clear()
    OSBoostClassifier().fit(X, Y)
    assert not seen


@pytest.mark.parametrize("labels", [Y, Y + (X[:, 1] > 1)], ids=["two", "three"])
def test_a_watcher_is_told_the_error(labels):
    """That of `prequential`, whether a report is asked for or not; what is learned does not depend on it."""
    error = prequential(plain := OSBoostClassifier(NaiveBayes(), 5, random_state=0), X, labels, classes=None).error
    for learn in (OSBoostClassifier.partial_fit, prequential):
        seen, model = [], OSBoostClassifier(NaiveBayes(), 5, random_state=0)
        with watched_by(lambda *told, seen=seen: seen.append(told)):
            learn(model, X, labels)
        rows = sum(told[0] for told in seen if told[0] == told[1])
        assert rows == 500
        mistakes = sum(told[0] * told[2] for told in seen if told[0] == told[1])
        assert mistakes / 500 == pytest.approx(error, abs=0.005), "but for rows before the second label"
        assert np.array_equal(model.margin(X), plain.margin(X))


def test_a_bar_only_on_terminals(capsys):
    with progress():
        OSBoostClassifier().fit(X, Y)
    assert capsys.readouterr() == ("", "")
    for learn in (prequential, OSBoostClassifier.fit):
        with progress(force=True):
            learn(OSBoostClassifier(), X, Y)
        shown = capsys.readouterr().err
        assert "rows" in shown
        assert "error 0." in shown


def test_verbose_is_progress(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for learn in (prequential, OSBoostClassifier.fit, OSBoostClassifier.partial_fit):
        model = OSBoostClassifier(verbose=True)
        learn(model, X, Y)
        assert "error 0." in capsys.readouterr().err
        learn(model.set_params(verbose=False), X, Y)
        assert capsys.readouterr() == ("", "")
    with pytest.raises(ValueError, match="verbose"):
        OSBoostClassifier(verbose="loud").fit(X, Y)


def test_logging(caplog):
    with caplog.at_level(logging.INFO, logger="onlineboost"):
        prequential(OSBoostClassifier().fit(X, Y), X, Y)
    assert "OSBoostClassifier.fit: learned 500 examples" in caplog.text
    assert "prequential: 500 examples, error" in caplog.text
