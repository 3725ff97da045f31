"""Metrics of probabilities that are means: log-loss, Brier score, calibration error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from onlineboost.evaluation.metrics.sums import Sums


def log_loss(sums: Sums) -> float:
    """Mean negative log-likelihood of the true labels, in nats; a probability below 10⁻¹⁵ counts as that."""
    return sums.log_loss / sums.weight if sums.weight > 0 and sums.forecast else math.nan


def brier_score(sums: Sums) -> float:
    """Mean of Σ_k (p_k - 1{y = k})²; of two classes half of it, as in scikit-learn."""
    half = 0.5 if sums.n_classes <= 2 else 1.0
    return half * sums.brier / sums.weight if sums.weight > 0 and sums.forecast else math.nan


def calibration_error(sums: Sums) -> float:
    """Mean gap between probability and frequency over 20 bins of equal width; the mean over classes."""
    if sums.weight <= 0 or not sums.forecast:
        return math.nan
    gaps = sums.gaps[1:] if sums.n_classes == 2 else sums.gaps
    return float(np.abs(gaps).sum(axis=1).mean() / sums.weight)


TABLE: dict[str, Callable[[Sums], Any]] = {
    "log_loss": log_loss,
    "brier_score": brier_score,
    "calibration_error": calibration_error,
}
