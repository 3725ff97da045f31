"""Models side by side as one bank: what `OnlineBoostClassifier` mixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost import _check
from onlineboost.boosters.base import MOST_LEARNERS, OnlineEstimator
from onlineboost.boosters.multiclass import MulticlassEstimator
from onlineboost.boosters.osboost import OSBoostClassifier
from onlineboost.boosters.single import OnlineClassifier
from onlineboost.learners import (
    AROW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    HoeffdingTree,
    Learner,
    NaiveBayes,
    Perceptron,
    RandomFourier,
    Scaled,
)

if TYPE_CHECKING:
    from collections.abc import Collection

MOST_FAMILIES = 64
_GOLDEN = 0x9E3779B97F4A7C15

# Features that a family takes: beyond, its cost per example or its memory would be out of proportion.
_WITH_A_MATRIX, _WITH_A_TABLE, _ANY = 400, 2000, 2**31


def default_families() -> list[tuple[str, OnlineEstimator, int]]:
    """Name, model, and the number of features that it takes; see docs/mixture.md on how they were chosen."""
    return [
        ("trees", OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5), _ANY),
        ("naive bayes", OSBoostClassifier(NaiveBayes(kind="typed", alpha=0.001), 20), _WITH_A_TABLE),
        ("adagrad", OSBoostClassifier(Scaled(AdaGradLogistic(rate=0.5)), 20), _ANY),
        ("arow", OnlineClassifier(AROW()), _ANY),
        ("arow, full", OnlineClassifier(AROW(covariance="full")), _WITH_A_MATRIX),
        ("bayesian logistic", OnlineClassifier(Scaled(BayesianLogistic())), _WITH_A_MATRIX),
        (
            "random features",
            OSBoostClassifier(Scaled(RandomFourier(AveragedPerceptron(), 300)), 10),
            _WITH_A_TABLE,
        ),
    ]


class Families(Learner):
    """A bank whose learners are whole models; private to `OnlineBoostClassifier`.

    Parameters
    ----------
    members : list of (name, estimator, most_features)
        The models.

    """

    def __init__(self, members: Any) -> None:
        self.members = members

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return self.spec(n_features, seed)

    def spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds; a family that has retired is never asked, so the smallest bank stands for it."""
        smallest: Any = OnlineClassifier(Perceptron())
        return {
            "kind": "families",
            "members": [
                _member(smallest if k in retired else estimator, most, n_features, (seed + k * _GOLDEN) % 2**64)
                for k, (_, estimator, most) in enumerate(self.members)
            ],
        }


def checked(families: Any) -> list[tuple[str, OnlineEstimator, int]]:
    """The families with their limits, from what a user gave."""
    if families is None:
        return default_families()
    if not isinstance(families, list | tuple) or not 1 <= len(families) <= MOST_FAMILIES:
        raise ValueError(f"families must be a list of 1 to {MOST_FAMILIES} pairs (name, estimator), not {families!r}.")
    found = []
    for one in families:
        if not isinstance(one, list | tuple) or len(one) not in (2, 3) or not isinstance(one[0], str):
            raise ValueError(
                f"A family is a pair (name, estimator), or with a limit of features a triple, not {one!r}."
            )
        name, estimator = one[:2]
        binary = isinstance(estimator, OnlineEstimator) and not isinstance(estimator, MulticlassEstimator)
        if not binary or not isinstance(getattr(estimator, "learner", None), Learner) or hasattr(estimator, "families"):
            raise TypeError(f"The family {name!r} must be an onlineboost classifier with a learner, not {estimator!r}.")
        limit = _check.integer(f"the limit of {name!r}", one[2], 1, _ANY) if len(one) == 3 else _ANY
        found.append((name, estimator, limit))
    if len({name for name, _, _ in found}) < len(found):
        raise ValueError("Two families have one name.")
    return found


def _member(estimator: OnlineEstimator, most: int, n_features: int, seed: int) -> dict[str, Any]:
    n_learners = _check.integer("the number of weak learners", estimator._n_learners(), 1, MOST_LEARNERS)
    bank = estimator.learner._bank_spec(n_learners, n_features, seed)
    if bank["kind"] in {"python", "families"}:
        raise TypeError(f"A family needs a learner with a native bank, and {estimator.learner!r} has none.")
    return {
        "learners": n_learners,
        "bank": bank,
        "booster": estimator._booster_spec(seed),
        "most_features": most,
    }
