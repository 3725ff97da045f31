"""OnlineMBBM (Jung, Goetz, Tewari, "Online multiclass boosting", NIPS 2017, Algorithm 1): boost by majority.

Weak learner i consists of one binary learner per class and says the class l_i whose output is largest. For a row x of
class y, with k classes and s = 0 at first, for i = 1…N:

    w_i = Σ_{l≠y} φ_{N-i}(s + e_l) - φ_{N-i}(s + e_y)        teach learner i with w_i / max w        s += e_{l_i}

φ_n(s) is the chance that y does not lead alone after n more votes, each for y with probability (1-γ)/k + γ and for any
other class with (1-γ)/k. The vote is not weighted.

Which variant: φ is computed exactly, by the generating function of the votes, where the authors' code samples; it is
kept by (n, sorted leads). The largest weight is taken over the states in which all rivals are level. Probabilities are
each class's share of the votes, calibrated against the rest and normalised. With a single class so far, k is 2 and
nobody votes for the other.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _core
from onlineboost.boosters.base import Booster
from onlineboost.declarations import Integer, Real


class OnlineMBBM(Booster, estimator="OnlineMBBMClassifier"):
    """Boost by majority for few classes, with the optimal weights for learners of a known advantage.

    The time for the weights grows with the classes: use it for up to about ten. One binary learner for each class makes
    a weak learner of many classes.
    """

    many_classes = True

    n_learners = Integer(default=20, low=1, high=_core.MOST_VOTES, text="How many weak learners, N.", positional=True)
    gamma = Real(
        default=0.1,
        low=0.0,
        high=1.0,
        low_open=True,
        high_open=True,
        text="The advantage over guessing that the weak learners are assumed to have.",
    )

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return {"kind": "mbbm", "gamma": self.checked()["gamma"]}
