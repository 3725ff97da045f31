"""The boosters, one file each; `base` is what they share."""

from onlineboost.boosters.gradient_boost import GradientBoostClassifier
from onlineboost.boosters.ogboost import OGBoostClassifier
from onlineboost.boosters.osboost import OSBoostClassifier
from onlineboost.boosters.ozaboost import OzaBoostClassifier
from onlineboost.boosters.single import OnlineClassifier

__all__ = [
    "GradientBoostClassifier",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineClassifier",
    "OzaBoostClassifier",
]
