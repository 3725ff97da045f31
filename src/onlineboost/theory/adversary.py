"""Streams that try to break what is printed: outputs of learners, labels and weights, made to hurt.

The learners are scripted: their outputs are the rows. So any outputs at all can be tried, in particular experts that
are right in turn, margins next to θ, sample weights that grow or are heavy-tailed, learners that turn round in the
middle, and learners that are useless until they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.learners.base import Bank, Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KINDS = ("drawn", "edges", "alternating", "flip", "recurring", "thin", "coins", "strong")
WEIGHTS = ("unit", "unit", "light", "growing", "heavy")


class ScriptedBank(Bank):
    """Learners whose outputs are the row."""

    def __init__(self, n_learners: int) -> None:
        self.n_learners = n_learners

    def predict(self, x: Floats) -> Floats:
        """The first N numbers of the row."""
        return x[: self.n_learners]

    def update(self, x: Floats, y: float, w: Floats) -> None:
        """Nothing is learned."""


class ScriptedLearner(Learner):
    """Learners that say what the row says; learner i says its i-th number, which is in [-1, 1]."""

    def make_bank(self, n_learners: int, n_features: int, seed: int) -> ScriptedBank:
        """A bank without a state."""
        return ScriptedBank(n_learners)


@dataclass(frozen=True)
class ScriptedStream:
    """Outputs of the learners, labels of which the first is +1, weights or None, and the labels' chances if drawn."""

    X: Floats
    y: NDArray[np.int64]
    sample_weight: Floats | None
    chances: Floats | None


def scripted_stream(
    kind: str, n_examples: int, n_learners: int, *, theta: float = 0.05, weights: str = "unit", random_state: Any = None
) -> ScriptedStream:
    """A stream against certificates and votes.

    Parameters
    ----------
    kind : {"drawn", "edges", "alternating", "flip", "recurring", "thin", "coins", "strong"}
        Drawn: outputs uniform in [-1, 1]. Edges: -1, 0 and 1, so ties. Alternating: learners right in turn, and with
        them the prefixes. Flip: right until some example, then wrong. Recurring: each is right in stretches of its own,
        which come back. Thin: margins of θ, exactly or but for rounding. Coins: labels drawn with a known chance.
        Strong: right by more than they need to be.
    n_examples, n_learners : int
        The size.
    theta : float, default=0.05
        For thin margins.
    weights : {"unit", "light", "growing", "heavy"}, default="unit"
        Sample weights: 1; below 1; growing by up to 10^6; with a heavy tail.
    random_state : seed of numpy.random.default_rng
        Source of everything.

    """
    kind = checks.choice("kind", kind, KINDS)
    rng = np.random.default_rng(random_state)
    T, N = n_examples, n_learners
    y = rng.choice([-1, 1], T)
    chances = None
    if kind == "coins":
        chances = np.clip(rng.beta(0.5, 0.5, T), 0.0, 1.0)
        y = np.where(rng.random(T) < chances, 1, -1)
        chances[0] = 1.0
    y[0] = 1  # the engine's +1 is the label that comes first
    t, i = np.arange(T)[:, None], np.arange(N)
    size = rng.uniform(0.05, 1.0, (T, N)) if rng.random() < 0.5 else np.ones((T, N))
    if chances is not None:  # the outputs know the chances, not the labels
        h = rng.uniform(-1.0, 1.0, (T, N)) + np.sign(2.0 * chances[:, None] - 1.0) * rng.uniform(0, 0.8)
        m = y[:, None] * h
    elif kind == "drawn":
        m = rng.uniform(-1.0, 1.0, (T, N)) + (0.3 if rng.random() < 0.5 else 0.0)
    elif kind == "edges":
        m = rng.choice([-1.0, 0.0, 1.0], (T, N))
    elif kind == "alternating":
        sign = np.where((t + i) % 2 == 0, 1.0, -1.0)
        m = sign * (i + 1.0) / N * size  # the next learner outvotes those before it
    elif kind == "flip":
        m = size * np.where(t < rng.integers(0, T + 1, N), 1.0, -1.0) * rng.choice([-1.0, 1.0], N, p=[0.2, 0.8])
    elif kind == "recurring":
        m = size * np.where((t // rng.integers(1, max(2, T // 4), N) + i) % 3 == 0, 1.0, rng.uniform(-1, 0.5))
    elif kind == "thin":
        m = theta + rng.choice([0.0, 1e-16, -1e-16, 0.2, -0.2], (T, N))
    else:
        m = rng.uniform(0.2, 1.0, (T, N)) * np.where(rng.random((T, N)) < 0.1, -1.0, 1.0)
    X = np.clip(m, -1.0, 1.0) * y[:, None]
    return ScriptedStream(X, y, sample_weights(weights, T, rng), chances)


def sample_weights(weights: str, n_examples: int, rng: np.random.Generator) -> Floats | None:
    """Weights of a kind; None where all are 1."""
    if checks.choice("weights", weights, WEIGHTS) == "unit":
        return None
    if weights == "light":
        return rng.uniform(0.001, 1.0, n_examples)
    if weights == "growing":
        return np.geomspace(1e-3, 10.0 ** rng.uniform(0, 6), n_examples)
    return np.minimum(rng.pareto(0.5, n_examples) + 1e-3, 1e9)


def changing_stream(n_examples: int, *, random_state: Any = None) -> tuple[Floats, NDArray[np.int64]]:
    """(X, y) of four columns, whose concept changes and comes back: a line, its opposite, an exclusive or, a coin.

    Parameters
    ----------
    n_examples : int
        How many.
    random_state : seed of numpy.random.default_rng
        Source of everything.

    """
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_examples, 4))
    line = X[:, 0] + 0.3 * X[:, 1]
    concepts = np.stack([line, -line, X[:, 0] * X[:, 1], rng.normal(size=n_examples)])
    stretch = int(rng.integers(5, max(6, n_examples)))
    at = rng.integers(0, 4, n_examples // stretch + 1)[np.arange(n_examples) // stretch]
    y = np.where(concepts[at, np.arange(n_examples)] > 0, 1, -1)
    y[0] = 1
    return X, y
