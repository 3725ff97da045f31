"""The boosters that followed the paper. As in `boosters`: `margin(x)` is the score, `learn(x, y, s)` teaches."""

import math
from typing import Literal

import numpy as np

from . import rng
from .boosters import NEGLIGIBLE, Booster, Floats, logistic
from .experts import Experts
from .learners import Bank


def binomial(R: int, k: int, p: float) -> float:
    """The chance of k hits in R trials; 0 for k out of range."""
    if not 0 <= k <= R:
        return 0.0
    ways = math.lgamma(R + 1) - math.lgamma(k + 1) - math.lgamma(R - k + 1)
    return math.exp(ways + k * math.log(p) + (R - k) * math.log1p(-p))


def majority_weight(N: int, i: int, s: float, p: float) -> float:
    """Half the chance that learner i of N (1-based) decides the majority, where the right label leads by s before it.

    Sums of margins that are whole but for rounding count as whole.
    """
    return binomial(N - i, math.floor((N - i - s + 1) / 2 + 1e-9), p) / 2


def majority_potential(N: int, i: int, s: int, p: float) -> float:
    """The chance that the majority errs if the right label leads by s after i learners: Bin(N-i, p) <= (N-i-s)/2."""
    return math.fsum(binomial(N - i, k, p) for k in range(math.floor((N - i - s) / 2) + 1))


class BBM(Booster):
    """Online BBM with importance weights (Beygelzimer, Kale and Luo, ICML 2015, Algorithm 1), p = 1/2 + edge.

        s = 0;  for i = 1..N:   w_i = majority_weight(N, i, s, p), over its largest value for this i
                                teach learner i with w_i;  s += m_i
        f(x) = (1/N) sum_i h_i(x)

    output="sign": h_i is the sign of the output, 0 for 0, and m_i = 1 if y h_i > 0, else -1. "real": m_i = y h_i.
    weights="absolute": w_i is not divided by anything.
    """

    def __init__(
        self,
        bank: Bank,
        edge: float = 0.1,
        weights: Literal["relative", "absolute"] = "relative",
        output: Literal["sign", "real"] = "sign",
        seed: int = 0,
    ) -> None:
        super().__init__(bank)
        self.p, self.output = 0.5 + edge, output
        N = bank.n_learners
        self.largest = [max(binomial(N - i, k, self.p) for k in range(N - i + 1)) / 2 for i in range(1, N + 1)]
        if weights == "absolute":
            self.largest = [1.0] * N
        self.mass, self.edges = np.zeros((2, N))
        self.mistakes, self.majority_mistakes = 0.0, 0.0

    def _h(self, x: Floats) -> Floats:
        h = super()._h(x)
        return np.sign(h) if self.output == "sign" else h

    def margin(self, x: Floats) -> float:
        return float(np.mean(self._h(x)))

    def weights(self, m: Floats) -> Floats:
        """The normalised weights of an example with the margins m."""
        s = np.concatenate([[0.0], np.cumsum(m)[:-1]])
        N = len(m)
        return np.array([majority_weight(N, i + 1, s[i], self.p) / self.largest[i] for i in range(N)])

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h = self._h(x)
        self.bank.meet(x)
        m = np.where(y * h > 0, 1.0, -1.0) if self.output == "sign" else y * h
        w = s * self.weights(m)
        self.mass, self.edges = self.mass + w, self.edges + w * m
        self.mistakes += s * (y * float(np.mean(h)) <= 0)
        self.majority_mistakes += s * (float(np.sum(m)) <= 0)
        self.bank.update(x, y, np.where(w < NEGLIGIBLE, 0, w))
        self.rounds += 1


