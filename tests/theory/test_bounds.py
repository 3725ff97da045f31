"""Every bound of a certificate against its formula, from the learners' outputs: equalities, not inequalities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone
from twins import Scripted, ScriptedLearner

from onlineboost import OSBoostClassifier, reference
from onlineboost.theory import constants
from onlineboost.theory.bounds import eg_bound, expert_bound, majority_bound, ocp_bound

pytestmark = pytest.mark.quick

N, T, GAMMA = 12, 1500, 0.5
RNG = np.random.default_rng(8)
Y = RNG.choice([-1, 1], size=T)
Y[0] = 1  # the engine's +1 is the first label
H = np.clip(0.9 * Y[:, None] + RNG.normal(0, 0.3, size=(T, N)), -1, 1)
H[::10] *= -0.3  # so that OCP and EG have something to do
WEIGHTS = {"unit": None, "weighted": RNG.uniform(0.5, 1.5, size=T)}


def both(s, **options):
    """The certificate, and the reference's booster after the same outputs."""
    model = OSBoostClassifier(ScriptedLearner(), N, gamma=GAMMA, random_state=0, **options)
    slow = reference.OSBoost(Scripted(N), gamma=GAMMA, **options)
    for h, y, weight in zip(H, Y, np.ones(T) if s is None else s, strict=True):
        slow.learn(h, int(y), float(weight))
    return clone(model).partial_fit(H, Y, sample_weight=s).certificate(), slow


def best_hinge(s):
    """The least hinge loss of a prefix, as the certificate counts it: of sums, over the prefix's length."""
    theta = constants(GAMMA).theta
    z = np.cumsum(H * Y[:, None] - theta, axis=1)
    return float(np.min((np.ones(T) if s is None else s) @ np.maximum(0, -z) / np.arange(1, N + 1)))


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("vote", ["ocp", "eg"])
def test_of_a_vote_on_the_simplex(vote, weighted):
    """D²/(2η) + Σ η |gradient|²/2 with D² = 2 for OCP, ln N/η + Σ η s²/2 for EG; each mistake loses at least θ."""
    s = WEIGHTS[weighted]
    c, slow = both(s, vote=vote)
    rate, path = getattr(slow, f"{vote}_rate"), getattr(slow, f"{vote}_path")
    assert rate > 0
    bound = (1 if vote == "ocp" else math.log(N)) / rate + path / 2
    assert c.vote.regret_bound == pytest.approx(bound, rel=1e-9)
    assert c.vote.best_loss == pytest.approx(best_hinge(s), rel=1e-9)
    assert c.certified_vote_error == pytest.approx(
        (best_hinge(s) + bound) / constants(GAMMA).theta / c.weight, rel=1e-9
    )
    assert c.certified_vote_error < 1, "a bound that is cut off says nothing about its formula"
    prior = {"ocp": ocp_bound(T, N), "eg": eg_bound(T, N)}[vote]
    assert c.vote.prior_bound == pytest.approx(prior) if s is None else math.isnan(c.vote.prior_bound)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("rate", ["adahedge", "anytime", "paper", 0.3])
