"""The certificate against what it says, computed again from recorded outputs; plans, suggestions, fixed votes."""

import itertools
import json
import math
import pickle
import re
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import SEED, ScriptedLearner, make_stream

from onlineboost import NaiveBayes, OnlineGradient, OSBoostClassifier, Perceptron, theory
from onlineboost.theory import constants

pytestmark = pytest.mark.quick

drawn = settings(max_examples=40)
VOTES = ("uniform", "ocp", "eg", "experts")


def scripted(h, y, s=None, **options):
    """A model whose learners said h, row by row; the engine's +1 is the first label."""
    y = np.asarray(y)
    model = OSBoostClassifier(ScriptedLearner(), h.shape[1], random_state=0, **options)
    model.partial_fit(h * y[0], y, sample_weight=s)
    return model


def learned(n=400, n_learners=12, learner=None, **options):
    stream = make_stream("gaussian", 3, n, 6, weighted=False)
    model = OSBoostClassifier(learner or NaiveBayes(), n_learners, random_state=SEED, **options)
    return model.partial_fit(stream.X, stream.y), stream


# ---- constants and plans ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gamma", "theta", "beta", "gamma_hat", "learners"), [
    (0.05, 0.024390244, 0.025646647, 0.037965346, 628.5431),
    (0.1, 0.047619048, 0.052680258, 0.077066715, 154.4126),
    (0.25, 0.111111111, 0.143841036, 0.204827362, 23.5527),
    (0.5, 0.2, 0.346573590, 0.488043466, 5.6360),
])  # fmt: skip
def test_golden_constants(gamma, theta, beta, gamma_hat, learners):
    c = constants(gamma)
    assert (c.theta, c.beta, c.gamma_hat) == pytest.approx((theta, beta, gamma_hat), abs=1e-9)
    assert c.most_learners(1) == pytest.approx(learners, abs=1e-4)
    assert c.kappa == pytest.approx(c.gamma_hat - c.theta)


def test_constants_for_a_tiny_gamma():
    """κ is β(1+θ)²/2 there, where the closed form cancels; both branches meet."""
    for gamma in (1e-12, 1e-8, 1e-5):
        c = constants(gamma)
        assert c.kappa == pytest.approx(c.beta * (1 + c.theta) ** 2 / 2, rel=1e-4)
    below, above = constants(0.001995), constants(0.002)
    assert above.kappa / below.kappa == pytest.approx(above.gamma / below.gamma, rel=1e-3)
    assert constants(0.1, 0.05).most_learners(0) == math.inf
    assert constants(0.99, 0.99).most_learners(0.5) == math.inf, "no advantage is left over"


def test_gamma_hat_is_below_gamma_on_the_admissible_range():
    for gamma in np.linspace(1e-3, 0.5246, 200):
        assert constants(gamma).gamma_hat <= gamma
    assert constants(0.5247).gamma_hat > 0.5247


