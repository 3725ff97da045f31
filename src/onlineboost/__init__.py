"""Online boosting with guarantees.

    from onlineboost import OSBoostClassifier, Perceptron, prequential

Boosters combine N weak learners that see each example once. `docs/architecture.md` is the map.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onlineboost._prequential import MulticlassPrequentialResult, PrequentialResult, prequential
    from onlineboost.boosters import (
        AdaBoostOLClassifier,
        AdaBoostOLMClassifier,
        BBMClassifier,
        DefensiveClassifier,
        GradientBoostClassifier,
        OGBoostClassifier,
        OneVsRest,
        OnlineBoostClassifier,
        OnlineClassifier,
        OnlineMBBMClassifier,
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
        BayesianLogistic,
        BlackBox,
        HoeffdingTree,
        Learner,
        NaiveBayes,
        OnlineGradient,
        OnlineRidge,
        Perceptron,
        RandomFourier,
        RandomSubsets,
        RegressionTree,
        Scaled,
    )
    from onlineboost.persistence import ModelFileError, from_bytes, load

__version__ = "0.1.0"

__all__ = [
    "AROW",
    "FTRL",
    "SCW",
    "AdaBoostOLClassifier",
    "AdaBoostOLMClassifier",
    "AdaGradLogistic",
    "AveragedPerceptron",
    "BBMClassifier",
    "Bank",
    "BayesianLogistic",
    "BlackBox",
    "DefensiveClassifier",
    "GradientBoostClassifier",
    "HoeffdingTree",
    "Learner",
    "ModelFileError",
    "MulticlassPrequentialResult",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OneVsRest",
    "OnlineBoostClassifier",
    "OnlineClassifier",
    "OnlineGradient",
    "OnlineMBBMClassifier",
    "OnlineRidge",
    "OzaBoostClassifier",
    "Perceptron",
    "PrequentialResult",
    "RandomFourier",
    "RandomSubsets",
    "RegressionTree",
    "Scaled",
    "from_bytes",
    "load",
    "prequential",
]

_HOMES = {
    "boosters": (
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
    ),
    "learners": (
        "AROW",
        "FTRL",
        "SCW",
        "AdaGradLogistic",
        "AveragedPerceptron",
        "Bank",
        "BayesianLogistic",
        "BlackBox",
        "HoeffdingTree",
        "Learner",
        "NaiveBayes",
        "OnlineGradient",
        "OnlineRidge",
        "Perceptron",
        "RandomFourier",
        "RandomSubsets",
        "RegressionTree",
        "Scaled",
    ),
    "persistence": ("ModelFileError", "from_bytes", "load"),
    "_prequential": ("MulticlassPrequentialResult", "PrequentialResult", "prequential"),
}
_ROOMS = {"boosters", "learners", "persistence", "streams", "_core"}


def __getattr__(name: str) -> Any:
    """A public name, on first use: the command line starts without most of them."""
    if name in _ROOMS:
        return import_module(f"onlineboost.{name}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'onlineboost' has no attribute {name!r}")
    value = getattr(import_module(f"onlineboost.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
