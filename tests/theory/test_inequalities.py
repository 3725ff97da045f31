"""The inequalities of docs/theory.md, on drawn streams and on streams that a search bends towards breaking them.

Identifiers are those of the table there. `test_every_mutant_is_caught` tests these tests.
"""

import itertools
import math

import inequalities as ineq
import numpy as np
import pytest
from hypothesis import example, given, settings, target
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import Scripted, ScriptedLearner

from onlineboost import OSBoostClassifier, reference
from onlineboost.reference import boosters as reference_boosters
from onlineboost.theory import best_fixed_vote, constants, expert_bound, hinge_loss, ocp_bound


class Played(Scripted):
    """Scripted outputs for the reference, which tells its banks of new features."""

    def meet(self, x):
        pass


drawn = settings(max_examples=40)

margins = st.floats(-1, 1, allow_subnormal=False) | st.sampled_from([-1.0, 0.0, 1.0])
gammas = st.floats(1e-4, 0.5) | st.sampled_from([1e-6, 0.1, 0.5])
shares = st.floats(0, 1) | st.sampled_from([0.0, 0.999, 1.0])  # theta / gamma; 1 for the inequalities that allow it


@st.composite
def runs(draw, weighted=True):
    gamma = draw(gammas)
    theta = draw(st.just(gamma / (2 + gamma)) | st.builds(lambda share: share * gamma, shares))
    shape = (draw(st.integers(1, 12)), draw(st.integers(1, 40)))
    m = draw(arrays(np.float64, shape, elements=margins | st.just(theta)))
    s = draw(arrays(np.float64, shape[0], elements=st.floats(0.01, 10))) if weighted and draw(st.booleans()) else None
    return ineq.run(m, gamma, theta, s)


EDGES = [
    ineq.run(m, gamma, theta)
    for gamma, share in itertools.product([1e-6, 0.1, 0.5], [0.0, 0.5, 0.999])
    for theta in [gamma * share]
    for T, N in [(1, 1), (1, 30), (7, 1), (5, 12)]
    for m in (
        np.zeros((T, N)),
        np.ones((T, N)),
        -np.ones((T, N)),
        np.full((T, N), theta),
        np.resize([1.0, -1.0], (T, N)),
    )
]


@pytest.mark.parametrize("name", ineq.EACH)
def test_holds_on_drawn_streams(name):
    """I1 to I7: any stream, any learners."""

    @drawn
    @given(runs())
    def holds(r):
        found = ineq.EACH[name](r)
        if math.isfinite(found):
            target(found)  # hypothesis itself climbs
        assert found <= ineq.ROOM

    holds()


@pytest.mark.parametrize("name", ineq.EACH)
def test_holds_at_the_edges(name):
    for r in EDGES:
        assert ineq.EACH[name](r) <= ineq.ROOM


@pytest.mark.parametrize("name", ["I3", "I3m", "I4", "I5", "I6"])
@pytest.mark.parametrize(("gamma", "share"), [(0.1, None), (0.5, None), (0.02, 0.999), (0.3, 0.0)])
def test_holds_on_streams_that_were_searched_for(name, gamma, share):
    rng = np.random.default_rng(5)
    theta = gamma / (2 + gamma) if share is None else gamma * share
    check = ineq.EACH[name]
    for T, N in [(1, 1), (1, 12), (3, 6)]:
        start = rng.uniform(-1, 1, size=(T, N))
        if name == "I6":
            start = np.abs(start)  # with an advantage to begin with
        worst, _ = ineq.climb(lambda m: check(ineq.run(m, gamma, theta)), start, [-1, 0, theta, 1], rng)
        assert worst <= ineq.ROOM


@pytest.mark.parametrize(
    ("gamma", "share"), [(0.1, None), (0.5, None), (0.05, 0.999), (0.3, 0.0), (0.9, None), (0.1, 1.0)]
)
def test_potential_on_the_worst_example(gamma, share):
    """I4, both sides, and I5 against every margin sequence on a grid, by dynamic programming."""
    c = constants(gamma, None if share is None else gamma * share)
    for N in (1, 2, 5, 40):
        left = ineq.worst_example(lambda w, m: -w * (m - c.theta), c.phi, gamma, c.theta, N)
        right = ineq.worst_example(lambda w, m: w * (m - c.theta - c.kappa), lambda z: -c.phi(z), gamma, c.theta, N)
        assert left <= 1e-9
        assert right <= 1e-9
        spent = ineq.worst_example(lambda w, m: w * (m - c.gamma_hat), np.zeros_like, gamma, c.theta, N)
        assert spent <= c.ceiling * (1 + 1e-9)


