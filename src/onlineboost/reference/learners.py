"""Weak learners, N at a time: a bank holds its state feature-major, `U[coordinate, learner]`.

A row is a dense vector whose zeros are absent features. Coordinate 0 is the intercept and coordinate f + 1
is the feature f. As in the paper's experiments, a row gets a constant 1 and is divided by its Euclidean
norm. All sums over a row run in the order of the coordinates.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from . import rng

Floats = NDArray[np.float64]


def kept_share(half_life: float | None) -> float:
    """What a row leaves of a sum that forgets."""
    return 1.0 if half_life is None else 0.5 ** (1 / half_life)


@dataclass(eq=False)
class Bank:
    """N weak learners, as a booster uses them."""

    n_learners: int
    n_features: int
    _: KW_ONLY
    seed: int = 0

    def __post_init__(self) -> None:
        """Make the state before the first example."""

    def predict(self, x: Floats) -> Floats:
        """Give the N outputs h_i(x), each in [-1, 1], and change nothing."""
        raise NotImplementedError

    def update(self, x: Floats, y: int, w: Floats) -> None:
        """Teach (x, y) to every learner i with the weight w[i] >= 0; a weight of 0 teaches nothing."""
        raise NotImplementedError

    def meet(self, x: Floats) -> None:
        """Get to know the features of a row that is going to be learned."""

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        """Teach (x, y) to learner i alone, `times` times over, with the weight w; give its output after."""
        self.update(x, y, self._only(i, w * times))
        return float(self.predict(x)[i])

    def _only(self, i: int, w: float) -> Floats:
        return np.where(np.arange(self.n_learners) == i, w, 0.0)


Row = list[tuple[int, float]]


def sparse_row(x: Floats, intercept: bool, unit_norm: bool) -> tuple[Row, float]:
    """The row as (coordinate, value) pairs in order, and xx, the sum of the squared values."""
    row = [(0, 1.0)] if intercept else []
    row += [(int(f) + 1, float(x[f])) for f in np.flatnonzero(x)]
    xx = _sum_of_squares(row)
    if unit_norm and xx > 0:
        norm = math.sqrt(xx)
        row = [(c, value / norm) for c, value in row]
        xx = _sum_of_squares(row)
    return row, xx


def _sum_of_squares(row: Row) -> float:
    total = 0.0  # not sum(): it compensates rounding since Python 3.12
    for _, value in row:
        total += value * value
    return total


@dataclass(eq=False, kw_only=True)
class Normalised(Bank):
    """Learners that see a row with its intercept and divided by its norm, unless told otherwise."""

    intercept: bool = True
    unit_norm: bool = True

    def _row(self, x: Floats) -> tuple[Row, float]:
        return sparse_row(x, self.intercept, self.unit_norm)

    def _dense(self, x: Floats) -> Floats:
        dense = np.zeros(self.n_features + 1)
        for c, value in self._row(x)[0]:
            dense[c] = value
        return dense


class Linear(Normalised):
    """N linear functions x -> <u, x>, which start at 0."""

    def __post_init__(self) -> None:
        self.U = np.zeros((self.n_features + 1, self.n_learners))

    def _scores(self, row: Row, U: Floats | None = None) -> Floats:
        U = self.U if U is None else U
        s = np.zeros(self.n_learners)
        for c, value in row:
            s += value * U[c]
        return s

    def predict(self, x: Floats) -> Floats:
        return np.clip(self._scores(self._row(x)[0]), -1, 1)

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        for _ in range(times):
            self.update(x, y, self._only(i, w))
        return float(self.predict(x)[i])


@dataclass(eq=False, kw_only=True)
class Perceptron(Linear):
    """Perceptrons with a weight on each step: the paper's experiments, with the choices that give its tables.

        h(x) = <u, x> / max(1, |u|)        if y <u, x> <= 0:  u <- u + w y x

    Variant: `init="random"` starts each learner at its own direction of about norm 1. Boosting needs that:
    perceptrons that start equal stay equal for ever. Features are not known in advance, so |u| counts only
    the coordinates that are alive: the intercept, and each feature from the first learned row in which it
    occurs. A prediction also counts the new coordinates of its own row.
    """

    init: Literal["random", "zero"] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.init == "random":
            learners = np.arange(self.n_learners, dtype=np.uint64)
            ids = np.array([rng.INTERCEPT_ID, *range(self.n_features)], dtype=np.uint64)
            self.U = rng.start(self.seed, learners, ids[:, None]) / math.sqrt(self.n_features + self.intercept)
        self.alive = np.zeros(self.n_features + 1, dtype=bool)
        self.alive[0] = self.intercept
        self.norm2 = self.U[0] ** 2 if self.intercept else np.zeros(self.n_learners)

    def _norm2_with(self, row: Row) -> Floats:
        norm2 = self.norm2.copy()
        for c, _ in row:
            if not self.alive[c]:
                norm2 += self.U[c] ** 2
        return norm2

    def predict(self, x: Floats) -> Floats:
        row, _ = self._row(x)
        h = self._scores(row) / np.sqrt(np.maximum(1, self._norm2_with(row)))
        return np.clip(h, -1, 1)

    def meet(self, x: Floats) -> None:
        row, _ = self._row(x)
        self.norm2 = self._norm2_with(row)
        self.alive[[c for c, _ in row]] = True

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, xx = self._row(x)
        s = self._scores(row)
        step = np.where((w > 0) & (y * s <= 0), w * y, 0.0)
        for c, value in row:
            self.U[c] += value * step
        self.norm2 += 2 * step * s + step * step * xx


class OnlineGradient(Linear):
    """Projected gradient ascent on sum_t w_t y_t <u, x_t> over the unit ball; the paper's Section 3.

        S <- S + w^2 |x|^2        u <- proj(u + sqrt(2 / S) w y x)        h(x) = <u, x>

    Variant: the step follows the weights received, not Zinkevich's 1 / sqrt(t). Its regret is at most
    sqrt(8 S), the form that the paper's inequality (1) asks for, with c = 8. The paper says "a random h_1"; here u
    starts at 0. Restarts: `ClockGradient`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.S = np.zeros(self.n_learners)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, xx = self._row(x)
        self.S += w * w * xx
        taught = (w > 0) & (self.S > 1e-290)  # 2 / S is a number
        step = np.zeros(self.n_learners)
        step[taught] = np.sqrt(2 / self.S[taught]) * w[taught] * y
        for c, value in row:
            self.U[c] += value * step
        norm = np.sqrt(np.sum(self.U**2, axis=0))
        self.U /= np.where(taught & (norm > 1), norm, 1.0)


