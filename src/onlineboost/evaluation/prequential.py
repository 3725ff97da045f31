"""Test, then train: the evaluation of online learning. Each example is predicted before its label is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.report import NOT_BEGUN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters import Booster
    from onlineboost.machine import LearnReport

_SMALLEST_PROBABILITY = 1e-15


class Losses:
    """What every result of a test-then-train pass can tell of its losses."""

    losses: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.losses)

    def _mean(self, values: NDArray[Any]) -> float:
        total = float(self.weights.sum())
        return float(values @ self.weights) / total if total > 0 else float("nan")

    @property
    def error(self) -> float:
        """The share of wrong predictions."""
        return self._mean(self.losses)

    def curve(self, points: int = 200) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The error over the first t examples, for about `points` values of t."""
        n = len(self)
        t = np.unique(np.linspace(1, n, min(points, n)).round().astype(int))
        weight = np.cumsum(self.weights)[t - 1]
        loss = np.cumsum(self.losses * self.weights)[t - 1]
        with np.errstate(invalid="ignore"):
            return t, loss / weight

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the curve (needs matplotlib: `pip install "onlineboost[plot]"`) and give the axes."""
        if ax is None:
            import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra, wanted only here

            _, ax = plt.subplots(layout="constrained")
        ax.plot(*self.curve(), **style)
        ax.set(xlabel="examples seen", ylabel="error so far")
        return ax


@dataclass(frozen=True)
class PrequentialResult(Losses):
    """What `prequential` saw. Means are weighted by `weights` where these were given."""

    predictions: NDArray[Any]
    """The label predicted for each example, before it was learned."""
    margins: NDArray[np.float64]
    """The margin behind each prediction; above 0 it means the larger label."""
    probabilities: NDArray[np.float64]
    """The probability given to the larger label, before the example was learned."""
    losses: NDArray[np.float64]
    """1 where the prediction was wrong; for `expert_mode="expected"` the chance that it would be."""
    positive: NDArray[np.bool_]
    """Whether the true label was the larger one."""
    weights: NDArray[np.float64]
    """Sample weights."""

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of the true labels, in nats."""
        given = np.where(self.positive, self.probabilities, 1.0 - self.probabilities)
        return self._mean(-np.log(np.maximum(given, _SMALLEST_PROBABILITY)))

    def calibration_error(self, bins: int = 20) -> float:
        """Expected calibration error: mean gap between probability and frequency over bins of equal width."""
        place = np.minimum((self.probabilities * bins).astype(int), bins - 1)
        gap = np.bincount(place, self.weights * (self.probabilities - self.positive), bins)
        total = float(self.weights.sum())
        return float(np.abs(gap).sum() / total) if total > 0 else float("nan")

    def __repr__(self) -> str:
        return f"PrequentialResult({len(self):,} examples, error {self.error:.4f}, log-loss {self.log_loss:.4f})"


@dataclass(frozen=True)
class MulticlassPrequentialResult(Losses):
    """What `prequential` saw of a model of many classes. Means are weighted by `weights` where these were given."""

    predictions: NDArray[Any]
    """The label predicted for each example, before it was learned."""
    decisions: NDArray[np.float64]
    """What spoke for each class, a column per label in `classes`; -2 where the class had no example yet."""
    probabilities: NDArray[np.float64]
    """The probability given to each label, before the example was learned."""
    losses: NDArray[np.float64]
    """1 where the prediction was wrong, and where no class had an example yet."""
    true: NDArray[np.intp]
    """The column of the true label."""
    classes: NDArray[Any]
    """The labels known at the end, sorted."""
    weights: NDArray[np.float64]
    """Sample weights."""

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of the true labels, in nats; a new label counts as one of chance 10⁻¹⁵."""
        given = self.probabilities[np.arange(len(self)), self.true]
        return self._mean(-np.log(np.maximum(given, _SMALLEST_PROBABILITY)))

    def __repr__(self) -> str:
        return (
            f"MulticlassPrequentialResult({len(self):,} examples, error {self.error:.4f}, log-loss {self.log_loss:.4f})"
        )


def prequential(
    model: Any, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> PrequentialResult | MulticlassPrequentialResult:
    """Test, then train, on each row in order, in one native pass.

    The model is trained in place, exactly as by `partial_fit`; a model that has learned before goes on.

    Parameters
    ----------
    model : estimator of this package
        Fitted or not.
    X, y, classes, sample_weight
        As in `partial_fit`. A row of weight 0 is tested but not learned.

    """
    if not hasattr(model, "learn_batch"):
        raise TypeError(f"prequential needs an estimator of onlineboost, not {type(model).__name__}.")
    report = model.learn_batch(X, y, classes, sample_weight, report=True)
    return result_of(report, model.machine.recipe)


def result_of(report: LearnReport, recipe: Booster) -> PrequentialResult | MulticlassPrequentialResult:
    """The result of a pass over a batch. Where the algorithm draws its predictions, these are the draws."""
    opinion, true = report.opinion, report.true
    weights = np.ones(len(true)) if report.weights is None else report.weights
    chosen = opinion.chosen("vote" if recipe.sampled() else str(recipe.threshold))
    predictions, losses = np.asarray(opinion.classes[chosen]), (chosen != true).astype(float)
    if recipe.many_classes:
        losses[opinion.decisions.max(axis=1) <= NOT_BEGUN] = 1.0
        return MulticlassPrequentialResult(
            predictions, opinion.decisions, opinion.probabilities, losses, true, opinion.classes, weights
        )
    tests = report.tests
    assert tests is not None  # noqa: S101  # for the type checker: there are two classes
    if len(opinion.classes) < 2:
        return PrequentialResult(predictions, opinion.decisions, tests.plus, losses, tests.codes > 0, weights)
    if recipe.expected():
        losses = tests.expected_errors
    return PrequentialResult(predictions, opinion.decisions, opinion.probabilities[:, 1], losses, true > 0, weights)
