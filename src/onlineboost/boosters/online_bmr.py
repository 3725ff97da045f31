"""OnlineBMR (Jung and Tewari, "Online boosting algorithms for multi-label ranking", AISTATS 2018, Algorithm 1).

Weak learner i consists of one binary learner per label, with outputs h_ki, and gives label k the share
h_i(k) = (1 + h_ki)/Σ_l (1 + h_li). For a row x with the labels Y, not all and not none of the k labels, with s = 0 at
first, for i = 1…N:

    c_k = φ_{N-i}(s + e_k) - φ_{N-i}(s)     teach the learner of each label k with a weight that goes with |c_k|: +1 if
    s += h_i                                k is in Y, else -1

φ_0 is the hinge loss of pairs, Σ_{l∈Y} Σ_{r∉Y} max(0, 1 + s_r - s_l) / (|Y| (k - |Y|)), and φ_n(s) its mean after n
more votes, each for a label with probability a + γ if it is in Y and a if not, a = (1 - γ|Y|)/k. The vote is not
weighted. By convexity, φ_0(s_N) ≤ φ_N(0) + Σ_i c_i·(h_i - u) with u these probabilities: learners that do as well as u
on their costs make a ranking whose loss is at most φ_N(0).

Which variant: φ is exact, where the authors' program samples it: it is a sum over pairs, each a walk of the lead
s_l - s_r, and linear between whole leads. γ is at most 1/|Y|. The binary learners are taught as those of Ada.OLMR, with
the weights |c_k| |Y| (k - |Y|) / max(|Y|, k - |Y|), of which none is above 1. Scores are taken from their mean over the
labels. k is the number of labels that have begun; a label to come learns as one that is not in Y. A row with all labels
or none teaches the calibrations only.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster
from onlineboost.boosters.mbbm import OnlineMBBM


class OnlineBMR(Booster, name="online-bmr", estimator="OnlineBMRClassifier"):
    """Boost by majority that ranks labels, with the optimal weights for learners of a known advantage.

    `decision_function` has the scores. One binary learner for each label makes a weak learner that ranks them.
    """

    many_classes = True
    label_sets = True
    ranks = True

    n_learners = OnlineMBBM.n_learners
    gamma = OnlineMBBM.gamma

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return {"kind": "online_bmr", "gamma": self.checked()["gamma"]}