def test_plan():
    plan = theory.plan(0.1, 0.1)
    assert (plan.n_learners, plan.n_examples, plan.sharp_n_learners) == (2000, 8000, 1545)
    assert plan.gamma == 0.1
    assert plan.prefix_error() == 0.1
    assert plan.experts_error(10**9) == pytest.approx(0.1, abs=1e-3)
    for bound in (plan.ocp_error, plan.eg_error):
        assert bound(10**12) == pytest.approx(2.2, abs=1e-2)  # 22 delta
    assert plan.error() == plan.majority_error() == 2 * plan.experts_error()
    assert plan.experts_error(rate="paper") == pytest.approx(0.141, abs=5e-4)
    assert theory.plan(0.1, 0.1, expert_mode="expected").error() == pytest.approx(0.1231, abs=1e-4)
    assert theory.plan(0.1, 0.1, expert_rate="paper").error(10**9) == pytest.approx(0.241, abs=1e-3)
    for vote in ("ocp", "eg"):
        assert "no bound below 1" in str(theory.plan(0.1, 0.1, vote=vote))
    assert "No bound is known for the uniform vote" in str(theory.plan(0.1, 0.1, vote="uniform"))
    with pytest.raises(ValueError, match="no bound for the uniform vote"):
        theory.plan(0.1, 0.1, vote="uniform").error()
    with pytest.raises(ValueError, match="does not speak of 7,999 examples"):
        theory.plan(0.1, 0.1, n_examples=7999)
    with pytest.raises(ValueError, match="does not speak"):
        plan.error(100)
    for wrong in ({"vote": "majority"}, {"expert_mode": "draw"}, {"expert_rate": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            theory.plan(0.1, 0.1, **wrong)
    assert plan.experts_error() > plan.experts_error(10**6)
    assert "2,000 learners and 8,000 examples" in str(plan)
    assert "error at most 0.246 after 8,000 examples" in str(plan)
    assert "error at most" in str(theory.plan(0.5, 0.001, vote="ocp"))
    for gamma, delta in itertools.product([0.5, 0.1, 0.01], [1.0, 0.3, 0.01]):
        plan = theory.plan(gamma, delta)
        assert plan.n_learners >= plan.sharp_n_learners > constants(gamma).most_learners(delta) * (1 - 1e-9)
    with pytest.raises(ValueError, match="delta"):
        theory.plan(0.1, 0)


# ---- the certificate -------------------------------------------------------------------------------------------------


@st.composite
def streams(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    T, N = draw(st.integers(1, 30)), draw(st.integers(1, 20))
    if draw(st.booleans()):
        h = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(T, N))  # ties
    else:
        h = np.clip(rng.normal(0.2, 0.6, size=(T, N)), -1, 1)
    y = rng.choice([-1, 1], size=T)
    return h * y[:, None], y, rng.exponential(size=T) + 0.01 if draw(st.booleans()) else None


@drawn
@given(
    streams(), st.sampled_from(VOTES), st.floats(0.01, 0.5), st.booleans(), st.sampled_from(["adahedge", "paper", 0.7])
)
def test_every_field_is_what_it_says(case, vote, gamma, no_theta, rate):
    h, y, s = case
    theta = 0.0 if no_theta else None
    model = scripted(h, y, s, gamma=gamma, theta=theta, vote=vote, expert_rate=rate)
    c = model.certificate()
    s = np.ones(len(y)) if s is None else s
    m, T, N = h * y[:, None], s.sum(), h.shape[1]
    exact = constants(gamma, theta)
    z = np.cumsum(m - exact.theta, axis=1)
    w = np.hstack([np.ones((len(y), 1)), exact.weight(z)])
    W = s @ w
    assert c.n_examples == len(y)
    assert c.weight == pytest.approx(T)
    np.testing.assert_allclose(c.certified_error, W[1:] / T, rtol=1e-12)
    np.testing.assert_allclose(c.mass_share, W[:-1] / T, rtol=1e-12)
    np.testing.assert_allclose(c.observed_error, s @ (np.cumsum(m, axis=1) <= 0) / T, rtol=1e-12)
    np.testing.assert_allclose(c.advantage, s @ (w[:, :-1] * m) / W[:-1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(c.potential, s @ exact.phi(z), rtol=1e-8, atol=1e-9 * T * N)
    np.testing.assert_allclose(c.effective_examples, W[:-1] ** 2 / (s**2 @ w[:, :-1] ** 2), rtol=1e-9)
    assert c.violations == 0
    assert (c.observed_error <= c.certified_error + 1e-12).all()
    assert c.vote_error <= c.certified_vote_error + 1e-12
    assert 1 <= c.effective_learners() <= N
    assert c.summary()
    assert str(c) == c.summary()
    json.dumps(c.to_dict(), allow_nan=False)


def test_all_right_and_all_wrong():
    right = scripted(np.ones((1000, 100)), np.ones(1000)).certificate()
    beta, theta = right.constants.beta, right.constants.theta
    np.testing.assert_allclose(right.certified_error, np.exp(-beta * (1 - theta) * np.arange(1, 101)), rtol=1e-9)
    assert (right.observed_error == 0).all()
    assert right.best_prefix == 100
    n = right.effective_learners()
    assert right.mass_share[n - 1] >= 0.05 > right.mass_share[n]
    assert (
        f"Learners {n + 1}–100 saw under 5 % of the weight: N = {n} would do for a certified error of 5 %."
        in right.summary()
    )
    assert right.prefix_for(1.0) == 1
    assert right.prefix_for(0.0) is None
    wrong = scripted(-np.ones((1000, 5)), np.ones(1000)).certificate()
    assert (wrong.certified_error == 1).all()
    assert wrong.effective_learners(1.0) == 5, "a share that is reached exactly is reached"
    assert wrong.prefix_for(1.0) is None
    assert "says nothing yet" in wrong.summary()
    assert "no better than guessing" in wrong.summary()


def test_summary_of_one_learner_and_of_the_first():
    one = scripted(np.ones((50, 1)), np.ones(50)).certificate()
    assert "the one learner erred on at most" in one.summary()
    assert "Too little weight so far" in one.summary()
    first = scripted(np.tile([1.0, -1.0], (50, 1)), np.ones(50)).certificate()
    assert first.best_prefix == 1
    assert "the first learner alone erred" in first.summary()
    some = scripted(np.tile([1.0, 1.0, -1.0], (50, 1)), np.ones(50)).certificate()
    assert "the first 2 learners alone erred" in some.summary()


@pytest.mark.parametrize("vote", VOTES)
def test_summary_begins_with_the_headline(vote):
    model, _ = learned(vote=vote)
    first = model.certificate().summary().splitlines()[0]
    pattern = r"After 400 examples: .* erred on at most \d+\.\d % \(certified\), \d+\.\d % \(observed\)\."
    assert re.fullmatch(pattern, first)


def test_a_model_without_examples_has_no_certificate():
    with pytest.raises(ValueError, match="learned nothing yet"):
        OSBoostClassifier(Perceptron()).certificate()


def test_margin_scale_tightens_the_certificate():
    plain, scaled = (learned(2000, 50, Perceptron(), margin_scale=scale)[0].certificate() for scale in (1.0, 8.0))
    assert scaled.certified_error[-1] < plain.certified_error[-1] / 1.5
    assert scaled.margin_scale == 8
    assert scaled.violations == plain.violations == 0
    with pytest.raises(ValueError, match="margin_scale"):
        learned(margin_scale=0.0)


def test_certificate_survives_pickling_and_time():
    model, _ = learned(2000, 100)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.certificate().to_dict() == model.certificate().to_dict()
    start = time.perf_counter()
    model.certificate().summary()
    assert time.perf_counter() - start < 0.5  # the page of results asks for 50 ms, on a quiet machine


# ---- parts of a stream -----------------------------------------------------------------------------------------------


def test_a_window_is_the_difference_of_two_certificates():
    rng = np.random.default_rng(0)
    h, y = rng.uniform(-1, 1, size=(60, 5)), rng.choice([-1, 1], size=60)
    h *= y[0]
    for vote in VOTES:
        model = OSBoostClassifier(ScriptedLearner(), 5, vote=vote, random_state=0)
        early = model.partial_fit(h[:40], y[:40]).certificate()
        window = model.partial_fit(h[40:], y[40:]).certificate().since(early)
        m = h[40:] * (y[40:] * y[0])[:, None]
        np.testing.assert_allclose(window.observed_error, (np.cumsum(m, axis=1) <= 0).mean(axis=0))
        assert window.n_examples == 20
        assert window.violations == 0
        assert window.summary()
        assert math.isnan(window.certified_vote_error) == (vote != "uniform")
        with pytest.raises(ValueError, match="earlier certificate"):
            early.since(model.certificate())


@drawn
@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(-12, 12))
def test_the_anytime_rate_with_sample_weights(T, N, seed, spread):
    """ln N / η_T + Σ η_t s_t² / 8, and what it bounds, from the outputs alone."""
    rng = np.random.default_rng(seed)
    h, y = rng.uniform(-1, 1, size=(T, N)), rng.choice([-1, 1], size=T)
    s = np.exp(spread * rng.random(T))
    c = scripted(h, y, s, vote="experts", expert_rate="anytime").certificate()
    eta = 2 * np.sqrt(np.log(N) / np.arange(1, T + 1))
    bound = np.log(N) / eta[-1] + eta @ s**2 / 8 if N > 1 else 0.0
    assert c.vote.regret_bound == pytest.approx(bound, rel=1e-9)
    wrong = s[:, None] * (np.cumsum(h * y[:, None], axis=1) <= 0)
    losses, expected = np.zeros(N), 0.0
    for rate, lost in zip(eta, wrong, strict=True):
        weights = np.exp(-rate * (losses - losses.min()))
        expected += weights @ lost / weights.sum()
        losses += lost
    assert c.vote.loss == pytest.approx(expected, rel=1e-9)
    assert expected - losses.min() <= bound * (1 + 1e-9) + 1e-9 * s.sum()
    assert c.violations == 0
    json.dumps(c.to_dict(), allow_nan=False)


def test_the_anytime_bound_is_needed():
    """Two experts that err in turn, the lighter examples first: most of what is allowed is used up."""
    T = 400
    turn = np.tile([1.0, -1.0], T // 2)
    h = np.column_stack([0.4 * turn, -turn])
    s = np.linspace(0.2, 1.0, T)
    c = scripted(h, np.ones(T, int), s, vote="experts", expert_rate="anytime").certificate()
    assert c.vote.regret > 0.2 * c.vote.regret_bound


def test_fading_sums_forget():
    """A learner that turns from right to wrong: the fading certificate says so, the whole one averages."""
    h = np.ones((2000, 4))
    y = np.repeat([1, -1], 1000)
    model = OSBoostClassifier(ScriptedLearner(), 4, fading=50, random_state=0).partial_fit(h, y)
    assert model.certificate().observed_error[0] == 0.5
    recent = model.certificate(faded=True)
    assert recent.observed_error[0] > 0.999
    assert recent.half_life == pytest.approx(50)
    assert recent.weight == pytest.approx(1 / (1 - 0.5 ** (1 / 50)), rel=1e-3)
    assert "halving every 50" in recent.summary()
    for vote in ("ocp", "eg", "experts"):
        other = OSBoostClassifier(ScriptedLearner(), 4, fading=50, vote=vote, random_state=0).partial_fit(h, y)
        assert other.certificate(faded=True).vote_error > 0.999
        assert "vote erred on 100.0 %" in other.certificate(faded=True).summary()
        assert other.certificate(faded=True).violations == 0
    assert recent.violations == 0
    with pytest.raises(ValueError, match="fading"):
        learned()[0].certificate(faded=True)
    with pytest.raises(ValueError, match="fading"):
        learned(fading=0.5)


# ---- the best fixed vote ---------------------------------------------------------------------------------------------


@drawn
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(0, 0.5), st.booleans())
def test_best_fixed_vote_against_brute_force(T, seed, theta, weighted):
    """Three learners: a fine grid on the simplex does not beat the linear programme, and comes near it."""
    rng = np.random.default_rng(seed)
    h, y = rng.uniform(-1, 1, size=(T, 3)), rng.choice([-1, 1], size=T)
    s = rng.exponential(size=T) if weighted else np.ones(T)
    best = theory.best_fixed_vote(h, y, theta, s)
    assert best.alpha.min() >= 0
    assert best.alpha.sum() == pytest.approx(1)
    n = 60
    grid = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]) / n
    losses = np.maximum(0, theta - (grid @ h.T) * y) @ s
    assert best.loss <= losses.min() + 1e-8
    assert losses.min() <= best.loss + 3 * s.sum() / n
    assert best.loss == pytest.approx(theory.hinge_loss(best.alpha, h, y, theta, s))


@pytest.mark.parametrize("learner", [Perceptron(), NaiveBayes(), OnlineGradient()])
@pytest.mark.parametrize("weighted", [False, True])
def test_recorded_outputs_give_the_regret(learner, weighted):
    """What was recorded explains every sum of the certificate, dense or sparse, and the model is as if untouched."""
    stream = make_stream("gaussian", 8, 300, 5, weighted=weighted)
    for given_as in (stream, stream.csr()):
        model = OSBoostClassifier(learner, 6, vote="ocp", margin_scale=2.0, random_state=SEED)
        said = theory.record(model, given_as.X, stream.y, sample_weight=stream.s)
        plain = OSBoostClassifier(learner, 6, vote="ocp", margin_scale=2.0, random_state=SEED)
        plain.partial_fit(stream.X, stream.y, sample_weight=stream.s)
        c = model.certificate()
        assert c.to_dict() == plain.certificate().to_dict()
        assert said.h.shape == (300, 6)
        learned_ones = said.sample_weight > 0
        h, y, s = said.h[learned_ones], said.y[learned_ones], said.sample_weight[learned_ones]
        margins = y[:, None] * np.cumsum(h, axis=1)
        np.testing.assert_allclose(c.sums.mistakes, s @ (margins <= 0), rtol=1e-9)
        best = theory.best_fixed_vote(h, y, c.constants.theta, s)
        assert best.loss <= c.vote.best_loss + 1e-7
        assert c.vote.loss - best.loss <= c.vote.regret_bound + 1e-7


def test_best_fixed_vote_of_one_and_of_the_perfect():
    assert theory.best_fixed_vote([[0.5]], [-1], 0.1).loss == pytest.approx(0.6)
    best = theory.best_fixed_vote([[1, -1], [1, 1]], [1, 1], 0.1)
    assert best.loss == 0
    assert best.alpha[0] >= 0.55 - 1e-9
    for h, y in [([[2.0]], [1]), ([[0.5]], [0]), ([[0.5]], [1, 1]), ([0.5], [1])]:
        with pytest.raises(ValueError):
            theory.best_fixed_vote(h, y, 0.1)


# ---- weak learning ---------------------------------------------------------------------------------------------------


def test_suggested_gamma_is_half_the_least_advantage():
    m = np.ones((4000, 3))
    m[:1000, 1] = -1  # advantage 1/2, but for the weights
    model = scripted(m, np.ones(4000))
    found = theory.suggest_gamma(model)
    c = model.certificate()
    assert found.learner == 2
    assert found.gamma == pytest.approx(c.advantage[1] / 2)
    assert found.enough
    spare = c.advantage[1] - c.constants.gamma_hat
    assert found.n_learners == math.floor(1 / (c.constants.beta * 0.1 * spare)) + 1
    assert f"{found.n_learners:,} learners of this advantage are sure to certify δ = 0.1" in str(found)
    assert theory.suggest_gamma(c) == found
    assert "is worth a try" in str(theory.suggest_gamma(scripted(np.full((9000, 3), 0.1), np.ones(9000))))
    assert "more are needed to judge" in str(theory.suggest_gamma(scripted(np.full((10, 3), 0.1), np.ones(10))))


def test_no_gamma_where_a_learner_has_no_edge():
    found = theory.suggest_gamma(scripted(np.tile([1.0, -0.1], (500, 1)), np.ones(500)))
    assert found.gamma is None
    assert found.learner == 2
    assert "That is no edge" in str(found)
    guess = theory.suggest_gamma(scripted(np.tile([-0.1], (500, 1)), np.ones(500)))
    assert "no better than guessing" in str(guess)


@pytest.mark.parametrize("learner", [Perceptron(), NaiveBayes(), OnlineGradient()])
def test_check_weak_learner(learner):
    stream = make_stream("gaussian", 5, 3000, 6, weighted=False)
    found = theory.check_weak_learner(learner, stream.X, stream.y, gamma=0.1, n_learners=10)
    assert found.useful
    assert found.suggestion.gamma > 0
    assert found.certificate.violations == 0
    assert str(found).startswith("It had an edge")


def test_check_of_a_useless_a_strong_and_an_unjudged_learner():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=2000)
    coin = np.full((2000, 2), 0.5) * rng.choice([-1, 1], size=(2000, 1))
    guess = theory.check_weak_learner(ScriptedLearner(), coin, y, n_learners=2)
    assert not guess.useful or guess.suggestion.gamma < 0.05
    assert "missed the advantage" in str(guess)
    second = theory.check_weak_learner(ScriptedLearner(), np.tile([1.0, -1.0], (2000, 1)), np.ones(2000), n_learners=2)
    assert "1 of 2 learners with enough weight missed the advantage 2γ = 0.2, the first of them learner 2." in str(
        second
    )
    perfect = theory.check_weak_learner(ScriptedLearner(), np.ones((2000, 2)), np.ones(2000), n_learners=2)
    assert "hardly weak" in str(perfect)
    assert "too short" in str(theory.check_weak_learner(ScriptedLearner(), np.ones((9, 2)), np.ones(9), n_learners=2))
    wrong = theory.check_weak_learner(ScriptedLearner(), -np.ones((2000, 2)), np.ones(2000), n_learners=2)
    assert str(wrong).startswith("Boosting cannot use it")


