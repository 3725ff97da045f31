"""How much memory a pass of ours takes beside its input; prints one line of JSON.

With 200 MB of input a copy of it, or of a part, shows. MiB.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import scipy.sparse as sp
from common import peak_mb

from onlineboost import OSBoostClassifier, Perceptron, prequential

ROWS, COLUMNS = 500_000, 50


def main() -> None:
    X = np.random.default_rng(0).random((ROWS, COLUMNS))
    y = (X[:, 0] > 0.5).astype(int)
    size = X.nbytes
    if sys.argv[1] == "sparse":
        index = np.tile(np.arange(COLUMNS, dtype=np.int32), ROWS)
        X = sp.csr_array((X.ravel(), index, np.arange(0, ROWS * COLUMNS + 1, COLUMNS, dtype=np.int32)), X.shape)
        size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    model = OSBoostClassifier(Perceptron(), 10, random_state=0).partial_fit(X[:1000], y[:1000])
    before = peak_mb()
    prequential(model, X, y)
    print(json.dumps({"input_mb": size / 2**20, "added_mb": peak_mb() - before, "outputs_mb": 4 * 8 * ROWS / 2**20}))


if __name__ == "__main__":
    main()
