"""Streaming gradient boosting: Hu, Sun, Venkatraman, Hebert and Bagnell, AISTATS 2017, Algorithm 1.

    f_i = f_{i-1} + eta h_i(x)        learner i is taught -grad loss(f_{i-1}) by least squares

for loss(f) = ln(1 + exp(-2 y f)) / 2, whose slope has the size u = 1 / (1 + exp(2 y f)); its curvature is 2 u (1 - u).
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .boosters import NEGLIGIBLE, Booster
from .learners import Bank

Floats = NDArray[np.float64]


class GradientBoost(Booster):
    """Outputs are those before the update. A bank without `regress` is taught the label y with weight u.

    order="first": the target y u with weight 1. order="second": the target y u / v with weight v, Newton's step, where
    v is the curvature but at least u / 2, so that targets are at most 2 (Friedman, Hastie and Tibshirani, Annals of
    Statistics 28, 2000, bound the targets themselves).
    """

    def __init__(self, bank: Bank, learning_rate: float = 0.1, order: Literal["first", "second"] = "second") -> None:
        super().__init__(bank)
        self.eta, self.order = learning_rate, order

    def margin(self, x: Floats) -> float:
        return float(np.mean(self._h(x)))

    def residuals(self, h: Floats, y: int) -> Floats:
        """The sizes u_1 .. u_N of the slopes at f_0 .. f_{N-1}."""
        f = self.eta * np.concatenate([[0.0], np.cumsum(h)[:-1]])
        return np.array([1 / (1 + math.exp(min(2 * y * v, 700.0))) for v in f])

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        u = self.residuals(self._h(x), y)
        v = np.ones_like(u) if self.order == "first" else u * np.maximum(2 * (1 - u), 0.5)
        taught = s * u >= NEGLIGIBLE
        self.bank.meet(x)
        if hasattr(self.bank, "regress"):
            self.bank.regress(x, y * u / v, np.where(taught, s * v, 0.0))
        else:
            self.bank.update(x, y, np.where(taught, s * u, 0.0))
        self.rounds += 1
