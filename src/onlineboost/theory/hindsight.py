"""The best fixed combination of the learners in hindsight, exactly, from outputs that were recorded.

OSBoost.OCP competes with every fixed α on the simplex; the best of them solves the linear programme

    minimise Σ s_t ξ_t     subject to     ξ_t ≥ θ - y_t ⟨α, h_t⟩,   ξ_t ≥ 0,   α ≥ 0,   Σ α_i = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from onlineboost.declarations import checks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class FixedVote:
    """The best fixed weights of the learners for a recorded stream, and their summed hinge loss at θ."""

    alpha: NDArray[np.float64]
    loss: float


@dataclass(frozen=True)
class Recording:
    """What the learners said, row by row before they learned it, the labels -1 and +1, and the weights."""

    h: NDArray[np.float64]
    y: NDArray[np.float64]
    sample_weight: NDArray[np.float64]


def record(model: Any, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> Recording:
    """Learn as `partial_fit` does, and keep every learner's output: one number per example and learner.

    Parameters
    ----------
    model : estimator of this package
        Fitted or not; it goes on learning.
    X, y, classes, sample_weight
        As in `partial_fit`.

    """
    report = model.learn_batch(X, y, classes, sample_weight, outputs=True)
    codes = report.tests.codes
    return Recording(report.outputs, codes, np.ones(len(codes)) if report.weights is None else report.weights)


def hinge_loss(alpha: Any, h: Any, y: Any, theta: float, sample_weight: Any = None) -> float:
    """Σ s max(0, θ - y⟨α, h⟩), the loss that OSBoost.OCP is charged."""
    h, y, s = _recorded(h, y, sample_weight)
    return float(s @ np.maximum(0.0, theta - y * (h @ np.asarray(alpha, dtype=np.float64))))


def best_fixed_vote(h: Any, y: Any, theta: float, sample_weight: Any = None) -> FixedVote:
    """The α on the simplex with the least hinge loss in hindsight.

    Parameters
    ----------
    h : array-like of shape (n_examples, n_learners)
        Outputs in [-1, 1], each row taken before its example was learned.
    y : array-like of shape (n_examples,)
        Labels -1 and +1.
    theta : float in [0, 1]
        The margin aimed at.
    sample_weight : array-like of shape (n_examples,), default=None
        Weights.

    """
    h, y, s = _recorded(h, y, sample_weight)
    theta = checks.real("theta", theta, 0.0, 1.0)
    T, N = h.shape
    result = linprog(
        np.concatenate([np.zeros(N), s]),
        A_ub=sp.hstack([sp.csr_array(-y[:, None] * h), -sp.eye_array(T)], format="csr"),
        b_ub=np.full(T, -theta),
        A_eq=sp.csr_array(np.concatenate([np.ones(N), np.zeros(T)])[None]),
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
    )
    if not result.success:
        raise RuntimeError(f"The linear programme was not solved: {result.message}")
    alpha = np.maximum(result.x[:N], 0.0)
    alpha /= alpha.sum()
    return FixedVote(alpha, hinge_loss(alpha, h, y, theta, s))


def _recorded(h: Any, y: Any, s: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    h, y = np.asarray(h, dtype=np.float64), np.asarray(y, dtype=np.float64)
    s = np.ones(len(y)) if s is None else np.asarray(s, dtype=np.float64)
    if h.ndim != 2 or h.shape[1] == 0 or y.shape != h.shape[:1] or s.shape != y.shape:
        raise ValueError(f"h must be a table with one row per label, not of shape {h.shape} for {y.shape} labels.")
    if not (np.isin(y, (-1.0, 1.0)).all() and (np.abs(h) <= 1).all() and (s >= 0).all()):
        raise ValueError("Labels must be -1 or +1, outputs in [-1, 1], and weights at least 0.")
    return h, y, s
