"""Theorem 1 and its corollary, run: where weak learning holds by construction, the predicted N and T are enough."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onlineboost import Bank, Learner, OnlineGradient, OSBoostClassifier, prequential, reference
from onlineboost.theory.synthetic import WISHES, ReluctantBank, ReluctantLearner, linear_stream, reluctant_stream

drawn = settings(max_examples=40)
PLAIN = {"intercept": False, "unit_norm": False}  # rows of the linear streams have length 1 as they are


def sizes(gamma, delta):
    """The N and T of Theorem 1, with the constants of Lemma 3 and c = 8."""
    return math.ceil(2 / (delta * gamma**2)), math.ceil(8 / (delta * gamma**2))


def sharp_size(gamma, delta):
    """The largest K that the potential argument leaves room for; below N."""
    theta, beta = gamma / (2 + gamma), -math.log(1 - gamma) / 2
    gamma_hat = (math.exp(beta * (1 + theta)) - 1) / beta - 1
    return 1 / (beta * delta * (2 * gamma - gamma_hat))


def certified_prefix(model, delta, T):
    """k*: the first k learners for which W_{k+1} < δT, or None."""
    small = np.flatnonzero(model.weight_mass_[1:] < delta * T)
    return int(small[0]) + 1 if len(small) else None


# ---- the streams keep what they promise --------------------------------------------------------------------------


@drawn
@given(
    gamma=st.floats(0.01, 0.5),
    wish=st.sampled_from(WISHES),
    weighting=st.sampled_from(["ones", "random", "spiteful", "zeros"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_reluctant_learner_has_the_advantage_under_any_weights(gamma, wish, weighting, seed):
    """Recounted here, with weights that look at the outputs: large for a mistake, small otherwise."""
    X, y = reluctant_stream(wish, 150, 4, gamma=gamma, random_state=seed)
    random = np.random.default_rng(seed)
    bank, total, weight = ReluctantBank(4, gamma), np.zeros(4), np.zeros(4)
    for x, label in zip(X, y, strict=True):
        margins = label * bank.predict(x)
        w = {
            "ones": np.ones(4),
            "random": random.random(4),
            "spiteful": np.where(margins < 0, 1.0, 0.05),
            "zeros": np.round(random.random(4)),
        }[weighting]
        bank.update(x, float(label), w)
        total, weight = total + w * margins, weight + w
        assert (total >= 2 * gamma * weight - 1e-9).all()
        if wish == "always":
            assert (total < 2 * gamma * weight + 3 + 1e-9).all(), "and hardly more than it must"
    seen = weight > 0
    np.testing.assert_allclose(bank.advantages[seen], total[seen] / weight[seen])


@drawn
@given(
    gamma=st.floats(0.02, 0.3),
    delta=st.floats(0.02, 1),
    minority=st.floats(0, 0.5),
    extra=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_linear_hypothesis_has_the_advantage_under_smooth_weights(gamma, delta, minority, extra, seed):
    """The worst weights are 1 on every flipped label and the rest of δT, or more, on anything else."""
    T = 400
    stream = linear_stream(T, gamma=gamma, delta=delta, minority=minority, random_state=seed)
    np.testing.assert_allclose(np.linalg.norm(stream.X, axis=1), 1)
    assert np.linalg.norm(stream.u) == pytest.approx(1)
    w = np.random.default_rng(seed).random(T)
    w[stream.flipped] = 0
    missing = delta * T * (1 + extra) - stream.flipped.sum()
    w = np.minimum(w * missing / w.sum(), 1)
    w[stream.flipped] = 1
    if w.sum() >= delta * T:
        assert stream.advantage(w) >= 3 * gamma - 1e-9
    assert stream.advantage(np.ones(T)) >= 3 * gamma - 1e-9
    if stream.flipped.any():
        assert stream.advantage(stream.flipped.astype(float)) < 0, "weights that are not smooth find the flipped labels"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gamma": 0.31}, "gamma"),
        ({"delta": 0}, "delta"),
        ({"minority": 0.6}, "minority"),
        ({"n_features": 2}, "n_feat"),
    ],
)
def test_streams_refuse_what_cannot_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        linear_stream(10, **{"gamma": 0.1, "delta": 0.1, **wrong})
    with pytest.raises(ValueError, match="wish must be one of"):
        reluctant_stream("never", 10, 1, gamma=0.1)


def test_a_stream_with_its_labels_exchanged_is_refused():
    X, y = reluctant_stream("always", 10, 1, gamma=0.1, random_state=0)
    with pytest.raises(ValueError, match="the first one is \\+1"):
        OSBoostClassifier(ReluctantLearner(0.1), 3).partial_fit(-X, -y)


# ---- Theorem 1 ---------------------------------------------------------------------------------------------------

CELLS = [(0.3, 0.2), (0.3, 0.1), (0.25, 0.1), (0.2, 0.1)]


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize(("gamma", "delta"), CELLS)
@pytest.mark.parametrize("longer", [1, 3])
def test_theorem_1(wish, gamma, delta, longer):
    N, T = sizes(gamma, delta)
    T *= longer
    X, y = reluctant_stream(wish, T, N, gamma=gamma, random_state=1)
    learner = ReluctantLearner(gamma)
    model = OSBoostClassifier(learner, N, gamma=gamma, random_state=0)
    prequential(model, X, y)
    W = model.weight_mass_
    k = certified_prefix(model, delta, T)
    assert k is not None
    assert k <= sharp_size(gamma, delta) <= N
    assert (W[:k] >= delta * T).all()
    assert (W[:k] >= 8 / gamma**2 * (1 - 1e-12)).all(), "condition (2) held for every learner of the prefix"

    columns = X.shape[1] if wish != "coins" else k + 1
    prefix = OSBoostClassifier(learner, k, gamma=gamma, random_state=0)
    result = prequential(prefix, X[:, :columns], y)
    np.testing.assert_array_equal(prefix.weight_mass_, W[: k + 1])
    theta = gamma / (2 + gamma)
    assert np.mean(y * result.margins <= 0) <= np.mean(y * result.margins <= theta) <= W[k] / T < delta

    experts = OSBoostClassifier(learner, N, gamma=gamma, vote="experts", expert_mode="expected", random_state=0)
    assert prequential(experts, X, y).error <= delta + 2 * math.sqrt(math.log(N) / T)


@pytest.mark.parametrize("wish", ["always", "hard"])
def test_boosting_did_it(wish):
    """One of these learners alone errs on far more than δ, so the theorem's conclusion is not there from the start."""
    gamma, delta = 0.2, 0.1
    N, T = sizes(gamma, delta)
    X, y = reluctant_stream(wish, T, N, gamma=gamma, random_state=1)
    alone = prequential(OSBoostClassifier(ReluctantLearner(gamma), 1, gamma=gamma, random_state=0), X, y)
    assert alone.error > 2 * delta


