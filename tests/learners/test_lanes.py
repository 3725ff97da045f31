"""Learners of several classes as lanes of one bank say what a bank for each class says, to the last bit."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from onlineboost import (
    AROW,
    FTRL,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    OneVsRest,
    OnlineClassifier,
    PassiveAggressive,
    Perceptron,
)

LEARNERS = [
    AdaGradLogistic(),
    AROW(),
    AROW(covariance="full"),
    AveragedPerceptron(),
    BayesianLogistic(),
    FTRL(),
    PassiveAggressive(),
    Perceptron(),
]
CLASSES = 10  # three banks, of 4, 4 and 8 classes


def late_classes(n: int = 240) -> tuple[Any, Any]:
    """Class k comes from row 20 k on at the earliest, and features appear late as well."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 6))
    y = rng.integers(0, np.minimum(np.arange(n) // 20 + 1, CLASSES))
    y[20 * np.arange(CLASSES)] = np.arange(CLASSES)
    X[:90, 4:] = 0.0
    X[np.arange(n), y % 6] += 1.0
    return X, y


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_lanes_are_banks(learner: Any) -> None:
    X, y = late_classes()
    model = OnlineClassifier(learner, random_state=3)
    apart = OneVsRest(OnlineClassifier(learner, random_state=3))
    second = OnlineClassifier(learner, random_state=3)  # of two classes at the start: the first one's, sign turned
    for start, stop in ((0, 50), (50, 95), (95, 130), (130, len(y))):
        rows, labels = X[start:stop], y[start:stop]
        model.partial_fit(rows, labels)
        apart.partial_fit(rows, labels)
        second.partial_fit(rows, labels != 1)
        model = copy.deepcopy(model)  # by its state, in which lanes that wait for a class are not
        h = 1.0 + apart.margin(X)
        h[:, 1] = 1.0 - second.margin(X)
        totals = np.cumsum(h, axis=1)[:, -1:]
        even = np.full_like(h, 1.0 / h.shape[1])  # where all of them say -1
        np.testing.assert_array_equal(model.margin(X), np.divide(h, totals, out=even, where=totals > 0.0))