class ClockGradient(Normalised):
    """OnlineGradient with restarts by the learner's own clock c = sum of its weights; docs/theory.md, Section 10.

    Level k = 0..19 is an OnlineGradient that restarts when floor(c / 2^k) changes, to block B. Its expert of rate
    2^-j, j = 1..11, enters with p = 1 / ((B+1)(B+2)(k+1)(k+2) j (j+1)). With h_k the output of level k,

        h = sum p 2^-j h_k / sum p 2^-j        p <- p (1 + 2^-j w y (h_k - h) / 2)        c <- c + w

    Variant: weights are divided by the largest one so far, if that is above 1.
    """

    LEVELS, RATES = 20, 11

    def __post_init__(self) -> None:
        self.levels = OnlineGradient(
            self.n_learners * self.LEVELS, self.n_features, intercept=self.intercept, unit_norm=self.unit_norm
        )
        self.c, self.largest = np.zeros(self.n_learners), np.ones(self.n_learners)
        self.block = np.zeros((self.n_learners, self.LEVELS))
        self.p = np.zeros((self.n_learners, self.LEVELS, self.RATES))
        self.eta = 0.5 ** np.arange(1, self.RATES + 1)
        self._enter(np.ones_like(self.block, dtype=bool))

    def _enter(self, due: NDArray[np.bool_]) -> None:
        k, j = np.arange(self.LEVELS), np.arange(1, self.RATES + 1)
        share = 1 / ((self.block + 1) * (self.block + 2) * ((k + 1) * (k + 2)))
        self.p = np.where(due[:, :, None], share[:, :, None] / (j * (j + 1)), self.p)

    def _outputs(self, x: Floats) -> Floats:
        return self.levels.predict(x).reshape(self.n_learners, self.LEVELS)

    def predict(self, x: Floats) -> Floats:
        mix = self.p @ self.eta
        return np.asarray(np.clip(np.sum(mix * self._outputs(x), axis=1) / np.sum(mix, axis=1), -1, 1))

    def _teach(self, x: Floats, y: int, w: Floats) -> None:
        self.largest = np.maximum(self.largest, w)
        part = w / self.largest
        rho = part[:, None] * y * (self._outputs(x) - self.predict(x)[:, None]) / 2
        self.p = self.p * (1 + self.eta * rho[:, :, None])
        self.c = self.c + part
        self.levels.update(x, y, np.repeat(w, self.LEVELS))

    def _restart(self) -> None:
        block = np.floor(self.c[:, None] / 2.0 ** np.arange(self.LEVELS))
        due = block != self.block
        self.block = block
        self._enter(due)
        self.levels.U = np.where(due.ravel(), 0.0, self.levels.U)
        self.levels.S = np.where(due.ravel(), 0.0, self.levels.S)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self._teach(x, y, w)
        self._restart()

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        for _ in range(times):
            self._teach(x, y, self._only(i, w))
        h = float(self.predict(x)[i])
        self._restart()
        return h
