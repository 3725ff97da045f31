"""The sums that every metric is read off: they add up, so they can be merged, windowed and faded.

    confusion[i, j]   weight of examples of class i that were predicted as j; the last column: no prediction
    stayed            weight of examples with the label of the example before
    log_loss, brier   Σ w (-ln p(y)),  Σ w Σ_k (p_k - 1{y = k})²
    gaps[k, b]        Σ w (p_k - 1{y = k}) over the examples whose p_k is in bin b of 20: calibration
    scores[s, k, b]   weight of examples whose p_k is in bin b of the ranking, of class k (s = 1) and of others (s = 0)

A bin of the ranking has the probabilities that share their exponent and 8 bits of their mantissa, and mirrored those
above 1/2: about 0.4 % wide relative to min(p, 1 - p), down to 2⁻¹⁶. Classes are in the order of their first appearance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from onlineboost import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.intp]

CALIBRATION_BINS = 20
RANKING_BINS = _core.RANKING_BINS


def _sum(places: Numbers, values: Floats, shape: tuple[int, ...]) -> Floats:
    return np.bincount(places, values, math.prod(shape)).astype(np.float64).reshape(shape)


@dataclass
class Sums:
    """The sums of some examples."""

    confusion: Floats
    stayed: float
    log_loss: float
    brier: float
    gaps: Floats
    scores: Floats
    forecast: bool  # whether probabilities came with all examples

    @classmethod
    def none(cls, n_classes: int) -> Self:
        """Of no examples."""
        gaps, scores = np.zeros((n_classes, CALIBRATION_BINS)), np.zeros((2, n_classes, RANKING_BINS))
        return cls(np.zeros((n_classes, n_classes + 1)), 0.0, 0.0, 0.0, gaps, scores, forecast=True)

    @classmethod
    def of(
        cls, true: Numbers, predicted: Numbers, P: Floats | None, weights: Floats, n_classes: int, last: int
    ) -> Self:
        """Of a block of examples: class numbers (-1: no prediction), a column of probabilities per class or None, and
        the class of the example before the block.
        """
        made, K = cls.none(n_classes), n_classes
        place = true * (K + 1) + np.where(predicted < 0, K, predicted)
        made.confusion = _sum(place, weights, (K, K + 1))
        made.stayed = float(weights[true == np.concatenate(([last], true[:-1]))].sum())
        if P is None:
            made.forecast = not len(true)
            return made
        others, own = made.scores
        made.log_loss, made.brier = _core.sum_probabilities(
            np.ascontiguousarray(true), np.ascontiguousarray(P), np.ascontiguousarray(weights), made.gaps, others, own
        )
        return made

    @property
    def weight(self) -> float:
        """Of all examples."""
        return float(self.confusion.sum())

    @property
    def n_classes(self) -> int:
        """Classes that these sums know."""
        return len(self.confusion)

    def widened(self, n_classes: int) -> Sums:
        """The same for more classes: the new ones had no example and a probability of 0 so far."""
        old = self.n_classes
        if n_classes == old:
            return self
        made = Sums.none(n_classes)
        made.confusion[:old, :old], made.confusion[:old, -1] = self.confusion[:, :-1], self.confusion[:, -1]
        made.gaps[:old], made.scores[:, :old] = self.gaps, self.scores
        if self.forecast:
            made.scores[0, old:, 0] = self.weight
        made.stayed, made.log_loss, made.brier, made.forecast = self.stayed, self.log_loss, self.brier, self.forecast
        return made

    def plus(self, other: Sums, share: float = 1.0) -> Sums:
        """`share` times these sums, and the other ones."""
        K = max(self.n_classes, other.n_classes)
        one, two = self.widened(K), other.widened(K)
        made = Sums.none(K)
        for name in ("confusion", "stayed", "log_loss", "brier", "gaps", "scores"):
            setattr(made, name, share * getattr(one, name) + getattr(two, name))
        made.forecast = one.forecast and two.forecast
        return made

    def ordered(self, order: Numbers) -> Sums:
        """The same with classes in another order."""
        confusion = self.confusion[np.ix_(order, np.append(order, self.n_classes))]
        return Sums(
            confusion,
            self.stayed,
            self.log_loss,
            self.brier,
            self.gaps[order],
            self.scores[:, order],
            forecast=self.forecast,
        )
