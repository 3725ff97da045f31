"""Weak learners, N at a time: a bank holds its state feature-major, `U[coordinate, learner]`.

A row is a dense vector whose zeros are absent features. Coordinate 0 is the intercept and coordinate f + 1
is the feature f. As in the paper's experiments, a row gets a constant 1 and is divided by its Euclidean
norm. All sums over a row run in the order of the coordinates.
"""

import math
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from . import rng

Floats = NDArray[np.float64]


class Bank(Protocol):
    """What a booster asks of its weak learners."""

    n_learners: int

    def predict(self, x: Floats) -> Floats:
        """Give the N outputs h_i(x), each in [-1, 1], and change nothing."""

    def update(self, x: Floats, y: int, w: Floats) -> None:
        """Teach (x, y) to every learner i with the weight w[i] >= 0; a weight of 0 teaches nothing."""

    def meet(self, x: Floats) -> None:
        """Get to know the features of a row that is going to be learned."""

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        """Teach (x, y) to learner i alone, `times` times over, with the weight w; give its output after."""


def sparse_row(x: Floats, intercept: bool, unit_norm: bool) -> tuple[list[tuple[int, float]], float]:
    """The row as (coordinate, value) pairs in order, and xx, the sum of the squared values."""
    row = [(0, 1.0)] if intercept else []
    row += [(int(f) + 1, float(x[f])) for f in np.flatnonzero(x)]
    xx = _sum_of_squares(row)
    if unit_norm and xx > 0:
        norm = math.sqrt(xx)
        row = [(c, value / norm) for c, value in row]
        xx = _sum_of_squares(row)
    return row, xx


def _sum_of_squares(row: list[tuple[int, float]]) -> float:
    total = 0.0  # not sum(): it compensates rounding since Python 3.12
    for _, value in row:
        total += value * value
    return total


class _Linear:
    """N linear functions x -> <u, x>."""

    def __init__(self, n_learners: int, n_features: int, intercept: bool, unit_norm: bool) -> None:
        self.n_learners, self.intercept, self.unit_norm = n_learners, intercept, unit_norm
        self.U = np.zeros((n_features + 1, n_learners))

    def _row(self, x: Floats) -> tuple[list[tuple[int, float]], float]:
        return sparse_row(x, self.intercept, self.unit_norm)

    def _scores(self, row: list[tuple[int, float]]) -> Floats:
        s = np.zeros(self.n_learners)
        for c, value in row:
            s += value * self.U[c]
        return s

    def _only(self, i: int, w: float) -> Floats:
        return np.where(np.arange(self.n_learners) == i, w, 0.0)


class Perceptron(_Linear):
    """Perceptrons with a weight on each step: the paper's experiments, with the choices that give its tables.

        h(x) = <u, x> / max(1, |u|)        if y <u, x> <= 0:  u <- u + w y x

    Variant: `init="random"` starts each learner at its own direction of about norm 1. Boosting needs that:
    perceptrons that start equal stay equal for ever. Features are not known in advance, so |u| counts only
    the coordinates that are alive: the intercept, and each feature from the first learned row in which it
    occurs. A prediction counts the new coordinates of its row as well, for this once.
    """

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        seed: int = 0,
        intercept: bool = True,
        unit_norm: bool = True,
        init: Literal["random", "zero"] = "random",
    ) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        if init == "random":
            learners = np.arange(n_learners, dtype=np.uint64)
            ids = np.array([rng.INTERCEPT_ID, *range(n_features)], dtype=np.uint64)
            self.U = rng.start(seed, learners, ids[:, None]) / math.sqrt(n_features + intercept)
        self.alive = np.zeros(n_features + 1, dtype=bool)
        self.alive[0] = intercept
        self.norm2 = self.U[0] ** 2 if intercept else np.zeros(n_learners)

    def _norm2_with(self, row: list[tuple[int, float]]) -> Floats:
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

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        for _ in range(times):
            if y * self._scores(self._row(x)[0])[i] > 0:
                break
            self.update(x, y, self._only(i, w))
        return float(self.predict(x)[i])


class OnlineGradient(_Linear):
    """Projected gradient ascent on sum_t w_t y_t <u, x_t> over the unit ball; the paper's Section 3.

        S <- S + w^2 |x|^2        u <- proj(u + sqrt(2 / S) w y x)        h(x) = <u, x>

    Variant: the step follows the weights received, not Zinkevich's 1 / sqrt(t). Its regret is at most
    sqrt(8 S), the form that the paper's inequality (1) asks for, with c = 8.
    """

    def __init__(self, n_learners: int, n_features: int, intercept: bool = True, unit_norm: bool = True) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        self.S = np.zeros(n_learners)

    def predict(self, x: Floats) -> Floats:
        return np.clip(self._scores(self._row(x)[0]), -1, 1)

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

    def meet(self, x: Floats) -> None:
        pass

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        for _ in range(times):
            self.update(x, y, self._only(i, w))
        return float(self.predict(x)[i])


