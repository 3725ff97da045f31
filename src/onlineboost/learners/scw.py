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

from onlineboost.declarations import Choice, Real
from onlineboost.learners.arow import COVARIANCE, WANDERS, gaussian
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner


class SCW(Learner, name="scw", witness="coordinates"):
    """Gaussian over linear functions that asks for a margin in units of its own uncertainty."""

    C = Real(default=1.0, low=0.0, high=1e6, low_open=True, text="The largest step, or the price of a loss.")
    eta = Real(
        default=0.9,
        low=0.5,
        high=1.0,
        low_open=True,
        high_open=True,
        text="The probability with which an example should be on the right side.",
    )
    variant = Choice(default="I", of=("I", "II"), text="Which of the paper's two.")
    covariance = COVARIANCE
    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    half_life = WANDERS

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        rule = "scw1" if given["variant"] == "I" else "scw2"
        full = given["covariance"] == "full"
        return gaussian(rule, given, full=full, first=given["C"], phi=confidence(given["eta"]))


def confidence(eta: float) -> float:
    """φ, rounded to where all C libraries agree."""
    return round(NormalDist().inv_cdf(eta), 12)
