"""Euclidean projection onto the probability simplex (Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008).

All functions look for the one threshold tau at which sum_i max(v_i - tau, 0) = 1. They first shift the maximum
to 0, which changes nothing, but keeps the sums exact when v is huge.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def project_sort(v: Floats) -> Floats:
    """By sorting: tau = (u_1 + ... + u_j - 1) / j at the last j where u_j, the j-th largest, exceeds it."""
    v = v - np.max(v)
    u = np.sort(v)[::-1]
    tau = (np.cumsum(u) - 1) / np.arange(1, len(u) + 1)
    return np.maximum(v - float(tau[np.flatnonzero(u > tau)[-1]]), 0)


def project_newton(v: Floats, support: NDArray[np.bool_]) -> Floats:
    """By Newton's method (Michelot, J. Optim. Theory Appl. 50, 1986), from any set `support`.

    A set S gives the threshold (sum_S v - 1) / |S|, which is at most tau; the values above a threshold are the next
    set, and give a greater one, until the set stays.
    """
    v = v - np.max(v)
    support = support if support.any() else np.ones(len(v), dtype=bool)
    threshold = (float(np.sum(v[support])) - 1) / int(np.sum(support))
    above = v > threshold
    while True:
        threshold = (float(np.sum(v[above])) - 1) / int(np.sum(above))
        fewer = above & (v > threshold)
        if fewer.sum() == above.sum():
            return np.maximum(v - threshold, 0)
        above = fewer


def project_pivot(v: Floats, choose: Callable[[int], float]) -> Floats:
    """By random pivots, in expected linear time; `choose(step)` in [0, 1) is the place of the pivot.

    `total` and `count` describe the values known to lie above tau. A value equal to the pivot goes with the
    greater ones.
    """
    candidates = v = v - np.max(v)
    total, count, step = 0.0, 0, 0
    while len(candidates):
        k = int(choose(step) * len(candidates))
        step += 1
        pivot = candidates[k]
        greater = candidates >= pivot
        new_total = total + float(np.sum(candidates[greater]))
        new_count = count + int(np.sum(greater))
        if new_total - new_count * pivot < 1:
            total, count, candidates = new_total, new_count, candidates[~greater]
        else:
            greater[k] = False
            candidates = candidates[greater]
    return np.maximum(v - (total - 1) / max(count, 1), 0)