class NaiveBayes:
    """Naive Bayes, the other weak learner of the paper's experiments. Class index 0 is -1, index 1 is +1.

        h(x) = 2 p(+1 | x) - 1 = tanh(logodds / 2)        logodds = log(n+ / n-) + one term per known feature

    Bernoulli feature (is x_f > 0?): the log ratio of (C + alpha) / (n + 2 alpha), or with n - C if it is not.
    Gaussian feature (value v of the normalised row, 0 if absent): the difference of the log densities, with
    moments by weighted Welford:  n += w;  mean += (w / n) (v - mean);  M2 += w (v - old mean) (v - new mean).

    Variants: pseudo-counts of 1e-16 in place of Laplace's 1, as the paper's tables require. `kind="auto"`
    calls a feature Bernoulli until it shows a value other than 0 and 1; its counts then turn into moments, with
    the norm of the present row in place of those of the rows counted.
    A feature is known from the first learned row in which it occurs; all its earlier values were 0. The
    intercept is a feature only of `kind="gaussian"`, where it carries the norm of the row.
    A class of no weight above 1e-16 is unseen. `estimates="paper"` has two slips of the paper's experiments: moments
    take the weight of both classes in place of n; and every Bernoulli count starts at alpha, so that 2 alpha above is
    alpha, the prior is (n+ + alpha) / (n- + alpha), and no class is ever unseen.
    """

    SEEN = 1e-16

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        kind: Literal["auto", "bernoulli", "gaussian"] = "auto",
        alpha: float = 1e-16,
        variance_floor: float = 1e-9,
        intercept: bool = True,
        unit_norm: bool = True,
        estimates: Literal["proper", "paper"] = "proper",
    ) -> None:
        self.pooled = estimates == "paper" and kind == "gaussian"
        self.from_alpha = estimates == "paper" and kind == "bernoulli"
        self.n_learners, self.kind, self.alpha, self.variance_floor = n_learners, kind, alpha, variance_floor
        self.intercept, self.unit_norm = intercept, unit_norm
        self.n = np.zeros((2, n_learners))
        self.C, self.mean, self.M2 = np.zeros((3, 2, n_features + 1, n_learners))
        self.known = np.zeros(n_features + 1, dtype=bool)
        self.gaussian = np.full(n_features + 1, kind == "gaussian")

    def _values(self, x: Floats) -> Floats:
        v = np.zeros(len(self.known))
        for c, value in sparse_row(x, self.intercept, self.unit_norm)[0]:
            v[c] = value
        return v

    def predict(self, x: Floats) -> Floats:
        seen = self.n > (-1.0 if self.from_alpha else self.SEEN)
        both = seen.all(axis=0)
        n = self.n[:, both]
        prior = n + self.alpha if self.from_alpha else n
        logodds = np.log(prior[1] / prior[0])
        bernoulli = self.known & ~self.gaussian
        C = self.C[:, bernoulli][:, :, both]
        present = (x > 0)[bernoulli[1:]][:, None]
        event = np.where(present, C, n[:, None] - C)
        log_p = np.log((event + self.alpha) / (n[:, None] + (1 if self.from_alpha else 2) * self.alpha))
        logodds += np.sum(log_p[1] - log_p[0], axis=0)
        normal = self.known & self.gaussian
        v = self._values(x)[normal][:, None]
        over = np.sum(n, axis=0, keepdims=True) if self.pooled else n
        variance = self.M2[:, normal][:, :, both] / over[:, None] + self.variance_floor
        log_p = -0.5 * np.log(variance) - (v - self.mean[:, normal][:, :, both]) ** 2 / (2 * variance)
        logodds += np.sum(log_p[1] - log_p[0], axis=0)
        h: Floats = seen[1].astype(float) - seen[0]  # no class seen: 0; one class seen: that class
        h[both] = np.tanh(logodds / 2)
        return h

    def meet(self, x: Floats) -> None:
        self.known[1:] |= x != 0
        self.known[0] = self.intercept and self.kind == "gaussian"
        if self.kind == "auto":
            self._turn_gaussian(1 + np.flatnonzero((x != 0) & (x != 1) & ~self.gaussian[1:]), x)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        c = int(y > 0)
        i = np.flatnonzero(w > 0)
        w = w[i]
        self.n[c, i] += w
        present = 1 + np.flatnonzero((x > 0) & ~self.gaussian[1:])
        self.C[c, present[:, None], i] += w
        normal = np.flatnonzero(self.known & self.gaussian)
        v = self._values(x)[normal][:, None]
        block = (c, normal[:, None], i)
        old = self.mean[block]
        over = np.sum(self.n[:, i], axis=0) if self.pooled else self.n[c, i]
        new = old + w / over * (v - old)
        self.mean[block] = new
        self.M2[block] += w * (v - old) * (v - new)

    def _turn_gaussian(self, features: NDArray[np.intp], x: Floats) -> None:
        norm = math.sqrt(self.intercept + float(x @ x)) if self.unit_norm else 1.0
        n = np.where(self.n > 0, self.n, 1.0)[:, None]
        C = self.C[:, features]
        self.mean[:, features] = C / n / norm
        self.M2[:, features] = C * (self.n[:, None] - C) / n / norm**2
        self.gaussian[features] = True

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        self.update(x, y, np.where(np.arange(self.n_learners) == i, times * w, 0.0))
        return float(self.predict(x)[i])
