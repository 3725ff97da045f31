"""Adaboost.OLM (Jung, Goetz, Tewari, "Online multiclass boosting", NIPS 2017, Algorithm 2).

Weak learner i consists of one binary learner per class and says the class l_i whose output is largest. For a row x of
class y, with k classes and s = 0 at first, for i = 1…N:

    c_l = 1/(1 + exp(s_y - s_l)) for l ≠ y       teach learner i with the weight w_i = Σ_{l≠y} c_l / (k - 1)
    s_{l_i} += α_i;  α_i ← clip(α_i - η_t ∂L/∂α_i, -2, 2)     with the loss L = Σ_{l≠y} log(1 + exp(s_l - s_y))
    expert i errs if the leader of s is not y:   v_i ← v_i/e

with η_t = 2√2/((k - 1)√t) and the derivative at the new s. No parameter says how good the learners are.

Which variant: the paper draws an expert by the weights v; here the experts' weighted majority decides, which errs at
most twice as often as the draw is expected to. Probabilities are the mean, by v, of the experts' softmax(s). With a
single class so far, all weights are 1/2, and neither α nor v moves. k is the number of classes that have begun.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.boosters.multiclass import MulticlassEstimator


class AdaBoostOLMClassifier(MulticlassEstimator):
    """Adaptive online boosting for any number of classes, without a parameter for the learners' advantage.

    Parameters
    ----------
    learner : Learner
        The weak learner; one for each class makes a weak learner of many classes.
    n_learners : int, default=100
        How many.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed. An integer makes everything reproducible, bit for bit.
    n_jobs : int, default=None
        Threads among which the work on one example and class is split, where N × (numbers in the row) is at least
        200,000; None is 1, -1 is all cores. No result depends on it, and a model file does not hold it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the array batches.
    n_examples_ : int
        Examples learned.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, 1_000_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {"kind": "adaboost_olm"}

    def _class_booster(self, seed: int) -> dict[str, Any] | None:
        return None
