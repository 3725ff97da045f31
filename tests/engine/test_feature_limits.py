"""A batch that brings more features than a learner takes: the sentence names the limit that was passed."""

from __future__ import annotations

import numpy as np
import pytest

from onlineboost import AROW, OnlineBoostClassifier, OnlineClassifier, Perceptron, Scaled


def test_the_limit_of_a_mixture_is_that_of_its_families():
    model = OnlineBoostClassifier([("a", OnlineClassifier(Perceptron()), 3), ("b", OnlineClassifier(Perceptron()), 2)])
    with pytest.raises(ValueError, match="the families of the mixture take at most 3 features"):
        model.partial_fit(np.ones((2, 5)), [0, 1])


@pytest.mark.parametrize("learner", [AROW(covariance="full"), Scaled(AROW(covariance="full"))])
def test_the_limit_of_a_full_covariance(learner):
    with pytest.raises(ValueError, match="a full covariance takes at most 512 features"):
        OnlineClassifier(learner).partial_fit(np.ones((2, 600)), [0, 1])
