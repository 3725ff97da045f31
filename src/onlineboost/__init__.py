"""Online boosting with guarantees.

    from onlineboost import OSBoostClassifier, Perceptron, prequential

Boosters combine N weak learners that see each example once. `docs/architecture.md` is the map.
"""

from onlineboost.boosters import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
)
from onlineboost.learners import Bank, BlackBox, Learner, NaiveBayes, OnlineGradient, Perceptron
from onlineboost.persistence import ModelFileError, from_bytes, load
from onlineboost.prequential import PrequentialResult, prequential

__version__ = "0.1.0"

__all__ = [
    "AdaBoostOLClassifier",
    "BBMClassifier",
    "Bank",
    "BlackBox",
    "DefensiveClassifier",
    "Learner",
    "ModelFileError",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineClassifier",
    "OnlineGradient",
    "OzaBoostClassifier",
    "Perceptron",
    "PrequentialResult",
    "from_bytes",
    "load",
    "prequential",
]