def test_of_a_vote_of_experts(rate, weighted):
    """Twice the mistakes of the best prefix and the regret, for the vote errs only where half the weight does."""
    s = WEIGHTS[weighted]
    c, slow = both(s, vote="experts", expert_rate=rate)
    squares = T if s is None else float(s @ s)
    eta = {"paper": math.log(2)}.get(rate, rate)
    if rate == "adahedge":
        bound = 2 * slow.Delta
    elif rate == "anytime":
        rates = 2 * np.sqrt(math.log(N) / np.arange(1, T + 1))
        bound = math.log(N) / rates[-1] + float(rates @ (np.ones(T) if s is None else s**2)) / 8
    elif s is None:
        small = (eta * c.vote.best_loss + math.log(N)) / (1 - math.exp(-eta)) - c.vote.best_loss
        bound = min(small, math.log(N) / eta + eta * T / 8)
    else:
        bound = math.log(N) / eta + eta * squares / 8
    assert c.vote.regret_bound == pytest.approx(bound, rel=1e-9)
    assert c.vote.best_loss == pytest.approx(slow.L.min(), rel=1e-9)
    assert c.vote.loss == pytest.approx(slow.expected_mistakes, rel=1e-9)
    certified = 2 * (slow.L.min() + bound) / c.weight
    if s is None and isinstance(eta, float):
        certified = min(certified, (eta * slow.L.min() + math.log(N)) / math.log(2 / (1 + math.exp(-eta))) / T)
    assert c.certified_vote_error == pytest.approx(certified, rel=1e-9)
    assert certified < 1


def test_of_the_uniform_vote():
    c, slow = both(None)
    assert c.certified_vote_error == pytest.approx(slow.mass[-1] / T, rel=1e-9)


def test_known_without_the_data():
    """At T = 100, N = 4, by hand."""
    assert ocp_bound(100, 4, 0.5) == pytest.approx(10 / 0.5 + 0.5 * 4 * 9.5)
    assert eg_bound(100, 4) == pytest.approx(20 * math.sqrt(math.log(4)))
    assert expert_bound(100, 4, "anytime", 7) == pytest.approx(10 * math.sqrt(math.log(4)))
    a, b = math.log(4), 4 / 3 * math.log(4) + 2
    assert expert_bound(100, 4, "adahedge", 90) == pytest.approx(10 * math.sqrt(a) + b)
    assert expert_bound(100, 4, "adahedge", 3) == pytest.approx(b + 2 * a + 2 * math.sqrt(a * (3 + a + b)))
    assert majority_bound(4, math.log(2), 7) == pytest.approx((7 + 2) / math.log2(4 / 3))
    assert majority_bound(1, 3.0, 0) == 0
    assert expert_bound(100, 4, "paper", 7) == pytest.approx((2 * math.log(2) - 1) * 7 + 2 * math.log(4))
    assert expert_bound(100, 4, 0.1, 90) == pytest.approx(math.log(4) / 0.1 + 0.1 * 100 / 8)
    for bound in (ocp_bound, eg_bound):
        assert bound(100, 1) == bound(0, 4) == 0
    assert expert_bound(100, 1, 0.1, 0) == expert_bound(0, 4, 0.1, 0) == 0


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33])
def test_fading_sums_are_what_they_say(n):
    """An example that is k examples old counts 2^(-k/half-life): for every prefix, also behind a full block."""
    h = np.clip(0.3 * Y[:300, None] + np.random.default_rng(n).normal(0, 0.5, size=(300, n)), -1, 1)
    y = Y[:300]
    recent = (
        OSBoostClassifier(ScriptedLearner(), n, fading=50, random_state=0).partial_fit(h, y).certificate(faded=True)
    )
    exact = constants(0.1)
    s = 0.5 ** (np.arange(299, -1, -1) / 50)
    m = h * y[:, None]
    z = np.cumsum(m - exact.theta, axis=1)
    np.testing.assert_allclose(recent.certified_error, s @ exact.weight(z) / s.sum(), rtol=1e-9)
    np.testing.assert_allclose(recent.observed_error, s @ (np.cumsum(m, axis=1) <= 0) / s.sum(), rtol=1e-9)
    np.testing.assert_allclose(recent.margin_error, s @ (z <= 0) / s.sum(), rtol=1e-9)
    w = s[:, None] * np.hstack([np.ones((300, 1)), exact.weight(z)[:, :-1]])
    np.testing.assert_allclose(recent.effective_examples, w.sum(axis=0) ** 2 / (w**2).sum(axis=0), rtol=1e-9)
    assert recent.vote_error == pytest.approx(recent.observed_error[-1], rel=1e-9)
