"""The boosters: those of the paper (OSBoost, OSBoost.OCP, OSBoost.EXP), and the two that it compares with.

A booster owns a bank of weak learners. `margin(x)` is the signed score f(x); above 0 it means the label +1.
`learn(x, y, s)` teaches one example, y in {-1, +1}, of sample weight s, which multiplies every weight handed
to a learner and every sum over examples; s = 0 is a no-op. So is any weight below 1e-100, in order that squares
of weights and reciprocals of their sums stay in the range of numbers. `rounds` is the number of examples learned.
"""

import math
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from . import rng
from .experts import Experts
from .learners import Bank
from .simplex import project_newton, project_pivot, project_sort

Floats = NDArray[np.float64]


NEGLIGIBLE = 1e-100


def _sign(f: Floats) -> Floats:
    return np.where(f > 0, 1.0, -1.0)


class Booster:
    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.rounds = 0

    def _h(self, x: Floats) -> Floats:
        return np.clip(self.bank.predict(x), -1, 1)


class Single(Booster):
    """No boosting: the first learner of the bank on its own, the baseline columns of the paper's tables."""

    def margin(self, x: Floats) -> float:
        return float(self._h(x)[0])

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        self.bank.meet(x)
        self.bank.update(x, y, np.full(self.bank.n_learners, s))
        self.rounds += 1


def smooth_weights(margins: Floats, gamma: float, theta: float) -> tuple[Floats, Floats]:
    """The weights of one example; the paper's Algorithm 1, after Servedio's SmoothBoost (JMLR 2003).

        z_0 = 0        z_i = z_{i-1} + y h_i(x) - theta        w_{i+1} = min((1 - gamma)^(z_i / 2), 1)

    From the margins y h_i(x), i = 1..N, come w_1..w_{N+1} and z_1..z_N. Learner i is taught with w_i. None
    is taught with w_{N+1}, but its sum over the stream bounds the mistakes of the whole ensemble.
    """
    z = np.cumsum(margins - theta)
    beta = -math.log1p(-gamma) / 2
    return np.concatenate([[1.0], np.exp(-beta * np.maximum(z, 0))]), z


@dataclass
class Sums:
    """What the guarantees of OSBoost speak of, summed over examples of weight s; one entry per learner or prefix.

    mass       sum s w_i, i = 1..N+1          squares  sum (s w_i)^2         edge  sum s w_i y h_i
    shortfall  sum s max(0, -z_i), which is i times the hinge loss at theta of the average of the first i learners
    thin       sum s 1{z_i <= 0}: that average has a margin of at most theta
    wrong      sum s 1{y (h_1 + ... + h_i) <= 0}: it errs
    """

    keep: float
    mass: Floats
    squares: Floats
    edge: Floats
    shortfall: Floats
    thin: Floats
    wrong: Floats

    @classmethod
    def zero(cls, n_learners: int, keep: float = 1.0) -> Self:
        return cls(keep, np.zeros(n_learners + 1), *np.zeros((5, n_learners)))

    def add(self, margins: Floats, z: Floats, w: Floats, s: float) -> None:
        self.mass = self.keep * self.mass + s * w
        self.squares = self.keep * self.squares + (s * w[:-1]) ** 2
        self.edge = self.keep * self.edge + s * w[:-1] * margins
        self.shortfall = self.keep * self.shortfall + s * np.maximum(0, -z)
        self.thin = self.keep * self.thin + s * (z <= 0)
        self.wrong = self.keep * self.wrong + s * (np.cumsum(margins) <= 0)


