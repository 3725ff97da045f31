"""OzaBoost (Oza & Russell, "Online Bagging and Boosting", AISTATS 2001; Oza, SMC 2005).

    λ = 1;  for m = 1…M:   teach learner m k ~ Poisson(λ) times
                           right:  sc_m += λ;  λ *= (sc_m + sw_m) / (2 sc_m)
                           wrong:  sw_m += λ;  λ *= (sc_m + sw_m) / (2 sw_m)
    vote: log((1-ε_m)/ε_m) on the sign of h_m,  ε_m = sw_m / (sc_m + sw_m)

Which variant: right or wrong is judged after the update. An output of exactly 0, such as that of a learner that has met
no example, says -1, here as in the vote (inside, -1 is the label that was not learned first). A learner with ε ≥ 1/2
has no vote, the ones behind it keep theirs; ε is clamped to 10⁻¹⁰; λ to 10⁶; k to 1000. This matches the OzaBoost
column of the paper's Table 1.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.boosters.base import OnlineEstimator


class OzaBoostClassifier(OnlineEstimator):
    """Online AdaBoost by Poisson sampling.

    Parameters
    ----------
    learner : Learner
        The weak learner.
    n_learners : int, default=100
        How many.
    update : {"poisson", "weight"}, default="poisson"
        Teach k ~ Poisson(λ) times, or once with weight λ (lower variance for Naive Bayes, worse for Perceptrons).
    evaluate : {"after", "before"}, default="after"
        Judge a learner by its output after or before its update. "before" helps learners that remember examples.
    denominator : {"weights", "count"}, default="weights"
        λ *= (sc + sw) / (2 sc), or n / (2 sc) with n the number of examples, as the 2001 figure and MOA have it.
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
        update: str = "poisson",
        evaluate: str = "after",
        denominator: str = "weights",
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.update = update
        self.evaluate = evaluate
        self.denominator = denominator
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, 1_000_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {
            "kind": "ozaboost",
            "poisson": _check.choice("update", self.update, ("poisson", "weight")) == "poisson",
            "after": _check.choice("evaluate", self.evaluate, ("after", "before")) == "after",
            "by_count": _check.choice("denominator", self.denominator, ("weights", "count")) == "count",
            "seed": seed,
        }
