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
from typing import TYPE_CHECKING, Any, NamedTuple

from onlineboost.boosters.base import Booster
from onlineboost.declarations import Object

if TYPE_CHECKING:
    from onlineboost.machine import Machine


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


class Defensive(Booster, name="defensive", estimator="DefensiveClassifier"):
    """Defensive boosting of one learner; its probabilities are forecasts, not calibrated margins."""

    learner = Object(
        default=None,
        kind="Learner",
        text="The learner; `OnlineGradient()` has the regret that the guarantee asks for. None stands for "
        "`Perceptron()`.",
        positional=True,
    )
    n_learners = None  # there is one
    n_jobs = None  # and nothing to split

    def size(self) -> int:
        """One learner."""
        return 1

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "defensive"}


def audit(machine: Machine) -> Audit:
    """What the guarantee says of the stream so far, beside what happened."""
    state = {name: float(value[0]) for name, value in machine.booster_state().items()}
    bounds = [2.0 * math.sqrt(4.0 + state[f"{v}_squares"]) + state[f"{v}_path"] / 2.0 for v in ("lambda", "theta")]
    brier = state["squared_error"] / (4.0 * state["count"]) if state["count"] > 0 else math.nan
    return Audit(brier, state["learner_gain"], bounds[0], state["forecast_gain"], sum(bounds))
