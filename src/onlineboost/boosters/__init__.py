"""The boosters, one file each; `base` is what they share."""

from onlineboost.boosters.adaboost_ol import AdaBoostOLClassifier
from onlineboost.boosters.adaboost_olm import AdaBoostOLMClassifier
from onlineboost.boosters.bbm import BBMClassifier
from onlineboost.boosters.defensive import DefensiveClassifier
from onlineboost.boosters.gradient_boost import GradientBoostClassifier
from onlineboost.boosters.mbbm import OnlineMBBMClassifier
from onlineboost.boosters.mixture import OnlineBoostClassifier
from onlineboost.boosters.ogboost import OGBoostClassifier
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.boosters.osboost import OSBoostClassifier
from onlineboost.boosters.ozaboost import OzaBoostClassifier
from onlineboost.boosters.single import OnlineClassifier

__all__ = [
    "AdaBoostOLClassifier",
    "AdaBoostOLMClassifier",
    "BBMClassifier",
    "DefensiveClassifier",
    "GradientBoostClassifier",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OneVsRest",
    "OnlineBoostClassifier",
    "OnlineClassifier",
    "OnlineMBBMClassifier",
    "OzaBoostClassifier",
]
