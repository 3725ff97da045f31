"""What is proved of the boosters that followed the paper, on drawn streams and on streams that were searched for."""

import math

import inequalities as ineq
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from states import bank_of, state_of
from twins import Scripted, ScriptedLearner

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    OnlineGradient,
    OSBoostClassifier,
    prequential,
    reference,
)
from onlineboost.theory import best_fixed_vote, eg_bound, expert_bound, hinge_loss


class Played(Scripted):
    """Scripted outputs for the reference, which tells its banks of new features."""

    def meet(self, x):
        pass


drawn = settings(max_examples=40)


def outputs(rng, T, N, *, tied):
    return rng.choice([-1.0, 0.0, 1.0], size=(T, N)) if tied else rng.uniform(-1, 1, size=(T, N))


# ---- I8e: exponentiated gradient ---------------------------------------------------------------------------------


def eg(h, y, gamma=0.1, s=None):
    """The reference's EG vote over scripted outputs, the rounds that moved it."""
    booster = reference.OSBoost(Played(h.shape[1]), gamma=gamma, vote="eg")
    active = 0
    for x, label, weight in zip(h, y, np.ones(len(y)) if s is None else s, strict=True):
        before = booster.eg_squares
        booster.learn(x, int(label), weight)
        active += booster.eg_squares > before
        assert booster.alpha.min() >= 0
        assert booster.alpha.sum() == pytest.approx(1, abs=1e-12)
    return booster, active


@drawn
@given(st.integers(1, 25), st.integers(1, 6), st.floats(1e-4, 0.5), st.integers(0, 2**32 - 1), st.booleans())
@example(1, 1, 0.1, 0, False)
def test_eg_on_drawn_streams(T, N, gamma, seed, tied):
    rng = np.random.default_rng(seed)
    h, y = outputs(rng, T, N, tied=tied), rng.choice([-1, 1], size=T)
    booster, active = eg(h, y, gamma)
    regret = booster.eg_loss - best_fixed_vote(h, y, booster.theta).loss
    measured = math.log(N) / booster.eg_rate + booster.eg_path / 2 if booster.eg_rate > 0 else 0
    assert booster.theta * booster.mistakes <= booster.eg_loss + 1e-9 * T
    assert regret <= measured + 1e-7 * T
    assert measured <= eg_bound(active, N) + 1e-9 <= eg_bound(T, N) + 2e-9


