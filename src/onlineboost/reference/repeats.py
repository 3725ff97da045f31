"""The label of earlier rows that were the same."""

from dataclasses import dataclass

import numpy as np

from . import rng
from .learners import Bank, Floats


@dataclass(eq=False, kw_only=True)
class Repeats(Bank):
    """h = s / (|s| + 1), s the sum of w y over the earlier rows equal to x; a full memory drops a row at random for
    each new one.
    """

    memory: int = 2**18

    def __post_init__(self) -> None:
        self.rows: list[tuple[tuple[int, float], ...]] = []
        self.sums: list[Floats] = []
        self.added = 0

    def _key(self, x: Floats) -> tuple[tuple[int, float], ...]:
        return tuple((int(f), float(x[f])) for f in np.flatnonzero(x))

    def predict(self, x: Floats) -> Floats:
        key = self._key(x)
        s = self.sums[self.rows.index(key)] if key in self.rows else np.zeros(self.n_learners)
        return np.asarray(s / (np.abs(s) + 1))

    def meet(self, x: Floats) -> None:
        key = self._key(x)
        if key in self.rows:
            self.last = self.rows.index(key)
            return
        if len(self.rows) < self.memory:
            self.last = len(self.rows)
            self.rows.append(key)
            self.sums.append(np.zeros(self.n_learners))
        else:
            self.last = int(rng.hash64(self.seed, rng.MEMORY, 0, self.added)) % self.memory
            self.rows[self.last], self.sums[self.last] = key, np.zeros(self.n_learners)
        self.added += 1

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.sums[self.last] = self.sums[self.last] + y * w
