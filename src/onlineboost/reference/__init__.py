"""The executable specification: every booster and weak learner in plain NumPy.

Slow on purpose. A reader learns the algorithms here, and the tests compare the native engine with the results.
Read in this order: `boosters` (the paper), `learners`, `naive_bayes`, `linear`, `trees`, `regression_trees`,
`class_trees`, `neighbours`, `last_label`, `repeats`, `transforms`, `simplex`, `rng`, then `successors` for later
boosters, `multiclass`, `mixture`, `expert_tracker`, `generations`, `multiclass_mixture`, `drift`,
`multiclass_osboost`, `multilabel`, `iboost`, `window_boost` and `adaptive_sets`.
"The paper" is Chen, Lin and Lu, "An Online Boosting Algorithm with Theoretical
Justifications", ICML 2012.
"""

from .adaptive_sets import StronglyAdaptiveSets
from .boosters import OGBoost, OSBoost, OzaBoost, Single, loss_weight, smooth_weights
from .class_trees import HoeffdingClassTree
from .drift import ADWIN, Forgetful, Understudies
from .drift_boosters import BOLE, OzaBoostADWIN
from .expert_tracker import ExpertTracker
from .generations import Generations, Rule
from .iboost import IBoost
from .last_label import LastLabel
from .learners import Bank, ClockGradient, OnlineGradient, Perceptron
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
from .mixture import BayesVote, EffectiveWeights, Mixture, best_cut, tilted
from .multiclass import (
    MBBM,
    AdaBoostOLM,
    OneVsRest,
    SoftmaxBoost,
    Turned,
    class_seed,
    potential,
    potential_weight,
)
from .multiclass_mixture import MacroMetric, MulticlassMixture, SoftmaxStack
from .multiclass_osboost import MulticlassOSBoost, PerClass
from .multilabel import AdaOLMR, BinaryRelevance, OnlineBMR
from .naive_bayes import NaiveBayes, TypedNaiveBayes
from .neighbours import Neighbours
from .regression_trees import RegressionTree
from .repeats import Repeats
from .rng import hash64, poisson, start, uniform
from .simplex import project_newton, project_pivot, project_sort
from .successors import BBM, AdaBoostOL, Defensive, GradientBoost, majority_potential, majority_weight
from .transforms import RandomFourier, RandomSubsets, Scaled
from .trees import HoeffdingTree
from .window_boost import WindowBoost, WindowClasses

__all__ = [
    "ADWIN",
    "AROW",
    "BBM",
    "BOLE",
    "FTRL",
    "MBBM",
    "SCW",
    "AdaBoostOL",
    "AdaBoostOLM",
    "AdaGradLogistic",
    "AdaOLMR",
    "AveragedPerceptron",
    "Bank",
    "BayesVote",
    "BayesianLogistic",
    "BinaryRelevance",
    "ClockGradient",
    "Defensive",
    "EffectiveWeights",
    "ExpertTracker",
    "Forgetful",
    "Generations",
    "GradientBoost",
    "HoeffdingClassTree",
    "HoeffdingTree",
    "IBoost",
    "LastLabel",
    "MacroMetric",
    "Mixture",
    "MulticlassMixture",
    "MulticlassOSBoost",
    "NaiveBayes",
    "Neighbours",
    "OGBoost",
    "OSBoost",
    "OneVsRest",
    "OnlineBMR",
    "OnlineGradient",
    "OnlineRidge",
    "OzaBoost",
    "OzaBoostADWIN",
    "PassiveAggressive",
    "PerClass",
    "Perceptron",
    "RandomFourier",
    "RandomSubsets",
    "RegressionTree",
    "Repeats",
    "Rule",
    "Scaled",
    "Single",
    "SoftmaxBoost",
    "SoftmaxStack",
    "StronglyAdaptiveSets",
    "Turned",
    "TypedNaiveBayes",
    "Understudies",
    "WindowBoost",
    "WindowClasses",
    "best_cut",
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
    "tilted",
    "uniform",
]
