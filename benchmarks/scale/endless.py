"""Memory and speed while a generator goes on and on: python -m benchmarks.scale.endless LEARNER EXAMPLES."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import onlineboost
from benchmarks.scale.memory import resident_mb

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH, FEATURES, POINTS = 10_000, 14, 100


def batches(examples: int) -> Iterator[tuple[Any, Any]]:
    """Rows of a hyperplane that turns slowly, made as they are asked for."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=FEATURES)
    for _ in range(examples // BATCH):
        X = rng.normal(size=(BATCH, FEATURES))
        yield X, X @ w + rng.normal(size=BATCH) > 0
        w += 0.01 * rng.normal(size=FEATURES)


def main() -> None:
    learner, examples = sys.argv[1], int(sys.argv[2])
    model = onlineboost.OSBoostClassifier(getattr(onlineboost, learner)(), 100, random_state=0)
    every = max(1, examples // BATCH // POINTS)
    points, seconds = [], 0.0
    for k, (X, y) in enumerate(batches(examples), 1):
        start = time.perf_counter()
        model.partial_fit(X, y)
        seconds += time.perf_counter() - start
        if k % every == 0:
            points.append([k * BATCH, resident_mb(), seconds])
    print(json.dumps(points))


if __name__ == "__main__":
    main()
