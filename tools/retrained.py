"""LightGBM retrained on all rows so far whenever they have grown by a quarter, which predicts in between.

Before the first training the most frequent label so far is predicted, as in the benchmarks; of equal ones the first.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

GROWTH, FIRST = 1.25, 30


def mistakes(X: Any, y: Any) -> np.ndarray[Any, Any]:
    """Of a pass over the rows."""
    import lightgbm  # noqa: PLC0415  # a peer, not a dependency

    classes, y = np.unique(y, return_inverse=True)
    seen = np.cumsum(y[:FIRST, None] == np.arange(len(classes)), axis=0)
    said, start = np.full(len(y), -1), FIRST
    said[1:FIRST] = seen[:-1].argmax(axis=1)[: len(y) - 1]
    while start < len(y):
        stop = min(len(y), int(np.ceil(GROWTH * start)))
        if (y[:start] == y[0]).all():
            said[start:stop] = y[0]
        else:
            model = lightgbm.LGBMClassifier(n_estimators=200, n_jobs=1, verbose=-1, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                said[start:stop] = model.fit(X[:start], y[:start]).predict(X[start:stop])
        start = stop
    wrong: np.ndarray[Any, Any] = said != y
    return wrong
