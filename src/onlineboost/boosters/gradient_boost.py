"""Streaming gradient boosting of the logistic loss.

Hu, Sun, Venkatraman, Hebert and Bagnell, "Gradient Boosting on Stochastic Data Streams", AISTATS 2017, Algorithm 1:

    f_0 = 0;   f_i = f_{i-1} + η h_i(x);   ℓ(f) = ½ ln(1 + e^(-2yf))
    u_i = -y ℓ'(f_{i-1}) = 1 / (1 + e^(2 y f_{i-1}))                 the size of the residual, in (0, 1)
    order="second":  teach learner i the target y u_i / v_i with weight v_i = 2 u_i max(1 - u_i, 1/4)
    order="first":   teach learner i the target y u_i with weight 1

2 u (1 - u) is ℓ''. So the second order is LogitBoost's step (Friedman, Hastie and Tibshirani, Annals of Statistics 28,
2000), as in streaming gradient boosted trees (Gunasekara, Pfahringer, Gomes and Bifet, Machine Learning 113, 2024); the
maximum keeps targets at 2, which LogitBoost does by cutting them off, and leaves the gradient as it is. A learner of
labels is taught y with weight u_i in both.

Which variant: outputs are taken before the update and clipped to [-1, 1], which bounds a step. The margin is the mean
of the outputs, f_N / (ηN). What is guaranteed on any stream: ℓ'' ≤ ½, so

    Σ ℓ(f_i) ≤ Σ ℓ(f_{i-1}) - η Σ y u_i h_i + ¼ η² Σ h_i²

If every learner has the edge γ, Σ y u_i h_i ≥ γ Σ u_i, then f_0 … f_{N-1} err on average on at most a share of
(ln 2 / (ηN) + η/2) / γ of the examples: sum the line above over i; ℓ(f_0) = ½ ln 2, and u_i ≥ ½ where f_{i-1} errs.

More than two classes: each has N learners and a sum f_k of its own, p_k = e^(f_k) / Σ_l e^(f_l) (Friedman, Hastie and
Tibshirani's many-class LogitBoost), and learner i of class k is taught as above with u_ik = |1{y = k} - p_k| at
f_{i-1}, upwards for its own examples and downwards for others; the curvature is taken as 2 u (1 - u) for any number of
classes. With the third label the first class goes on with the learners so far, the second with their copy, sign turned:
the softmax of f and -f is p as before.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster, Shared
from onlineboost.declarations import Choice, Object, Real
from onlineboost.learners import RegressionTree


class GradientBoost(Booster, name="gradient-boost", estimator="GradientBoostClassifier"):
    """Online gradient boosting of the logistic loss."""

    default_learner = RegressionTree

    learner = Object(
        default=None,
        kind="Learner",
        text="The weak learner. `RegressionTree()` is taught residuals, others labels and weights. None stands for "
        "`RegressionTree()`.",
        positional=True,
    )
    learning_rate = Real(default=0.1, low=0.0, high=1.0, low_open=True, text="The step η.")
    order = Choice(
        default="second",
        of=("second", "first"),
        text="Whether targets are Newton's steps or gradients; learners of labels see no difference.",
    )

    def against_the_rest(self) -> Booster | Shared | None:
        """The softmax over a sum per class."""
        return Shared(self, {**self.booster_spec(0), "kind": "softmax"}, calibrated=True)

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        return {"kind": "gradient_boost", "rate": given["learning_rate"], "newton": given["order"] == "second"}
