"""Defensive boosting (Noarov, Roth, "Defensive Boosting", arXiv 2608.13554, 2026): one learner, and forecasts.

The forecast p in [-1, 1] is the mean of y, so that (1 + p)/2 is the probability of the label. It is chosen such that
two betting strategies cannot gain from the residual r = y - p, whatever y is. One bets on the learner's output h, the
other on the forecast itself, and λ in [-1, 1] divides the stake:

    a = (1+λ)/2 h(x)     b = (1-λ)/2 θ     p = the zero of a + b p in [-1, 1], or else the end with the sign of a
    λ ← gain((h r - θ p r)/2)     θ ← gain(p r)     gain(g): v ← clip(v + g/√V, [-1, 1]), V = 4 + the sum of earlier g²
    the learner is taught x with the label sign r and the weight |r|

The learner bets on what the forecast has missed, which is boosting: one learner serves where others have N.

Since (a + b p) r ≤ 0 in every round, on any stream,

    Σ h r ≤ R_λ     |Σ p r| ≤ R_λ + R_θ     R = 2√(4 + Σg²) + ½ Σ g²/√V

with R the regret of λ and of θ. If the learner's own regret for linear gains is at most R_h against each c of a class
that with c has -c, then for every f = Σ a_j c_j, by (y-f)² = (y-p)² + 2 r (p-f) + (p-f)²,

    Σ (y-p)² ≤ Σ (y-f)² + 2 Σ|a_j| (R_λ + R_h) + 2 (R_λ + R_θ).

`OnlineGradient` is such a learner, with R_h = √(8 Σ r²) for linear functions on rows of norm at most 1.

Which variant: the algorithm without restarts. Sample weights multiply gains. With a = b = 0 the forecast is 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onlineboost.boosters.base import OnlineEstimator


class Audit(NamedTuple):
    """What the two strategies gained on the stream so far, and the most that they could on any stream."""

    brier_score: float
    """The mean squared error of the probabilities (1 + p)/2."""
    learner_gain: float
    """Σ h r."""
    learner_bound: float
    """R_λ."""
    forecast_gain: float
    """Σ p r; positive if the forecasts were too timid, negative if too bold."""
    forecast_bound: float
    """R_λ + R_θ, of its absolute value."""


class DefensiveClassifier(OnlineEstimator):
    """Defensive boosting of one learner; its probabilities are forecasts, not calibrated margins.

    Parameters
    ----------
    learner : Learner
        The learner; `OnlineGradient()` has the regret that the guarantee asks for.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed.

    """

    def __init__(self, learner: Any, *, shuffle: bool = False, n_passes: int = 1, random_state: Any = None) -> None:
        self.learner = learner
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state

    def audit(self) -> Audit:
        """What the guarantee says of the stream so far, beside what happened."""
        self._require_fitted()
        state = {name: float(value[0]) for name, value in self._model.booster_state().items()}
        bounds = [2.0 * math.sqrt(4.0 + state[f"{v}_squares"]) + state[f"{v}_path"] / 2.0 for v in ("lambda", "theta")]
        brier = state["squared_error"] / (4.0 * state["count"]) if state["count"] > 0 else math.nan
        return Audit(brier, state["learner_gain"], bounds[0], state["forecast_gain"], sum(bounds))

    def _n_learners(self) -> int:
        return 1

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {"kind": "defensive"}
