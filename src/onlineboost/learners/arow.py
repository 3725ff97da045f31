"""AROW, adaptive regularisation of weight vectors (Crammer, Kulesza and Dredze, NIPS 2009, Figure 1).

    v = xᵀ Σ x        if y ⟨u, x⟩ < 1:    β = 1 / (v + r),    u ← u + β (1 - y ⟨u, x⟩) y Σ x,    Σ ← Σ - β Σ x xᵀ Σ

from u = 0, Σ = I, and h(x) = ⟨u, x⟩ clipped to [-1, 1].

How the weight enters: r / w in place of r, for the loss and the confidence of the example are multiplied by w in the
paper's objective. Which printed variant: the box for Σ full; diagonal, the off-diagonal entries of each new Σ are
dropped, Σ_f ← Σ_f - β (Σ_f x_f)².
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner

COVARIANCES = ("diagonal", "full")


class AROW(Learner):
    """Gaussian over linear functions whose confidence grows with every example that was needed.

    Parameters
    ----------
    r : float, default=0.1
        How little a single example is trusted, in (0, 1e6].
    covariance : {"diagonal", "full"}, default="diagonal"
        Full takes at most 512 features. With d of them and N learners, it keeps N d² / 2 numbers and touches each
        for every example: meant for d up to about 200 and N up to about 10.
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(
        self, *, r: float = 0.1, covariance: str = "diagonal", intercept: bool = True, unit_norm: bool = True
    ) -> None:
        self.r = r
        self.covariance = covariance
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "gaussian",
            "rule": "arow",
            "full": _check.choice("covariance", self.covariance, COVARIANCES) == "full",
            "first": _check.real("r", self.r, 0.0, 1e6, low_open=True),
            "phi": 0.0,
            "variance": 1.0,
            "forward": False,
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