@drawn
@given(st.integers(1, 25), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_eg_with_sample_weights(T, N, seed):
    """The engine itself, and what its certificate reports."""
    rng = np.random.default_rng(seed)
    h, y, s = outputs(rng, T, N, tied=False), rng.choice([-1, 1], size=T), rng.exponential(size=T) + 1e-3
    model = OSBoostClassifier(ScriptedLearner(), N, vote="eg", random_state=0).partial_fit(h, y, sample_weight=s)
    c = model.certificate()
    assert c.violations == 0
    best = best_fixed_vote(h, y * y[0], c.constants.theta, s)  # inside, the first label is +1
    assert c.vote.loss - best.loss <= c.vote.regret_bound + 1e-7 * s.sum()


def test_eg_on_streams_that_were_searched_for():
    rng = np.random.default_rng(1)
    T, N = 12, 3
    y = np.ones(T, dtype=int)

    def excess(h):
        booster, active = eg(h, y, 0.3)
        best = min(hinge_loss(alpha, h, y, booster.theta) for alpha in np.eye(N))
        return booster.eg_loss - best - eg_bound(active, N)

    worst, _ = ineq.climb(excess, rng.choice([-1.0, 1.0], size=(T, N)), [-1, 1], rng, sweeps=1)
    assert worst <= 1e-9


def test_the_eg_bound_is_needed():
    """Two learners that are right in turn: a good part of what is allowed is lost."""
    turn = np.tile([1.0, -1.0], 200)
    c = (
        OSBoostClassifier(ScriptedLearner(), 2, vote="eg", random_state=0)
        .partial_fit(np.column_stack([turn, -turn]), np.ones(400))
        .certificate()
    )
    assert c.vote.regret > 0.2 * c.vote.regret_bound
    assert c.vote.regret_bound <= c.vote.prior_bound + 1e-9
    assert "EG vote" in c.summary()


# ---- I11: the potential of Online BBM ----------------------------------------------------------------------------

# SPEC 6.9: N = 5 and p = 0.6.
GOLDEN = [(1, 0, 0.1728), (2, 1, 0.144), (2, -1, 0.216), (3, 2, 0.08), (5, 0, 0.5), (5, 1, 0.5), (5, -4, 0.0)]


def test_golden_weights_of_bbm():
    for i, s, w in GOLDEN:
        assert reference.majority_weight(5, i, s, 0.6) == pytest.approx(w, abs=1e-12)
    assert reference.majority_potential(5, 0, 0, 0.6) == pytest.approx(0.31744, abs=1e-12)


@drawn
@given(st.integers(1, 40), st.floats(0.001, 0.499), st.data())
def test_a_step_of_the_potential(N, edge, data):
    """Phi_i(s + z) + w (z - 2 edge) = Phi_{i-1}(s): what makes the sums telescope."""
    i = data.draw(st.integers(1, N))
    s = data.draw(st.integers(0, i - 1)) * 2 - (i - 1)
    w = reference.majority_weight(N, i, s, 0.5 + edge)
    for z in (-1, 1):
        after = reference.majority_potential(N, i, s + z, 0.5 + edge) + w * (z - 2 * edge)
        assert after == pytest.approx(reference.majority_potential(N, i - 1, s, 0.5 + edge), abs=1e-11)


@drawn
@given(st.integers(1, 30), st.integers(1, 40), st.floats(0.001, 0.499), st.integers(0, 2**32 - 1), st.booleans())
@example(1, 1, 0.1, 0, False)
@example(3, 200, 0.1, 0, True)
def test_the_mistakes_of_the_majority_follow_from_the_edges(T, N, edge, seed, weighted):
    """I11, in the engine: mistakes = T Phi_0(0) - sum w (m - 2 edge), whatever the learners say; 0 is wrong."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], size=T)
    h = rng.choice([-0.7, 0.0, 0.2, 1.0], size=(T, N), p=[0.4, 0.05, 0.25, 0.3])
    s = rng.exponential(size=T) + 0.01 if weighted else np.ones(T)
    weights = ["relative", "absolute"][seed % 2]
    model = BBMClassifier(ScriptedLearner(), N, edge=edge, weights=weights, random_state=0)
    model.partial_fit(h, y, sample_weight=s)
    m = np.where(h * (y * y[0])[:, None] > 0, 1, -1)  # inside, the first label is +1
    counted = s @ (m.sum(axis=1) <= 0)
    assert model.expected_mistakes_ == pytest.approx(counted, abs=1e-9 * s.sum())
    state = state_of(model)
    assert state["majority_mistakes"][0] == pytest.approx(counted)
    assert state["vote_mistakes"][0] <= counted + 1e-9


@pytest.mark.parametrize("N", [1, 2, 64, 100, 1000, 20_000])
def test_weights_of_bbm_at_any_size(N):
    """Integers would overflow from 64 learners on. Weights are those of exact logarithms, and the largest is 1."""
    rng = np.random.default_rng(N)
    for bias in (0.5, 0.6, 0.9):
        m = np.where(rng.random(N) < bias, 1.0, -1.0)
        model = BBMClassifier(ScriptedLearner(), N, random_state=0)
        model.partial_fit(m[None], [1])
        (w,) = bank_of(model).weights
        sums = np.concatenate([[0], np.cumsum(m)[:-1]])
        R = N - np.arange(1, N + 1)
        k = np.floor((R - sums + 1) / 2)
        mode = np.minimum(np.floor((R + 1) * 0.6), R)
        inside = (k >= 0) & (k <= R)
        k = np.clip(k, 0, R)
        exact = np.where(inside, np.exp(binom.logpmf(k, R, 0.6) - binom.logpmf(mode, R, 0.6)), 0)
        np.testing.assert_allclose(w, exact, rtol=1e-7, atol=1e-90)
        assert w.max() <= 1


def test_bbm_gives_up_what_is_lost():
    """Nine learners: once six were wrong, the majority is lost, and once six were right it is won."""
    for side in (-1.0, 1.0):
        model = BBMClassifier(ScriptedLearner(), 9, random_state=0).partial_fit(np.full((1, 9), side), [1])
        (w,) = bank_of(model).weights
        assert (w[:5] > 0).all()
        assert (w[6:] == 0).all()


# ---- AdaBoost.OL -------------------------------------------------------------------------------------------------


def adaboost_ol(h, y, rate="paper"):
    """The reference over scripted outputs; its sums s_i before each update, per example."""
    booster = reference.AdaBoostOL(Played(h.shape[1]), output="real", expert_rate=rate)
    sums = []
    for x, label in zip(h, y, strict=True):
        sums.append(label * booster._scores(x))
        booster.learn(x, int(label))
    return booster, np.array(sums)


def logistic_loss(s):
    return np.logaddexp(0, -s)


def step_regret(h, y):
    """For each learner: sum of log(1 + exp(-s_i)) less that of the best fixed vote in [-2, 2], over sqrt(T)."""
    _, sums = adaboost_ol(h, y)
    before = np.column_stack([np.zeros(len(y)), sums[:, :-1]])
    z = h * y[:, None]
    grid = np.linspace(-2, 2, 81)[:, None, None]
    best = logistic_loss(before + grid * z).sum(axis=1).min(axis=0)
    return (logistic_loss(sums).sum(axis=0) - best).max() / math.sqrt(len(y))


@drawn
@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
@example(1, 1, 0, False)
def test_each_vote_of_adaboost_ol_has_small_regret(T, N, seed, tied):
    """Steps 4/sqrt(t) on an interval of length 4, gradients of at most 1: at most 6 sqrt(T), whatever the others do."""
    rng = np.random.default_rng(seed)
    assert step_regret(outputs(rng, T, N, tied=tied), rng.choice([-1, 1], size=T)) <= 6


def test_each_vote_of_adaboost_ol_on_streams_that_were_searched_for():
    rng = np.random.default_rng(3)
    y = np.ones(12, dtype=int)
    start = rng.choice([-1.0, 1.0], size=(12, 3))
    worst, _ = ineq.climb(lambda h: step_regret(h, y), start, [-1, 0, 1], rng, sweeps=2)
    assert 0.5 < worst <= 6  # the search found a stream that costs something


@drawn
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from(["paper", "adahedge", 0.3]))
def test_masses_and_experts_of_adaboost_ol(T, N, seed, rate):
    """W_i is at least half the mistakes of prefix i - 1, and the prefixes' vote keeps the bounds of I9."""
    rng = np.random.default_rng(seed)
    h, y = outputs(rng, T, N, tied=False), rng.choice([-1, 1], size=T)
    booster, sums = adaboost_ol(h, y, rate)
    mistakes = np.concatenate([[T], (sums <= 0).sum(axis=0)])  # no learner at all has no margin
    assert (booster.mass >= mistakes[:-1] / 2 - 1e-9).all()
    np.testing.assert_array_equal(booster.L, mistakes[1:])
    limit = expert_bound(T, N, 1.0 if rate == "paper" else rate, booster.L.min())
    assert booster.expected_mistakes - booster.L.min() <= limit + 1e-9 * T
    assert np.abs(booster.alpha).max() <= 2


def test_adaboost_ol_finds_the_learner_that_knows():
    """Two learners guess, the third is right three times in four: its prefix wins, without an edge being told."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=4000)
    right = np.where(rng.random(4000) < 0.75, y, -y)
    h = np.column_stack([rng.choice([-1.0, 1.0], size=(4000, 2)), right])
    model = AdaBoostOLClassifier(ScriptedLearner(), 3, output="sign", random_state=0)
    assert prequential(model, h, y).error < 0.27
    assert model.advantage_[2] > 0.4
    assert np.abs(model.advantage_[:2]).max() < 0.1


@pytest.mark.parametrize("update", ["weight", "sample"])
def test_what_adaboost_ol_hands_on(update):
    """The first example has weight 1/2 for all; drawn, about half of the learners get it, with weight 1."""
    model = AdaBoostOLClassifier(ScriptedLearner(), 1000, update=update, random_state=0)
    model.partial_fit(np.ones((1, 1000)), [1])
    (w,) = bank_of(model).weights
    if update == "weight":
        np.testing.assert_array_equal(w, 0.5)
    else:
        assert set(w) == {0.0, 1.0}
        assert 440 < w.sum() < 560


# ---- defensive boosting ------------------------------------------------------------------------------------------


class Adversary:
    """Labels that see the forecast: always against it, or against it while it is bold, or a fixed sequence."""

    def __init__(self, kind, rng):
        self.kind, self.rng = kind, rng

    def label(self, p):
        against = -1 if p > 0 else 1
        if self.kind == "against":
            return against
        if self.kind == "bold":
            return against if abs(p) > 0.5 else int(self.rng.choice([-1, 1]))
        return int(self.rng.random() < 0.7) * 2 - 1


def play(X, kind, rng):
    """The engine's forecasts against an adversary, one example at a time; the model, labels and forecasts."""
    model = DefensiveClassifier(OnlineGradient(intercept=False, unit_norm=False), random_state=0)
    model.partial_fit(np.zeros((1, X.shape[1])), [1], classes=[-1, 1])  # +1 is +1 inside; the forecast was 0
    adversary = Adversary(kind, rng)
    y, p = [1], [0.0]
    for x in X:
        forecast = float(model.margin([x])[0])
        assert -1 <= forecast <= 1
        assert model.predict_proba([x])[0, 1] == pytest.approx((1 + forecast) / 2, abs=1e-15)
        y.append(adversary.label(forecast))
        p.append(forecast)
        model.partial_fit([x], [y[-1]])
    return model, np.array(y), np.array(p)


@pytest.mark.parametrize("kind", ["against", "bold", "coin"])
@settings(max_examples=15)
@given(T=st.integers(1, 150), d=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_defensive_forecasts_compete_with_every_linear_function(kind, T, d, seed):
    """On any stream, even one made against it: neither strategy gains, and the squared error follows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, d))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
    model, y, p = play(X, kind, rng)
    rows, r = np.vstack([np.zeros(d), X]), y - p
    audit = model.audit()
    assert audit.brier_score == pytest.approx(np.mean(r**2) / 4)
    assert audit.forecast_gain == pytest.approx(p @ r, abs=1e-9 * T)
    assert audit.learner_gain <= audit.learner_bound
    assert abs(audit.forecast_gain) <= audit.forecast_bound
    learner_regret = math.sqrt(8 * float(r**2 @ (rows**2).sum(axis=1)))
    assert np.linalg.norm(r @ rows) <= audit.learner_bound + learner_regret + 1e-9
    f, *_ = np.linalg.lstsq(rows, y, rcond=None)  # the best linear function, and a shorter one
    for u in (f, f / max(1.0, float(np.linalg.norm(f)))):
        allowed = 2 * np.linalg.norm(u) * (audit.learner_bound + learner_regret) + 2 * audit.forecast_bound
        assert (r**2).sum() <= ((y - rows @ u) ** 2).sum() + allowed + 1e-9


@drawn
@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.booleans())
def test_nobody_gains_from_a_defensive_forecast(T, seed, weighted):
    """Σ h r and |Σ p r| stay below their bounds for any outputs h and any sample weights."""
    rng = np.random.default_rng(seed)
    h, y = outputs(rng, T, 1, tied=bool(seed % 3 == 0)), rng.choice([-1, 1], size=T)
    s = rng.exponential(size=T) * 10 ** rng.uniform(-3, 3) + 1e-6 if weighted else np.ones(T)
    model = DefensiveClassifier(ScriptedLearner(), random_state=0)
    p = prequential(model, h, y, sample_weight=s).margins
    p = p * y[0] if len(set(y)) == 2 else p  # inside, the first label is +1
    z = y * y[0]
    audit = model.audit()
    assert audit.learner_gain == pytest.approx(float((s * h[:, 0]) @ (z - p)), abs=1e-9 * s.sum())
    assert audit.forecast_gain == pytest.approx(float((s * p) @ (z - p)), abs=1e-9 * s.sum())
    assert audit.learner_gain <= audit.learner_bound + 1e-9 * s.sum()
    assert abs(audit.forecast_gain) <= audit.forecast_bound + 1e-9 * s.sum()


def test_a_defensive_forecast_learns_how_sure_to_be():
    """A learner that is right four times in five: its Brier score nears 0.16, that of the right probability."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=20_000)
    h = np.where(rng.random(20_000) < 0.8, y, -y)[:, None].astype(float)
    result = prequential(DefensiveClassifier(ScriptedLearner(), random_state=0), h, y)
    assert result.error < 0.21
    assert np.mean((result.probabilities - result.positive) ** 2) < 0.17


@pytest.mark.quick
def test_a_vote_of_zero_is_a_mistake():
    """Untaught gradient learners say 0."""
    model = BBMClassifier(OnlineGradient(), 5, random_state=0)
    model.learn_one({"a": 1.0}, 1)
    assert model.machine.booster_state()["vote_mistakes"] == 1.0
