"""Test, then train, for sets of labels: Hamming loss, exact sets, rank loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.evaluation.losses import MeanLosses
from onlineboost.machine.many_labels import found_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters import Booster
    from onlineboost.machine import LearnReport

_SMALLEST_PROBABILITY = 1e-15


@dataclass(frozen=True)
class MultiLabelResult(MeanLosses):
    """What `prequential` saw of label sets. Columns are labels; means are weighted by `weights`."""

    predictions: NDArray[np.bool_]
    """The labels predicted for each example, before it was learned."""
    scores: NDArray[np.float64]
    """What labels are ranked by: margins of boosters that rank, else probabilities."""
    probabilities: NDArray[np.float64]
    """The probability given to each label, before the example was learned."""
    losses: NDArray[np.float64]
    """The share of labels that were predicted wrongly, per example."""
    true: NDArray[np.bool_]
    """The labels that each example has."""
    classes: NDArray[Any]
    """The labels known at the end, sorted; one that was not known yet was predicted as a label to come."""
    weights: NDArray[np.float64]
    """Sample weights."""

    @property
    def hamming_loss(self) -> float:
        """The share of labels that were predicted wrongly; `error` is the same."""
        return self.error

    @property
    def subset_accuracy(self) -> float:
        """The share of examples whose set of labels was predicted exactly."""
        return self._mean((self.predictions == self.true).all(axis=1))

    @property
    def rank_loss(self) -> float:
        """The share of pairs of a label that an example has and one that it has not that are ranked wrongly.

        A tie counts as half a mistake (Jung and Tewari 2018); an example without pairs as none.
        `sklearn.metrics.label_ranking_loss` counts a tie as a whole one.
        """
        return self._mean(rank_losses(self.true, self.scores))

    @property
    def f1_micro(self) -> float:
        """2 hits / (labels predicted + labels that are there), over all labels."""
        hits = float(self.weights @ (self.predictions & self.true).sum(axis=1))
        named = float(self.weights @ (self.predictions.sum(axis=1) + self.true.sum(axis=1)))
        return 2.0 * hits / named if named > 0 else float("nan")

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of each label being there or not, in nats."""
        given = np.where(self.true, self.probabilities, 1.0 - self.probabilities)
        return self._mean(-np.log(np.maximum(given, _SMALLEST_PROBABILITY)).mean(axis=1))

    def __repr__(self) -> str:
        told = f"{len(self):,} examples, {len(self.classes)} labels, Hamming loss {self.hamming_loss:.4f}"
        return (
            f"MultiLabelResult({told}, rank loss {self.rank_loss:.4f}, "
            f"subset accuracy {self.subset_accuracy:.4f}, log-loss {self.log_loss:.4f})"
        )


def rank_losses(true: NDArray[np.bool_], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of pairs that each row ranks wrongly, ties counted half; 0 where there are no pairs."""
    losses = np.zeros(len(true))
    for r, (has, score) in enumerate(zip(true, scores, strict=True)):
        if has.any() and not has.all():
            gap = np.subtract.outer(score[has], score[~has])
            losses[r] = ((gap < 0).sum() + 0.5 * (gap == 0).sum()) / gap.size
    return losses


def result_of_sets(report: LearnReport, recipe: Booster) -> MultiLabelResult:
    """The result of a pass that learned label sets."""
    opinion = report.opinion
    found = found_of(opinion, str(recipe.threshold))
    return MultiLabelResult(
        predictions=found,
        scores=opinion.decisions if recipe.ranks else opinion.probabilities,
        probabilities=opinion.probabilities,
        losses=(found != report.true).mean(axis=1) if found.shape[1] else np.zeros(len(found)),
        true=np.asarray(report.true, bool),
        classes=opinion.classes,
        weights=np.ones(len(found)) if report.weights is None else report.weights,
    )
