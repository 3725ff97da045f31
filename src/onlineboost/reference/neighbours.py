"""Nearest neighbours in a bounded memory, by looking at every row of it."""

from dataclasses import dataclass

import numpy as np

from . import rng
from .learners import Bank, Floats

LARGEST = 1e15


@dataclass(eq=False, kw_only=True)
class Neighbours(Bank):
    """The k nearest rows vote, each by its weight and by n_j = d_1 / d_j, beside one vote for 0; k is halved from
    learner to learner until it is 1, and begins again. A full memory drops a row at random for each new one.
    """

    k: int = 15
    memory: int = 2000

    def __post_init__(self) -> None:
        self.ks = [self.k]
        while len(self.ks) < self.n_learners:
            self.ks.append(self.ks[-1] // 2 if self.ks[-1] > 1 else self.k)
        self.rows: list[Floats] = []
        self.labels: list[int] = []
        self.weights: list[Floats] = []
        self.learned = 0

    def _stored(self, x: Floats) -> Floats:
        return np.clip(x, -LARGEST, LARGEST).astype(np.float32).astype(float)

    def predict(self, x: Floats) -> Floats:
        """Distances are |z|² + |x|² - 2 <x, z>, feature by feature, so that equal ones are equal to the last bit."""
        if not self.rows:
            return np.zeros(self.n_learners)
        x, Z = self._stored(x), np.array(self.rows)
        xx = np.cumsum(x * x)[-1]
        norms = np.cumsum(Z * Z, axis=1)[:, -1]
        d = norms + xx
        for f in np.flatnonzero(x):
            d = d - 2 * x[f] * Z[:, f]
        nearest = np.argsort(d, kind="stable")[: self.k]
        d = np.maximum(d, 1e-12 * (norms + xx) + 1e-300)[nearest]
        h = np.zeros(self.n_learners)
        for i, k in enumerate(self.ks):
            w = np.array([self.weights[r][i] for r in nearest[:k]])
            near = np.minimum(d[0] / d[:k], 1) * (w > 0)
            if near @ w > 0:
                mean = near * w @ np.array([self.labels[r] for r in nearest[:k]]) / (near @ w)
                h[i] = mean * near.sum() / (near.sum() + 1)
        return h

    def meet(self, x: Floats) -> None:
        row = (self._stored(x), 1, np.zeros(self.n_learners))
        if len(self.rows) < self.memory:
            self.last = len(self.rows)
            for kept, new in zip((self.rows, self.labels, self.weights), row, strict=True):
                kept.append(new)  # type: ignore[attr-defined]
        else:
            self.last = int(rng.hash64(self.seed, rng.MEMORY, 0, self.learned)) % self.memory
            self.rows[self.last], self.labels[self.last], self.weights[self.last] = row
        self.learned += 1

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.labels[self.last] = y
        self.weights[self.last] = self.weights[self.last] + w