def test_lemma_3_is_nearly_tight():
    """At gamma = 0.1 some stream spends 98 % of the potential, so that 1/beta cannot be made much smaller."""
    c = constants(0.1)
    spent = ineq.worst_example(lambda w, m: w * (m - c.gamma_hat), np.zeros_like, 0.1, c.theta, 400, grid=10)
    assert 0.98 * c.ceiling < spent <= c.ceiling


# ---- the index of Lemma 2 ------------------------------------------------------------------------------------------


def test_lemma_2_with_the_printed_index_is_false():
    """W_2 < 0.96 T certifies the first learner; the first two have no margin at all."""
    r = ineq.run(np.tile([1.0, -1.0], (50, 1)), 0.1)
    T, delta = 50, 0.96
    k_printed = next(k for k in (1, 2, 3) if r.W[k - 1] < delta * T)  # W_k is small, so k is "good"
    assert k_printed == 2
    assert (r.m[:, :2].mean(axis=1) <= r.theta).mean() == 1
    assert (r.m[:, :1].mean(axis=1) <= r.theta).mean() < delta


@drawn
@given(runs(weighted=False), st.floats(0, 1) | st.sampled_from([0.0, 1.0]))
def test_lemma_2_with_the_right_index(r, delta):
    T = len(r.m)
    model = OSBoostClassifier(ScriptedLearner(), r.m.shape[1], gamma=r.gamma, theta=min(r.theta, r.gamma * 0.999))
    certificate = model.partial_fit(r.m, np.ones(T)).certificate()
    k = certificate.prefix_for(delta)
    if delta == 0:
        assert k is None
    if k is None:
        assert (certificate.sums.mass[1:] >= delta * T).all()
    else:
        assert certificate.margin_error[k - 1] < delta
        assert (certificate.sums.mass[1:k] >= delta * T).all()
    if delta == 1:
        assert (k is None) == bool((certificate.sums.mass[1:] >= T).all())


# ---- I8: OCP -------------------------------------------------------------------------------------------------------


def ocp(h, y, gamma=0.1, s=None, **options):
    """The reference's OCP vote over scripted outputs, and the hinge losses of the prefixes and vertices."""
    T, N = h.shape
    s = np.ones(T) if s is None else s
    booster = reference.OSBoost(Played(N), gamma=gamma, vote="ocp", **options)
    for x, label, weight in zip(h, y, s, strict=True):
        booster.learn(x, int(label), weight)
        assert booster.alpha.min() >= 0
        assert booster.alpha.sum() == pytest.approx(1, abs=1e-12)
    fixed = [np.repeat([1 / k, 0], [k, N - k]) for k in range(1, N + 1)] + list(np.eye(N))
    return booster, min(hinge_loss(alpha, h, y, booster.theta, s) for alpha in fixed)


SCHEDULES = [{"eta0": 1.0}, {"eta0": "theory"}, {"schedule": "adaptive"}]


def ocp_limit(booster, T):
    """The bound of docs/theory.md for unit weights."""
    N = len(booster.alpha)
    if booster.schedule == "adaptive":
        return 2 * math.sqrt(booster.Q)
    return ocp_bound(T, N, booster.eta0)


@pytest.mark.parametrize("options", SCHEDULES)
def test_ocp_on_drawn_streams(options):
    @drawn
    @given(st.integers(1, 25), st.integers(1, 6), gammas, st.integers(0, 2**32 - 1), st.booleans())
    @example(1, 1, 0.1, 0, False)
    def holds(T, N, gamma, seed, tied):
        rng = np.random.default_rng(seed)
        h = rng.choice([-1.0, 0.0, 1.0], size=(T, N)) if tied else rng.uniform(-1, 1, size=(T, N))
        y = rng.choice([-1, 1], size=T)
        booster, best = ocp(h, y, gamma, **options)
        assert booster.theta * booster.mistakes <= booster.ocp_loss + 1e-9 * T
        regret = booster.ocp_loss - best_fixed_vote(h, y, booster.theta).loss
        assert regret >= booster.ocp_loss - best - 1e-7
        measured = 1 / booster.ocp_rate + booster.ocp_path / 2 if booster.ocp_rate > 0 and N > 1 else 0
        assert regret <= measured + 1e-7 * T
        if N > 1:
            assert measured <= ocp_limit(booster, T) + 1e-9 * T or booster.schedule == "adaptive"
            assert regret <= ocp_limit(booster, T) + 1e-7 * T

    holds()


@pytest.mark.parametrize("options", SCHEDULES)
def test_ocp_on_streams_that_were_searched_for(options):
    rng = np.random.default_rng(1)
    T, N = 12, 3
    y = np.ones(T, dtype=int)

    def excess(h):
        booster, best = ocp(h, y, 0.3, **options)
        return booster.ocp_loss - best - ocp_limit(booster, T)

    worst, _ = ineq.climb(excess, rng.choice([-1.0, 1.0], size=(T, N)), [-1, 1], rng, sweeps=1)
    assert worst <= 1e-9


