"""Weights and costs of classes, as a user gives them: `class_weight` and `cost` of a mixture."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine.labels import LabelCodec

METRICS = ("f1", "balanced_accuracy")
Costs = dict[Any, float] | list[list[float]]


class Weighing(NamedTuple):
    """How the opinion on more than two classes is weighed, by the sorted labels."""

    factors: NDArray[np.float64] | None
    """What probabilities are multiplied by."""
    costs: NDArray[np.float64] | None
    """Of missing each label, or a matrix with a row per true label and a column per prediction."""

    def probabilities(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is meant by these, a column per label."""
        if self.factors is None:
            return P
        weighed = P * self.factors
        return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))

    def decisions(self, decisions: NDArray[np.float64], P: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the least cost decides by: shares of the largest cost.

        A matrix counts from the first example of its last label on: before, the most probable label is predicted.
        """
        if self.costs is None:
            return decisions
        begun = decisions >= -1.0  # or -2, of a class without examples
        shares = self.costs / np.abs(self.costs).max()
        if shares.ndim == 1:
            return np.where(begun, P * shares, decisions)
        expected = np.zeros_like(P)
        for k, row in enumerate(shares if len(shares) == P.shape[1] else ()):  # in this order, whatever the batch
            expected += P[:, k : k + 1] * row
        complete = begun.all(axis=1, keepdims=True) & (len(shares) == P.shape[1])
        return np.where(begun, np.where(complete, -expected, P), decisions)


def read_by_label(name: str, given: Any) -> dict[Any, float]:
    """A positive number per label; ValueError where it is none."""
    if not isinstance(given, dict) or not given:
        raise ValueError(f"{name} must be a dict with a number for each label, not {given!r}.")
    return {label: _positive(f"{name}[{label!r}]", value) for label, value in given.items()}


def read_costs(given: Any) -> Costs:
    """What missing each label costs, or the matrix; ValueError where it is neither."""
    if isinstance(given, dict):
        return read_by_label("cost", given)
    rows = given.tolist() if hasattr(given, "tolist") else given
    square = isinstance(rows, list | tuple) and len(rows) >= 2
    if not square or not all(isinstance(row, list | tuple) and len(row) == len(rows) for row in rows):
        raise ValueError(
            "cost must be a dict with the cost of missing each label, or a square matrix with a row per true label and "
            f"a column per prediction, not {given!r}."
        )
    matrix = [[_finite(value) for value in row] for row in rows]
    for k, row in enumerate(matrix):
        if any(value <= row[k] for value in row[:k] + row[k + 1 :]):
            raise ValueError(
                f"cost must be larger for a wrong prediction than for the right one, in each row of {given!r}."
            )
    return matrix


def check_costs(costs: Costs | None, labels: LabelCodec) -> None:
    """ValueError where there are more labels than a matrix has rows."""
    if isinstance(costs, list) and len(labels.known) > len(costs):
        raise ValueError(
            f"cost is a {len(costs)} × {len(costs)} matrix and there are {len(labels.known)} labels, "
            f"{labels.known!r:.300}: give a row and a column for each, or a dict."
        )


def odds_of(given: Costs | None, labels: LabelCodec) -> float:
    """What is given for the engine's +1 over what is given for -1; 1 as long as their labels are not known.

    A matrix of more than two labels says nothing of two alone.
    """
    begun = list(labels.begun)
    if given is None or not begun:
        return 1.0
    if isinstance(given, list):
        if len(given) > 2 or len(labels.known) < 2:
            return 1.0
        (right, wrong), (missed, found) = given
        smaller, larger = wrong - right, missed - found
        return larger / smaller if labels.orientation > 0 else smaller / larger
    plus = given.get(begun[0], 1.0)
    others = [begun[1]] if len(begun) > 1 else [label for label in given if label != begun[0]]
    return float(plus / (given.get(others[0], 1.0) if others else 1.0))


def _positive(name: str, value: Any) -> float:
    good = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not good or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a number above 0, not {value!r}.")
    return float(value)


def _finite(value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"cost must hold finite numbers, not {value!r}.")
    return float(value)
