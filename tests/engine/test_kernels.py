"""The smallest parts: exp and log, the hash and its draws, the weights of one example."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from states import bank_of, state_of
from twins import ScriptedLearner

from onlineboost import (
    BBMClassifier,
    OGBoostClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    _core,
    prequential,
    reference,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

drawn = settings(max_examples=100)


@pytest.fixture(params=_core.instruction_sets())
def instruction_set(request):
    before = _core.instruction_set()
    _core.use_instruction_set(request.param)
    yield
    _core.use_instruction_set(before)


# ---- exp and log -------------------------------------------------------------------------------------------------


def exp_log(x):
    x = np.ascontiguousarray(x, dtype=float)
    exps, logs = np.empty_like(x), np.empty_like(x)
    _core.exp_log(x, exps, logs)
    return exps, logs


def ulps(got, exact):
    """The error in units of the last place of the exact value, which has more bits where long doubles do."""
    return np.abs((got.astype(np.longdouble) - exact) / np.spacing(np.abs(exact.astype(float)))).astype(float)


@pytest.mark.usefixtures("instruction_set")
def test_exp_on_its_range():
    x = np.concatenate(
        [
            np.linspace(-708, 709, 40_001),
            np.linspace(-2, 2, 20_001),
            np.outer([-1, 1], 10.0 ** np.arange(-300, 3)).ravel(),
            np.log(2) * np.arange(-2001, 1023) / 2,  # where the reduced argument changes its sign or its power
            [0.0, -0.0, -708.0, 709.0],
        ]
    )
    assert ulps(exp_log(x)[0], np.exp(x.astype(np.longdouble))).max() <= 2


def test_exp_is_clamped_to_the_normal_range():
    """The weight of an example may become tiny but neither 0 nor infinite."""
    exps, _ = exp_log([-708.0, -709.0, -1e6, -math.inf, 709.0, 710.0, 1e6, math.inf])
    assert len(set(exps[:4])) == 1
    assert len(set(exps[4:])) == 1
    assert np.finfo(float).tiny <= exps[0] < 1e-306
    assert 1e307 < exps[4] < math.inf


@pytest.mark.usefixtures("instruction_set")
def test_log_on_its_range():
    tiny, huge = np.finfo(float).tiny, np.finfo(float).max
    near_one = 1 + np.outer([-1, 1], 2.0 ** np.arange(-52, -1)).ravel()
    x = np.concatenate(
        [
            np.linspace(1e-3, 4, 40_001),
            2.0 ** np.arange(-1022, 1024),
            math.sqrt(0.5) * 2.0 ** np.arange(-1021, 1024),  # where the mantissa wraps
            np.nextafter(math.sqrt(0.5), 0) * 2.0 ** np.arange(-1020, 1024),
            10.0 ** np.linspace(-307, 308, 20_001),
            near_one,
            [tiny, huge, 1.0],
        ]
    )
    logs = exp_log(x)[1]
    exact = np.log(x.astype(np.longdouble))
    assert ulps(logs[x != 1], exact[x != 1]).max() <= 2
    assert (logs[x == 1] == 0).all()


@drawn
@given(st.floats(-708, 709))
def test_exp_anywhere(x):
    assert math.isclose(exp_log([x])[0][0], math.exp(x), rel_tol=4.5e-16)


@drawn
@given(st.floats(np.finfo(float).tiny, np.finfo(float).max))
def test_log_anywhere(x):
    assert math.isclose(exp_log([x])[1][0], math.log(x), rel_tol=4.5e-16)


def test_the_same_bits_on_every_instruction_set():
    x = np.random.default_rng(0).uniform(-720, 720, 20_000)
    before = _core.instruction_set()
    results = []
    for name in _core.instruction_sets():
        _core.use_instruction_set(name)
        assert _core.instruction_set() == name
        results.append(np.concatenate(exp_log(x)).tobytes())
    _core.use_instruction_set(before)
    assert len(set(results)) == 1


def test_unknown_instruction_set():
    before = _core.instruction_set()
    with pytest.raises(ValueError, match="no such instruction set"):
        _core.use_instruction_set("mmx")
    assert _core.instruction_set() == before


# ---- the hash and its draws --------------------------------------------------------------------------------------


def test_hash_anchors():
    """Frozen: another value here means that no saved model goes on as it did."""
    assert int(reference.hash64(0, 1, 0, 0)) == 0x238275BC38FCBE91
    # By hand, with integers of any length in place of words of 64 bits.
    golden, word = 0x9E3779B97F4A7C15, 2**64

    def mix(x):
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % word
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % word
        return x ^ (x >> 31)

    for seed, purpose, a, b in [(0, 1, 0, 0), (word - 1, 4, 7, 9), (123, 2 + 256, 99, 10**12), (5, 1, 3, word - 1)]:
        x = mix((seed + golden * purpose) % word)
        x = mix((x + golden * (a + 1)) % word)
        x = mix((x + golden * (b + 1)) % word)
        assert int(reference.hash64(seed, purpose, a, b)) == x


def test_the_native_start_is_the_hash():
    """The coordinates of a Perceptron, before a step of any size, bit for bit."""
    seed, n, columns = 2**63 + 5, 11, 6
    model = OSBoostClassifier(Perceptron(), n, random_state=seed)
    model.partial_fit(np.ones((1, columns)), [0], sample_weight=[1e-99])
    ids = np.array([2**64 - 1, *range(columns)], dtype=np.uint64)[:, None]
    start = reference.start(seed, np.arange(n, dtype=np.uint64), ids) / math.sqrt(columns + 1)
    np.testing.assert_array_equal(state_of(model)["coordinates"], start)


RATES = [1e-300, 1e-9, 0.01, 0.5, 1.0, 2.5, 30.0, 499.9, 500.0, 500.1, 750.0, 1000.0, 1000.1, 1499.9]


@pytest.mark.parametrize("rate", [*RATES, -1.0, 0.0, 1500.0, 1e6, math.inf])
def test_poisson_equals_the_reference(rate):
    for learner in range(4):
        for round_ in (0, 1, 2, 77, 10**6, 2**40):
            for seed in (0, 1, 2**64 - 1):
                got = _core.poisson(rate, seed, learner, round_)
                assert got == reference.poisson(rate, seed, learner, round_)
                assert 0 <= got <= 1000


@drawn
@given(
    rate=st.floats(0, 1600),
    seed=st.integers(0, 2**64 - 1),
    learner=st.integers(0, 10**6),
    round_=st.integers(0, 2**62),
)
def test_poisson_equals_the_reference_anywhere(rate, seed, learner, round_):
    assert _core.poisson(rate, seed, learner, round_) == reference.poisson(rate, seed, learner, round_)


@pytest.mark.parametrize("rate", [0.05, 1.0, 3.3, 40.0, 620.0])
def test_poisson_has_its_mean_and_variance(rate):
    n = 20_000
    draws = np.array([_core.poisson(rate, 3, i % 100, i // 100) for i in range(n)])
    assert abs(draws.mean() - rate) < 4 * math.sqrt(rate / n)
    spread = math.sqrt((rate + 2 * rate**2) / n)  # the variance of the squared deviation is rate + 2 rate^2
    assert abs(draws.var() - rate) < 4 * spread


@pytest.mark.parametrize("rate", [1.0, 3.3])
def test_poisson_has_its_distribution(rate):
    draws = [_core.poisson(rate, 4, i % 50, i // 50) for i in range(20_000)]
    top = int(rate) + 5
    seen = np.bincount(np.minimum(draws, top), minlength=top + 1)
    wanted = stats.poisson.pmf(np.arange(top + 1), rate)
    wanted[top] = 1 - wanted[:top].sum()
    assert stats.chisquare(seen, wanted * len(draws)).pvalue > 1e-3


def test_uniform_is_uniform():
    u = reference.uniform(reference.hash64(9, 3, 0, np.arange(50_000, dtype=np.uint64)))
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 1e-3


# ---- the weights of one example ----------------------------------------------------------------------------------


def weights_of(booster, outputs, y=1.0):
    """What a booster hands to its learners for one example with these outputs."""
    model = booster.set_params(learner=ScriptedLearner(), n_learners=len(outputs), random_state=0)
    model.partial_fit(np.array([outputs]) * y, [y])
    return bank_of(model).weights, model


MARGINS = [1, -1, 0.5, 0.5, 0, 1]
Z = [0.952380952381, -0.095238095238, 0.357142857143, 0.809523809524, 0.761904761905, 1.714285714286]
NEXT_WEIGHTS = [0.951066137040, 1, 0.981361507823, 0.958250624508, 0.960657494066, 0.913648811900]


def test_golden_recursion_of_the_reference():
    w, z = reference.smooth_weights(np.array(MARGINS, dtype=float), 0.1, 1 / 21)
    np.testing.assert_allclose(z, Z, rtol=0, atol=1e-12)
    np.testing.assert_allclose(w, [1, *NEXT_WEIGHTS], rtol=0, atol=1e-12)


@pytest.mark.usefixtures("instruction_set")
@pytest.mark.parametrize("vote", ["uniform", "ocp", "eg", "experts"])
def test_golden_recursion_of_the_engine(vote):
    (w,), model = weights_of(OSBoostClassifier(None, gamma=0.1, vote=vote), MARGINS)
    np.testing.assert_allclose(w, [1, *NEXT_WEIGHTS[:-1]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.weight_mass_, [1, *NEXT_WEIGHTS], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("gamma", "theta", "beta"), [
    (0.05, 0.024390244, 0.025646647),
    (0.1, 0.047619048, 0.052680258),
    (0.25, 0.111111111, 0.143841036),
    (0.5, 0.2, 0.346573590),
])  # fmt: skip
def test_golden_constants(gamma, theta, beta):
    """One learner that is right with margin 1 leaves the weight exp(-beta (1 - theta))."""
    _, model = weights_of(OSBoostClassifier(None, gamma=gamma), [1.0])
    assert -math.log(model.weight_mass_[1]) == pytest.approx(beta * (1 - theta), abs=1e-8)


@drawn
@given(
    margins=st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=30),
    gamma=st.floats(1e-3, 0.5),
    share=st.floats(0, 0.99),
)
def test_recursion_anywhere(margins, gamma, share):
    wanted, _ = reference.smooth_weights(np.array(margins), gamma, gamma * share)
    (w,), model = weights_of(OSBoostClassifier(None, gamma=gamma, theta=gamma * share), margins)
    np.testing.assert_allclose(w, wanted[:-1], rtol=1e-13)
    np.testing.assert_allclose(model.weight_mass_, wanted, rtol=1e-13)


LOSS_SLOPES = {
    "logit": lambda v: 1 / (1 + math.exp(v)),
    "exp": lambda v: min(math.exp(-v), 1e6),
    "doom2": lambda v: 1 - math.tanh(v) ** 2,
    "savage": lambda v: 4 * math.exp(2 * v) / (1 + math.exp(2 * v)) ** 3,
}
FIRST_WEIGHTS = {"logit": 0.5, "exp": 1.0, "doom2": 1.0, "savage": 0.5}


@pytest.mark.parametrize("loss", LOSS_SLOPES)
def test_golden_weights_of_ogboost(loss):
    assert reference.loss_weight(loss, 0.0) == FIRST_WEIGHTS[loss]
    ((_, w, times),), _ = weights_of(OGBoostClassifier(None, loss=loss), [0.7])
    assert w == FIRST_WEIGHTS[loss]
    assert times == 1


@pytest.mark.parametrize("loss", LOSS_SLOPES)
@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_weights_of_ogboost_along_the_margin(loss, direction):
    """Learner m + 1 sees the slope at F = m h: both sides of 0, near and far."""
    given_out, _ = weights_of(OGBoostClassifier(None, loss=loss), [0.25 * direction] * 70)
    for m, (i, w, _) in enumerate(given_out):
        v = 0.25 * direction * m
        assert i == m
        assert w == pytest.approx(LOSS_SLOPES[loss](v), rel=1e-6 if loss == "doom2" else 1e-12, abs=1e-15)
        assert w == pytest.approx(reference.loss_weight(loss, v), rel=1e-12)


@pytest.mark.parametrize("loss", LOSS_SLOPES)
def test_far_margins_neither_overflow_nor_vanish(loss):
    for direction in (-1.0, 1.0):
        given_out, _ = weights_of(OGBoostClassifier(None, loss=loss), [direction] * 400)
        w = np.array([weight for _, weight, _ in given_out])
        assert np.isfinite(w).all()
        assert (w >= 0).all()
        assert (w <= 1e6).all()


def test_an_output_of_zero_is_wrong():
    """For either label: OGBoost's selector drops such a candidate, and OzaBoost gives such a learner no vote."""
    for y in (1, -1):
        X = np.array([[1.0, 1.0], [0.0, 0.5 * y]])  # the first row makes the label 1 the engine's +1
        model = OGBoostClassifier(ScriptedLearner(), 1, n_candidates=2, random_state=0)
        model.partial_fit(X, [1, y])
        assert model.margin(X[1:]) * y == 0.5
    model = OzaBoostClassifier(ScriptedLearner(), 2, random_state=0)
    model.partial_fit(np.array([[0.0, 1.0]]), [1])
    assert state_of(model)["correct"].tolist() == [0, 0.5]
    assert state_of(model)["wrong"].tolist() == [1, 0]


