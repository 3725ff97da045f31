"""Errors on the real data against the prototype's figures; docs/results/errors.md has all of them, with more orders."""

import functools
import math

import numpy as np
import prototype_figures as proto
import pytest
import results_page
from measure_errors import RESOLUTION, one_order

from onlineboost import datasets

pytestmark = pytest.mark.figures

load = functools.cache(results_page.load)

ORDERS = {
    "heart": 20,
    "breast-cancer": 20,
    "australian": 20,
    "diabetes": 20,
    "german": 20,
    "splice": 5,
    "mushrooms": 5,
    "adult": 5,
}

CELLS = [
    (learner, data, algorithm, *cell)
    for learner, figures in (("Perceptron", proto.PERCEPTRON), ("NaiveBayes", proto.NAIVE_BAYES))
    for data, (orders, means, errors) in figures.items()
    for algorithm, *cell in zip(proto.ALGORITHMS, means, errors, [orders] * 6, strict=True)
    if data in ORDERS and cell[0] is not None
]


@pytest.mark.parametrize(("learner", "data", "algorithm", "mean", "error", "orders"), CELLS)
def test_error_is_the_prototypes_within_three_standard_errors(learner, data, algorithm, mean, error, orders):
    try:
        X, y = load(data)
    except datasets.DatasetNotFoundError as missing:
        pytest.skip(str(missing))
    ours = np.array([one_order(data, X, y, learner, algorithm, k) for k in range(ORDERS[data])])
    spread = max(ours.std(ddof=1), math.sqrt(mean * (1 - mean) / len(y)) / 3)
    noise = math.hypot(spread / math.sqrt(len(ours)), error or spread / math.sqrt(orders), RESOLUTION)
    assert abs(ours.mean() - mean) < 3 * noise
