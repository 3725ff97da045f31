"""Naive Bayes that finds out what its features are, by definition: all rows are kept, a prediction counts anew."""

import numpy as np

from .learners import Floats


class TypedNaiveBayes:
    """`NaiveBayes(kind="typed")`. Class index 0 is -1, index 1 is +1.

    A feature is known from the first learned row in which it is not 0. It is categorical if the learned rows show at
    most `max_values` different values of it, with P(v | class) = (weight of v + alpha) / (n + V alpha) for V values; a
    value that is not among them says nothing. Otherwise it is Gaussian with the weighted moments of all rows.
    """

    SEEN = 1e-16

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        alpha: float = 1e-16,
        variance_floor: float = 1e-9,
        max_values: int = 10,
    ) -> None:
        self.n_learners, self.alpha, self.variance_floor, self.max_values = (
            n_learners,
            alpha,
            variance_floor,
            max_values,
        )
        self.rows = np.zeros((0, n_features))
        self.weights = np.zeros((0, 2, n_learners))

    def meet(self, x: Floats) -> None:
        self.rows = np.vstack([self.rows, x])
        self.weights = np.concatenate([self.weights, np.zeros((1, 2, self.n_learners))])

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.weights[-1, int(y > 0)] += w

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        self.weights[-1, int(y > 0), i] += times * w
        return float(self.predict(x)[i])

    def predict(self, x: Floats) -> Floats:
        n = np.sum(self.weights, axis=0)
        seen = n > self.SEEN
        with np.errstate(divide="ignore", invalid="ignore"):  # of learners that have not seen both classes
            logodds = np.log(n[1] / n[0])
            for f in np.flatnonzero(np.any(self.rows != 0, axis=0)):
                logodds += self._term(self.rows[:, f], x[f], n)
        h: Floats = seen[1].astype(float) - seen[0]
        both = seen.all(axis=0)
        h[both] = np.tanh(logodds[both] / 2)
        return h

    def _term(self, column: Floats, value: float, n: Floats) -> Floats:
        values = np.unique(column)
        if len(values) > self.max_values:
            mean = np.tensordot(column, self.weights, 1) / n
            deviations = (column[:, None, None] - mean) ** 2
            variance = np.sum(deviations * self.weights, axis=0) / n + self.variance_floor
            log_p = -0.5 * np.log(variance) - (value - mean) ** 2 / (2 * variance)
        elif value in values:
            count = np.sum(self.weights[column == value], axis=0)
            log_p = np.log((count + self.alpha) / (n + len(values) * self.alpha))
        else:
            return np.zeros(self.n_learners)
        return np.asarray(log_p[1] - log_p[0])
