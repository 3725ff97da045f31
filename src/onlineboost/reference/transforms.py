"""Learners on changed rows: random Fourier features, random subsets of the features, running scales.

`make(n_learners, n_features, seed)` makes the bank that sees the changed rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import rng
from .learners import Bank, Floats, Normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

Make = Callable[[int, int, int], Bank]

DENSE = 0.9  # the share of rows in which a dense feature is not 0


@dataclass(eq=False, kw_only=True)
class _Changed(Bank):
    """Hands every row, changed, to one inner bank."""

    make: Make
    bank: Bank = field(init=False)

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


@dataclass(eq=False, kw_only=True)
class RandomFourier(_Changed, Normalised):
    """z_j = sqrt(2) cos(<omega_j, x> + b_j) (Rahimi and Recht 2007), omega and b hashes of (seed, j, feature)."""

    n_components: int = 300
    scale: float = 0.7

    def __post_init__(self) -> None:
        self.bank = self.make(self.n_learners, self.n_components, self.seed)
        j = np.arange(self.n_components, dtype=np.uint64)
        ids = np.array([rng.INTERCEPT_ID, *range(self.n_features)], dtype=np.uint64)[:, None]
        u = 1 - rng.uniform(rng.hash64(self.seed, rng.RADIUS, j, ids))
        v = rng.uniform(rng.hash64(self.seed, rng.ANGLE, j, ids))
        self.omega = np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v) / self.scale
        self.b = 2 * np.pi * rng.uniform(rng.hash64(self.seed, rng.PHASE, j, 0))

    def _change(self, x: Floats) -> Floats:
        angle = self.b.copy()
        for c, value in self._row(x)[0]:
            angle += value * self.omega[c]
        return np.asarray(np.sqrt(2) * np.cos(angle))


@dataclass(eq=False, kw_only=True)
class RandomSubsets(Bank):
    """Learners in groups; group g sees feature f if a hash of (seed, g, f) is below the share."""

    make: Make
    share: float = 0.5
    group: int = 1

    def __post_init__(self) -> None:
        features = np.arange(self.n_features, dtype=np.uint64)
        self.sees: list[NDArray[np.bool_]] = []
        self.banks: list[Bank] = []
        for g, first in enumerate(range(0, self.n_learners, self.group)):
            seed = (self.seed + rng.GOLDEN * (g + 1)) % 2**64
            self.sees.append(rng.uniform(rng.hash64(self.seed, rng.SUBSET, g, features)) < self.share)
            self.banks.append(self.make(min(self.group, self.n_learners - first), self.n_features, seed))

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


@dataclass(eq=False, kw_only=True)
class Scaled(_Changed):
    """Features divided by their running deviation (centred if dense), root mean square (if not), or largest size."""

    method: Literal["standard", "maxabs"] = "standard"
    clip: float = 5.0

    def __post_init__(self) -> None:
        self.bank = self.make(self.n_learners, self.n_features, self.seed)
        self.rows: list[Floats] = []

    def _change(self, x: Floats) -> Floats:
        seen = np.array([*self.rows, x])
        if self.method == "maxabs":
            largest = np.max(np.abs(seen), axis=0)
            return np.asarray(x / np.where(largest > 0, largest, 1.0))
        dense = np.mean(seen != 0, axis=0) >= DENSE
        off = np.where(dense, np.mean(seen, axis=0), 0.0)
        deviation = np.sqrt(np.mean((seen - off) ** 2, axis=0))
        with np.errstate(invalid="ignore"):  # 0 / 0 where it does not matter
            z = np.where(deviation > 1e-150, (x - off) / np.where(deviation > 0, deviation, 1.0), 0.0)
        return np.clip(z, -self.clip, self.clip)

    def meet(self, x: Floats) -> None:
        super().meet(x)
        self.rows.append(x.copy())
