"""The weak learner of the paper's Section 3: online gradient ascent on the unit ball.

    S ← S + w² |x|²          u ← Proj_ball(u + √(2/S) w y x)          h(x) = ⟨u, x⟩

Which variant: the paper points to Zinkevich (ICML 2003), whose step 1/√t ignores small weights and does not
give the paper's inequality (1). The weight-adaptive step does, with c = 8: its regret is at most √(8 Σ w²).
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Flag
from onlineboost.learners.base import INTERCEPT, Learner


class OnlineGradient(Learner, name="online-gradient", witness="squared_norms"):
    """Linear hypotheses in the unit ball by projected gradient ascent, with a regret bound."""

    intercept = INTERCEPT
    unit_norm = Flag(
        default=True,
        text="Divide each row, intercept included, by its Euclidean norm. The guarantee needs |x| <= 1; without this "
        "it is yours to ensure, and outputs are clipped to [-1, 1].",
    )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {"kind": "online_gradient", **self.checked()}
