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

from onlineboost import _check, _core
from onlineboost.boosters.multiclass import MulticlassEstimator


class OnlineMBBMClassifier(MulticlassEstimator):
    """Boost by majority for few classes, with the optimal weights for learners of a known advantage.

    The time for the weights grows with the classes: use it for up to about ten.

    Parameters
    ----------
    learner : Learner
        The weak learner; one for each class makes a weak learner of many classes.
    n_learners : int up to 100, default=20
        How many.
    gamma : float in (0, 1), default=0.1
        The advantage over guessing that the weak learners are assumed to have.
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
        n_learners: int = 20,
        *,
        gamma: float = 0.1,
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.gamma = gamma
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, _core.MOST_VOTES)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {"kind": "mbbm", "gamma": _check.real("gamma", self.gamma, 0.0, 1.0, low_open=True, high_open=True)}

    def _class_booster(self, seed: int) -> dict[str, Any] | None:
        return None
