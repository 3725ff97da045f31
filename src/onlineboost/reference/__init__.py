"""The executable specification: every booster and weak learner in plain NumPy.

Slow on purpose. A reader learns the algorithms here, and the tests hold the native engine to what is
computed here. Read in this order: `boosters` (the paper), `experts`, `learners`, `linear`, `trees`, `simplex`, `rng`,
`later` for the boosters that followed, `gradient`, `regression_trees`, `multiclass` and `mixture`. "The paper" is Chen,
Lin and Lu, "An Online Boosting Algorithm with Theoretical Justifications", ICML 2012.
"""

from .boosters import OGBoost, OSBoost, OzaBoost, Single, loss_weight, smooth_weights
from .gradient import GradientBoost
from .later import BBM, AdaBoostOL, Defensive, majority_potential, majority_weight
from .learners import Bank, NaiveBayes, OnlineGradient, Perceptron
from .linear import AROW, FTRL, SCW, AdaGradLogistic, AveragedPerceptron, BayesianLogistic, OnlineRidge
from .mixture import Mixture
from .multiclass import MBBM, AdaBoostOLM, OneVsRest, class_seed, potential, potential_weight
from .regression_trees import RegressionTree
from .rng import hash64, poisson, start, uniform
from .rows import RandomFourier, RandomSubsets, Scaled
from .simplex import project_newton, project_pivot, project_sort
from .trees import HoeffdingTree
from .typed_bayes import TypedNaiveBayes

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
