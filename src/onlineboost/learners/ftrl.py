"""FTRL-Proximal logistic regression (McMahan et al., "Ad click prediction", KDD 2013, Algorithm 1).

    g_f = w (σ(⟨u, x⟩) - [y = +1]) x_f        σ_f = (√(n_f + g_f²) - √n_f) / α
    z_f ← z_f + g_f - σ_f u_f                 n_f ← n_f + g_f²
    u_f = 0 if |z_f| <= λ₁, else -(z_f - sgn(z_f) λ₁) / ((β + √n_f) / α + λ₂)        h(x) = tanh(⟨u, x⟩ / 2)

How the weight enters: it multiplies the gradient, as the paper's importance weights do (its Section 4.6). Which printed
variant: the algorithm box; the intercept is a coordinate like any other, so that λ₁ and λ₂ hold for it too.

With a half-life H, all z_f and √n_f are multiplied by 2^(-1/H) before an example is learned, so that u minimises
Σ_s 2^(-(t-s)/H) (g_s u + σ_s (u - u_s)² / 2) + β u² / (2α) + λ₁ |u| + λ₂ u² / 2; u_f follows when its feature is seen.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Real
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner, half_life, without_half_life


class FTRL(Learner, name="ftrl", witness="duals"):
    """Logistic regression with sparse coordinates."""

    alpha = Real(default=3.0, low=0.0, high=1000.0, low_open=True, text="α of the rates.")
    beta = Real(default=1.0, low=0.0, high=1000.0, low_open=True, text="β of the rates.")
    l1 = Real(default=0.0, low=0.0, high=1e6, text="λ₁: a coordinate stays at 0 until its gradients add up to more.")
    l2 = Real(default=0.0, low=0.0, high=1e6, text="λ₂.")
    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    half_life = half_life("gradients and the steps that they allowed count half")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {"kind": "ftrl", **without_half_life(self.checked())}
