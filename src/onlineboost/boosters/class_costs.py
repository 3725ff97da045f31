"""Weights and costs of classes, as a user gives them: `class_weight` and `cost` of a mixture."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onlineboost.machine.labels import LabelCodec

METRICS = ("f1", "balanced_accuracy")


def read_by_label(name: str, given: Any) -> dict[Any, float]:
    """A positive number per label; ValueError where it is none."""
    if not isinstance(given, dict) or not given:
        raise ValueError(f"{name} must be a dict with a number for each label, not {given!r}.")
    return {label: _positive(f"{name}[{label!r}]", value) for label, value in given.items()}


def read_costs(given: Any) -> dict[Any, float] | tuple[float, float]:
    """What missing each label costs: by label, or of the smaller and of the larger label from a matrix."""
    if isinstance(given, dict):
        return read_by_label("cost", given)
    rows = given.tolist() if hasattr(given, "tolist") else given
    square = isinstance(rows, list | tuple) and len(rows) == 2
    if not square or not all(isinstance(row, list | tuple) and len(row) == 2 for row in rows):
        raise ValueError(
            "cost must be a dict with the cost of missing each label, or a 2 × 2 matrix with a row per true label and "
            f"a column per prediction, not {given!r}."
        )
    (right, wrong), (missed, found) = [[_finite(value) for value in row] for row in rows]
    smaller, larger = wrong - right, missed - found
    if not (smaller > 0 and larger > 0):
        raise ValueError(
            f"cost must be larger for a wrong prediction than for the right one, in each row of {given!r}."
        )
    return smaller, larger


def odds_of(given: dict[Any, float] | tuple[float, float] | None, labels: LabelCodec) -> float:
    """What is given for the engine's +1 over what is given for -1; 1 as long as their labels are not known."""
    begun = list(labels.begun)
    if given is None or not begun:
        return 1.0
    if isinstance(given, tuple):
        smaller, larger = given
        if len(labels.known) < 2:
            return 1.0
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
