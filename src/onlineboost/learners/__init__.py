"""Weak learners: parameters on the Python side, banks of N in the native engine or of your own."""

from onlineboost.learners.base import Bank, Learner
from onlineboost.learners.black_box import BlackBox
from onlineboost.learners.hoeffding_tree import HoeffdingTree
from onlineboost.learners.naive_bayes import NaiveBayes
from onlineboost.learners.online_gradient import OnlineGradient
from onlineboost.learners.perceptron import Perceptron

__all__ = ["Bank", "BlackBox", "HoeffdingTree", "Learner", "NaiveBayes", "OnlineGradient", "Perceptron"]
