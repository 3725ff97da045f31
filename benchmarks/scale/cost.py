"""Nanoseconds per example, for N learners and rows of nnz numbers: python -m benchmarks.scale.cost LEARNER EFFORT."""

from __future__ import annotations

import json
import statistics
import sys
import time

import numpy as np

import onlineboost

LEARNERS = (1, 10, 100, 1_000, 10_000)
NON_ZEROS = (2, 14, 50, 200)
REPETITIONS = 3


def nanoseconds(learner: str, n_learners: int, nnz: int, effort: float) -> float:
    """Median over passes that go on with one model, which has met all features."""
    work = n_learners * nnz
    rows = int(np.clip(effort * 5e7 / (work + 500), 40, 30_000))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, nnz))
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    model = onlineboost.OSBoostClassifier(getattr(onlineboost, learner)(), n_learners, random_state=0)
    model.partial_fit(X[:20], y[:20], classes=[0, 1])
    passes = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        model.partial_fit(X, y)
        passes.append((time.perf_counter() - start) / rows * 1e9)
    return statistics.median(passes)


def main() -> None:
    learner, effort = sys.argv[1], float(sys.argv[2])
    cells = [(n, nnz) for n in LEARNERS for nnz in NON_ZEROS]
    print(json.dumps([[n, nnz, nanoseconds(learner, n, nnz, effort)] for n, nnz in cells]))


if __name__ == "__main__":
    main()
