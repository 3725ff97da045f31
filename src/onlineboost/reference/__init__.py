"""The executable specification: every booster and weak learner in plain NumPy.

Slow on purpose. A reader learns the algorithms here, and the tests hold the native engine to what is
computed here. Read in this order: `boosters` (the paper), `experts`, `learners`, `simplex`, `rng`, and `later` for
the boosters that followed. "The paper" is Chen, Lin and Lu,
"An Online Boosting Algorithm with Theoretical Justifications", ICML 2012.
"""

from .boosters import OGBoost, OSBoost, OzaBoost, Single, loss_weight, smooth_weights
from .later import BBM, AdaBoostOL, Defensive, majority_potential, majority_weight
from .learners import Bank, NaiveBayes, OnlineGradient, Perceptron
from .rng import hash64, poisson, start, uniform
from .simplex import project_newton, project_pivot, project_sort

__all__ = [
    "BBM",
    "AdaBoostOL",
    "Bank",
    "Defensive",
    "NaiveBayes",
    "OGBoost",
    "OSBoost",
    "OnlineGradient",
    "OzaBoost",
    "Perceptron",
    "Single",
    "hash64",
    "loss_weight",
    "majority_potential",
    "majority_weight",
    "poisson",
    "project_newton",
    "project_pivot",
    "project_sort",
    "smooth_weights",
    "start",
    "uniform",
]
