"""One weak learner as a classifier of its own: the baseline columns of the paper's tables."""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import OnlineEstimator


class OnlineClassifier(OnlineEstimator):
    """A single weak learner, not boosted.

    Parameters
    ----------
    learner : Learner
        The learner.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed.

    """

    def __init__(self, learner: Any, *, shuffle: bool = False, n_passes: int = 1, random_state: Any = None) -> None:
        self.learner = learner
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state

    def _n_learners(self) -> int:
        return 1

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {"kind": "single"}
