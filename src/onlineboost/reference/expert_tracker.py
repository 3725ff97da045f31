"""Weights over experts that give probabilities: Bayes' rule and fixed share at rate 1/t, mixed by Bayes' rule.

Bayes:        b(e) ∝ exp(-(L(e) + h(e)) / B), L the log-loss since birth, h what the expert was born with, 0 at first.
Fixed share:  f(e) = t/(t+1) v(e) + 1/((t+1) K), v(e) ∝ f(e) q(e)^(s/B) its posterior after round t, K experts alive.
Both:         w = π b + (1 - π) f, π ∝ exp(-loss of Bayes / B), from (1/2, 1/2).

B = max(1, the largest sample weight s); when it grows, v is taken to the power of old B / new B. An expert is born with
v = 0, and as the n-th with b = 1/n. Fixed share: Herbster & Warmuth, Machine Learning 32, 1998; the rate 1/t telescopes
so that every interval is covered (docs/drift.md).
"""

import math

import numpy as np

from .learners import Floats


class ExpertTracker:
    """Places for experts, of which the first `alive` begin; without `shares` it is Bayes' rule alone."""

    def __init__(self, experts: int, alive: int | None = None, *, shares: bool = True) -> None:
        self.alive = np.arange(experts) < (experts if alive is None else alive)
        self.losses, self.born_with = np.zeros(experts), np.zeros(experts)
        self.posterior = self.alive / self.alive.sum()
        self.forecasters, self.loss = np.zeros(2), 0.0
        self.shares = shares
        self.largest, self.surprises, self.rounds = 1.0, 0.0, 0
        self.born = self.most = int(self.alive.sum())
        self.doubt = math.log(2.0)

    def bayes(self) -> Floats:
        """Weights of Bayes' rule."""
        total = self.losses + self.born_with
        return np.asarray(_normal(np.where(self.alive, np.exp(-(total - total[self.alive].min()) / self.largest), 0.0)))

    def share(self) -> Floats:
        """Weights of fixed share."""
        rate = 1.0 / (self.rounds + 1)
        return np.asarray(self.alive * ((1.0 - rate) * self.posterior + rate / self.alive.sum()))

    def trust(self) -> Floats:
        """Of Bayes and of fixed share."""
        return _normal(np.exp(-(self.forecasters - self.forecasters.min()) / self.largest))

    def weights(self) -> Floats:
        """Of the experts; they sum to 1."""
        return np.asarray(self.trust() @ [self.bayes(), self.share()]) if self.shares else self.bayes()

    def learn(self, q: Floats, s: float = 1.0) -> None:
        """What each expert gave to the outcome, and the weight of the example."""
        q = np.where(self.alive, q, 1.0)
        self.loss -= s * math.log(self.weights() @ q)
        if s > self.largest:
            before = self.weights() @ q
            self.posterior = _normal(np.where(self.posterior > 0, self.posterior ** (self.largest / s), 0.0))
            self.largest = s
            self.surprises += s * max(math.log(self.weights() @ q) - math.log(before), 0.0)
            self._doubt()
        self.forecasters -= s * np.log([self.bayes() @ q, self.share() @ q])
        self.posterior = _normal(self.share() * q ** (s / self.largest))
        self.losses -= s * np.log(q)
        self.rounds += 1
        self._doubt()

    def add(self, e: int) -> None:
        """Let an expert begin, between two rounds."""
        total = (self.losses + self.born_with)[self.alive]
        sum_of_others = np.exp(-(total - total.min()) / self.largest).sum()
        self.losses[e] = self.posterior[e] = 0.0
        self.born_with[e] = total.min() + self.largest * (math.log(self.born) - math.log(sum_of_others))
        self.alive[e] = True
        self.born += 1
        self.most = max(self.most, int(self.alive.sum()))

    def drop(self, e: int) -> None:
        """Let an expert leave, between two rounds."""
        self.alive[e], self.posterior[e] = False, 0.0
        self.posterior = _normal(self.posterior if self.posterior.sum() > 0 else self.alive.astype(float))

    def total_bound(self) -> float:
        """Nats that the forecast can have lost more than any expert that lived from the start."""
        if not self.shares:
            return self.largest * math.log(self.born) + self.surprises
        return self.largest * (math.log(self.born) + math.log(2.0)) + self.surprises

    def interval_bound(self) -> float:
        """The same against any expert on any interval of its life."""
        if not self.shares:
            return math.inf
        later = math.log(2.0) if self.largest > 1 else 0.0
        logs = math.log(self.most) + math.log(max(self.rounds, 1)) + later
        return self.largest * logs + self.doubt + self.surprises

    def _doubt(self) -> None:
        self.doubt = max(self.doubt, -self.largest * math.log(self.trust()[1]))


def _normal(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())
