"""Metrics of the order that probabilities give: the area under the ROC curve, and average precision.

Exact where the scores are kept. Otherwise from the counts of `sums.RANKING_BINS` bins: examples in one bin count as
ties. The true area then differs by at most ½ Σ_b P_b N_b / (P N), P_b and N_b the weights of both sides in bin b;
`bound` gives this number, which any stream has for itself. Of more than two classes: one against the rest, the mean
over the classes that have examples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from onlineboost.evaluation.metrics.sums import Floats, Numbers, Sums

    Curve = Callable[[Floats, Floats], float]


def area(others: Floats, own: Floats) -> float:
    """The area under the ROC curve, from weights by ascending score."""
    below = np.cumsum(others) - others
    return float(own @ (below + 0.5 * others)) / (float(own.sum()) * float(others.sum()))


def precision(others: Floats, own: Floats) -> float:
    """The average precision, from weights by ascending score."""
    hit, all_ = np.cumsum(own[::-1]), np.cumsum((own + others)[::-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(own[::-1] > 0, own[::-1] * hit / all_, 0.0)
    return float(part.sum() / own.sum())


def _ties(others: Floats, own: Floats) -> float:
    return float(own @ others) / (2.0 * float(own.sum()) * float(others.sum()))


def _over_classes(curve: Curve, groups: list[tuple[Floats, Floats]]) -> float:
    groups = groups[1:] if len(groups) == 2 else groups
    values = [curve(others, own) for others, own in groups if own.sum() > 0 and others.sum() > 0]
    return float(np.mean(values)) if values else math.nan


def _binned(curve: Curve) -> Callable[[Sums], float]:
    def value(sums: Sums) -> float:
        groups = [(sums.scores[0, k], sums.scores[1, k]) for k in range(sums.n_classes)]
        return _over_classes(curve, groups) if sums.forecast else math.nan

    return value


def exact(curve: Curve, true: Numbers, P: Floats, weights: Floats) -> float:
    """A metric from the scores themselves."""
    groups = []
    for k in range(P.shape[1]):
        distinct, place = np.unique(P[:, k], return_inverse=True)
        sides = (np.bincount(place, weights * side, len(distinct)) for side in (true != k, true == k))
        groups.append(tuple(sides))
    return _over_classes(curve, groups)  # type: ignore[arg-type]  # pairs


CURVES: dict[str, Curve] = {"roc_auc": area, "roc_auc_ovr": area, "average_precision": precision}
TABLE: dict[str, Callable[[Sums], Any]] = {name: _binned(curve) for name, curve in CURVES.items()}
BOUND = _binned(_ties)
