"""Sets of labels: binary relevance, and the rankers of Jung and Tewari (AISTATS 2018).

Labels are numbered in the order of their first example. `make()` gives the booster or the bank of a label, always the
same; beside the labels there is one that no row has, and a label begins as a copy of it. `decide(x)` has one number for
it and one for each label that has begun.
"""

import copy
import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .boosters import NEGLIGIBLE, Booster, negligible_to_zero
from .learners import Bank, Floats

Flags = NDArray[np.bool_]


class BinaryRelevance:
    """A binary booster per label. What the stream's first row shows of a label, that it is there or not, is its +1."""

    def __init__(self, make: Callable[[], Booster]) -> None:
        self.boosters: list[Booster] = [make()]
        self.signs = [-1]
        self.rounds = 0

    def decide(self, x: Floats) -> Floats:
        both = zip(self.signs, self.boosters, strict=True)
        return np.array([sign * booster.margin(x) for sign, booster in both])

    def learn(self, x: Floats, labels: set[int], s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        for _ in range(len(self.boosters) - 1, max(labels, default=-1) + 1):
            self.boosters.append(copy.deepcopy(self.boosters[0]))
            self.signs.append(-1 if self.rounds else 1)
        for k, (sign, booster) in enumerate(zip(self.signs, self.boosters, strict=True)):
            booster.learn(x, sign if k - 1 in labels else -sign, s)
        self.rounds += 1


class _Ranking:
    """Weak learner i has one binary learner per label, and gives label k the share (1 + h_ki) / sum_l (1 + h_li)."""

    def __init__(self, make: Callable[[], Bank], n_learners: int) -> None:
        self.banks: list[Bank] = [make()]
        self.n_learners, self.rounds = n_learners, 0

    def shares(self, x: Floats) -> Floats:
        """A row per learner; the first column is of the label that no row has."""
        h = 1 + np.array([np.clip(bank.predict(x), -1, 1) for bank in self.banks]).T
        if h.shape[1] == 1:
            return np.zeros_like(h)
        total = np.sum(h[:, 1:], axis=1, keepdims=True)
        even = np.full_like(h, 1 / (h.shape[1] - 1))
        return np.asarray(np.divide(h, total, out=even, where=total > 0))

    def decide(self, x: Floats) -> Floats:
        scores = self.scores(self.shares(x))
        return np.asarray(scores - (np.mean(scores[1:]) if len(scores) > 1 else 0.0))

    def learn(self, x: Floats, labels: set[int], s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        for _ in range(len(self.banks) - 1, max(labels, default=-1) + 1):
            self.banks.append(copy.deepcopy(self.banks[0]))
        has = np.array([k in labels for k in range(len(self.banks) - 1)], bool)
        shares = self.shares(x)
        for bank in self.banks:
            bank.meet(x)
        if has.any() and not has.all():
            w = s * self.weights(shares, has, s) / max(has.sum(), (~has).sum())
            for k, bank in enumerate(self.banks):
                bank.update(x, 1 if k > 0 and has[k - 1] else -1, negligible_to_zero(w[:, k]))
        self.rounds += 1

    def scores(self, shares: Floats) -> Floats:
        """What labels are ranked by."""
        raise NotImplementedError

    def weights(self, shares: Floats, has: Flags, s: float) -> Floats:
        """Give what all pairs pull on each learner's labels, a row per learner, and learn from the shares."""
        raise NotImplementedError


def pair_pulls(s: Floats, has: Flags, up: Callable[[Floats], Floats], down: Callable[[Floats], Floats]) -> Floats:
    """What the pairs pull on each label: `up` and `down` give it for the lead of a label in the set over another."""
    inside, outside, pulls = s[1:][has], s[1:][~has], np.zeros(len(s))
    leads = inside[:, None] - outside
    pulls[1:][has] = np.sum(up(leads), axis=1)
    pulls[1:][~has] = np.sum(down(leads), axis=0)
    pulls[0] = np.sum(down(inside - s[0]))
    return pulls


def ranking_loss(s: Floats, has: Flags) -> float:
    """The share of pairs that s ranks wrongly, a tie counted half."""
    leads = s[has][:, None] - s[~has]
    return float(np.mean((leads < 0) + 0.5 * (leads == 0)))


class AdaOLMR(_Ranking):
    """Ada.OLMR, the paper's Algorithm 2.

        L(s) = mean over pairs of log(1 + exp(s_r - s_l))        c = dL/ds
        s += alpha_i h_i        alpha_i <- clip(alpha_i - eta_t c.h_i, -2, 2)        eta_t = 1 / sqrt(t)
        v_i <- v_i exp(-rank loss of s)

    Variant: the experts' mean score by v ranks.
    """

    def __init__(self, make: Callable[[], Bank], n_learners: int) -> None:
        super().__init__(make, n_learners)
        self.alpha = np.zeros(n_learners)
        self.losses = np.zeros(n_learners)

    def scores(self, shares: Floats) -> Floats:
        v = np.exp(np.min(self.losses) - self.losses)
        return np.asarray(v / np.sum(v) @ np.cumsum(self.alpha[:, None] * shares, axis=0))

    def weights(self, shares: Floats, has: Flags, s: float) -> Floats:
        eta, pairs = 1 / math.sqrt(self.rounds + 1), has.sum() * (~has).sum()
        sums, w = np.zeros(shares.shape[1]), np.zeros_like(shares)
        for i, h in enumerate(shares):
            w[i] = pair_pulls(sums, has, _slope, _slope)
            sums += self.alpha[i] * h
            c = np.where(has, -1, 1) * pair_pulls(sums, has, _slope, _slope)[1:] / pairs
            self.alpha[i] = np.clip(self.alpha[i] - eta * s * (c @ h[1:]), -2, 2)
            self.losses[i] += s * ranking_loss(sums[1:], has)
        return w


def _slope(leads: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(leads)))


class OnlineBMR(_Ranking):
    """OnlineBMR, the paper's Algorithm 1, with the hinge loss of pairs: c_k = phi_{N-i}(s + e_k) - phi_{N-i}(s)."""

    def __init__(self, make: Callable[[], Bank], n_learners: int, gamma: float) -> None:
        super().__init__(make, n_learners)
        self.gamma = gamma

    def scores(self, shares: Floats) -> Floats:
        return np.asarray(np.mean(shares, axis=0))

    def weights(self, shares: Floats, has: Flags, s: float) -> Floats:
        gamma = min(self.gamma, 1 / has.sum())
        a = (1 - gamma * has.sum()) / len(has)
        sums, w = np.zeros(shares.shape[1]), np.zeros_like(shares)
        for i, h in enumerate(shares):
            w[i] = pair_pulls(sums, has, *_steps(self.n_learners - 1 - i, a + gamma, a))
            sums += h
        return w


def _steps(n: int, p: float, q: float) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
    """By how much the potential of a pair falls if its lead grows by 1, and rises if it shrinks by 1."""
    phi = np.vectorize(lambda lead: pair_potential(n, lead, p, q))
    return lambda leads: phi(leads) - phi(leads + 1), lambda leads: phi(leads - 1) - phi(leads)


def pair_potential(n: int, lead: float, p: float, q: float) -> float:
    """E max(0, 1 - lead - S), S the sum of n steps that are 1 with chance p, -1 with chance q, else 0."""
    return float(sum(chance * max(0.0, 1 - lead - step) for step, chance in _walk(n, p, q).items()))


@cache
def _walk(n: int, p: float, q: float) -> dict[int, float]:
    if n == 0:
        return {0: 1.0}
    found: dict[int, float] = {}
    for step, chance in _walk(n - 1, p, q).items():
        for move, by in ((1, p), (-1, q), (0, 1 - p - q)):
            found[step + move] = found.get(step + move, 0.0) + chance * by
    return found