# ---- the figure ------------------------------------------------------------------------------------------------------


def test_plot_draws_three_lines_in_order():
    c = scripted(np.ones((1000, 100)), np.ones(1000)).certificate()
    axes = c.plot()
    certified, thin, observed = (line.get_ydata() for line in axes.get_lines()[:3])
    np.testing.assert_array_equal(certified, c.certified_error)
    assert (observed <= thin).all()
    assert (thin <= certified).all()
    assert any("5 %" in text.get_text() for text in axes.texts)
    small = learned(n_learners=3)[0].certificate()
    assert small.plot(axes) is axes


def test_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"onlineboost\[plot\]"):
        learned()[0].certificate().plot()


@pytest.mark.parametrize("gamma", [5e-324, 1e-300, 1e-160])
def test_an_advantage_next_to_none(gamma):
    X, y = np.eye(4)[[0, 1, 2, 3] * 3], [0, 1] * 6
    certificate = OSBoostClassifier(Perceptron(), 3, gamma=gamma, fading=5.0, random_state=0).fit(X, y).certificate()
    assert not certificate.mass_suffices.any()
    assert not certificate.weight_suffices.any()
    assert "12 examples" in certificate.summary()
    assert json.dumps(certificate.to_dict(), allow_nan=False)


@pytest.mark.parametrize(("weight", "said"), [(1.0, False), (1e15, True)])
def test_sums_that_no_longer_count(weight, said):
    """Beyond 2^53 an example of weight 1 is lost, and the summary says so."""
    X, y = np.eye(20), np.arange(20) % 2
    model = OSBoostClassifier(Perceptron(), 3, random_state=0).partial_fit(X, y, sample_weight=np.full(20, weight))
    assert ("sum to more than 2^53" in model.certificate().summary()) is said
    before = model.certificate().weight
    assert (model.partial_fit(X[:1], y[:1]).certificate().weight == before) is said