def test_rates_of_ozaboost():
    """With the update of weight lambda: right, wrong, right halves or keeps it as the sums say."""
    model = OzaBoostClassifier(ScriptedLearner(), 3, update="weight", random_state=0)
    model.partial_fit(np.array([[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]), [1, 1])
    weights = bank_of(model).weights
    # Row 1: lambda = 1, 1/2, 1/4. Row 2: 1; 2/(2 2) = 1/2; then sc = sw = 1/2: 1/2 1/(2 1/2) = 1/2.
    assert weights == [(0, 1.0, 1), (1, 0.5, 1), (2, 0.25, 1), (0, 1.0, 1), (1, 0.5, 1), (2, 0.5, 1)]


def test_a_rate_of_ozaboost_has_bounds():
    """A learner right on weight 1e9 and wrong on 1 asks for a rate of 5e8: 1e6 is given; 1e-100 at the other end."""
    model = OzaBoostClassifier(ScriptedLearner(), 3, update="weight", random_state=0)
    model.partial_fit(np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]), [1, 1], sample_weight=[1e9, 1.0])
    weights = [w for _, w, _ in bank_of(model).weights]
    assert weights[:5] == [1e9, 5e8, 2.5e8, 1.0, 1e6]
    assert weights[5] == pytest.approx(1e6 * (5e8 + 1e6) / (2 * (5e8 + 1e6)))
    model = OzaBoostClassifier(ScriptedLearner(), 400, update="weight", random_state=0)
    model.partial_fit(np.ones((1, 400)), [1])
    correct = state_of(model)["correct"]
    assert correct[330] == 2.0**-330
    assert (correct[334:] == 1e-100).all()


@pytest.mark.parametrize("output", ["sign", "real"])
def test_a_tied_vote_of_bbm_is_a_mistake(output):
    """Of the vote and of the majority alike, for either label; one that is not tied is not."""
    rows, labels = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [0.5, -0.25]]), [1, 1, -1, 1]
    state = state_of(BBMClassifier(ScriptedLearner(), 2, output=output, random_state=0).partial_fit(rows, labels))
    assert state["vote_mistakes"][0] == (3 if output == "sign" else 2)
    assert state["majority_mistakes"][0] == (3 if output == "sign" else 2)


@pytest.mark.usefixtures("instruction_set")
@pytest.mark.parametrize("n", [2, 10, 24])
def test_experts_of_equal_weight_cancel_exactly(n):
    """Half of the prefixes vote for each side: no rounding decides it."""
    outputs = np.zeros(n)
    outputs[0], outputs[n // 2] = 1.0, -1.0
    model = OSBoostClassifier(ScriptedLearner(), n, vote="experts", random_state=0)
    assert prequential(model, outputs[None], [1], classes=[-1, 1]).margins[0] == 0
