"""The mixture of `OnlineBoostClassifier` over families that say h = 2 p - 1, p a probability of +1; 2 means no opinion.

Experts: q_0 = σ(⟨m, l⟩), which stacks the logits l of the families, and q_k = σ(l_k). The forecast is Bayes' rule over
them, p = Σ v q with v ∝ exp(-η L), L the cumulated log-losses and η = 1 / max(1, the largest weight).
"""

import numpy as np
from numpy.typing import NDArray

from .learners import Floats

LARGEST_LOGIT = 12.0


def _sigmoid(v: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-v)))


class Mixture:
    """Bayes' rule over K families and their stack; see the module."""

    def __init__(
        self, n_families: int, variance: float = 0.1, first_look: int = 4000, least: tuple[float, float] = (1e-3, 0.02)
    ) -> None:
        self.m = np.full(n_families, 1 / n_families)
        self.P = variance * np.eye(n_families)
        self.losses = np.zeros(n_families + 1)
        self.squares = np.zeros(n_families)
        self.present = np.ones(n_families, bool)
        self.first_look, self.least = first_look, least
        self.largest, self.rounds = 1.0, 0

    def _look(self, h: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        speaks = self.present & (h <= 1)
        p = np.where(speaks, (1 + h) / 2, 0.5)
        with np.errstate(divide="ignore"):
            logits = np.clip(np.log(p) - np.log(1 - p), -LARGEST_LOGIT, LARGEST_LOGIT)
        z = np.clip(self.m @ logits, -LARGEST_LOGIT, LARGEST_LOGIT)
        return logits, _sigmoid(np.concatenate([[z], logits])), self._weights(speaks), speaks

    def _weights(self, speaks: NDArray[np.bool_]) -> Floats:
        into = np.concatenate([[True], speaks])
        v = np.where(into, np.exp(np.minimum((self.losses[into].min() - self.losses) / self.largest, 0)), 0)
        return np.asarray(v / v.sum())

    def predict(self, h: Floats) -> float:
        """2 p - 1 for what the families say."""
        _, q, v, _ = self._look(h)
        return float(2 * v @ q - 1)

    def update(self, h: Floats, y: int, s: float) -> None:
        """The label, +1 or -1, with its weight; afterwards `present` says which families are asked again."""
        logits, q, _, speaks = self._look(h)
        self.largest = max(self.largest, s)
        into = np.concatenate([[True], speaks])
        self.losses -= into * s * np.log(q if y > 0 else 1 - q)
        self.squares += speaks * s * logits**2
        self._regress(logits, y, s)
        for k in np.flatnonzero(self.present & ~speaks):
            self._retire(int(k))
        self.rounds += 1
        looks = self.rounds / self.first_look if self.first_look else 0.5
        if looks >= 1 and np.log2(looks) % 1 == 0:
            v = self._weights(self.present & (h <= 1))
            pull = self.present * np.abs(self.m) * np.sqrt(self.squares)
            few = (v[1:] < self.least[0]) & (pull < self.least[1] * pull.sum())
            for k in np.flatnonzero(self.present & few):
                if self.present.sum() > 1:
                    self._retire(int(k))

    def _regress(self, logits: Floats, y: int, s: float) -> None:
        """One step of Bayesian logistic regression on the logits: e = s (target - σ(z + spread e))."""
        target, z, product = (y + 1) / 2, float(self.m @ logits), self.P @ logits
        spread = max(float(logits @ product), 0.0)
        low, high = sorted((0.0, s * (target - float(_sigmoid(np.array(z))))))
        for _ in range(200):
            e = (low + high) / 2
            above = s * (target - float(_sigmoid(np.array(z + spread * e)))) > e
            low, high = (e, high) if above else (low, e)
        p = target - e / s
        curvature = s * p * (1 - p)
        self.m += product * e
        self.P -= curvature / (1 + curvature * spread) * np.outer(product, product)

    def _retire(self, k: int) -> None:
        self.present[k] = False
        self.m[k] = self.P[k] = self.P[:, k] = 0.0
