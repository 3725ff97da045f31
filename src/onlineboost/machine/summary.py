"""What a model keeps of its stream beside what it learns (`engine/summary.hpp`)."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP = 0.025  # as in the engine: eta of the thresholds
LEVELS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)  # as in the engine


class Summary:
    """Thresholds of prediction sets, and moments of the features.

    Parameters
    ----------
    fields : dict of arrays
        From the engine.

    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self._thresholds: NDArray[np.float64] = fields["set_thresholds"]
        self.set_weight = float(fields["set_steps"][0])
        """The sum of the weights of the examples, each at most 1."""
        self.weight = float(fields["feature_weight"][0])
        """The sum of the weights of the examples whose moments were taken."""
        self.ids: NDArray[np.int64] = fields["features"]
        """The features' numbers."""
        self.means = fields["feature_sums"] / max(self.weight, 1e-300)
        """The mean of each feature; a row without it counts as 0."""
        squares = fields["feature_squares"] / max(self.weight, 1e-300)
        self.deviations = np.sqrt(np.maximum(squares - self.means**2, 0.0))
        """The standard deviation of each feature."""

    def threshold(self, alpha: float) -> float:
        """The q of sets that miss a share of `alpha`."""
        return float(self._thresholds[level(alpha)])

    def missed(self, alpha: float) -> float:
        """The weight of the examples whose label was not in the set that they would have been given."""
        return (self.threshold(alpha) - 1.0) / STEP + self.set_weight * LEVELS[level(alpha)]


def level(alpha: float) -> int:
    """The place of a miss rate among those that are kept, rounded down: sets then miss less than was allowed."""
    if not LEVELS[0] <= alpha <= LEVELS[-1]:
        raise ValueError(
            f"alpha is the share of labels that sets may miss: {LEVELS[0]} to {LEVELS[-1]}, not {alpha!r}."
        )
    return bisect.bisect_right(LEVELS, alpha + 1e-9) - 1
