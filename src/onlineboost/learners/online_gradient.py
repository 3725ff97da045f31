"""The weak learner of the paper's Section 3: online gradient ascent on the unit ball.

    S ← S + w² |x|²          u ← Proj_ball(u + √(2/S) w y x)          h(x) = ⟨u, x⟩

Which variant: the paper points to Zinkevich (ICML 2003), whose step 1/√t ignores small weights and does not
give the paper's inequality (1). The weight-adaptive step does, with c = 8: its regret is at most √(8 Σ w²).
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class OnlineGradient(Learner):
    """Linear hypotheses in the unit ball by projected gradient ascent, with a regret bound.

    Parameters
    ----------
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm. The guarantee needs |x| <= 1; without this
        it is yours to ensure, and outputs are clipped to [-1, 1].

    """

    def __init__(self, *, intercept: bool = True, unit_norm: bool = True) -> None:
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "online_gradient",
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