class AdaBoostOL(Experts, Booster):
    """AdaBoost.OL.W, or AdaBoost.OL if update="sample" (Beygelzimer, Kale and Luo, ICML 2015, Algorithm 2).

        s_0 = 0;  for i = 1..N:   teach learner i with w_i = 1 / (1 + exp(s_{i-1}))
                                  z = y h_i;  s_i = s_{i-1} + alpha_i z
                                  alpha_i <- clip(alpha_i + (4 / sqrt(t)) z / (1 + exp(s_i)), [-2, 2])

    Expert i votes by the sign of F_i = alpha_1 h_1 + ... + alpha_i h_i and errs where y F_i <= 0;
    expert_rate="paper" is 1. An F_i of 0 has no vote. output="sign": h_i is the sign of the output, 0 for 0.
    """

    def __init__(
        self,
        bank: Bank,
        update: Literal["weight", "sample"] = "weight",
        output: Literal["sign", "real"] = "real",
        expert_rate: float | Literal["adahedge", "anytime", "paper"] = "paper",
        expert_mode: Literal["vote", "sample", "expected"] = "vote",
        seed: int = 0,
    ) -> None:
        super().__init__(bank)
        self.update, self.output, self.expert_mode, self.seed = update, output, expert_mode, seed
        self._start_experts(bank.n_learners, 1.0 if expert_rate == "paper" else expert_rate)
        self.alpha, self.mass, self.edges = np.zeros((3, bank.n_learners))

    def _h(self, x: Floats) -> Floats:
        h = super()._h(x)
        return np.sign(h) if self.output == "sign" else h

    def _scores(self, x: Floats) -> Floats:
        return np.cumsum(self.alpha * self._h(x))

    def margin(self, x: Floats) -> float:
        v = self._unscaled_weights()
        return float(v @ np.sign(self._scores(x))) / float(np.sum(v))

    def test(self, x: Floats) -> float:
        """The margin in a test-then-train pass: the mean over one drawn prefix if expert_mode="sample"."""
        if self.expert_mode != "sample":
            return self.margin(x)
        u = float(rng.uniform(rng.hash64(self.seed, rng.EXPERT, 0, self.rounds)))
        c = np.cumsum(self.expert_weights())
        chosen = int(np.argmax(c > u * c[-1]))
        return float(self._scores(x)[chosen]) / (2 * (chosen + 1))

    def expected_error(self, x: Floats, y: int) -> float:
        """The exact chance that a drawn prefix errs on (x, y)."""
        return float(self.expert_weights() @ (y * self._scores(x) <= 0))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h, scores = self._h(x), self._scores(x)
        self.bank.meet(x)
        self._learn_experts(scores, y, s)
        q = np.array([logistic(-y * score) for score in scores])
        w = np.concatenate([[0.5], q[:-1]])
        step = 4 / math.sqrt(self.rounds + 1)
        self.alpha = np.clip(self.alpha + s * step * y * h * q, -2, 2)
        self.mass, self.edges = self.mass + s * w, self.edges + s * w * y * h
        if self.update == "sample":
            learners = np.arange(len(h), dtype=np.uint64)
            w = (rng.uniform(rng.hash64(self.seed, rng.SAMPLE, learners, self.rounds)) < w).astype(np.float64)
        self.bank.update(x, y, np.where(s * w < NEGLIGIBLE, 0, s * w))
        self.rounds += 1


class Defensive(Booster):
    """Defensive boosting of the first learner of the bank (Noarov and Roth, arXiv 2608.13554).

        a = (1 + lam)/2 h(x);  b = (1 - lam)/2 th
        p = the zero of a + b p in [-1, 1], or else the end with the sign of a
        r = y - p;  lam gains (h r - th p r)/2;  th gains p r;  the learner is taught sign(r) with the weight |r|

    v gains g: v <- clip(v + g / sqrt(V), [-1, 1]), V = 4 + the sum of the earlier g^2. The margin is p.
    """

    def __init__(self, bank: Bank, seed: int = 0) -> None:
        super().__init__(bank)
        self.v = {"lam": 0.0, "th": 0.0}
        self.squares = {"lam": 0.0, "th": 0.0}
        self.path = {"lam": 0.0, "th": 0.0}

    def margin(self, x: Floats) -> float:
        a, b = (1 + self.v["lam"]) / 2 * float(self._h(x)[0]), (1 - self.v["lam"]) / 2 * self.v["th"]
        if abs(a) > abs(b):
            return math.copysign(1.0, a)
        return -a / b if b != 0 else 0.0

    def _gain(self, name: str, g: float) -> None:
        eta = 1 / math.sqrt(4 + self.squares[name])
        self.path[name] += eta * g * g
        self.squares[name] += g * g
        self.v[name] = min(max(self.v[name] + eta * g, -1.0), 1.0)

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h, p, th = float(self._h(x)[0]), self.margin(x), self.v["th"]
        self.bank.meet(x)
        r = y - p
        self._gain("lam", s * (h * r - th * p * r) / 2)
        self._gain("th", s * p * r)
        if s * abs(r) >= NEGLIGIBLE:
            self.bank.update(x, y, np.full(self.bank.n_learners, s * abs(r)))
        self.rounds += 1
