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
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.boosters.base import MOST_LEARNERS, OnlineEstimator


class GradientBoostClassifier(OnlineEstimator):
    """Online gradient boosting of the logistic loss.

    Parameters
    ----------
    learner : Learner
        The weak learner. `RegressionTree()` is taught residuals, others labels and weights.
    n_learners : int, default=100
        Learners, N.
    learning_rate : float in (0, 1], default=0.1
        The step η.
    order : {"second", "first"}, default="second"
        Whether targets are Newton's steps or gradients; learners of labels see no difference.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed.
    n_jobs : int, default=None
        Threads among which the work on one example is split, where N × (numbers in the row) is at least 200,000;
        None is 1, -1 is all cores. No result depends on it, and a model file does not hold it.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        learning_rate: float = 0.1,
        order: str = "second",
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.learning_rate = learning_rate
        self.order = order
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, MOST_LEARNERS)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {
            "kind": "gradient_boost",
            "rate": _check.real("learning_rate", self.learning_rate, 0.0, 1.0, low_open=True),
            "newton": _check.choice("order", self.order, ("second", "first")) == "second",
        }
