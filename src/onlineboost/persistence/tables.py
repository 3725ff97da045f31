"""What the writer and the reader of model files share: the names of things, and nothing that could run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import onlineboost.boosters as _boosters
import onlineboost.learners as _learners

if TYPE_CHECKING:
    from onlineboost.boosters.base import OnlineEstimator

FORMAT, VERSION = "onlineboost", 1

ESTIMATORS: dict[str, type[OnlineEstimator]] = {
    kind.__name__: kind
    for kind in (
        _boosters.OSBoostClassifier,
        _boosters.OzaBoostClassifier,
        _boosters.OGBoostClassifier,
        _boosters.BBMClassifier,
        _boosters.AdaBoostOLClassifier,
        _boosters.DefensiveClassifier,
        _boosters.GradientBoostClassifier,
        _boosters.OnlineClassifier,
        _boosters.OnlineBoostClassifier,
        _boosters.OneVsRest,
        _boosters.AdaBoostOLMClassifier,
        _boosters.OnlineMBBMClassifier,
    )
}
# Each learner with an array whose last axis is the learners: how many there are is believed only if it is that long.
LEARNERS: dict[str, tuple[type[_learners.Learner], str]] = {
    "Perceptron": (_learners.Perceptron, "squared_norms"),
    "OnlineGradient": (_learners.OnlineGradient, "squared_norms"),
    "NaiveBayes": (_learners.NaiveBayes, "plus.totals"),
    "AveragedPerceptron": (_learners.AveragedPerceptron, "squared_norms"),
    "AdaGradLogistic": (_learners.AdaGradLogistic, "coordinates"),
    "FTRL": (_learners.FTRL, "duals"),
    "AROW": (_learners.AROW, "coordinates"),
    "SCW": (_learners.SCW, "coordinates"),
    "OnlineRidge": (_learners.OnlineRidge, "coordinates"),
    "BayesianLogistic": (_learners.BayesianLogistic, "coordinates"),
    "Scaled": (_learners.Scaled, ""),
    "RandomFourier": (_learners.RandomFourier, ""),
    "RandomSubsets": (_learners.RandomSubsets, ""),
    "HoeffdingTree": (_learners.HoeffdingTree, "tree_sizes"),
    "RegressionTree": (_learners.RegressionTree, "tree_sizes"),
}
WRAPPERS = {name for name, (_, witness) in LEARNERS.items() if not witness}  # they hold a learner, in `learner`
DEEPEST = 8  # wrappers around a learner
KEY_MODES = ("names", "columns", "columns only")
FIRST_NAMED = 2**31  # as in the bindings: the id of the first key beside column numbers
KEYS, NAMES = "keys", "feature_names"


def is_key(value: Any) -> bool:
    """Whether a file keeps the key of a dict; integers only as far as Python's dicts tell their hashes apart."""
    return is_scalar(value) and not (type(value) is int and abs(value) >= 2**61 - 1)


def is_scalar(value: Any) -> bool:
    """Whether JSON gives the value back with its type."""
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in {bool, int, str}
