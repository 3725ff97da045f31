"""What parameters that are not the booster's stand for: seed, threads, the weight of one example."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np

from onlineboost import _core
from onlineboost.declarations import checks
from onlineboost.machine.rows import LARGEST_WEIGHT


def seed_of(random_state: Any) -> int:
    """The seed that a `random_state` stands for, as scikit-learn reads it."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state) % 2**64
    if random_state is None:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002  # NumPy's global generator, as scikit-learn has it
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state must be an integer, a RandomState or None, not {random_state!r}.")


def threads_of(n_jobs: Any) -> int:
    """The number that `n_jobs` stands for: None is 1, and -1 as many as there are cores for this process."""
    if n_jobs is None:
        return 1
    if checks.integer("n_jobs", n_jobs, -1, _core.MOST_THREADS) > 0:
        return int(n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be None, -1 for all cores, or a number of threads; not 0.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, int(_core.MOST_THREADS))


def check_weight(w: Any) -> None:
    """Refuse what is not the weight of one example."""
    number: Any = w if type(w) is float or isinstance(w, numbers.Real) else -1
    if not 0 <= number <= LARGEST_WEIGHT:
        raise ValueError(f"The weight must be a number from 0 to {LARGEST_WEIGHT:g}, not {w!r}.")
