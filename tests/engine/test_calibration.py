"""The online calibration against its equations, solved by another root finder."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from states import fresh_engine, state_of
from twins import make_stream

from onlineboost import OSBoostClassifier, Perceptron, prequential

pytestmark = [pytest.mark.engine, pytest.mark.quick]

VARIANCE_A, VARIANCE_B, FORGETTING = 4.0, 0.25, 0.999


def sigmoid(v):
    return 1 / (1 + math.exp(-v)) if v > 0 else math.exp(v) / (1 + math.exp(v))


def learned(state, f, y, s):
    """One step of the extended Kalman filter with an implicit step: e = s (target - sigmoid(score + spread e))."""
    a, b, paa, pab, pbb, squares, weight = state
    target = 1.0 if y > 0 else 0.0
    x = f / (math.sqrt(squares / weight) + 1e-9)
    va, vb = paa * x + pab, pab * x + pbb
    spread, score = x * va + vb, a * x + b
    explicit = s * (target - sigmoid(score))
    e = brentq(lambda e: s * (target - sigmoid(score + spread * e)) - e, *sorted((0.0, explicit)), xtol=1e-300)
    p = sigmoid(score + spread * e)
    gain = s * p * (1 - p) / (1 + s * p * (1 - p) * spread)
    paa = min((paa - gain * va * va) / FORGETTING, VARIANCE_A)
    pbb = min((pbb - gain * vb * vb) / FORGETTING, VARIANCE_B)
    bound = 0.999 * math.sqrt(paa * pbb)
    pab = min(max((pab - gain * va * vb) / FORGETTING, -bound), bound)
    return [a + va * e, b + vb * e, paa, pab, pbb, FORGETTING * squares + s * f * f, FORGETTING * weight + s]


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 1e-3, 30.0, 1e6, 1e9])
def test_every_step_solves_its_equation(scale):
    stream = make_stream("gaussian", 3, 200, 5, weighted=True)
    weights = scale * stream.s
    model = OSBoostClassifier(Perceptron(), 10, random_state=1)
    state = [1.0, 0.0, VARIANCE_A, 0.0, VARIANCE_B, 0.25, 1.0]
    sign = None
    for t in range(200):
        result = prequential(
            model, stream.X[t : t + 1], stream.y[t : t + 1], classes=[-1, 1], sample_weight=weights[t : t + 1]
        )
        if weights[t] == 0:
            continue
        sign = sign or stream.y[t]  # the first label is +1 inside
        state = learned(state, sign * result.margins[0], sign * stream.y[t], weights[t])
        got = state_of(model)["calibration"]
        np.testing.assert_allclose(got, state, rtol=1e-8, atol=1e-8, err_msg=f"step {t}")
        state = got.tolist()


def test_probabilities_are_the_sigmoid_before_the_step():
    stream = make_stream("gaussian", 4, 60, 5, weighted=False)
    model = OSBoostClassifier(Perceptron(), 10, random_state=1).partial_fit(stream.X[:40], stream.y[:40])
    a, b, *_, squares, weight = state_of(model)["calibration"]
    scale = math.sqrt(squares / weight) + 1e-9
    sign = stream.y[0]
    f = sign * model.margin(stream.X[40:])
    wanted = [sigmoid(a * v / scale + b) for v in f]
    inside = model.predict_proba(stream.X[40:])[:, 1 if sign > 0 else 0]
    np.testing.assert_allclose(inside, wanted, rtol=0, atol=1e-14)


def test_weights_times_a_million_leave_probabilities_alike():
    stream = make_stream("gaussian", 5, 1000, 5, weighted=False)
    losses = [
        prequential(
            OSBoostClassifier(Perceptron(), 10, random_state=1), stream.X, stream.y, sample_weight=np.full(1000, weight)
        ).log_loss
        for weight in (1.0, 1e6)
    ]
    assert losses[1] < 1.25 * losses[0]


def test_a_model_of_an_older_file_keeps_its_steps():
    stream = make_stream("gaussian", 5, 60, 5, weighted=False)
    model = OSBoostClassifier(Perceptron(), 10, random_state=1).partial_fit(stream.X[:30], stream.y[:30])
    state = dict(state_of(model))
    heavy = np.full(30, 1e6)
    ended = []
    for fields in (state, {name: array for name, array in state.items() if name != "calibration_bisects"}):
        engine = fresh_engine(model)
        engine.load(fields)
        engine.learn_dense(stream.X[30:], np.asarray(stream.y[30:], float), heavy)
        ended.append(engine.state())
    assert [one["calibration_bisects"].tolist() for one in ended] == [[1], [0]]
    assert not np.array_equal(*(one["calibration"] for one in ended))
    for name in ended[0].keys() - {"calibration", "calibration_bisects", "set_thresholds"}:
        np.testing.assert_array_equal(*(one[name] for one in ended), err_msg=name)
