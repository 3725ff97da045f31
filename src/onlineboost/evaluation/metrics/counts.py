"""Metrics of labels, read off a confusion matrix. Divisions by 0 give what scikit-learn gives: 0, or NaN for kappa."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from onlineboost.evaluation.metrics.sums import Floats, Sums


def _ratio(a: Any, b: Any) -> Any:
    return np.divide(a, b, out=np.zeros_like(np.asarray(a, float)), where=np.asarray(b) > 0)


def confusion_matrix(sums: Sums) -> NDArray[np.float64]:
    """Weight of each true label (row) predicted as each label (column), labels sorted."""
    return sums.confusion[:, :-1]


def accuracy(sums: Sums) -> float:
    """The share of right predictions."""
    return float(np.trace(sums.confusion)) / sums.weight if sums.weight > 0 else math.nan


def error(sums: Sums) -> float:
    """The share of wrong predictions."""
    return 1.0 - accuracy(sums)


def majority_error(sums: Sums) -> float:
    """The error of always saying the label that is the most frequent in all."""
    return 1.0 - float(sums.confusion.sum(axis=1).max()) / sums.weight if sums.weight > 0 else math.nan


def no_change_error(sums: Sums) -> float:
    """The error of saying the label of the example before; the first example counts as wrong."""
    return 1.0 - sums.stayed / sums.weight if sums.weight > 0 else math.nan


def balanced_accuracy(sums: Sums) -> float:
    """The mean recall of the classes that have examples."""
    of_class = sums.confusion.sum(axis=1)
    there = of_class > 0
    return float((np.diagonal(sums.confusion)[there] / of_class[there]).mean()) if there.any() else math.nan


def cohen_kappa(sums: Sums) -> float:
    """How far the accuracy is above that of guessing by the same frequencies: (a - c) / (1 - c)."""
    if sums.weight <= 0:
        return math.nan
    C = sums.confusion / sums.weight
    chance = float(C.sum(axis=1) @ C[:, :-1].sum(axis=0))
    return (float(np.trace(C)) - chance) / (1.0 - chance) if chance < 1 else math.nan


def kappa_temporal(sums: Sums) -> float:
    """The same against saying the label of the example before (Žliobaitė et al. 2015)."""
    wrong = no_change_error(sums)
    return 1.0 - error(sums) / wrong if wrong > 0 else math.nan


def matthews_corrcoef(sums: Sums) -> float:
    """The correlation of true and predicted labels."""
    C, total = sums.confusion, sums.weight
    t, p = C.sum(axis=1), C[:, :-1].sum(axis=0)
    spread = (total**2 - p @ p) * (total**2 - t @ t)
    return float((np.trace(C) * total - t @ p) / math.sqrt(spread)) if spread > 0 else 0.0


def _precision(hit: Floats, said: Floats, _: Floats) -> Floats:
    return np.asarray(_ratio(hit, said))


def _recall(hit: Floats, _: Floats, of_class: Floats) -> Floats:
    return np.asarray(_ratio(hit, of_class))


def _f1(hit: Floats, said: Floats, of_class: Floats) -> Floats:
    return np.asarray(_ratio(2 * hit, said + of_class))


def averaged(kind: Callable[[Floats, Floats, Floats], Floats], average: str) -> Callable[[Sums], float]:
    """Precision, recall or F1 as scikit-learn averages it; "": of the larger of two labels, the macro mean of more."""

    def value(sums: Sums) -> float:
        C = sums.confusion
        hit, said, of_class = np.diagonal(C), C[:, :-1].sum(axis=0), C.sum(axis=1)
        if sums.weight <= 0:
            return math.nan
        if average == "micro":
            return float(kind(*(part.sum(keepdims=True) for part in (hit, said, of_class)))[0])
        each = kind(hit, said, of_class)
        if average == "weighted":
            return float(each @ of_class / sums.weight)
        if not average and sums.n_classes == 2:
            return float(each[1])
        there = said + of_class > 0
        return float(each[there].mean())

    return value


TABLE: dict[str, Callable[[Sums], Any]] = {
    "accuracy": accuracy,
    "error": error,
    "majority_error": majority_error,
    "no_change_error": no_change_error,
    "balanced_accuracy": balanced_accuracy,
    "cohen_kappa": cohen_kappa,
    "kappa_temporal": kappa_temporal,
    "matthews_corrcoef": matthews_corrcoef,
    "confusion_matrix": confusion_matrix,
} | {
    f"{name}{'_' * bool(average)}{average}": averaged(kind, average)
    for name, kind in (("precision", _precision), ("recall", _recall), ("f1", _f1))
    for average in ("", "macro", "micro", "weighted")
}
