"""The boosters, one file each; `base` is what they share."""

from onlineboost.boosters.adaboost_ol import AdaBoostOLClassifier
from onlineboost.boosters.bbm import BBMClassifier
from onlineboost.boosters.defensive import DefensiveClassifier
from onlineboost.boosters.gradient_boost import GradientBoostClassifier
from onlineboost.boosters.mixture import OnlineBoostClassifier
from onlineboost.boosters.ogboost import OGBoostClassifier
from onlineboost.boosters.osboost import OSBoostClassifier
from onlineboost.boosters.ozaboost import OzaBoostClassifier
from onlineboost.boosters.single import OnlineClassifier

__all__ = [
    "AdaBoostOLClassifier",
    "BBMClassifier",
    "DefensiveClassifier",
    "GradientBoostClassifier",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineBoostClassifier",
    "OnlineClassifier",
    "OzaBoostClassifier",
]
