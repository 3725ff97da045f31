"""Ada.OLMR (Jung and Tewari, "Online boosting algorithms for multi-label ranking", AISTATS 2018, Algorithm 2).

Weak learner i consists of one binary learner per label, with outputs h_ki, and gives label k the share
h_i(k) = (1 + h_ki)/Σ_l (1 + h_li). For a row x with the labels Y, not all and not none of the k labels, with s = 0 at
first and L(s) = Σ_{l∈Y} Σ_{r∉Y} log(1 + exp(s_r - s_l)) / (|Y| (k - |Y|)), for i = 1…N:

    c = ∇L(s)           teach the learner of each label k with a weight that goes with |c_k|: +1 if k is in Y, else -1
    s += α_i h_i        α_i ← clip(α_i - η_t c·h_i, -2, 2) with c at the new s and η_t = 1/√t
    expert i loses the share of pairs that s ranks wrongly, a tie counted half:   v_i ← v_i exp(-loss)

No parameter says how good the learners are.

Which variant: costs, step sizes and the bounds on α follow the authors' program. Theirs teaches one tree of many
classes the labels in Y, by how much less than the largest cost each has; ours teaches all binary learners, since a cost
has the sign of its label. The weights are |c_k| |Y| (k - |Y|) / max(|Y|, k - |Y|), of which none is above 1. The paper
draws an expert by v; here the mean of the experts' scores by v ranks, and their mean over the labels is taken off. k is
the number of labels that have begun; a label to come learns as one that is not in Y. A row with all labels or none
teaches the calibrations only.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster


class AdaOLMR(Booster, name="ada-olmr", estimator="AdaOLMRClassifier"):
    """Adaptive online boosting that ranks labels, without a parameter for the learners' advantage.

    `decision_function` has the scores. One binary learner for each label makes a weak learner that ranks them.
    """

    many_classes = True
    label_sets = True
    ranks = True

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "ada_olmr"}
