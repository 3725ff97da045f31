"""How well a model of label sets has done so far: sums that do not depend on how the stream was cut.

A label that has not come yet is not predicted. The error is the share of examples whose set was not predicted exactly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.cli.score import Score, fold
from onlineboost.machine.labels import NEGLIGIBLE
from onlineboost.machine.many_labels import found_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import LearnReport, Machine

_SUMS = ("wrong", "hits", "named", "there")


class SetScore(Score):
    """Exact sets, Hamming loss and F1, and the learning curve.

    Attributes
    ----------
    n_labels : labels that have come so far.
    sums : weighted counts of labels: predicted wrongly, rightly predicted, predicted, there.

    """

    def __init__(self) -> None:
        super().__init__()
        self.losses, self.confusions = [0.0], None
        self.n_labels = 0
        self.sums = dict.fromkeys(_SUMS, 0.0)

    def add(self, machine: Machine, report: LearnReport | None) -> None:
        """Examples that were tested, then learned."""
        if report is None:
            return
        labels, true = machine.labels, np.asarray(report.true, bool)
        weights = np.ones(len(true)) if report.weights is None else report.weights
        numbers = np.array([labels.begun.get(label, len(labels.begun)) for label in labels.known], np.intp)
        learned = true & (weights >= NEGLIGIBLE)[:, None]
        came = np.zeros_like(true)  # whether the label had come before the row
        came[1:] = np.logical_or.accumulate(learned, axis=0)[:-1]
        came |= numbers < self.n_labels
        self.add_sets(found_of(report.opinion, str(machine.recipe.threshold)) & came, true, weights)
        self.n_labels = len(labels.begun)

    def add_sets(self, found: NDArray[np.bool_], true: NDArray[np.bool_], weights: NDArray[np.float64]) -> None:
        """The labels that were predicted for each example, and those that it has."""
        columns = [fold(self.weight, weights), fold(self.losses[0], weights * (found != true).any(axis=1))]
        for name, counts in zip(_SUMS, (found != true, found & true, found, true), strict=True):
            self.sums[name] = float(fold(self.sums[name], weights * counts.sum(axis=1))[-1])
        self._extend(columns, len(true))
        self.examples += len(true)
        self.weight, *self.losses = (float(column[-1]) for column in columns)

    @property
    def log_loss(self) -> float:
        """Not kept."""
        return math.nan

    @property
    def baseline(self) -> float:
        """Not kept."""
        return math.nan

    @property
    def hamming_loss(self) -> float:
        """The share of labels that were predicted wrongly, of those that have come by now."""
        total = self.weight * self.n_labels
        return self.sums["wrong"] / total if total > 0 else math.nan

    @property
    def f1_micro(self) -> float:
        """2 hits / (labels predicted + labels that are there), over all labels."""
        total = self.sums["named"] + self.sums["there"]
        return 2.0 * self.sums["hits"] / total if total > 0 else math.nan

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {**super().to_json(), "sets": {"labels": self.n_labels, **self.sums}}

    @classmethod
    def from_json(cls, data: Any) -> SetScore:
        """From plain data; ValueError if it is something else."""
        sets = data.get("sets") if isinstance(data, dict) else None
        if not isinstance(sets, dict) or set(sets) != {"labels", *_SUMS}:
            raise ValueError("it has no record of how well it did")
        score = cls()
        vars(score).update(vars(Score.from_json({name: value for name, value in data.items() if name != "sets"})))
        if len(score.losses) != 1:
            raise ValueError("its record of how well it did is damaged")
        score.n_labels = int(sets["labels"])
        score.sums = {name: float(sets[name]) for name in _SUMS}
        return score


def score_of(machine: Machine) -> Score:
    """A fresh score for the model."""
    return SetScore() if machine.recipe.label_sets else Score()
