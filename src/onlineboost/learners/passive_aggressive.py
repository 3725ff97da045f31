"""Passive-Aggressive learning (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, JMLR 7, 2006, Figure 1).

    ℓ = max(0, 1 - y ⟨u, x⟩)        u ← u + τ y x        h(x) = ⟨u, x⟩ clipped to [-1, 1]

    PA-I     τ = min(C, ℓ / |x|²)
    PA-II    τ = ℓ / (|x|² + 1 / (2C))

u starts at 0. An example whose margin is at least 1 changes nothing (passive); any other moves u as little as it takes
to lose nothing on it, as far as C allows (aggressive).

How the weight enters: C w in place of C, the price of the example's loss in the paper's objective. Which printed
variant: both of those with a C. The plain PA is the limit of a large C.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Real
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner


class PassiveAggressive(Learner, name="passive-aggressive", witness="coordinates"):
    """Linear functions that each example corrects just as much as it has to."""

    C = Real(default=1.0, low=0.0, high=1e6, low_open=True, text="The largest step, or the price of a loss.")
    variant = Choice(default="I", of=("I", "II"), text="PA-I or PA-II.")
    intercept = INTERCEPT
    unit_norm = UNIT_NORM

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        return {**given, "kind": "passive_aggressive", "first": given["C"], "soft": given["variant"] == "II"}
