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
from onlineboost.learners import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    Bank,
    BlackBox,
    Learner,
    NaiveBayes,
    OnlineGradient,
    OnlineRidge,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
)
from onlineboost.prequential import PrequentialResult, prequential

__version__ = "0.1.0"

__all__ = [
    "AROW",
    "FTRL",
    "SCW",
    "AdaGradLogistic",
    "AveragedPerceptron",
    "Bank",
    "BlackBox",
    "Learner",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineClassifier",
    "OnlineGradient",
    "OnlineRidge",
    "OzaBoostClassifier",
    "Perceptron",
    "PrequentialResult",
    "RandomFourier",
    "RandomSubsets",
    "Scaled",
    "prequential",
]
