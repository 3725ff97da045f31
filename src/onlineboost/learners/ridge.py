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

from onlineboost import _check
from onlineboost.learners.base import Learner


class OnlineRidge(Learner):
    """Weighted ridge regression on the labels -1 and +1, exact after every example.

    It keeps a matrix per learner: at most 512 features, and meant for up to about 200 of them and 10 learners (see
    `AROW`, whose diagonal form is the learner for more).

    Parameters
    ----------
    a : float, default=1.0
        The ridge, in [1e-6, 1e6].
    forecast : {"vaw", "ridge"}, default="vaw"
        What h says.
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.

    """

    def __init__(
        self, *, a: float = 1.0, forecast: str = "vaw", intercept: bool = True, unit_norm: bool = True
    ) -> None:
        self.a = a
        self.forecast = forecast
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "gaussian",
            "rule": "ridge",
            "full": True,
            "first": 0.0,
            "phi": 0.0,
            "variance": 1.0 / _check.real("a", self.a, 1e-6, 1e6),
            "forward": _check.choice("forecast", self.forecast, ("vaw", "ridge")) == "vaw",
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
