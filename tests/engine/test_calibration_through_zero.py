"""Calibration without an intercept: a probability is at least 1/2 exactly where the margin is at least 0."""

from __future__ import annotations

import math

import numpy as np
import pytest

from onlineboost import _core

PERCEPTRON = {
    "kind": "perceptron", "init": "zeros", "seed": 0, "width": 4.0, "intercept": True, "unit_norm": True,
}  # fmt: skip


def stream(n=400):
    """Mostly of one class, so that an intercept is wanted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 1.2 + 0.8 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def learned(**more):
    X, y = stream()
    model = _core.Model(1, PERCEPTRON, {"kind": "single", **more})
    margins, probabilities = np.empty(len(y)), np.empty(len(y))
    model.learn_dense(X, y, margins=margins, probabilities=probabilities)
    return model, margins, probabilities


def test_the_intercept_is_learned_unless_it_is_turned_off():
    default, with_intercept = learned(), learned(intercept_calibration=True)
    through_zero = learned(intercept_calibration=False)
    assert default[2].tobytes() == with_intercept[2].tobytes()
    assert default[1].tobytes() == through_zero[1].tobytes(), "margins do not depend on the calibration"
    assert default[0].state()["calibration"][1] > 0.1
    _, b, _, pab, pbb, *_ = through_zero[0].state()["calibration"]
    assert (b, pab, pbb) == (0.0, 0.0, 0.0)


def test_probability_and_margin_agree_in_sign():
    _, margins, probabilities = learned(intercept_calibration=False)
    assert ((probabilities >= 0.5) == (margins >= 0.0)).all()
    assert ((probabilities > 0.5) <= (margins > 0.0)).all()
    _, margins, probabilities = learned()
    assert ((probabilities >= 0.5) != (margins >= 0.0)).any(), "the stream is lopsided enough to tell"


def test_slope_follows_the_recursion_with_one_parameter():
    """Extended Kalman filter of P(+1) = sigmoid(a x), x the margin over its running root mean square."""
    model, margins, probabilities = learned(intercept_calibration=False)
    _, labels = stream()
    a, p, squares, weight, keep = 1.0, 4.0, 0.25, 1.0, 0.999
    for f, y, said in zip(margins, labels, probabilities, strict=True):
        x = f / (math.sqrt(squares / weight) + 1e-9)
        assert math.isclose(said, 1 / (1 + math.exp(-max(a, 1e-3) * x)), rel_tol=1e-7)
        spread, e = x * x * p, 0.0
        low, high = sorted((0.0, (y > 0) - 1 / (1 + math.exp(-a * x))))
        for _ in range(60):
            e = (low + high) / 2
            low, high = (e, high) if (y > 0) - 1 / (1 + math.exp(-(a * x + spread * e))) > e else (low, e)
        q = (y > 0) - e
        gain = q * (1 - q) / (1 + q * (1 - q) * spread)
        a, p = a + p * x * e, min(max((p - gain * (p * x) ** 2) / keep, 0.0), 4.0)
        squares, weight = keep * squares + f * f, keep * weight + 1
    assert math.isclose(model.state()["calibration"][0], a, rel_tol=1e-6)


def test_a_margin_that_rounds_away_keeps_its_side():
    """A state with a tiny margin: the sigmoid alone would say exactly 1/2."""
    model, *_ = learned(intercept_calibration=False)
    margin, probability = model.predict_row(np.array([0.0, 0.0, 0.0]), 3)
    state = model.state()
    state["coordinates"] *= 1e-300
    small = _core.Model(1, PERCEPTRON, {"kind": "single", "intercept_calibration": False})
    small.load(state)
    for x in np.random.default_rng(1).normal(size=(50, 3)):
        margin, probability = small.predict_row(x, 3)
        assert margin != 0.0
        assert (probability >= 0.5) == (margin >= 0.0)


def test_a_state_with_an_intercept_is_refused():
    state = learned()[0].state()
    model = _core.Model(1, PERCEPTRON, {"kind": "single", "intercept_calibration": False})
    with pytest.raises(ValueError, match="calibration"):
        model.load(state)


def test_each_class_of_one_against_the_rest():
    X, y = stream()
    model = _core.Classes(1, {"kind": "one_vs_rest"})
    for _ in range(2):
        model.add(PERCEPTRON, {"kind": "single", "intercept_calibration": False})
    model.learn_dense(X, (y[0] != y).astype(np.int64))
    state = model.state()
    for k in range(2):
        _, b, _, pab, pbb, *_ = state[f"class{k}.calibration"]
        assert (b, pab, pbb) == (0.0, 0.0, 0.0)
