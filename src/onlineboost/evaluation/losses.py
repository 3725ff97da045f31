"""Losses of a test-then-train pass, one per example: their mean, its curve, and what bounds the chance to err."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MeanLosses:
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

    def risk_bound(self, alpha: float = 0.05) -> float:
        """A bound on the mean chance to err on the next example, at every time with probability 1 - alpha.

        `onlineboost.theory.risk_bound` for the losses of this pass, whatever the stream. Weights are divided by the
        largest, which is taken as known beforehand.

        Parameters
        ----------
        alpha : float in (0, 1), default=0.05
            The chance that the bound fails at any time.

        """
        return float(self._risk(np.array([len(self)]), self.losses, alpha, 1)[0])

    def band(
        self, points: int = 200, alpha: float = 0.05
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
        """(t, lower, upper): bounds on the mean chance to err over the first t examples, all at once.

        Parameters
        ----------
        points : int, default=200
            About how many values of t.
        alpha : float in (0, 1), default=0.05
            The chance that any of them fails.

        """
        t = self.curve(points)[0]
        return t, 1.0 - self._risk(t, 1.0 - self.losses, alpha, 2), self._risk(t, self.losses, alpha, 2)

    def _risk(self, t: NDArray[np.intp], losses: NDArray[np.float64], alpha: float, among: int) -> NDArray[np.float64]:
        from onlineboost.theory.risk import risk_bound  # noqa: PLC0415  # the theory is loaded when it is asked for

        s: NDArray[Any] = self.weights / max(float(self.weights.max(initial=0.0)), 1e-300)
        n, total, lost = (np.cumsum(part)[t - 1] for part in (s > 0, s, s * losses))
        bound = risk_bound(lost, n, alpha, among) * n / np.maximum(total, 1e-300)
        return np.minimum(np.where(total > 0, bound, 1.0), 1.0)
