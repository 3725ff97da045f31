"""Bayes and fixed share over experts that come and go: the NumPy twin, and both bounds on every interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onlineboost import _core, reference

pytestmark = [pytest.mark.engine, pytest.mark.quick]

PLACES = 5


def drawn(rng, n, kind):
    """What each expert gives to the outcome, a row per example."""
    if kind == "drawn":
        return rng.uniform(0.01, 1.0, (n, PLACES))
    good = (np.arange(n) * rng.integers(1, 9) // n) % PLACES if kind == "in turn" else np.zeros(n, int)
    q = rng.uniform(0.01, 0.2, (n, PLACES))
    q[np.arange(n), good] = rng.uniform(0.8, 1.0, n)
    return q


def chase(tracker, rng):
    """Whoever weighs most errs, which is the worst for weights that follow the past."""
    q = rng.uniform(0.7, 1.0, PLACES)
    q[np.argmax(tracker.weights())] = 6e-6
    return q


def run(seed, n, kind, largest, alive=PLACES, *, moves=False):
    """Losses of forecast and experts, the bounds after each round, and each expert's life: both implementations."""
    rng = np.random.default_rng(seed)
    slow, fast = reference.ExpertTracker(PLACES, alive), _core.ExpertTracker(PLACES, alive, shares=True)
    rows = drawn(rng, n, kind)
    losses, own, total, interval, lives = [], [], [], [], []
    for t in range(n):
        q = chase(slow, rng) if kind == "chased" else rows[t]
        s = float(rng.uniform(0.1, largest))
        assert np.array(fast.weights()) == pytest.approx(slow.weights(), abs=1e-12)
        losses.append(-s * math.log(slow.weights() @ q))
        own.append(-s * np.log(q))
        lives.append(slow.alive.copy())
        slow.learn(q, s)
        fast.learn(q, s)
        total.append(slow.total_bound())
        interval.append(slow.interval_bound())
        if moves and rng.uniform() < 0.1:
            e = int(rng.integers(PLACES))
            if slow.alive[e] and slow.alive.sum() > 1:
                slow.drop(e)
                fast.drop(e)
            elif not slow.alive[e]:
                slow.add(e)
                fast.add(e)
    return np.array(losses), np.array(own), np.array(total), np.array(interval), np.array(lives), slow, fast


def stretches(alive):
    """(first, last) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], alive.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def worst(losses, own, bounds, alive):
    """The largest regret less bound, over every expert and every interval of its life."""
    found = -math.inf
    for e in range(own.shape[1]):
        for first, last in stretches(alive[:, e]):
            regret = np.concatenate([[0.0], np.cumsum(losses[first:last] - own[first:last, e])])
            best_start = np.minimum.accumulate(regret[:-1])
            found = max(found, float((regret[1:] - best_start - bounds[first:last]).max()))
    return found


STREAMS = {
    "seed": st.integers(0, 2**31),
    "n": st.integers(1, 150),
    "kind": st.sampled_from(["drawn", "in turn", "chased"]),
    "largest": st.sampled_from([1.0, 1.0, 20.0]),
}


@settings(max_examples=80, deadline=None)
@given(**STREAMS)
def test_both_bounds_on_every_interval(seed, n, kind, largest):
    losses, own, total, interval, alive, slow, _ = run(seed, n, kind, largest)
    assert (np.cumsum(losses) - np.cumsum(own, axis=0).min(axis=1) <= total + 1e-9).all()
    assert worst(losses, own, interval, alive) <= 1e-9
    if slow.largest == 1.0:
        assert slow.doubt <= math.log1p(PLACES * n) + 1e-9, "what the theorem says of it"
        assert total[-1] == pytest.approx(math.log(2 * PLACES))


@settings(max_examples=60, deadline=None)
@given(**STREAMS)
def test_experts_that_come_and_go(seed, n, kind, largest):
    losses, own, total, interval, alive, slow, fast = run(seed, n, kind, largest, 3, moves=True)
    assert worst(losses, own, interval, alive) <= 1e-9
    stayed = alive.all(axis=0)
    if stayed.any():
        assert (losses.sum() - own.sum(axis=0)[stayed] <= total[-1] + 1e-9).all()
    state = fast.state()
    assert state["expert_losses"] == pytest.approx(slow.losses, rel=1e-9)
    assert state["share_doubt"] == pytest.approx(slow.doubt, rel=1e-9)
    assert state["rate_surprises"] == pytest.approx(slow.surprises, abs=1e-9)
    assert state["most_experts"] == slow.most
    again = _core.ExpertTracker(PLACES, 3, shares=True)
    again.load(state)
    assert again.weights() == fast.weights()


def test_the_interval_bound_is_tight():
    """Two experts, and a change after 1,000 rounds: fixed share pays nearly all that it may."""
    q = np.tile([0.999999, 1e-6], (1000, 1))
    q = np.vstack([q, q[:60, ::-1]])
    slow = reference.ExpertTracker(2)
    losses = []
    for row in q:
        losses.append(-math.log(slow.share() @ row))
        slow.learn(row)
    regret = sum(losses[1000:]) + np.log(q[1000:, 1]).sum()
    assert math.log(2 * 1000) - 0.1 < regret <= math.log(2 * 1060)


def test_bayes_alone_never_returns_and_sharing_does():
    q = np.vstack([np.tile([0.9, 0.1], (2000, 1)), np.tile([0.1, 0.9], (100, 1))])
    lost = {}
    for shares in (False, True):
        tracker, lost[shares] = _core.ExpertTracker(2, 2, shares=shares), 0.0
        for t, row in enumerate(q):
            lost[shares] -= math.log(np.dot(tracker.weights(), row)) * (t >= 2000)
            tracker.learn(row)
    assert lost[False] > 200
    assert lost[True] < 100 * -math.log(0.9) + 2 * math.log(2 * 2100)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("share_posterior", lambda a: a * 2),
        ("experts_alive", lambda a: a * 0.5),
        ("experts_alive", lambda a: a * 0),
        ("forecaster_losses", lambda a: a - 1e9),
        ("experts_born", lambda a: a * 0),
    ],
)
def test_forged_states_are_refused(field, change):
    tracker = _core.ExpertTracker(3, 3, shares=True)
    tracker.learn(np.array([0.1, 0.5, 0.9]))
    state = tracker.state()
    state[field] = change(state[field])
    with pytest.raises(ValueError, match="state field"):
        _core.ExpertTracker(3, 3, shares=True).load(state)
