"""Several models at once, one per thread: python -m benchmarks.scale.threads REPETITIONS THREADS."""

from __future__ import annotations

import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from onlineboost import OSBoostClassifier, Perceptron

ROWS, FEATURES = 400_000, 14
BATCHES = (10, 100, 1_000, 10_000)


def seconds(threads: int, batch: int, X: np.ndarray, y: np.ndarray) -> float:
    """The time in which each thread learns all rows, with a model of its own, once all are ready."""
    ready = Barrier(threads + 1)
    rows = min(len(y), 2_000 * batch)

    def learn() -> None:
        model = OSBoostClassifier(Perceptron(), 100, random_state=0).partial_fit(X[:1], y[:1], classes=[False, True])
        ready.wait()
        for k in range(0, rows, batch):
            model.partial_fit(X[k : k + batch], y[k : k + batch])

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(learn) for _ in range(threads)]
        ready.wait()
        start = time.perf_counter()
        for job in jobs:
            job.result()
        return (time.perf_counter() - start) / rows


def main() -> None:
    repetitions, most = int(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    y = X @ rng.normal(size=FEATURES) > 0
    cells = [(batch, threads) for batch in BATCHES for threads in range(1, most + 1)]
    seen: dict[tuple[int, int], list[float]] = {cell: [] for cell in cells}
    for _ in range(repetitions):
        for batch, threads in cells:
            seen[batch, threads].append(threads / seconds(threads, batch, X, y))
    print(json.dumps([[*cell, statistics.median(rates)] for cell, rates in seen.items()]))


if __name__ == "__main__":
    main()
