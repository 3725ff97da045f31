"""Boosters published after the paper. As in `boosters`: `margin(x)` is the score, `learn(x, y, s)` teaches."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from . import rng
from .boosters import NEGLIGIBLE, Booster, Experts, logistic, negligible_to_zero
from .learners import Floats


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


@dataclass(eq=False, kw_only=True)
class _Outputs(Booster):
    """output="sign": h_i is the sign of the output, 0 for 0."""

    output: Literal["sign", "real"] = "sign"

    def _h(self, x: Floats) -> Floats:
        h = super()._h(x)
        return np.sign(h) if self.output == "sign" else h


@dataclass(eq=False, kw_only=True)
class BBM(_Outputs):
    """Online BBM with importance weights (Beygelzimer, Kale and Luo, ICML 2015, Algorithm 1), p = 1/2 + edge.

        s = 0;  for i = 1..N:   w_i = majority_weight(N, i, s, p), over its largest value for this i
                                teach learner i with w_i;  s += m_i
        f(x) = (1/N) sum_i h_i(x)

    output="sign": h_i is the sign of the output, 0 for 0, and m_i = 1 if y h_i > 0, else -1. "real": m_i = y h_i.
    weights="absolute": w_i is not divided by anything.
    """

    edge: float = 0.1
    weights: Literal["relative", "absolute"] = "relative"

    def __post_init__(self) -> None:
        N, self.p = self.N, 0.5 + self.edge
        self.largest = [max(binomial(N - i, k, self.p) for k in range(N - i + 1)) / 2 for i in range(1, N + 1)]
        if self.weights == "absolute":
            self.largest = [1.0] * N
        self.mass, self.edges = np.zeros((2, N))
        self.mistakes, self.majority_mistakes = 0.0, 0.0

    def _weights(self, m: Floats) -> Floats:
        """The normalised weights of an example with the margins m."""
        s = np.concatenate([[0.0], np.cumsum(m)[:-1]])
        return np.array([majority_weight(self.N, i + 1, s[i], self.p) / self.largest[i] for i in range(self.N)])

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        m = np.where(y * h > 0, 1.0, -1.0) if self.output == "sign" else y * h
        w = s * self._weights(m)
        self.mass, self.edges = self.mass + w, self.edges + w * m
        self.mistakes += s * (y * float(np.mean(h)) <= 0)
        self.majority_mistakes += s * (float(np.sum(m)) <= 0)
        self.bank.update(x, y, negligible_to_zero(w))


@dataclass(eq=False, kw_only=True)
class AdaBoostOL(_Outputs, Experts):
    """AdaBoost.OL.W, or AdaBoost.OL if update="sample" (Beygelzimer, Kale and Luo, ICML 2015, Algorithm 2).

        s_0 = 0;  for i = 1..N:   teach learner i with w_i = 1 / (1 + exp(s_{i-1}))
                                  z = y h_i;  s_i = s_{i-1} + alpha_i z
                                  alpha_i <- clip(alpha_i + (4 / sqrt(t)) z / (1 + exp(s_i)), [-2, 2])

    Expert i votes by the sign of F_i = alpha_1 h_1 + ... + alpha_i h_i and errs where y F_i <= 0;
    expert_rate="paper" is 1. An F_i of 0 has no vote. output="sign": h_i is the sign of the output, 0 for 0.
    """

    update: Literal["weight", "sample"] = "weight"
    output: Literal["sign", "real"] = "real"
    expert_rate: float | Literal["adahedge", "anytime", "paper", "share"] = "paper"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.expert_rate = 1.0 if self.expert_rate == "paper" else self.expert_rate
        self.alpha, self.mass, self.edges = np.zeros((3, self.N))

    def _scores(self, h: Floats) -> Floats:
        return np.cumsum(self.alpha * h)

    def _drawn(self, h: Floats, expert: int) -> float:
        """The mean over the prefix, in [-1, 1]."""
        return super()._drawn(h, expert) / (2 * (expert + 1))

    def _margin(self, h: Floats) -> float:
        v = self._unscaled_weights()
        return float(v @ np.sign(self._scores(h))) / float(np.sum(v))

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        scores = self._scores(h)
        self.learn_experts(scores, y, s)
        q = np.array([logistic(-y * score) for score in scores])
        w = np.concatenate([[0.5], q[:-1]])
        step = 4 / math.sqrt(self.rounds + 1)
        self.alpha = np.clip(self.alpha + s * step * y * h * q, -2, 2)
        self.mass, self.edges = self.mass + s * w, self.edges + s * w * y * h
        if self.update == "sample":
            learners = np.arange(self.N, dtype=np.uint64)
            w = (rng.uniform(rng.hash64(self.seed, rng.SAMPLE, learners, self.rounds)) < w).astype(np.float64)
        self.bank.update(x, y, negligible_to_zero(s * w))


class Defensive(Booster):
    """Defensive boosting of the first learner of the bank (Noarov and Roth, arXiv 2608.13554).

        a = (1 + lam)/2 h(x);  b = (1 - lam)/2 th
        p = the zero of a + b p in [-1, 1], or else the end with the sign of a
        r = y - p;  lam gains (h r - th p r)/2;  th gains p r;  the learner is taught sign(r) with the weight |r|

    v gains g: v <- clip(v + g / sqrt(V), [-1, 1]), V = 4 + the sum of the earlier g^2. The margin is p.
    """

    def __post_init__(self) -> None:
        self.v, self.squares, self.path = ({"lam": 0.0, "th": 0.0} for _ in range(3))

    def _margin(self, h: Floats) -> float:
        a, b = (1 + self.v["lam"]) / 2 * float(h[0]), (1 - self.v["lam"]) / 2 * self.v["th"]
        if abs(a) > abs(b):
            return math.copysign(1.0, a)
        return -a / b if b != 0 else 0.0

    def _gain(self, name: str, g: float) -> None:
        eta = 1 / math.sqrt(4 + self.squares[name])
        self.path[name] += eta * g * g
        self.squares[name] += g * g
        self.v[name] = min(max(self.v[name] + eta * g, -1.0), 1.0)

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        p, th = self._margin(h), self.v["th"]
        r = y - p
        self._gain("lam", s * (float(h[0]) * r - th * p * r) / 2)
        self._gain("th", s * p * r)
        if s * abs(r) >= NEGLIGIBLE:
            self.bank.update(x, y, np.full(self.N, s * abs(r)))


@dataclass(eq=False, kw_only=True)
class GradientBoost(Booster):
    """Streaming gradient boosting: Hu, Sun, Venkatraman, Hebert and Bagnell, AISTATS 2017, Algorithm 1.

        f_i = f_{i-1} + eta h_i(x)        learner i is taught -grad loss(f_{i-1}) by least squares

    for loss(f) = ln(1 + exp(-2 y f)) / 2, whose slope has the size u = 1 / (1 + exp(2 y f)); its curvature is
    2 u (1 - u). Outputs are those before the update. A bank without `regress` is taught the label y with weight u.

    order="first": the target y u with weight 1. order="second": the target y u / v with weight v, Newton's step, where
    v is the curvature but at least u / 2, so targets are at most 2 (Friedman, Hastie and Tibshirani, Annals of
    Statistics 28, 2000, bound the targets themselves).
    """

    learning_rate: float = 0.1
    order: Literal["first", "second"] = "second"

    def residuals(self, h: Floats, y: int) -> Floats:
        """The sizes u_1 .. u_N of the slopes at f_0 .. f_{N-1}."""
        f = self.learning_rate * np.concatenate([[0.0], np.cumsum(h)[:-1]])
        return np.array([1 / (1 + math.exp(min(2 * y * v, 700.0))) for v in f])

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        u = self.residuals(h, y)
        v = np.ones_like(u) if self.order == "first" else u * np.maximum(2 * (1 - u), 0.5)
        taught = s * u >= NEGLIGIBLE
        if hasattr(self.bank, "regress"):
            self.bank.regress(x, y * u / v, np.where(taught, s * v, 0.0))
        else:
            self.bank.update(x, y, np.where(taught, s * u, 0.0))
