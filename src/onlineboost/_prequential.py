"""Test, then train: the evaluation of online learning. Each example is predicted before its label is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from onlineboost.boosters.base import OnlineEstimator
from onlineboost.boosters.multiclass import NOT_BEGUN, MulticlassEstimator, Opinion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost._labels import Labels

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


@overload
def prequential(
    model: MulticlassEstimator, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> MulticlassPrequentialResult: ...


@overload
def prequential(
    model: OnlineEstimator, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> PrequentialResult: ...


def prequential(
    model: OnlineEstimator, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
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
    if not isinstance(model, OnlineEstimator):
        raise TypeError(f"prequential needs an estimator of onlineboost, not {type(model).__name__}.")
    if isinstance(model, MulticlassEstimator):
        return _of_many_classes(*model._learn_classes(X, y, classes, sample_weight, report=True))
    lesson = model._learn_batch(X, y, classes, sample_weight, outputs=3)
    return result_of(model, lesson.labels, lesson.codes, lesson.weights, lesson.outputs)


def _of_many_classes(
    opinion: Opinion, true: NDArray[np.intp], weights: NDArray[np.float64] | None
) -> MulticlassPrequentialResult:
    predicted = opinion.decisions.argmax(axis=1)
    known = opinion.decisions.max(axis=1) > NOT_BEGUN
    losses = 1.0 - ((predicted == true) & known)
    if weights is None:
        weights = np.ones(len(true))
    predictions = np.asarray(opinion.classes[predicted])
    return MulticlassPrequentialResult(
        predictions, opinion.decisions, opinion.probabilities, losses, true, opinion.classes, weights
    )


def result_of(
    model: OnlineEstimator,
    labels: Labels,
    codes: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    filled: list[NDArray[np.float64]],
) -> PrequentialResult:
    """The result of a pass that filled margins, probabilities and expected errors."""
    margins, probabilities, expected = filled
    orientation, known = labels.orientation, labels.classes
    margins = margins * orientation + 0.0
    if orientation < 0:
        probabilities = 1.0 - probabilities
    positive = codes * orientation > 0
    predicted = margins > 0
    if len(known) == 1:
        predictions, losses = np.full(len(codes), known[0]), np.zeros(len(codes))
    else:
        predictions, losses = known[predicted.astype(int)], (predicted != positive).astype(float)
        if getattr(model, "vote", "experts") == "experts" and getattr(model, "expert_mode", None) == "expected":
            losses = expected
    if weights is None:
        weights = np.ones(len(codes))
    return PrequentialResult(predictions, margins, probabilities, losses, positive, weights)
