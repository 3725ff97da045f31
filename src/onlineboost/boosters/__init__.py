"""The boosters, one file each; `base` is what they share."""

from onlineboost.boosters.adaboost_olm import AdaBoostOLMClassifier
from onlineboost.boosters.mbbm import OnlineMBBMClassifier
from onlineboost.boosters.ogboost import OGBoostClassifier
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.boosters.osboost import OSBoostClassifier
from onlineboost.boosters.ozaboost import OzaBoostClassifier
from onlineboost.boosters.single import OnlineClassifier

__all__ = [
    "AdaBoostOLMClassifier",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OneVsRest",
    "OnlineClassifier",
    "OnlineMBBMClassifier",
    "OzaBoostClassifier",
]
