"""The constants of the analysis, and the functions of them that bounds are made of.

With w(z) = min(e^(-βz), 1) the weight after a margin sum z (the paper's Algorithm 1), where β = -ln(1-γ)/2:

    θ   = γ/(2+γ)                            the margin aimed at
    φ(z) = ∫_0^z w = z for z ≤ 0, (1-e^(-βz))/β for z > 0            concave, φ' = w, φ ≤ 1/β
    κ   = (e^(β(1+θ)) - 1)/β - (1+θ)         what a step of the sum can lose against its tangent
    γ̂   = θ + κ                              the advantage that pays for the margin θ; below γ up to γ = 0.52

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
        """8/γ²: the mass from which a weak learner owes its advantage (the paper's condition (2))."""
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


def ocp_bound(n_examples: float, n_learners: int, eta0: float = 1.0) -> float:
    """Regret of the OCP vote with step η₀/√t, any stream: √T/η₀ + η₀ N (√T - 1/2); none for one learner.

    The simplex has squared diameter 2 and gradients have squared norm at most N. η₀ = 1/√N makes it 2√(NT) - √N/2.
    """
    if n_learners == 1 or n_examples <= 0:
        return 0.0
    root = math.sqrt(n_examples)
    return root / eta0 + eta0 * n_learners * (root - 0.5)


def eg_bound(n_active: float, n_learners: int) -> float:
    """Regret of the EG vote after n rounds with y f < θ, any stream: 2√(n ln N); none for one learner.

    Exponential weights on losses in [-1, 1] with a falling rate: ln N/η_n + Σ η_k/2, and η_k = √(ln N/k) here.
    """
    return 2.0 * math.sqrt(n_active * math.log(n_learners)) if n_learners > 1 and n_active > 0 else 0.0


def expert_bound(n_examples: float, n_experts: int, rate: str | float, best_loss: float) -> float:
    """Expected mistakes beyond those of the best expert, at most; `rate` as the `expert_rate` of OSBoostClassifier.

    A fixed rate η: the smaller of (η L* + ln N)/(1-e^(-η)) - L* and ln N/η + ηT/8, L* the best expert's mistakes
    ("paper" is η = ln 2, whose first form is 0.386 L* + 2 ln N); "anytime": √(T ln N); "adahedge":
    2√(V ln N) + (4/3) ln N + 2 with V ≤ T/4.
    """
    log_n = math.log(n_experts)
    if n_experts == 1 or n_examples <= 0:
        return 0.0
    if rate == "anytime":
        return math.sqrt(n_examples * log_n)
    if rate == "adahedge":
        return math.sqrt(n_examples * log_n) + 4.0 / 3.0 * log_n + 2.0
    eta = math.log(2.0) if rate == "paper" else float(rate)
    small_loss = (eta * best_loss + log_n) / -math.expm1(-eta) - best_loss
    return min(small_loss, log_n / eta + eta * n_examples / 8.0)
