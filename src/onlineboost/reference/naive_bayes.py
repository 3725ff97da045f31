"""Naive Bayes, N at a time. Class index 0 is -1, index 1 is +1."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .learners import Bank, Floats, Normalised, kept_share

SEEN = 1e-16


def _output(seen: NDArray[np.bool_], logodds_of_both: Floats) -> Floats:
    """tanh(logodds / 2) for learners that saw both classes; with no class seen 0, with one that class."""
    h: Floats = seen[1].astype(float) - seen[0]
    h[seen.all(axis=0)] = np.tanh(logodds_of_both / 2)
    return h


@dataclass(eq=False, kw_only=True)
class NaiveBayes(Normalised):
    """Naive Bayes, the other weak learner of the paper's experiments.

        h(x) = 2 p(+1 | x) - 1 = tanh(logodds / 2)        logodds = log(n+ / n-) + one term per known feature

    Bernoulli feature (is x_f > 0?): the log ratio of (C + alpha) / (n + 2 alpha), or with n - C if it is not.
    Gaussian feature (value v of the normalised row, 0 if absent): the difference of the log densities, with
    moments by weighted Welford:  n += w;  mean += (w / n) (v - mean);  M2 += w (v - old mean) (v - new mean).

    Variants: pseudo-counts of 1e-16 in place of Laplace's 1, as the paper's tables require. `kind="auto"`
    calls a feature Bernoulli until it shows a value other than 0 and 1; its counts then turn into moments, with
    the norm of the present row in place of those of the rows counted.
    A feature is known from the first learned row in which it occurs; all its earlier values were 0. The
    intercept is a feature only of `kind="gaussian"`, where it carries the norm of the row.
    A missing value (NaN) says nothing: it has no term, no part in the norm, and the n of its feature, which is that of
    the rows that had it, stays. A feature of which either class has no weight above 1e-16 has no term.
    A class of no weight above 1e-16 is unseen. `estimates="paper"` has two slips of the paper's experiments: moments
    take the weight of both classes in place of n; and every Bernoulli count starts at alpha, so 2 alpha above is
    alpha, the prior is (n+ + alpha) / (n- + alpha), and no class is ever unseen.
    """

    kind: Literal["auto", "bernoulli", "gaussian"] = "auto"
    alpha: float = 1e-16
    variance_floor: float = 1e-9
    estimates: Literal["proper", "paper"] = "proper"
    half_life: float | None = None

    def __post_init__(self) -> None:
        self.pooled = self.estimates == "paper" and self.kind == "gaussian"
        self.from_alpha = self.estimates == "paper" and self.kind == "bernoulli"
        self.n = np.zeros((2, self.n_learners))
        self.own, self.C, self.mean, self.M2 = np.zeros((4, 2, self.n_features + 1, self.n_learners))
        self.known = np.zeros(self.n_features + 1, dtype=bool)
        self.gaussian = np.full(self.n_features + 1, self.kind == "gaussian")

    def predict(self, x: Floats) -> Floats:
        seen = self.n > (-1.0 if self.from_alpha else SEEN)
        both = seen.all(axis=0)
        n = self.n[:, both]
        prior = n + self.alpha if self.from_alpha else n
        logodds = np.log(prior[1] / prior[0])
        there = ~np.isnan(np.append(0.0, x))
        bernoulli = self.known & ~self.gaussian & there
        C, own = self.C[:, bernoulli][:, :, both], self.own[:, bernoulli][:, :, both]
        present = (x > 0)[bernoulli[1:]][:, None]
        event = np.where(present, C, own - C)
        log_p = np.log((event + self.alpha) / (own + (1 if self.from_alpha else 2) * self.alpha))
        logodds += self._sum_of_terms(log_p, own)
        normal = self.known & self.gaussian & there
        own = self.own[:, normal][:, :, both]
        v = self._dense(np.nan_to_num(x))[normal][:, None]
        over = np.sum(own, axis=0, keepdims=True) if self.pooled else np.where(own > 0, own, 1.0)
        variance = self.M2[:, normal][:, :, both] / over + self.variance_floor
        log_p = -0.5 * np.log(variance) - (v - self.mean[:, normal][:, :, both]) ** 2 / (2 * variance)
        logodds += self._sum_of_terms(log_p, own)
        return _output(seen, logodds)

    def _sum_of_terms(self, log_p: Floats, own: Floats) -> Floats:
        known = (own > (-1.0 if self.from_alpha else SEEN)).all(axis=0)
        return np.asarray(np.sum(np.where(known, log_p[1] - log_p[0], 0.0), axis=0))

    def meet(self, x: Floats) -> None:
        kept = kept_share(self.half_life)
        self.n, self.own, self.C, self.M2 = kept * self.n, kept * self.own, kept * self.C, kept * self.M2
        self.known[1:] |= x != 0
        self.known[0] = self.intercept and self.kind == "gaussian"
        if self.kind == "auto":
            self._turn_gaussian(1 + np.flatnonzero((x != 0) & (x != 1) & ~np.isnan(x) & ~self.gaussian[1:]), x)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        c = int(y > 0)
        i = np.flatnonzero(w > 0)
        w = w[i]
        self.n[c, i] += w
        there = ~np.isnan(np.append(0.0, x))
        self.own[c, np.flatnonzero(there)[:, None], i] += w
        present = 1 + np.flatnonzero((x > 0) & ~self.gaussian[1:])
        self.C[c, present[:, None], i] += w
        normal = np.flatnonzero(self.known & self.gaussian & there)
        v = self._dense(np.nan_to_num(x))[normal][:, None]
        block = (c, normal[:, None], i)
        old = self.mean[block]
        over = np.sum(self.n[:, i], axis=0) if self.pooled else self.own[block]
        new = old + w / over * (v - old)
        self.mean[block] = new
        self.M2[block] += w * (v - old) * (v - new)

    def _turn_gaussian(self, features: NDArray[np.intp], x: Floats) -> None:
        norm = math.sqrt(self.intercept + float(np.nansum(x * x))) if self.unit_norm else 1.0
        own, C = self.own[:, features], self.C[:, features]
        n = np.where(own > 0, own, 1.0)
        self.mean[:, features] = C / n / norm
        self.M2[:, features] = C * (own - C) / n / norm**2
        self.gaussian[features] = True


@dataclass(eq=False, kw_only=True)
class TypedNaiveBayes(Bank):
    """`NaiveBayes(kind="typed")`, which infers the kinds of its features; all rows are kept and counted anew.

    A feature is known from the first learned row in which it is not 0. It is categorical if the learned rows show at
    most `max_values` different values of it, with P(v | class) = (weight of v + alpha) / (n + V alpha) for V values; a
    value that is not among them says nothing. Otherwise it is Gaussian with the weighted moments of all rows. Rows in
    which it is missing (NaN) are left out of all this, n too; it says nothing if it is missing, or if a class is.
    """

    alpha: float = 1e-16
    variance_floor: float = 1e-9
    max_values: int = 10
    half_life: float | None = None

    def __post_init__(self) -> None:
        self.rows = np.zeros((0, self.n_features))
        self.weights = np.zeros((0, 2, self.n_learners))

    def meet(self, x: Floats) -> None:
        self.rows = np.vstack([self.rows, x])
        self.weights = np.concatenate([self.weights * kept_share(self.half_life), np.zeros((1, 2, self.n_learners))])

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.weights[-1, int(y > 0)] += w

    def predict(self, x: Floats) -> Floats:
        n = np.sum(self.weights, axis=0)
        seen = n > SEEN
        with np.errstate(divide="ignore", invalid="ignore"):  # of learners that have not seen both classes
            logodds = np.log(n[1] / n[0])
            for f in np.flatnonzero(np.any(self.rows != 0, axis=0)):
                there = ~np.isnan(self.rows[:, f])
                logodds += self._term(self.rows[there, f], x[f], self.weights[there])
        return _output(seen, logodds[seen.all(axis=0)])

    def _term(self, column: Floats, value: float, weights: Floats) -> Floats:
        values, n = np.unique(column), np.sum(weights, axis=0)
        if math.isnan(value):
            return np.zeros(self.n_learners)
        if len(values) > self.max_values:
            mean = np.tensordot(column, weights, 1) / n
            deviations = (column[:, None, None] - mean) ** 2
            variance = np.sum(deviations * weights, axis=0) / n + self.variance_floor
            log_p = -0.5 * np.log(variance) - (value - mean) ** 2 / (2 * variance)
        elif value in values:
            count = np.sum(weights[column == value], axis=0)
            log_p = np.log((count + self.alpha) / (n + len(values) * self.alpha))
        else:
            return np.zeros(self.n_learners)
        return np.where((n > SEEN).all(axis=0), log_p[1] - log_p[0], 0.0)
