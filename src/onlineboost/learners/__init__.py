"""Weak learners: parameters on the Python side, banks of N in the native engine or of your own."""

from onlineboost.learners.adagrad import AdaGradLogistic
from onlineboost.learners.arow import AROW
from onlineboost.learners.averaged_perceptron import AveragedPerceptron
from onlineboost.learners.base import Bank, Learner
from onlineboost.learners.bayesian_logistic import BayesianLogistic
from onlineboost.learners.black_box import BlackBox
from onlineboost.learners.ftrl import FTRL
from onlineboost.learners.hoeffding_tree import HoeffdingTree
from onlineboost.learners.naive_bayes import NaiveBayes
from onlineboost.learners.online_gradient import OnlineGradient
from onlineboost.learners.perceptron import Perceptron
from onlineboost.learners.random_fourier import RandomFourier
from onlineboost.learners.random_subsets import RandomSubsets
from onlineboost.learners.regression_tree import RegressionTree
from onlineboost.learners.ridge import OnlineRidge
from onlineboost.learners.scaled import Scaled
from onlineboost.learners.scw import SCW

__all__ = [
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
]
