"""The few statistics that comparing classifiers needs (Demšar, JMLR 2006)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def mean_error(values: Any) -> tuple[Any, Any]:
    """Mean and its standard error over the first axis (0 for a single value)."""
    array = np.asarray(values, dtype=float)
    mean = array.mean(axis=0)
    return mean, array.std(axis=0, ddof=1) / math.sqrt(len(array)) if len(array) > 1 else np.zeros_like(mean)


def difference_in_errors(ours: Sequence[float], theirs: float, their_trials: int) -> float:
    """(ours - theirs) in standard errors of the difference, their spread taken to be ours."""
    mean, error = mean_error(ours)
    noise = float(error) * math.sqrt(1 + len(ours) / their_trials)
    return (float(mean) - theirs) / noise if noise > 0 else math.nan


def wilcoxon(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p-value of the paired signed-rank test; 1 where all pairs are tied or there are none."""
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if not np.any(difference != 0):
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples: the exact distribution is used where it exists
        return float(stats.wilcoxon(difference).pvalue)


@dataclass(frozen=True)
class Ranking:
    """Friedman's test over data sets, and Nemenyi's critical difference of mean ranks."""

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    p_value: float
    critical_difference: float
    data_sets: int

    def groups(self) -> list[tuple[str, ...]]:
        """Maximal groups whose mean ranks differ by less than the critical difference, best first."""
        order = sorted(range(len(self.names)), key=lambda i: self.mean_ranks[i])
        found: list[tuple[int, ...]] = []
        for start in range(len(order)):
            low = self.mean_ranks[order[start]]
            group = tuple(i for i in order[start:] if self.mean_ranks[i] - low < self.critical_difference)
            if len(group) > 1 and not any(set(group) <= set(other) for other in found):
                found.append(group)
        return [tuple(self.names[i] for i in group) for group in found]


def friedman(names: Sequence[str], errors: NDArray[Any], alpha: float = 0.05) -> Ranking:
    """Rank the columns of `errors` (data sets × algorithms), 1 for the least error."""
    n, k = errors.shape
    ranks = np.apply_along_axis(stats.rankdata, 1, errors)
    tested = n > 1 and k > 2 and bool(np.any(ranks != ranks[:, :1]))
    p_value = float(stats.friedmanchisquare(*errors.T).pvalue) if tested else math.nan
    q = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    critical = q * math.sqrt(k * (k + 1) / (6 * n))
    return Ranking(tuple(names), tuple(map(float, ranks.mean(axis=0))), p_value, critical, n)
