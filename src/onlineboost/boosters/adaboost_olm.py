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

from onlineboost.boosters.base import Booster


class AdaBoostOLM(Booster, estimator="AdaBoostOLMClassifier"):
    """Adaptive online boosting for any number of classes, without a parameter for the learners' advantage.

    One binary learner for each class makes a weak learner of many classes.
    """

    many_classes = True

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "adaboost_olm"}
