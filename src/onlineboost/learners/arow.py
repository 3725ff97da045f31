"""AROW, adaptive regularisation of weight vectors (Crammer, Kulesza and Dredze, NIPS 2009, Figure 1).

    v = xᵀ Σ x        if y ⟨u, x⟩ < 1:    β = 1 / (v + r),    u ← u + β (1 - y ⟨u, x⟩) y Σ x,    Σ ← Σ - β Σ x xᵀ Σ

from u = 0, Σ = I, and h(x) = ⟨u, x⟩ clipped to [-1, 1].

How the weight enters: r / w in place of r, for the loss and the confidence of the example are multiplied by w in the
paper's objective. Which printed variant: the box for Σ full; diagonal, the off-diagonal entries of each new Σ are
dropped, Σ_f ← Σ_f - β (Σ_f x_f)².

With a half-life H, k = 2^(-1/H), before each example Σ ← k Σ + (1 - k) σ² I, where σ² I is its start: u wanders, as in
a Kalman filter (Kalman 1960), and no direction becomes more uncertain than it was. The same for SCW, ridge and Bayesian
logistic regression.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Real
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner, half_life

COVARIANCE = Choice(
    default="diagonal",
    of=("diagonal", "full"),
    text="Full takes at most 512 features. With d of them and N learners, it keeps N d² / 2 numbers and touches each "
    "for every example: meant for d up to about 200 and N up to about 10.",
)

WANDERS = half_life("half of what was learned of Σ is unlearned, on its way back to its start")


class AROW(Learner, name="arow", witness="coordinates"):
    """Gaussian over linear functions whose confidence grows with every example that was needed."""

    r = Real(default=0.1, low=0.0, high=1e6, low_open=True, text="How little a single example is trusted.")
    covariance = COVARIANCE
    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    half_life = WANDERS

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        return gaussian("arow", given, full=given["covariance"] == "full", first=given["r"])


def gaussian(rule: str, given: dict[str, Any], **options: Any) -> dict[str, Any]:
    """What the engine builds a bank of Gaussians over linear functions from; `rule` says how they learn."""
    common = {"first": 0.0, "phi": 0.0, "variance": 1.0, "forward": False}
    shape = {name: given[name] for name in ("intercept", "unit_norm", "half_life") if given[name] is not None}
    return {"kind": "gaussian", "rule": rule, **common, **shape, **options}
