"""The search in boxes against the twin, which looks at every row."""

from __future__ import annotations

import numpy as np
import pytest
from twins import SEED, TOLERANCE, Stream, run_native, run_reference

from onlineboost import Neighbours, OnlineClassifier, from_bytes

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def rows(n, d, seed, *, coarse):
    """Clusters that come and go; coarse ones have many rows at the same distance."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(n // 100, d)) * 3, 100, axis=0)
    X = centres + rng.normal(size=(n, d))
    X = np.round(X) if coarse else X
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)


@pytest.mark.parametrize(("d", "coarse", "late"), [(2, True, 2), (5, False, 4), (3, True, 1), (18, False, 14)])
def test_boxes_find_the_nearest(d, coarse, late):
    """Rows leave, boxes split and dissolve, features come late, and with 18 of them there are no boxes any more."""
    X, y = rows(900, d, d, coarse=coarse)
    X[:600, late:] = 0.0
    model = OnlineClassifier(Neighbours(7, memory=300), random_state=SEED)
    stream = Stream(X, y)
    np.testing.assert_allclose(
        run_native(model, stream).margins, run_reference(model, stream).margins, rtol=0, atol=TOLERANCE
    )
    resumed = from_bytes(model.to_bytes())  # its boxes are others
    fresh = rows(100, d, 99, coarse=coarse)[0]
    assert np.array_equal(model.margin(fresh), resumed.margin(fresh))