def test_without_the_advantage_there_is_no_conclusion():
    """The same run with learners whose advantage is a tenth of the assumed one."""
    gamma, delta = 0.25, 0.1
    N, T = sizes(gamma, delta)
    X, y = reluctant_stream("always", T, N, gamma=gamma, random_state=1)
    model = OSBoostClassifier(ReluctantLearner(gamma / 10), N, gamma=gamma, random_state=0)
    error = prequential(model, X, y).error
    assert certified_prefix(model, delta, T) is None
    assert error > delta


# ---- Corollary 1 -------------------------------------------------------------------------------------------------


class Accounted(Bank):
    """The NumPy OnlineGradient, with Σ w y h and Σ w kept beside it."""

    def __init__(self, bank):
        self.bank = bank
        self.n_learners = bank.n_learners
        self.total, self.weight = np.zeros(self.n_learners), np.zeros(self.n_learners)

    def predict(self, x):
        return self.bank.predict(x)

    def update(self, x, y, w):
        self.total += w * y * self.predict(x)
        self.weight += w
        self.bank.update(x, int(y), w)


class AccountedLearner(Learner):
    def make_bank(self, n_learners, n_features, seed):
        type(self).bank = Accounted(reference.OnlineGradient(n_learners, n_features, **PLAIN))
        return self.bank


@pytest.mark.parametrize(("gamma", "delta", "minority"), [(0.25, 0.1, 0.1), (0.2, 0.1, 0.1), (0.15, 0.1, 0.25)])
def test_corollary_1(gamma, delta, minority):
    N, T = sizes(gamma, delta)
    stream = linear_stream(T, gamma=gamma, delta=delta, minority=minority, random_state=2)
    model = OSBoostClassifier(OnlineGradient(**PLAIN), N, gamma=gamma, random_state=0)
    prequential(model, stream.X, stream.y)
    k = certified_prefix(model, delta, T)
    assert k is not None
    assert k <= sharp_size(gamma, delta)
    prefix = OSBoostClassifier(OnlineGradient(**PLAIN), k, gamma=gamma, random_state=0)
    result = prequential(prefix, stream.X, stream.y)
    assert stream.flipped.mean() / 2 < result.error <= model.weight_mass_[k] / T < delta


def test_corollary_1_needs_boosting_and_gets_weak_learning():
    """Lemma 1: where the mass is at least 8/γ², each learner's advantage is 2γ. And one learner alone is not enough."""
    gamma, delta = 0.15, 0.1
    N, T = sizes(gamma, delta)
    stream = linear_stream(T, gamma=gamma, delta=delta, random_state=2)
    alone = prequential(OSBoostClassifier(OnlineGradient(**PLAIN), 1, gamma=gamma), stream.X, stream.y)
    assert alone.error > 1.5 * delta
    model = OSBoostClassifier(AccountedLearner(), N // 8, gamma=gamma, random_state=0)
    error = prequential(model, stream.X, stream.y).error
    bank = AccountedLearner.bank
    np.testing.assert_allclose(bank.weight, model.weight_mass_[:-1])
    heavy = bank.weight >= 8 / gamma**2
    assert 10 < heavy.sum() < N // 8
    assert (bank.total[heavy] >= 2 * gamma * bank.weight[heavy]).all()
    assert error < delta


def test_labels_without_a_hyperplane_are_not_certified():
    gamma, delta = 0.2, 0.1
    N, T = sizes(gamma, delta)
    stream = linear_stream(T, gamma=gamma, delta=delta, random_state=2)
    y = np.random.default_rng(0).permutation(stream.y)
    model = OSBoostClassifier(OnlineGradient(**PLAIN), N, gamma=gamma, random_state=0)
    assert prequential(model, stream.X, y).error > 0.4
    assert certified_prefix(model, delta, T) is None
