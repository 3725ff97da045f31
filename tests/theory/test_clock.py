"""`OnlineGradient(restart="clock")`: small regret on every interval, and a quick turn after a change."""

import numpy as np
import pytest

from onlineboost import OnlineGradient, OSBoostClassifier, prequential
from onlineboost.theory import runs, statements
from onlineboost.theory.adversary import changing_stream

pytestmark = [pytest.mark.quick, pytest.mark.engine]


@pytest.mark.parametrize("seed", range(6))
def test_regret_on_every_interval(seed):
    """All intervals of streams that change, for learners 1, 2 and 3, whose weights differ."""
    X, y = changing_stream(150, random_state=seed)
    model = OSBoostClassifier(OnlineGradient(restart="clock"), 3, gamma=0.5, random_state=0)
    run = runs.follow(model, X, y)
    assert -np.inf < statements.interval_regret(statements.Learner(model), run) <= 0


def test_after_a_flip_it_turns_sooner():
    """With a tenth of the labels wrong, OnlineGradient has short steps by then; 3 seeds."""
    errors = {"never": [], "clock": []}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4400, 4))
        y = np.where(X[:, 0] * np.where(np.arange(4400) < 4000, 1, -1) > 0, 1, -1)
        y = np.where(rng.random(4400) < 0.1, -y, y)
        for restart, found in errors.items():
            model = OSBoostClassifier(OnlineGradient(restart=restart), 3, threshold="vote", random_state=0)
            found.append(prequential(model, X, y).losses[4000:].mean())
    assert np.mean(errors["clock"]) < 0.85 * np.mean(errors["never"])


def test_on_the_interval_after_a_flip_its_regret_is_smaller():
    """The bound of (R) is loose; the learner that never restarts loses twice as much there."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 4))
    y = np.where(X[:, 0] * np.where(np.arange(1200) < 1000, 1, -1) > 0, 1, -1)
    y = np.where(rng.random(1200) < 0.1, -y, y)
    regret = {}
    for restart in ("never", "clock"):
        run = runs.follow(OSBoostClassifier(OnlineGradient(restart=restart), 1, random_state=0), X, y)
        best = np.linalg.norm(run.y[1000:] @ statements.unit_rows(run.X)[1000:])
        regret[restart] = best - run.m[1000:, 0].sum()
    assert 0 < regret["clock"] < 0.75 * regret["never"]
