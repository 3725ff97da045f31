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

from onlineboost.declarations import Choice, Flag, Real
from onlineboost.learners.arow import WANDERS, gaussian
from onlineboost.learners.base import INTERCEPT, Learner


class BayesianLogistic(Learner, name="bayesian-logistic", witness="coordinates"):
    """Logistic regression that knows how sure it is of each direction.

    With a full covariance it keeps a matrix per learner: at most 512 features, and meant for up to about 200 of them
    and 10 learners. `Scaled(BayesianLogistic())` is for columns of numbers on different scales.
    """

    variance = Real(default=0.2, low=1e-6, high=1e6, text="Variance of a coordinate at the start.")
    covariance = Choice(default="full", of=("full", "diagonal"), text="What is kept of Σ.")
    intercept = INTERCEPT
    unit_norm = Flag(default=False, text="Divide each row, intercept included, by its Euclidean norm.")
    half_life = WANDERS

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        full = given["covariance"] == "full"
        return gaussian("logistic", given, full=full, variance=given["variance"], forward=True)
