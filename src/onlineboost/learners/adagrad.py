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
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class AdaGradLogistic(Learner):
    """Logistic regression with a rate per coordinate, and steps that no weight makes too long.

    Parameters
    ----------
    rate : float, default=1.0
        η, in (0, 1000].
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(self, *, rate: float = 1.0, intercept: bool = True, unit_norm: bool = True) -> None:
        self.rate = rate
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "adagrad",
            "rate": _check.real("rate", self.rate, 0.0, 1000.0, low_open=True),
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
