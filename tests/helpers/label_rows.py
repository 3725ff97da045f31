"""Rows with sets of labels."""

from __future__ import annotations

import numpy as np

NAMES = np.array(["news", "sport", "art", "war"])


def stream(n=80, d=4, seed=0):
    """Rows and an indicator matrix; the last label comes late, some rows have no label, a feature comes late."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, size=(n, d)) / 4.0
    Y = X @ rng.normal(size=(d, len(NAMES))) + rng.normal(size=(n, len(NAMES))) > 0.8
    Y[: n // 2, 3] = False
    Y[0], Y[n // 2, 3] = [True, False, True, False], True
    X[: n // 3, 2] = 0.0
    return X, Y.astype(int)


def as_sets(Y):
    return [set(NAMES[row.astype(bool)].tolist()) for row in Y]


def as_dicts(Y):
    return [dict(zip(NAMES.tolist(), row.astype(bool).tolist(), strict=True)) for row in Y]


def dicts_of(X):
    return [{f"x{k}": value for k, value in enumerate(row) if value} for row in X.tolist()]
