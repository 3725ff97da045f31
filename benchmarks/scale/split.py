"""One model whose work is split among threads: python -m benchmarks.scale.split REPETITIONS THREADS.

The same rows go to a model per number of threads, by turns; the least time of each counts. Sweeps of any size are
split, so that the page shows from which size on it pays.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

import onlineboost
from benchmarks import streams
from onlineboost import _core

CASES = (
    ("covertype, 12 of 54 numbers", "Perceptron", 10_000),
    ("200 numbers", "Perceptron", 1_000),
    ("200 numbers", "Perceptron", 10_000),
    ("200 numbers", "OnlineGradient", 10_000),
    ("200 numbers", "NaiveBayes", 1_000),
    ("200 numbers", "NaiveBayes", 10_000),
)
WORK = 2e8  # numbers of learners that a pass looks at
WARM = 20


def rows_of(stream: str, count: int) -> tuple[Any, Any]:
    """That many rows: shaped like covertype's, or dense with noisy labels."""
    if stream.startswith("covertype"):
        shape = streams.SHAPES["covertype"]
        X, y = streams.synthetic(streams.Shape(count, shape.dense, shape.groups))
        return X, np.asarray(y) > 0
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, 200))
    return X, X[:, :20].sum(axis=1) + 4 * rng.normal(size=count) > 0


def microseconds(stream: str, learner: str, n_learners: int, repetitions: int, most: int) -> list[float]:
    """Per example, for 1, 2, … `most` threads."""
    rows = max(20, int(WORK / n_learners / (12 if stream.startswith("covertype") else 200)))
    X, y = rows_of(stream, rows + WARM)
    kind = getattr(onlineboost, learner)
    models = [
        onlineboost.OSBoostClassifier(kind(), n_learners, random_state=0, n_jobs=threads)
        for threads in range(1, most + 1)
    ]
    for model in models:
        model.partial_fit(X[:WARM], y[:WARM], classes=[False, True])
    X, y, least = X[WARM:], y[WARM:], [float("inf")] * most
    for _ in range(repetitions):
        for k, model in enumerate(models):
            start = time.perf_counter()
            model.partial_fit(X, y)
            least[k] = min(least[k], (time.perf_counter() - start) / rows * 1e6)
    if len({model.to_bytes() for model in models}) > 1:
        raise RuntimeError("The number of threads changed a result.")
    return least


def main() -> None:
    repetitions, most = int(sys.argv[1]), int(sys.argv[2])
    _core.set_split_threshold(0)
    print(json.dumps([[*case, microseconds(*case, repetitions, most)] for case in CASES]))


if __name__ == "__main__":
    main()
