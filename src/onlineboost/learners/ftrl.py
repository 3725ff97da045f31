"""FTRL-Proximal logistic regression (McMahan et al., "Ad click prediction", KDD 2013, Algorithm 1).

    g_f = w (σ(⟨u, x⟩) - [y = +1]) x_f        σ_f = (√(n_f + g_f²) - √n_f) / α
    z_f ← z_f + g_f - σ_f u_f                 n_f ← n_f + g_f²
    u_f = 0 if |z_f| <= λ₁, else -(z_f - sgn(z_f) λ₁) / ((β + √n_f) / α + λ₂)        h(x) = tanh(⟨u, x⟩ / 2)

How the weight enters: it multiplies the gradient, as the paper's importance weights do (its Section 4.6). Which printed
variant: the algorithm box; the intercept is a coordinate like any other, so that λ₁ and λ₂ hold for it too.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class FTRL(Learner):
    """Logistic regression with sparse coordinates.

    Parameters
    ----------
    alpha : float, default=3.0
        α of the rates, in (0, 1000].
    beta : float, default=1.0
        β of the rates, in (0, 1000].
    l1 : float, default=0.0
        λ₁: a coordinate stays at 0 until its gradients add up to more.
    l2 : float, default=0.0
        λ₂.
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(
        self,
        *,
        alpha: float = 3.0,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.l1 = l1
        self.l2 = l2
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "ftrl",
            "alpha": _check.real("alpha", self.alpha, 0.0, 1000.0, low_open=True),
            "beta": _check.real("beta", self.beta, 0.0, 1000.0, low_open=True),
            "l1": _check.real("l1", self.l1, 0.0, 1e6),
            "l2": _check.real("l2", self.l2, 0.0, 1e6),
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
