"""Memory that a model takes: python -m benchmarks.scale.features LEARNER DECLARED SEEN.

The matrix has DECLARED columns, of which SEEN ever hold a 1; each of these occurs about once. Then some rows are
learned again, to see what an example costs once all of these features are known.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import scipy.sparse as sp

import onlineboost
from benchmarks.scale.memory import resident_mb

N_LEARNERS = 16
PER_ROW = 100
AGAIN = 500


def main() -> None:
    learner, declared, seen = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(0)
    rows = max(2, seen // PER_ROW)
    columns = (rng.permutation(seen) * (declared // seen)).reshape(-1, min(PER_ROW, seen))
    columns = np.sort(np.resize(columns, (rows, columns.shape[1])), axis=1)
    starts = np.arange(0, columns.size + 1, columns.shape[1])
    X = sp.csr_array((np.ones(columns.size), columns.ravel(), starts), shape=(rows, declared))
    y = np.arange(rows) % 2
    model = onlineboost.OSBoostClassifier(getattr(onlineboost, learner)(), N_LEARNERS, random_state=0)
    model.partial_fit(X[:1, :], y[:1], classes=[0, 1])
    before = resident_mb()
    for k in range(0, rows, 50):  # small batches, so that what a batch takes is not in the sum
        model.partial_fit(X[k : k + 50], y[k : k + 50])
    added = resident_mb() - before
    again = np.arange(AGAIN) % rows
    X, y = X[again], y[again]
    start = time.perf_counter()
    model.partial_fit(X, y)
    microseconds = (time.perf_counter() - start) / AGAIN * 1e6
    print(json.dumps({"added_mb": added, "features": model.machine.n_features, "microseconds": microseconds}))


if __name__ == "__main__":
    main()