class OSBoost(Experts, Booster):
    """Online SmoothBoost; the paper's Algorithm 1, with all its ways to vote. Here h = (h_1(x), ..., h_N(x)).

    vote="uniform":  f = (1/N) sum_i h_i.
    vote="ocp":      f = <alpha, h>, and if y f < theta, alpha <- proj_simplex(alpha + eta y h).
                     schedule="sqrt": eta = eta0 / sqrt(t), t = 1, 2, ... over all rounds (as the paper);
                     "adaptive": eta = eta0 / sqrt(Q), Q the sum of |h|^2 over the rounds with y f < theta.
                     eta0="theory" is 1 / sqrt(N), which minimises the regret bound of the first schedule.
    vote="eg":       f = <alpha, h>, alpha_i proportional to exp(eta G_i), and if y f < theta, G += y h (Kivinen and
                     Warmuth, Inf. Comput. 1997); eta = sqrt(ln N / (1 + n)), n the rounds so far with y f < theta.
    vote="experts":  expert i votes by the sign of f_i = (h_1 + ... + h_i) / i, has lost the rounds L_i where
                     y f_i <= 0, and has the weight v_i proportional to exp(-eta L_i).
                     expert_rate="paper": eta = ln 2; "anytime": eta = 2 sqrt(ln N / t); a number: itself;
                     "adahedge" (de Rooij, van Erven, Gruenwald and Koolen, JMLR 2014): eta = ln N / Delta,
                     Delta += <v, l> + (1/eta) ln <v, e^(-eta l)>, the expected loss less the mix loss.

    Variants: h is real-valued and taken before the update, in the vote as in the weights. By default theta is
    the paper's gamma / (2 + gamma). Outputs are multiplied by `margin_scale` and clipped to [-1, 1] first.
    `sums` holds what the guarantees speak of, and sums.mass[i] bounds the mistakes of the average of the first
    i learners: the paper's Lemma 2 with its index put right. `faded` is the same for the recent stream, every
    sum halved each `fading` examples.
    """

    def __init__(
        self,
        bank: Bank,
        gamma: float = 0.1,
        theta: float | None = None,
        vote: Literal["uniform", "ocp", "eg", "experts"] = "uniform",
        eta0: float | Literal["theory"] = 1.0,
        schedule: Literal["sqrt", "adaptive"] = "sqrt",
        projection: Literal["newton", "sort", "pivot"] = "newton",
        expert_rate: float | Literal["adahedge", "anytime", "paper"] = "adahedge",
        expert_mode: Literal["vote", "sample", "expected"] = "vote",
        margin_scale: float = 1.0,
        fading: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(bank)
        N = bank.n_learners
        self.gamma = gamma
        self.theta = gamma / (2 + gamma) if theta is None else theta
        self.vote, self.schedule, self.projection = vote, schedule, projection
        self.eta0 = 1 / math.sqrt(N) if eta0 == "theory" else eta0
        self.expert_mode, self.seed = expert_mode, seed
        self.margin_scale = margin_scale
        self.sums = Sums.zero(N)
        self.faded = None if fading is None else Sums.zero(N, keep=0.5 ** (1 / fading))
        self.mistakes = 0.0
        self.ocp_loss, self.ocp_rate, self.ocp_path = 0.0, 0.0, 0.0
        self.eg_loss, self.eg_rate, self.eg_path, self.eg_squares = 0.0, 0.0, 0.0, 0.0
        self.G = np.zeros(N)
        self._start_experts(N, expert_rate)
        self.alpha = np.full(N, 1 / N)
        self.Q = 0.0

    @property
    def mass(self) -> Floats:
        """The sums of w_1..w_{N+1} over the stream."""
        return self.sums.mass

    def _h(self, x: Floats) -> Floats:
        return np.clip(self.margin_scale * super()._h(x), -1, 1)

    def margin(self, x: Floats) -> float:
        return self._margin(self._h(x))

    def _margin(self, h: Floats) -> float:
        if self.vote == "experts":
            v = self._unscaled_weights()  # of which the best is 1: votes of equals cancel exactly
            return float(v @ _sign(self._prefix_averages(h))) / float(np.sum(v))
        return float(np.mean(h) if self.vote == "uniform" else self.alpha @ h)

    def test(self, x: Floats) -> float:
        """The margin in a test-then-train pass: that of one drawn expert if expert_mode="sample"."""
        if self.vote != "experts" or self.expert_mode != "sample":
            return self.margin(x)
        u = float(rng.uniform(rng.hash64(self.seed, rng.EXPERT, 0, self.rounds)))
        c = np.cumsum(self.expert_weights())
        return float(self._prefix_averages(self._h(x))[np.argmax(c > u * c[-1])])

    def expected_error(self, x: Floats, y: int) -> float:
        """The exact chance that a drawn expert errs on (x, y)."""
        return float(self.expert_weights() @ (y * self._prefix_averages(self._h(x)) <= 0))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h = self._h(x)
        self.bank.meet(x)
        self.mistakes += s * (y * self._margin(h) <= 0)
        if self.vote == "ocp":
            self._learn_alpha(h, y, s)
        elif self.vote == "eg":
            self._learn_gains(h, y, s)
        elif self.vote == "experts":
            self._learn_experts(self._prefix_averages(h), y, s)
        w, z = smooth_weights(y * h, self.gamma, self.theta)
        for sums in (self.sums, self.faded):
            if sums is not None:
                sums.add(y * h, z, w, s)
        self.bank.update(x, y, np.where(s * w[:-1] < NEGLIGIBLE, 0, s * w[:-1]))
        self.rounds += 1

    def _learn_alpha(self, h: Floats, y: int, s: float) -> None:
        f = float(self.alpha @ h)
        if y * f >= self.theta:
            return
        self.ocp_loss += s * (self.theta - y * f)
        self.Q += float(h @ h) * s * s
        scale = self.rounds + 1 if self.schedule == "sqrt" else self.Q
        if scale == 0:
            return
        eta = self.eta0 / math.sqrt(scale)
        self.ocp_rate, self.ocp_path = eta, self.ocp_path + eta * float(h @ h) * s * s
        v = self.alpha + eta * s * y * h
        if self.projection == "newton":
            self.alpha = project_newton(v, self.alpha > 0)
        elif self.projection == "sort":
            self.alpha = project_sort(v)
        else:
            self.alpha = project_pivot(
                v, lambda step: float(rng.uniform(rng.hash64(self.seed, rng.PIVOT, self.rounds, step)))
            )

    def _learn_gains(self, h: Floats, y: int, s: float) -> None:
        f = float(self.alpha @ h)
        if y * f >= self.theta:
            return
        log_n = math.log(len(h))
        self.eg_loss += s * (self.theta - y * f)
        self.eg_rate = math.sqrt(log_n / (1 + self.eg_squares))
        self.eg_path += self.eg_rate * s * s
        self.eg_squares += s * s
        self.G = self.G + s * y * h
        v = np.exp(math.sqrt(log_n / (1 + self.eg_squares)) * (self.G - np.max(self.G)))
        self.alpha = v / float(np.sum(v))

    @staticmethod
    def _prefix_averages(h: Floats) -> Floats:
        return np.cumsum(h) / np.arange(1, len(h) + 1)


class OzaBoost(Booster):
    """Online AdaBoost by Poisson sampling (Oza and Russell, AISTATS 2001; Oza, SMC 2005).

        lam = 1;  for m = 1..M:   teach learner m k times, k ~ Poisson(lam)
                                  right:  sc_m += lam;  lam *= (sc_m + sw_m) / (2 sc_m)
                                  wrong:  sw_m += lam;  lam *= (sc_m + sw_m) / (2 sw_m)
        f(x) = sum_m a_m sign h_m(x) / sum_m a_m
        a_m = log((1 - eps_m) / eps_m),   eps_m = sw_m / (sc_m + sw_m)

    Variants: "right" is judged after the update (evaluate="before": on the outputs before the round).
    update="weight" teaches once with the weight lam. denominator="count" has the number of examples in place
    of sc_m + sw_m, as in the 2001 figure. A learner no better than chance has no vote; those after it have.
    """

    LAM_MIN, LAM_MAX = NEGLIGIBLE, 1e6

    def __init__(
        self,
        bank: Bank,
        update: Literal["poisson", "weight"] = "poisson",
        evaluate: Literal["after", "before"] = "after",
        denominator: Literal["weights", "count"] = "weights",
        seed: int = 0,
    ) -> None:
        super().__init__(bank)
        self.update, self.evaluate, self.denominator, self.seed = update, evaluate, denominator, seed
        self.sc, self.sw = np.zeros((2, bank.n_learners))
        self.count = 0.0

    def votes(self) -> Floats:
        """The weights a_m."""
        total = self.sc + self.sw
        eps = np.divide(self.sw, total, out=np.full_like(total, 0.5), where=total > 0)
        clamped = np.clip(eps, 1e-10, 1 - 1e-10)
        return np.where(eps < 0.5, np.log((1 - clamped) / clamped), 0.0)

    def margin(self, x: Floats) -> float:
        a = self.votes()
        total = float(np.sum(a))
        return float(a @ _sign(self._h(x))) / total if total > 0 else 0.0

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        self.count += s
        h_before = self._h(x)
        self.bank.meet(x)
        lam = 1.0
        for m in range(self.bank.n_learners):
            h = h_before[m]
            k, w = (rng.poisson(lam, self.seed, m, self.rounds), s) if self.update == "poisson" else (1, s * lam)
            if k > 0 and w >= NEGLIGIBLE:
                h_after = self.bank.step(m, x, y, w, k)
                h = h_after if self.evaluate == "after" else h
            side = self.sc if _sign(h) == y else self.sw
            side[m] += s * lam
            total = self.sc[m] + self.sw[m] if self.denominator == "weights" else self.count
            lam = min(max(lam * float(total / (2 * side[m])), self.LAM_MIN), self.LAM_MAX)
        self.rounds += 1


def logistic(v: float) -> float:
    return 1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v))


