"""The constants of the analysis; `bounds` has what is made of them.

With w(z) = min(e^(-βz), 1) the weight after a margin sum z (the paper's Algorithm 1), where β = -ln(1-γ)/2:

    θ   = γ/(2+γ)                            the margin aimed at
    φ(z) = ∫_0^z w = z for z ≤ 0, (1-e^(-βz))/β for z > 0            concave, φ' = w, φ ≤ 1/β
    κ   = (e^(β(1+θ)) - 1)/β - (1+θ)         what a step of the sum can lose against its tangent
    γ̂   = θ + κ                              the advantage that pays for the margin θ; below γ for γ ≤ 1/2

`docs/theory.md` derives them. c = 8 is the constant of `OnlineGradient`: its regret is at most √(8 Σw²).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from onlineboost.declarations import checks

C = 8.0  # condition (2) reads |w| >= C / gamma^2


@dataclass(frozen=True)
class Constants:
    """γ, θ, and what follows from them."""

    gamma: float
    theta: float
    beta: float
    kappa: float
    gamma_hat: float

    @property
    def ceiling(self) -> float:
        """1/β: no example can add more than this to the potential."""
        return 1.0 / max(self.beta, 1e-280)  # products with counts stay finite

    @property
    def mass_needed(self) -> float:
        """8/γ²: of how many equally weighted examples a learner's weights must be worth before it owes its advantage.

        The paper's condition (2) asks this of Σw; for weights of at most 1 the former follows.
        """
        square = self.gamma**2
        return C / square if square > 0 else math.inf  # a γ below 1e-162 has no square

    def weight(self, z: Any) -> Any:
        """w(z) = min(e^(-βz), 1)."""
        return np.exp(-self.beta * np.maximum(z, 0.0))

    def phi(self, z: Any) -> Any:
        """The potential φ(z) = ∫_0^z w."""
        return np.where(np.asarray(z) <= 0, z, -np.expm1(-self.beta * np.maximum(z, 0.0)) * self.ceiling)

    def most_learners(self, delta: float) -> float:
        """Lemma 3: how many learners of advantage 2γ can have a mass of at least δT, 1/(β δ (2γ - γ̂))."""
        spare = 2.0 * self.gamma - self.gamma_hat
        return math.inf if spare <= 0 or delta <= 0 else 1.0 / (self.beta * delta * spare)

    def certified_by(self, advantage: float, n_learners: int) -> float:
        """(I5): N learners, each of at least this advantage, have min W_i/T ≤ 1/(β N (a - γ̂)), on any stream."""
        spare = advantage - self.gamma_hat
        return math.inf if spare <= 0 else self.ceiling / (n_learners * spare)


def constants(gamma: float, theta: float | None = None) -> Constants:
    """The constants for an advantage γ in (0, 1) and a margin θ in [0, γ]; by default the paper's θ = γ/(2+γ)."""
    gamma = checks.real("gamma", gamma, 0.0, 1.0, low_open=True, high_open=True)
    theta = gamma / (2.0 + gamma) if theta is None else checks.real("theta", theta, 0.0, gamma)
    beta = -math.log1p(-gamma) / 2.0
    u = beta * (1.0 + theta)
    # (e^u - 1)/u - 1 cancels for small u, where four terms of its series are exact.
    excess = u / 2 + u**2 / 6 + u**3 / 24 + u**4 / 120 if u < 1e-3 else math.expm1(u) / u - 1.0
    kappa = (1.0 + theta) * excess
    return Constants(gamma, theta, beta, kappa, theta + kappa)
