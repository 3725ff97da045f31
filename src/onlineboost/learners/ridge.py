"""Ridge regression on the labels, online (Azoury and Warmuth, Machine Learning 43, 2001; Vovk, ISR 69, 2001).

    A = a I + Σ w x xᵀ        u = A⁻¹ Σ w y x        v = xᵀ A⁻¹ x        h(x) = ⟨u, x⟩ / (1 + v), clipped to [-1, 1]

kept by rank-one updates of P = A⁻¹ (Sherman and Morrison):

    b = w / (1 + w v),    u ← u + b (y - ⟨u, x⟩) P x,    P ← P - b P x xᵀ P.

How the weight enters: as the weight of a square in the least-squares problem, so that u is the weighted batch solution
after every example. Which printed variant: `forecast="vaw"` is the Vovk–Azoury–Warmuth forecaster, whose A counts the
row that is to be predicted, with weight 1; it has the sign of the ridge forecast, ⟨u, x⟩, and less to say about
directions that it has not seen. `forecast="ridge"` is ⟨u, x⟩.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Real
from onlineboost.learners.arow import WANDERS, gaussian
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner


class OnlineRidge(Learner, name="ridge", witness="coordinates"):
    """Weighted ridge regression on the labels -1 and +1, exact after every example.

    It keeps a matrix per learner: at most 512 features, and meant for up to about 200 of them and 10 learners (see
    `AROW`, whose diagonal form is the learner for more).
    """

    a = Real(default=1.0, low=1e-6, high=1e6, text="The ridge.")
    forecast = Choice(default="vaw", of=("vaw", "ridge"), text="What h says.")
    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    half_life = WANDERS

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        return gaussian("ridge", given, full=True, variance=1.0 / given["a"], forward=given["forecast"] == "vaw")
