"""Among how many threads the engine may split its sweeps over the learners."""

from __future__ import annotations

import os
from typing import Any

from onlineboost import _check, _core


def threads_of(n_jobs: Any) -> int:
    """The number that `n_jobs` stands for: None is 1, and -1 as many as there are cores for this process."""
    if n_jobs is None:
        return 1
    if _check.integer("n_jobs", n_jobs, -1, _core.MOST_THREADS) > 0:
        return int(n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be None, -1 for all cores, or a number of threads; not 0.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _core.MOST_THREADS)
