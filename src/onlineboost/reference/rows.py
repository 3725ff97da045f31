"""Learners on changed rows: random Fourier features, random subsets of the features, running scales.

`make(n_learners, n_features, seed)` makes the bank that sees the changed rows.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from . import rng
from .learners import Bank, Floats, sparse_row

Make = Callable[[int, int, int], Bank]


class _Changed:
    """Hands every row, changed, to one inner bank."""

    bank: Bank
    n_learners: int

    def _change(self, x: Floats) -> Floats:
        raise NotImplementedError

    def predict(self, x: Floats) -> Floats:
        return self.bank.predict(self._change(x))

    def meet(self, x: Floats) -> None:
        self.now = self._change(x)
        self.bank.meet(self.now)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.bank.update(self.now, y, w)

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        return self.bank.step(i, self.now, y, w, times)


class RandomFourier(_Changed):
    """z_j = sqrt(2) cos(<omega_j, x> + b_j) (Rahimi and Recht 2007), omega and b hashes of (seed, j, feature)."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        make: Make,
        n_components: int = 300,
        scale: float = 0.7,
        seed: int = 0,
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        self.n_learners, self.intercept, self.unit_norm = n_learners, intercept, unit_norm
        self.bank = make(n_learners, n_components, seed)
        j = np.arange(n_components, dtype=np.uint64)
        ids = np.array([rng.INTERCEPT_ID, *range(n_features)], dtype=np.uint64)[:, None]
        u = 1 - rng.uniform(rng.hash64(seed, rng.RADIUS, j, ids))
        v = rng.uniform(rng.hash64(seed, rng.ANGLE, j, ids))
        self.omega = np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v) / scale
        self.b = 2 * np.pi * rng.uniform(rng.hash64(seed, rng.PHASE, j, 0))

    def _change(self, x: Floats) -> Floats:
        angle = self.b.copy()
        for c, value in sparse_row(x, self.intercept, self.unit_norm)[0]:
            angle += value * self.omega[c]
        return np.asarray(np.sqrt(2) * np.cos(angle))


class RandomSubsets:
    """Learners in groups; group g sees feature f if a hash of (seed, g, f) is below the share."""

    def __init__(
        self, n_learners: int, n_features: int, make: Make, share: float = 0.5, group: int = 1, seed: int = 0
    ) -> None:
        self.n_learners, self.group = n_learners, min(group, n_learners)
        starts = range(0, n_learners, self.group)
        features = np.arange(n_features, dtype=np.uint64)
        self.sees = [rng.uniform(rng.hash64(seed, rng.SUBSET, g, features)) < share for g in range(len(starts))]
        self.banks = [
            make(min(self.group, n_learners - first), n_features, (seed + rng.GOLDEN * (g + 1)) % 2**64)
            for g, first in enumerate(starts)
        ]

    def predict(self, x: Floats) -> Floats:
        return np.concatenate([bank.predict(x * sees) for bank, sees in zip(self.banks, self.sees, strict=True)])

    def meet(self, x: Floats) -> None:
        for bank, sees in zip(self.banks, self.sees, strict=True):
            bank.meet(x * sees)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        for g, (bank, sees) in enumerate(zip(self.banks, self.sees, strict=True)):
            bank.update(x * sees, y, w[g * self.group : g * self.group + bank.n_learners])

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        g = i // self.group
        return self.banks[g].step(i - g * self.group, x * self.sees[g], y, w, times)


class Scaled(_Changed):
    """Features divided by their running deviation (centred if dense), root mean square (if not), or largest size."""

    DENSE = 0.9

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        make: Make,
        method: Literal["standard", "maxabs"] = "standard",
        clip: float = 5.0,
        seed: int = 0,
    ) -> None:
        self.n_learners, self.method, self.clip = n_learners, method, clip
        self.bank = make(n_learners, n_features, seed)
        self.rows: list[Floats] = []

    def _change(self, x: Floats) -> Floats:
        seen = np.array([*self.rows, x])
        if self.method == "maxabs":
            largest = np.max(np.abs(seen), axis=0)
            return np.asarray(x / np.where(largest > 0, largest, 1.0))
        dense = np.mean(seen != 0, axis=0) >= self.DENSE
        off = np.where(dense, np.mean(seen, axis=0), 0.0)
        deviation = np.sqrt(np.mean((seen - off) ** 2, axis=0))
        with np.errstate(invalid="ignore"):  # 0 / 0 where it does not matter
            z = np.where(deviation > 1e-150, (x - off) / np.where(deviation > 0, deviation, 1.0), 0.0)
        return np.clip(z, -self.clip, self.clip)

    def meet(self, x: Floats) -> None:
        super().meet(x)
        self.rows.append(x.copy())
