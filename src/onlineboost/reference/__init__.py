"""The executable specification: every booster and weak learner in plain NumPy.

Slow on purpose. A reader learns the algorithms here, and the tests compare the native engine with the results.
Read in this order: `boosters` (the paper), `learners`, `naive_bayes`, `linear`, `trees`, `transforms`, `simplex`,
`rng`, then `successors` for later boosters, `multiclass` and `mixture`. "The paper" is Chen, Lin and Lu, "An Online
Boosting Algorithm with Theoretical Justifications", ICML 2012.
"""

from .boosters import OGBoost, OSBoost, OzaBoost, Single, loss_weight, smooth_weights
from .learners import Bank, OnlineGradient, Perceptron
from .linear import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    OnlineRidge,
    PassiveAggressive,
)
from .mixture import Mixture
from .multiclass import MBBM, AdaBoostOLM, OneVsRest, class_seed, potential, potential_weight
from .naive_bayes import NaiveBayes, TypedNaiveBayes
from .rng import hash64, poisson, start, uniform
from .simplex import project_newton, project_pivot, project_sort
from .successors import BBM, AdaBoostOL, Defensive, GradientBoost, majority_potential, majority_weight
from .transforms import RandomFourier, RandomSubsets, Scaled
from .trees import HoeffdingTree, RegressionTree

__all__ = [
    "AROW",
    "BBM",
    "FTRL",
    "MBBM",
    "SCW",
    "AdaBoostOL",
    "AdaBoostOLM",
    "AdaGradLogistic",
    "AveragedPerceptron",
    "Bank",
    "BayesianLogistic",
    "Defensive",
    "GradientBoost",
    "HoeffdingTree",
    "Mixture",
    "NaiveBayes",
    "OGBoost",
    "OSBoost",
    "OneVsRest",
    "OnlineGradient",
    "OnlineRidge",
    "OzaBoost",
    "PassiveAggressive",
    "Perceptron",
    "RandomFourier",
    "RandomSubsets",
    "RegressionTree",
    "Scaled",
    "Single",
    "TypedNaiveBayes",
    "class_seed",
    "hash64",
    "loss_weight",
    "majority_potential",
    "majority_weight",
    "poisson",
    "potential",
    "potential_weight",
    "project_newton",
    "project_pivot",
    "project_sort",
    "smooth_weights",
    "start",
    "uniform",
]