# ---- I9: experts ---------------------------------------------------------------------------------------------------


def experts(h, y, rate, s=None):
    T, N = h.shape
    s = np.ones(T) if s is None else s
    booster = reference.OSBoost(Played(N), vote="experts", expert_rate=rate)
    for x, label, weight in zip(h, y, s, strict=True):
        booster.learn(x, int(label), weight)
    return booster


RATES = ["adahedge", "anytime", "paper", 0.3, 3.0]


@pytest.mark.parametrize("rate", RATES)
def test_experts_on_drawn_streams(rate):
    @drawn
    @given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
    @example(1, 1, 0, False)
    @example(1, 6, 0, True)
    def holds(T, N, seed, tied):
        rng = np.random.default_rng(seed)
        h = rng.choice([-1.0, 0.0, 1.0], size=(T, N)) if tied else rng.uniform(-1, 1, size=(T, N))
        y = rng.choice([-1, 1], size=T)
        b = experts(h, y, rate)
        assert (b.expected_mistakes - b.L <= expert_bound(T, N, rate, b.L.min()) + 1e-9 * T).all()
        assert b.L.min() <= b.mass[1:].min()
        assert b.mistakes <= 2 * b.expected_mistakes + 1e-9 * T
        if rate == "adahedge":
            assert b.expected_mistakes - b.L.min() <= 2 * b.Delta + 1e-9 * T

    holds()


@pytest.mark.parametrize("rate", RATES)
def test_experts_on_streams_that_were_searched_for(rate):
    rng = np.random.default_rng(2)
    T, N = 12, 3
    y = np.ones(T, dtype=int)

    def excess(h):
        b = experts(h, y, rate)
        return b.expected_mistakes - b.L.min() - expert_bound(T, N, rate, b.L.min())

    worst, _ = ineq.climb(excess, rng.choice([-1.0, 1.0], size=(T, N)), [-1, 0, 1], rng, sweeps=2)
    assert worst <= 1e-9


# ---- I10: the gradient learner -------------------------------------------------------------------------------------


def gradient_regret(rows, w, y):
    """|sum w y x| - sum w y h(x), over sqrt(8 sum w^2 |x|^2); rows in the unit ball."""
    bank = reference.OnlineGradient(1, rows.shape[1], intercept=False, unit_norm=False)
    gained = 0.0
    for x, weight, label in zip(rows, w, y, strict=True):
        gained += weight * label * float(bank.predict(x)[0])
        bank.meet(x)
        bank.update(x, int(label), np.array([weight]))
    best = np.linalg.norm((w * y) @ rows)
    scale = math.sqrt(8 * float(w**2 @ (rows**2).sum(axis=1)))
    return (best - gained) / scale if scale > 0 else 0.0


def in_ball(rows):
    return rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True))


@drawn
@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 2**32 - 1), st.booleans())
@example(1, 1, 0, False)
def test_gradient_learner_on_drawn_streams(T, d, seed, smooth):
    rng = np.random.default_rng(seed)
    w = rng.random(T) if smooth else rng.choice([1e-3, 1.0], size=T)
    assert gradient_regret(in_ball(rng.normal(size=(T, d))), w, rng.choice([-1, 1], size=T)) <= 1 + 1e-9


def test_gradient_learner_on_streams_that_were_searched_for():
    rng = np.random.default_rng(3)
    T, d = 10, 2

    def ratio(x):
        return gradient_regret(in_ball(x[:, :d]), (x[:, d] + 1) / 2, np.where(x[:, d + 1] > 0, 1, -1))

    worst, _ = ineq.climb(ratio, rng.uniform(-1, 1, size=(T, d + 2)), [-1, 0, 1], rng, sweeps=2)
    assert 0.3 < worst <= 1


# ---- the tests of the tests ----------------------------------------------------------------------------------------


def test_the_searches_find_what_is_false():
    """Statements slightly stronger than the true ones: a search that could not break these would show nothing."""
    rng = np.random.default_rng(4)
    gamma = 0.1
    c = constants(gamma)

    def printed_index(m):  # W_i in place of W_{i+1}
        r = ineq.run(m, gamma)
        i = np.arange(1, m.shape[1] + 1)
        return (r.s @ (np.cumsum(m, axis=1) <= i * r.theta - 1e-12) - r.W[:-1]).max()

    def doubled_advantage(m):  # gamma_hat halved in Lemma 3
        r = ineq.run(m, gamma)
        spent = np.cumsum(r.s @ (r.w[:, :-1] * r.m) - c.gamma_hat / 2 * r.W[:-1])
        return (spent - r.s @ c.phi(r.z)).max()

    for false in (printed_index, doubled_advantage):
        assert ineq.climb(false, rng.uniform(-1, 1, size=(3, 6)), [-1, 0, c.theta, 1], rng)[0] > ineq.ROOM
    right = ineq.worst_example(lambda w, m: w * (m - c.theta - 0.8 * c.kappa), lambda z: -c.phi(z), gamma, c.theta, 40)
    assert right > ineq.ROOM
    left = ineq.worst_example(lambda w, m: -1.01 * w * (m - c.theta), c.phi, gamma, c.theta, 40)
    assert left > ineq.ROOM
    assert ocp_bound(100, 1) == ocp_bound(0, 5) == expert_bound(0, 5, "anytime", 0) == 0


