"""Many classes: one against the rest, and the boosters of Jung, Goetz and Tewari, "Online multiclass boosting", 2017.

Classes are numbered in the order of their first example; class k begins with it, with nothing learned. `make(k)`
gives the booster or the bank of class k. `decide(x)` has one number per class that has begun; the largest is predicted.
"""

import copy
import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from . import rng
from .boosters import NEGLIGIBLE, Booster, negligible_to_zero
from .learners import Bank, Floats


def class_seed(seed: int, k: int) -> int:
    """The seed of class k; the first class has the model's own."""
    return seed if k == 0 else int(rng.hash64(seed, rng.CLASS, k, 0))


class OneVsRest:
    """A binary booster per class, which is taught +1 for its own examples and -1 for those of the others."""

    def __init__(self, make: Callable[[int], Booster]) -> None:
        self.make = make
        self.boosters: list[Booster] = []

    def decide(self, x: Floats) -> Floats:
        return np.array([booster.margin(x) for booster in self.boosters])

    def learn(self, x: Floats, label: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        if label == len(self.boosters):
            self.boosters.append(self.make(label))
        for k, booster in enumerate(self.boosters):
            booster.learn(x, 1 if k == label else -1, s)


class Turned:
    """A copy of a bank that says, and is taught, the opposite: the second of two classes that were learned by one."""

    def __init__(self, bank: Bank) -> None:
        self.bank = copy.deepcopy(bank)

    def meet(self, x: Floats) -> None:
        self.bank.meet(x)

    def predict(self, x: Floats) -> Floats:
        return -self.bank.predict(x)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self.bank.update(x, -y, w)

    def regress(self, x: Floats, targets: Floats, w: Floats) -> None:
        self.bank.regress(x, -targets, w)  # type: ignore[attr-defined]  # of banks that have it


class _Plurality:
    """Weak learner i has one binary learner per class, and says the class whose output is largest."""

    def __init__(self, make: Callable[[int], Bank], n_learners: int) -> None:
        self.make, self.n_learners = make, n_learners
        self.banks: list[Bank] = []
        self.rounds = 0

    def said(self, x: Floats) -> NDArray[np.intp]:
        return np.asarray(np.argmax([np.clip(bank.predict(x), -1, 1) for bank in self.banks], axis=0))

    def learn(self, x: Floats, label: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        if label == len(self.banks):
            self.banks.append(self.make(label))
        w = s * self.weights(self.said(x), label, s)
        for k, bank in enumerate(self.banks):
            bank.meet(x)
            bank.update(x, 1 if k == label else -1, negligible_to_zero(w))
        self.rounds += 1

    def weights(self, said: NDArray[np.intp], label: int, s: float) -> Floats:
        """Give the weights of the example for the learners, and learn from what they said."""
        raise NotImplementedError


def logistic_loss(s: Floats, label: int) -> float:
    """L(s) = sum over the other classes l of log(1 + exp(s_l - s_y))."""
    return float(np.sum(np.log1p(np.exp(np.delete(s, label) - s[label]))))


class AdaBoostOLM(_Plurality):
    """Adaboost.OLM, the paper's Algorithm 2.

        c_l = 1 / (1 + exp(s_y - s_l))              w_i = sum_{l != y} c_l / (k - 1)
        s_{l_i} += alpha_i                          alpha_i <- clip(alpha_i - eta_t dL/dalpha_i, -2, 2)
        expert i errs if s does not lead to y:      v_i <- v_i / e         eta_t = 2 sqrt(2) / ((k - 1) sqrt(t))

    Variant: the weighted majority of the experts decides. With one class, weights are 1/2 and alpha and v stay.
    """

    def __init__(self, make: Callable[[int], Bank], n_learners: int) -> None:
        super().__init__(make, n_learners)
        self.alpha = np.zeros(n_learners)
        self.losses = np.zeros(n_learners)

    def sums(self, said: NDArray[np.intp]) -> Floats:
        """The sums s after each learner, one row per learner."""
        votes = np.zeros((self.n_learners, len(self.banks)))
        votes[np.arange(self.n_learners), said] = self.alpha
        return np.cumsum(votes, axis=0)

    def shares(self) -> Floats:
        v = np.exp(np.min(self.losses) - self.losses)
        return np.asarray(v / np.sum(v))

    def decide(self, x: Floats) -> Floats:
        leaders = np.argmax(self.sums(self.said(x)), axis=1)
        return np.bincount(leaders, self.shares(), len(self.banks)).astype(float)

    def probabilities(self, x: Floats) -> Floats:
        """The experts' softmax(s), each by its share if that is at least a millionth."""
        v = np.where(self.shares() < 1e-6, 0.0, self.shares())
        s = self.sums(self.said(x))
        e = np.exp(s - np.max(s, axis=1, keepdims=True))
        return np.asarray(v / np.sum(v) @ (e / np.sum(e, axis=1, keepdims=True)))

    def weights(self, said: NDArray[np.intp], label: int, s: float) -> Floats:
        k = len(self.banks)
        if k == 1:
            return np.full(self.n_learners, 0.5)
        eta = 2 * math.sqrt(2) / ((k - 1) * math.sqrt(self.rounds + 1))
        sums, w = np.zeros(k), np.empty(self.n_learners)
        for i, l in enumerate(said):
            w[i] = np.sum(self._costs(sums, label)) / (k - 1)
            sums[l] += self.alpha[i]
            c = self._costs(sums, label)
            slope = -np.sum(c) if l == label else c[l]
            self.alpha[i] = np.clip(self.alpha[i] - eta * s * slope, -2, 2)
            self.losses[i] += s * (np.argmax(sums) != label)
        return w

    @staticmethod
    def _costs(sums: Floats, label: int) -> Floats:
        c = 1 / (1 + np.exp(sums[label] - sums))
        c[label] = 0
        return np.asarray(c)


@cache
def potential(n: int, leads: tuple[int, ...], gamma: float) -> float:
    """The chance that class r does not lead alone after n more votes, by the recursion that defines it.

        phi_0(s) = 1{r does not lead alone}        phi_n(s) = sum_l u_l phi_{n-1}(s + e_l)

    u_r = (1 - gamma) / k + gamma, u_l = (1 - gamma) / k for the others; leads are s_r - s_l, sorted.
    """
    if n == 0:
        return float(leads[0] <= 0)
    q = (1 - gamma) / (len(leads) + 1)
    total = (q + gamma) * potential(n - 1, tuple(lead + 1 for lead in leads), gamma)
    for l in range(len(leads)):
        total += q * potential(n - 1, _lessened(leads, l), gamma)
    return total


def _lessened(leads: tuple[int, ...], l: int) -> tuple[int, ...]:
    return tuple(sorted([*leads[:l], leads[l] - 1, *leads[l + 1 :]]))


def potential_weight(n: int, leads: tuple[int, ...], gamma: float) -> float:
    """sum_l phi_n(s + e_l) - phi_n(s + e_r): what a vote for another class than r would cost, summed over them."""
    right = potential(n, tuple(lead + 1 for lead in leads), gamma)
    return sum(potential(n, _lessened(leads, l), gamma) - right for l in range(len(leads)))


class MBBM(_Plurality):
    """OnlineMBBM, the paper's Algorithm 1, with exact potentials; the vote is not weighted.

    Variant: the weight is divided by its largest value over the states in which all rivals are level, and is at most 1.
    Beside a single class, there is one that nobody votes for.
    """

    def __init__(self, make: Callable[[int], Bank], n_learners: int, gamma: float) -> None:
        super().__init__(make, n_learners)
        self.gamma = gamma

    def decide(self, x: Floats) -> Floats:
        return np.asarray(2 * np.bincount(self.said(x), minlength=len(self.banks)) / self.n_learners - 1)

    def weights(self, said: NDArray[np.intp], label: int, s: float) -> Floats:
        k = max(len(self.banks), 2)
        votes, w = np.zeros(k, dtype=int), np.empty(self.n_learners)
        for i, l in enumerate(said):
            n = self.n_learners - 1 - i
            leads = tuple(sorted((votes[label] - np.delete(votes, label)).tolist()))
            most = max(potential_weight(n, (lead,) * (k - 1), self.gamma) for lead in range(-n - 1, n + 2))
            w[i] = min(potential_weight(n, leads, self.gamma) / most, 1.0)
            votes[l] += 1
        return w


class SoftmaxBoost(_Plurality):
    """Streaming gradient boosting of many classes.

        F_i(k) = F_{i-1}(k) + eta h_ik(x)      p_i = softmax(F_{i-1})      u_ik = |1{k = y} - p_i(k)|

    Learner i of class k is taught as in `GradientBoost`, +u for k = y and -u for the others. The margin of a class is
    the mean of its outputs.
    """

    def __init__(
        self, make: Callable[[int], Bank], n_learners: int, learning_rate: float = 0.1, order: str = "second"
    ) -> None:
        super().__init__(make, n_learners)
        self.learning_rate, self.order = learning_rate, order

    def outputs(self, x: Floats) -> Floats:
        """A row per class."""
        return np.array([np.clip(bank.predict(x), -1, 1) for bank in self.banks])

    def decide(self, x: Floats) -> Floats:
        return np.asarray(np.mean(self.outputs(x), axis=1))

    def learn(self, x: Floats, label: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        if label == len(self.banks):
            self.banks.append(self.make(label))
        h = self.outputs(x)
        F = self.learning_rate * (np.cumsum(h, axis=1) - h)
        e = np.exp(F - F.max(axis=0))
        y = np.where(np.arange(len(h)) == label, 1, -1)
        u = np.abs((y > 0)[:, None] - e / e.sum(axis=0))
        v = np.ones_like(u) if self.order == "first" else u * np.maximum(2 * (1 - u), 0.5)
        for k, bank in enumerate(self.banks):
            bank.meet(x)
            taught = s * u[k] >= NEGLIGIBLE
            if hasattr(getattr(bank, "bank", bank), "regress"):
                bank.regress(x, y[k] * u[k] / v[k], np.where(taught, s * v[k], 0.0))  # type: ignore[attr-defined]
            else:
                bank.update(x, int(y[k]), np.where(taught, s * u[k], 0.0))
        self.rounds += 1
