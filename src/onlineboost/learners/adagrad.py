"""Logistic regression by diagonal AdaGrad (Duchi, Hazan and Singer, JMLR 12, 2011, Figure 1, diagonal, composite-free).

    g = σ(-y ⟨u, x⟩)        G_f ← G_f + (w g x_f)²        u_f ← u_f + η w y g x_f / √G_f        h(x) = tanh(⟨u, x⟩ / 2)

is the step for small weights. The printed δ beside √G is 0: a multiple of all weights changes nothing then, and a
coordinate without a gradient does not move.

How the weight enters: a large step is divided into infinitely many (Karampatziakis and Langford, UAI 2011), along the
direction that AdaGrad gives, so that it comes to rest where the loss does instead of leaping over it. With the margin
m = y ⟨u, x⟩ and q = η w Σ_f x_f² / √G_f, the equation dm/dτ = q σ(-m), 0 <= τ <= 1, has the closed form

    m' + exp(m') = m + exp(m) + q,        u_f ← u_f + y (m' - m) / q · η w x_f / √G_f

and q → 0 gives the step above. Which printed variant: the paper of 2011 divides steps of a fixed rate; the rates of
AdaGrad, with this example's gradient counted already, are held fixed along the way, as Vowpal Wabbit does.

With a half-life H every G_f is multiplied by 2^(-1/H) before an example is learned. Kept as sums that do not shrink, of
gradients times 2^(t/2H): η w / √G does not change by a common factor of w and √G.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Real
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner, half_life, without_half_life


class AdaGradLogistic(Learner, name="adagrad", witness="coordinates"):
    """Logistic regression with a rate per coordinate, and steps that no weight makes too long."""

    rate = Real(default=1.0, low=0.0, high=1000.0, low_open=True, text="The rate η.")
    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    half_life = half_life("a squared gradient counts half, so that rates do not die")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {"kind": "adagrad", **without_half_life(self.checked())}
