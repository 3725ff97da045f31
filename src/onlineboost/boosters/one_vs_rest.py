"""One against the rest: a binary booster for each class, in one walk over the rows.

    class k:  a booster that is taught +1 for its own examples and -1 for all others
    predict:  the class with the largest margin        P(k | x) ∝ the calibrated probability of class k against the rest

Which variant: a class begins with its own first example. Its booster is bit for bit the binary one that learned the
stream from there on, with the labels "this class" and "another", and the seed of the class.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import OnlineEstimator
from onlineboost.boosters.multiclass import MulticlassEstimator


class OneVsRest(MulticlassEstimator):
    """Any number of classes with any binary booster of this package.

    Parameters
    ----------
    booster : estimator of this package for two classes
        `OSBoostClassifier(Perceptron())` or another. Its `random_state`, `n_jobs`, `shuffle` and `n_passes` are those
        of the whole; it is a pattern, and learns nothing itself.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the array batches.
    n_examples_ : int
        Examples learned.

    """

    def __init__(self, booster: Any) -> None:
        self.booster = booster

    @property
    def learner(self) -> Any:
        """The booster's weak learner."""
        return self._pattern().learner

    @property
    def random_state(self) -> Any:
        """The booster's."""
        return self._pattern().random_state

    @property
    def shuffle(self) -> bool:  # type: ignore[override]  # read, never written
        """The booster's."""
        return self._pattern().shuffle

    @property
    def n_passes(self) -> int:  # type: ignore[override]  # as above
        """The booster's."""
        return self._pattern().n_passes

    @property
    def n_jobs(self) -> int | None:  # type: ignore[override]  # as above
        """The booster's."""
        return self._pattern().n_jobs

    def _pattern(self) -> OnlineEstimator:
        if not isinstance(self.booster, OnlineEstimator) or isinstance(self.booster, MulticlassEstimator):
            raise TypeError(
                "booster must be an onlineboost estimator for two classes such as OSBoostClassifier(Perceptron()), "
                f"not {self.booster!r}."
            )
        return self.booster

    def _subject(self) -> OnlineEstimator:
        return self._pattern()

    def _n_learners(self) -> int:
        return self._pattern()._n_learners()

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {"kind": "one_vs_rest"}

    def _class_booster(self, seed: int) -> dict[str, Any] | None:
        return self._template._booster_spec(seed)
