"""Soft confidence-weighted learning (Wang, Zhao and Hoi, ICML 2012, Propositions 1 and 2).

With φ = Φ⁻¹(η), v = xᵀ Σ x, m = y ⟨u, x⟩, ψ = 1 + φ²/2, ζ = 1 + φ², and an example that is needed when φ √v > m:

    SCW-I     α = min(C, max(0, (-m ψ + √(m² φ⁴/4 + v φ² ζ)) / (v ζ)))
    SCW-II    α = max(0, (-(2 m n + φ² m v) + γ) / (2 (n² + n v φ²)))
              n = v + 1/(2C),   γ = φ √(φ² m² v² + 4 n v (n + v φ²))
    both      u ← u + α y Σ x,   Σ ← Σ - β Σ x xᵀ Σ
              β = α φ / (√μ + v α φ),   √μ = (-α v φ + √(α² v² φ² + 4 v)) / 2

from u = 0, Σ = I, and h(x) = ⟨u, x⟩ clipped to [-1, 1].

How the weight enters: C w in place of C, the price of the example's loss. Which printed variant: both; diagonal, the
off-diagonal entries of each new Σ are dropped.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

from onlineboost import _check
from onlineboost.learners.arow import COVARIANCES
from onlineboost.learners.base import Learner


class SCW(Learner):
    """Gaussian over linear functions that asks for a margin in units of its own uncertainty.

    Parameters
    ----------
    C : float, default=1.0
        The largest step, or the price of a loss, in (0, 1e6].
    eta : float, default=0.9
        The probability with which an example should be on the right side, in (0.5, 1).
    variant : {"I", "II"}, default="I"
        Which of the paper's two.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full takes at most 512 features and is meant for few learners; see `AROW`.
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        eta: float = 0.9,
        variant: str = "I",
        covariance: str = "diagonal",
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        self.C = C
        self.eta = eta
        self.variant = variant
        self.covariance = covariance
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        eta = _check.real("eta", self.eta, 0.5, 1.0, low_open=True, high_open=True)
        return {
            "kind": "gaussian",
            "rule": "scw1" if _check.choice("variant", self.variant, ("I", "II")) == "I" else "scw2",
            "full": _check.choice("covariance", self.covariance, COVARIANCES) == "full",
            "first": _check.real("C", self.C, 0.0, 1e6, low_open=True),
            "phi": confidence(eta),
            "variance": 1.0,
            "forward": False,
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }


def confidence(eta: float) -> float:
    """φ, rounded to where all C libraries agree."""
    return round(NormalDist().inv_cdf(eta), 12)
