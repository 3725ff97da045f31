"""Bayesian logistic regression, online (Spiegelhalter and Lauritzen, Networks 20, 1990).

    P(y | x, u) = 1 / (1 + exp(-y ⟨u, x⟩)),    u ~ N(μ, Σ),    at the start N(0, variance · I)

One example moves the Gaussian to the nearest one to the posterior by an implicit step: with s = ⟨μ, x⟩ and v = xᵀΣx,

    e = w / (1 + exp(y (s + y e v))),    μ ← μ + y e Σ x,
    p = e / w,    b = w p (1 - p) / (1 + w p (1 - p) v),    Σ ← Σ - b Σ x xᵀ Σ

so that μ is the mode of the prior times the new likelihood, and Σ⁻¹ the curvature there (Laplace's approximation). The
output is 2 P(y = +1) - 1 with u integrated out, after MacKay (Neural Computation 4, 1992):

    h(x) = tanh(s / (2 √(1 + π v / 8))).

How the weight enters: as that many examples of the same row, in the likelihood. Which printed variant: Spiegelhalter
and Lauritzen take the curvature before the step; behind it, as here, a first example far out does not pin Σ.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class BayesianLogistic(Learner):
    """Logistic regression that knows how sure it is of each direction.

    With a full covariance it keeps a matrix per learner: at most 512 features, and meant for up to about 200 of them
    and 10 learners. `Scaled(BayesianLogistic())` is for columns of numbers on different scales.

    Parameters
    ----------
    variance : float, default=0.2
        Of a coordinate at the start, in [1e-6, 1e6].
    covariance : {"full", "diagonal"}, default="full"
        What is kept of Σ.
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=False
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(
        self, *, variance: float = 0.2, covariance: str = "full", intercept: bool = True, unit_norm: bool = False
    ) -> None:
        self.variance = variance
        self.covariance = covariance
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "gaussian",
            "rule": "logistic",
            "full": _check.choice("covariance", self.covariance, ("full", "diagonal")) == "full",
            "first": 0.0,
            "phi": 0.0,
            "variance": _check.real("variance", self.variance, 1e-6, 1e6),
            "forward": True,
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