def loss_weight(loss: Literal["logit", "exp", "doom2", "savage"], v: float) -> float:
    """The weight -loss'(v) at the margin v; below, sigma is the logistic function.

    logit: sigma(-v);  exp: e^(-v), at most 1e6;  Doom II: 1 - tanh^2 v = 4 sigma(2v) sigma(-2v);
    Savage: 4 e^(2v) / (1 + e^(2v))^3 = 4 sigma(2v) sigma(-2v)^2.
    """
    if loss == "logit":
        return logistic(-v)
    if loss == "exp":
        return min(math.exp(min(-v, 700.0)), 1e6)
    p, q = logistic(2 * v), logistic(-2 * v)
    return 4 * p * q if loss == "doom2" else 4 * p * q * q


class OGBoost(Booster):
    """Online GradientBoost (Leistner, Saffari, Roth and Bischof, ICCV Workshops 2009).

        F = 0;  for m = 1..M:   w = -loss'(y F)
                                teach (x, y, w) to all K learners of selector m;  e_mk += w 1{y h_mk(x) <= 0}
                                k* = argmin_k e_mk;  F += h_mk*(x)
        f(x) = (1/M) sum_m h_mk*(x)

    Variants: outputs are taken after the update (evaluate="before": before the round), real-valued. The paper
    has K = 1 and the logit loss. `shrinkage` scales what F gains, `forgetting` decays e; both are 1 in print.
    A weight below `smallest_weight` is taken for 0.
    """

    def __init__(
        self,
        bank: Bank,
        K: int = 1,
        loss: Literal["logit", "exp", "doom2", "savage"] = "logit",
        shrinkage: float = 1.0,
        forgetting: float = 1.0,
        smallest_weight: float = 0.0,
        evaluate: Literal["after", "before"] = "after",
    ) -> None:
        super().__init__(bank)
        self.loss, self.shrinkage, self.forgetting, self.evaluate = loss, shrinkage, forgetting, evaluate
        self.smallest_weight = smallest_weight
        self.e = np.zeros((bank.n_learners // K, K))

    def margin(self, x: Floats) -> float:
        best = np.argmin(self.e, axis=1)[:, None]
        return float(np.mean(np.take_along_axis(self._h(x).reshape(self.e.shape), best, axis=1)))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h = self._h(x).reshape(self.e.shape)
        self.bank.meet(x)
        F = 0.0
        for m, e in enumerate(self.e):
            w = loss_weight(self.loss, y * F)
            if w >= self.smallest_weight and s * w >= NEGLIGIBLE:
                h_after = [self.bank.step(m * len(e) + k, x, y, s * w, 1) for k in range(len(e))]
                h[m] = h_after if self.evaluate == "after" else h[m]
            e[:] = self.forgetting * e + s * w * (y * h[m] <= 0)
            F += self.shrinkage * float(h[m, np.argmin(e)])
        self.rounds += 1
