"""Online boosting with guarantees.

    from onlineboost import OSBoostClassifier, Perceptron, prequential

Boosters combine N weak learners that see each example once. `docs/architecture.md` is the map.
"""

from onlineboost.boosters import (
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
)
from onlineboost.learners import Bank, BlackBox, HoeffdingTree, Learner, NaiveBayes, OnlineGradient, Perceptron
from onlineboost.prequential import PrequentialResult, prequential

__version__ = "0.1.0"

__all__ = [
    "Bank",
    "BlackBox",
    "HoeffdingTree",
    "Learner",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineClassifier",
    "OnlineGradient",
    "OzaBoostClassifier",
    "Perceptron",
    "PrequentialResult",
    "prequential",
]
