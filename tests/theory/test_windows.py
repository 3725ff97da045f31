"""Certificates of the recent stream: what they say on a stream that drifts, and that they keep little."""

from __future__ import annotations

import numpy as np
import pytest
from twins import ScriptedLearner

from onlineboost import NaiveBayes, OSBoostClassifier, from_bytes
from onlineboost.theory import Windows

pytestmark = pytest.mark.quick


def _model(**options):
    return OSBoostClassifier(ScriptedLearner(), 3, random_state=0, **options)


def _learn(model, keeper, h, y, size):
    for at in range(0, len(y), size):
        model.partial_fit(h[at : at + size], y[at : at + size])
        keeper.keep()


@pytest.mark.parametrize("batch", [1, 7, 30, 400])
def test_a_window_is_the_recent_stream(batch):
    """Its numbers are those of the last so many rows, counted by hand."""
    rng = np.random.default_rng(0)
    h, y = rng.uniform(-1, 1, size=(1000, 3)), np.where(rng.random(1000) < 0.6, 1, -1)
    y[0] = 1
    model = _model()
    keeper = Windows(model, 200)
    for at in range(0, 1000, batch):
        model.partial_fit(h[at : at + batch], y[at : at + batch])
        keeper.keep()
        c, seen = keeper.certificate(), min(at + batch, 1000)
        n = c.n_examples
        assert min(200, seen) <= n < 200 + 20 + 2 * batch
        part = slice(seen - n, seen)
        margins = np.cumsum(h[part] * y[part, None], axis=1)
        np.testing.assert_allclose(c.observed_error, (margins <= 0).mean(axis=0), atol=1e-12)
        assert c.violations == 0
        assert len(keeper._kept) <= 10 + 2


def test_a_stream_that_drifts():
    """Right for ever, then wrong: the window says so after its own length, the whole stream's average does not."""
    h, y = np.ones((6000, 3)), np.repeat([1, -1], [5000, 1000])
    model = _model(fading=100)
    keeper = Windows(model, 500)
    _learn(model, keeper, h[:5000], y[:5000], 50)
    assert keeper.certificate().observed_error[0] == 0
    _learn(model, keeper, h[5000:], y[5000:], 50)
    recent = keeper.certificate()
    assert recent.observed_error[0] == 1
    assert recent.certified_error[-1] == pytest.approx(1)
    assert "After 500 examples" in recent.summary()
    assert model.certificate(faded=True).observed_error[0] > 0.99
    assert model.certificate().observed_error[0] == pytest.approx(1 / 6)


def test_what_was_learned_before_is_no_part_of_it():
    h, y = np.ones((60, 3)), np.repeat([1, -1], 30)
    model = _model().partial_fit(h[:30], y[:30])
    keeper = Windows(model, 100)
    assert keeper.certificate() is None
    model.partial_fit(h[30:], y[30:])
    assert keeper.certificate().n_examples == 30
    assert keeper.certificate().observed_error[0] == 1


def test_nothing_learned():
    keeper = Windows(_model(), 10)
    keeper.keep()
    assert keeper.certificate() is None
    with pytest.raises(ValueError, match="size"):
        Windows(_model(), 0)


@pytest.mark.parametrize("vote", ["uniform", "ocp", "experts"])
def test_a_model_with_history_has_windows_in_its_file(vote):
    """The last n are the difference to the certificate that a model of the examples before has, at every n."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 0] + rng.normal(size=1500) > 0, 1, -1)
    model = OSBoostClassifier(NaiveBayes(), 5, vote=vote, random_state=0, history=True)
    parts = OSBoostClassifier(NaiveBayes(), 5, vote=vote, random_state=0, history=True)
    model.partial_fit(X, y)
    for at in range(0, 1500, 130):
        parts = from_bytes(parts.partial_fit(X[at : at + 130], y[at : at + 130], classes=[-1, 1]).to_bytes())
    assert parts.to_bytes() == model.to_bytes()
    for last in (1, 30, 100, 400, 700):
        window = parts.certificate(last=last)
        assert last <= window.n_examples < 1.5 * last + 64 or window.n_examples == 1500
        before = OSBoostClassifier(NaiveBayes(), 5, vote=vote, random_state=0)
        before.partial_fit(X[: 1500 - window.n_examples], y[: 1500 - window.n_examples], classes=[-1, 1])
        wanted = model.certificate().since(before.certificate())
        np.testing.assert_allclose(window.certified_error, wanted.certified_error, rtol=1e-9)
        np.testing.assert_allclose(window.observed_error, wanted.observed_error, rtol=1e-9)
        np.testing.assert_equal(vars(window.vote), vars(wanted.vote))
    assert model.certificate(last=10**6).n_examples == 1500
    assert len(model.machine.booster_state()["checkpoint_examples"]) < 20
    with pytest.raises(ValueError, match="history"):
        before.certificate(last=10)