def weights_of(z, gamma):
    beta = -math.log1p(-gamma) / 2
    return np.concatenate([[1.0], np.exp(-beta * np.maximum(z, 0))]), z


def wrong_sum(change):
    """The recursion over another sum than that of m - theta."""
    return lambda m, gamma, theta: weights_of(change(m, theta), gamma)


def unclipped(m, gamma, theta):
    z = np.cumsum(m - theta)
    return np.concatenate([[1.0], np.exp(math.log1p(-gamma) / 2 * z)]), z


def clipped_from_below(m, gamma, theta):
    w, z = unclipped(m, gamma, theta)
    return np.maximum(w, 1.0), z


def too_early(m, gamma, theta):
    """Learner i's weight already counts its own margin."""
    w, z = reference.smooth_weights(m, gamma, theta)
    return np.append(w[1:], w[-1]), z


MUTANTS = {
    "theta is 0": wrong_sum(lambda m, theta: np.cumsum(m - 0 * theta)),
    "theta is halved": wrong_sum(lambda m, theta: np.cumsum(m - theta / 2)),
    "theta is doubled": wrong_sum(lambda m, theta: np.cumsum(m - 2 * theta)),
    "theta has the wrong sign": wrong_sum(lambda m, theta: np.cumsum(m + theta)),
    "the margin has the wrong sign": wrong_sum(lambda m, theta: np.cumsum(-m - theta)),
    "beta is doubled": wrong_sum(lambda m, theta: 2 * np.cumsum(m - theta)),
    "beta is halved": wrong_sum(lambda m, theta: np.cumsum(m - theta) / 2),
    "the last margin only": wrong_sum(lambda m, theta: m - theta),
    "no min": unclipped,
    "max for min": clipped_from_below,
    "weights a learner early": too_early,
}
PLAIN_STREAMS = [
    np.random.default_rng(0).uniform(-1, 1, size=(20, 15)),
    np.full((5, 15), 0.03),
    np.resize([1.0, 1.0, 1.0, -1.0, -1.0, -1.0], (4, 15)),
    np.full((5, 15), -1.0),
    np.repeat([[1.0, -1.0]], [50, 45], axis=1),  # far up and back: weights that are too large lose more than was gained
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_is_caught(mutant):
    """By the statements that define the weights, and again by theorems that know nothing of the recursion."""
    found, theorems = set(), set()
    for m in PLAIN_STREAMS:
        r = ineq.run(m, 0.1, weights=MUTANTS[mutant])
        found |= ineq.broken(r)
        theorems |= ineq.broken(r, ["I3", "I3m", "I4", "I5", "I7"])
        assert not ineq.broken(ineq.run(m, 0.1))
    assert found & {"I1", "I2"}
    assert theorems, f"{mutant}: caught by {found} only"


class Listening(Played):
    """Remembers outputs as they were before the example was learned; errs, and is right once it was taught."""

    def __init__(self, n_learners):
        super().__init__(n_learners)
        self.before, self.taught = [], False

    def predict(self, x):
        h = -x if not self.taught else x
        return h[: self.n_learners]

    def update(self, x, y, w):
        self.taught = True


def mass_and_mistakes(monkeypatch, *, late):
    """I3 through the whole booster, where `late` computes the weights from outputs after the update."""
    N, booster = 6, reference.OSBoost(Listening(6))
    if late:
        honest = reference_boosters.smooth_weights

        def after_update(_, gamma, theta):
            booster.bank.update(None, 1, None)
            return honest(booster.bank.predict(np.ones(N)), gamma, theta)

        monkeypatch.setattr(reference_boosters, "smooth_weights", after_update)
    wrong = np.zeros(N)
    for _ in range(10):
        booster.bank.taught = False
        wrong += np.cumsum(booster.bank.predict(np.ones(N))) <= 0
        booster.learn(np.ones(N), 1)
    return booster.mass[1:], wrong


def test_weights_after_the_update_are_caught(monkeypatch):
    mass, wrong = mass_and_mistakes(monkeypatch, late=False)
    assert (wrong <= mass).all()
    mass, wrong = mass_and_mistakes(monkeypatch, late=True)
    assert (wrong > mass).any()
