"""Weak learners: parameters on the Python side, banks of N in the native engine or of your own."""

from onlineboost.learners.adagrad import AdaGradLogistic as AdaGradLogistic
from onlineboost.learners.arow import AROW as AROW
from onlineboost.learners.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from onlineboost.learners.base import Bank as Bank
from onlineboost.learners.base import Learner as Learner
from onlineboost.learners.bayesian_logistic import BayesianLogistic as BayesianLogistic
from onlineboost.learners.black_box import BlackBox as BlackBox
from onlineboost.learners.ftrl import FTRL as FTRL
from onlineboost.learners.hoeffding_tree import HoeffdingTree as HoeffdingTree
from onlineboost.learners.last_label import LastLabel as LastLabel
from onlineboost.learners.naive_bayes import NaiveBayes as NaiveBayes
from onlineboost.learners.neighbours import Neighbours as Neighbours
from onlineboost.learners.online_gradient import OnlineGradient as OnlineGradient
from onlineboost.learners.passive_aggressive import PassiveAggressive as PassiveAggressive
from onlineboost.learners.perceptron import Perceptron as Perceptron
from onlineboost.learners.random_fourier import RandomFourier as RandomFourier
from onlineboost.learners.random_subsets import RandomSubsets as RandomSubsets
from onlineboost.learners.regression_tree import RegressionTree as RegressionTree
from onlineboost.learners.repeats import Repeats as Repeats
from onlineboost.learners.ridge import OnlineRidge as OnlineRidge
from onlineboost.learners.scaled import Scaled as Scaled
from onlineboost.learners.scw import SCW as SCW

__all__ = [name for name in dir() if name[0].isupper()]  # every class imported above
