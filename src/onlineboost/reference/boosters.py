"""The boosters: those of the paper (OSBoost, OSBoost.OCP, OSBoost.EXP), and the two that it compares with.

A booster owns a bank of weak learners. `margin(x)` is the signed score f(x); above 0 it means the label +1.
`learn(x, y, s)` teaches one example, y in {-1, +1}, of sample weight s, which multiplies every weight handed
to a learner and every sum over examples; s = 0 is a no-op. So is any weight below 1e-100, so squares of
weights and reciprocals of their sums stay in the range of numbers. `rounds` is the number of examples learned.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from . import rng
from .drift import ADWIN, Forgetful, Understudies
from .learners import Bank, Floats
from .simplex import project_newton, project_pivot, project_sort

NEGLIGIBLE = 1e-100

Loss = Literal["logit", "exp", "doom2", "savage"]


def negligible_to_zero(w: Floats) -> Floats:
    return np.where(w < NEGLIGIBLE, 0, w)


def _sign(f: Floats) -> Floats:
    return np.where(f > 0, 1.0, -1.0)


@dataclass(eq=False)
class Booster:
    """A subclass has `_margin`, the vote over the outputs h, and `_learn`, which teaches the bank."""

    bank: Bank
    seed: int = field(default=0, kw_only=True)
    rounds: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Make the state before the first example."""

    @property
    def N(self) -> int:  # noqa: N802  # the paper's name
        """The number of learners."""
        return self.bank.n_learners

    def margin(self, x: Floats) -> float:
        return self._margin(self._h(x))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        h = self._h(x)
        self.bank.meet(x)
        self._learn(x, h, y, s)
        self.rounds += 1

    def _h(self, x: Floats) -> Floats:
        return np.clip(self.bank.predict(x), -1, 1)

    def _margin(self, h: Floats) -> float:
        return float(np.mean(h))

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        raise NotImplementedError


class Single(Booster):
    """No boosting: the first learner of the bank on its own, the baseline columns of the paper's tables."""

    def _margin(self, h: Floats) -> float:
        return float(h[0])

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        self.bank.update(x, y, np.full(self.N, s))


@dataclass(eq=False, kw_only=True)
class Experts(Booster):
    """Exponential weights over experts: the prefixes of the learners in OSBoost.EXP and AdaBoost.OL.

    Expert i got examples of the summed weight L_i wrong, and has a vote v_i proportional to exp(-eta L_i).
    """

    expert_rate: float | Literal["adahedge", "anytime", "paper", "share"] = "adahedge"
    expert_mode: Literal["vote", "sample", "expected"] = "vote"

    def __post_init__(self) -> None:
        self.L = np.zeros(self.N)
        self.Delta = 0.0
        self.expected_mistakes = 0.0
        self.p, self.B = np.full(self.N, 1 / self.N), 1.0

    def _scores(self, h: Floats) -> Floats:
        """Scores of the experts, from the outputs of the learners."""
        raise NotImplementedError

    def _drawn(self, h: Floats, expert: int) -> float:
        return float(self._scores(h)[expert])

    def test(self, x: Floats) -> float:
        """The margin in a test-then-train pass: that of one drawn expert if expert_mode="sample"."""
        if self.expert_mode != "sample":
            return self.margin(x)
        u = float(rng.uniform(rng.hash64(self.seed, rng.EXPERT, 0, self.rounds)))
        c = np.cumsum(self.expert_weights())
        return self._drawn(self._h(x), int(np.argmax(c > u * c[-1])))

    def expected_error(self, x: Floats, y: int) -> float:
        """The exact chance that a drawn expert errs on (x, y)."""
        return float(self.expert_weights() @ (y * self._scores(self._h(x)) <= 0))

    def _expert_eta(self) -> float:
        log_n = math.log(len(self.L))
        if self.expert_rate == "paper":
            return math.log(2)
        if self.expert_rate == "anytime":
            return 2 * math.sqrt(log_n / (self.rounds + 1))
        if self.expert_rate == "adahedge":
            return log_n / self.Delta if self.Delta > 0 else math.inf
        return float(self.expert_rate)

    def expert_weights(self) -> Floats:
        """The distribution v over the experts; at an infinite rate, uniform over the best."""
        v = self._unscaled_weights()
        return v / float(np.sum(v))

    def _unscaled_weights(self) -> Floats:
        if self.expert_rate == "share":
            return self.p * self.N
        eta, gap = self._expert_eta(), self.L - np.min(self.L)
        return np.exp(-eta * gap) if eta < math.inf else (gap == 0).astype(np.float64)

    def learn_experts(self, scores: Floats, y: int, s: float) -> None:
        """Expert i has the score scores[i] on an example of weight s."""
        loss = np.where(y * scores <= 0, s, 0.0)
        self.expected_mistakes += float(self.expert_weights() @ loss)
        old, new = self.L, self.L + loss
        if self.expert_rate == "share":
            self.B = max(self.B, s)
            v = self.p * np.exp(-math.log(2) * loss / self.B)
            t = self.rounds + 1
            self.p = t / (t + 1) * v / float(np.sum(v)) + 1 / ((t + 1) * self.N)
        if self.expert_rate == "adahedge" and len(new) > 1:  # one expert alone has no gap
            eta, mix = self._expert_eta(), float(np.min(new) - np.min(old))
            if eta < math.inf:  # the mix loss as a ratio of sums that are at least 1: none underflows
                sums = [float(np.sum(np.exp(-eta * (losses - np.min(losses))))) for losses in (new, old)]
                mix -= math.log(sums[0] / sums[1]) / eta
            self.Delta += max(float(self.expert_weights() @ loss) - mix, 0.0)
        self.L = new


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
        self.squares = self.keep**2 * self.squares + (s * w[:-1]) ** 2  # every weight fades
        self.edge = self.keep * self.edge + s * w[:-1] * margins
        self.shortfall = self.keep * self.shortfall + s * np.maximum(0, -z)
        self.thin = self.keep * self.thin + s * (z <= 0)
        self.wrong = self.keep * self.wrong + s * (np.cumsum(margins) <= 0)


@dataclass(eq=False, kw_only=True)
class OSBoost(Experts):
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
                     "share": fixed share, v_i <- v_i 2^(-s/B) where y f_i <= 0, B the largest s if above 1,
                     normalised; then v <- t/(t+1) v + 1/((t+1) N);
                     "adahedge" (de Rooij, van Erven, Gruenwald and Koolen, JMLR 2014): eta = ln N / Delta,
                     Delta += <v, l> + (1/eta) ln <v, e^(-eta l)>, the expected loss less the mix loss.

    Variants: h is real-valued and taken before the update, in the vote as in the weights. By default theta is
    the paper's gamma / (2 + gamma). Outputs are multiplied by `margin_scale` and clipped to [-1, 1] first.
    `sums` holds what the guarantees speak of, and sums.mass[i] bounds the mistakes of the average of the first
    i learners: the paper's Lemma 2 with its index put right. `faded` is the same for the recent stream, every
    sum halved each `fading` examples.

    drift="adwin": a learner whose errors y h_i <= 0 have risen, as ADWIN sees them, begins anew, its window too;
    "restart": all learners do when the errors of the vote have. `resets` counts them. "background": another learner
    begins when ADWIN sees it at ten times the delta, and takes over at the alarm; the bank has 2 N learners.
    """

    gamma: float = 0.1
    theta: Any = None  # None becomes gamma / (2 + gamma)
    vote: Literal["uniform", "ocp", "eg", "experts"] = "uniform"
    eta0: Any = 1.0  # "theory" becomes 1 / sqrt(N)
    schedule: Literal["sqrt", "adaptive"] = "sqrt"
    projection: Literal["newton", "sort", "pivot"] = "newton"
    margin_scale: float = 1.0
    fading: float | None = None
    drift: Literal["adwin", "restart", "background"] | None = None
    drift_delta: float = 0.002

    def __post_init__(self) -> None:
        if self.drift is not None:
            self.bank: Any = (Understudies if self.drift == "background" else Forgetful)(self.bank)
            self.windows = [ADWIN(self.drift_delta) for _ in range(1 if self.drift == "restart" else self.N)]
            self.warnings = [ADWIN(min(10 * self.drift_delta, 0.99)) for _ in self.windows]
        super().__post_init__()
        self.resets = np.zeros(self.N, dtype=int)
        self.theta = self.gamma / (2 + self.gamma) if self.theta is None else self.theta
        self.eta0 = 1 / math.sqrt(self.N) if self.eta0 == "theory" else self.eta0
        self.sums = Sums.zero(self.N)
        self.faded = None if self.fading is None else Sums.zero(self.N, keep=0.5 ** (1 / self.fading))
        self.mistakes = 0.0
        self.ocp_loss = self.ocp_rate = self.ocp_path = 0.0
        self.eg_loss = self.eg_rate = self.eg_path = self.eg_squares = 0.0
        self.G = np.zeros(self.N)
        self.alpha = np.full(self.N, 1 / self.N)
        self.Q = 0.0

    @property
    def mass(self) -> Floats:
        """The sums of w_1..w_{N+1} over the stream."""
        return self.sums.mass

    def _h(self, x: Floats) -> Floats:
        return np.clip(self.margin_scale * super()._h(x), -1, 1)

    def _margin(self, h: Floats) -> float:
        if self.vote == "experts":
            v = self._unscaled_weights()  # of which the best is 1: votes of equals cancel exactly
            return float(v @ _sign(self._scores(h))) / float(np.sum(v))
        return float(np.mean(h) if self.vote == "uniform" else self.alpha @ h)

    def test(self, x: Floats) -> float:
        return super().test(x) if self.vote == "experts" else self.margin(x)

    def _scores(self, h: Floats) -> Floats:
        return np.cumsum(h) / np.arange(1, self.N + 1)

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        wrong = y * self._margin(h) <= 0
        self.mistakes += s * wrong
        if self.vote == "ocp":
            self._learn_alpha(h, y, s)
        elif self.vote == "eg":
            self._learn_gains(h, y, s)
        elif self.vote == "experts":
            self.learn_experts(self._scores(h), y, s)
        w, z = smooth_weights(y * h, self.gamma, self.theta)
        for sums in (self.sums, self.faded):
            if sums is not None:
                sums.add(y * h, z, w, s)
        self.bank.update(x, y, negligible_to_zero(s * w[:-1]))
        if self.drift is not None:
            self._watch([bool(wrong)] if self.drift == "restart" else [bool(one) for one in y * h <= 0])

    def _watch(self, errors: list[bool]) -> None:
        for k, erred in enumerate(errors):
            if self.drift == "background" and self.warnings[k].update(float(erred)) and self.warnings[k].rose:
                self.bank.prepare(k)
            if self.windows[k].update(float(erred)) and self.windows[k].rose:
                self.windows[k] = ADWIN(self.drift_delta)
                self.warnings[k] = ADWIN(min(10 * self.drift_delta, 0.99))
                for i in range(self.N) if self.drift == "restart" else [k]:
                    self.bank.replace(i)
                    self.resets[i] += 1

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


@dataclass(eq=False, kw_only=True)
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

    update: Literal["poisson", "weight"] = "poisson"
    evaluate: Literal["after", "before"] = "after"
    denominator: Literal["weights", "count"] = "weights"

    def __post_init__(self) -> None:
        self.sc, self.sw = np.zeros((2, self.N))
        self.count = 0.0

    def votes(self) -> Floats:
        """The weights a_m."""
        total = self.sc + self.sw
        eps = np.divide(self.sw, total, out=np.full_like(total, 0.5), where=total > 0)
        clamped = np.clip(eps, 1e-10, 1 - 1e-10)
        return np.where(eps < 0.5, np.log((1 - clamped) / clamped), 0.0)

    def _margin(self, h: Floats) -> float:
        a = self.votes()
        total = float(np.sum(a))
        return float(a @ _sign(h)) / total if total > 0 else 0.0

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        self.count += s
        lam = 1.0
        for m in range(self.N):
            said = h[m]
            k, w = (rng.poisson(lam, self.seed, m, self.rounds), s) if self.update == "poisson" else (1, s * lam)
            if k > 0 and w >= NEGLIGIBLE:
                after = self.bank.step(m, x, y, w, k)
                said = after if self.evaluate == "after" else said
            side = self.sc if _sign(said) == y else self.sw
            side[m] += s * lam
            total = self.sc[m] + self.sw[m] if self.denominator == "weights" else self.count
            lam = min(max(lam * float(total / (2 * side[m])), NEGLIGIBLE), 1e6)


def logistic(v: float) -> float:
    return 1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v))


def loss_weight(loss: Loss, v: float) -> float:
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


@dataclass(eq=False, kw_only=True)
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

    K: int = 1
    loss: Loss = "logit"
    shrinkage: float = 1.0
    forgetting: float = 1.0
    smallest_weight: float = 0.0
    evaluate: Literal["after", "before"] = "after"

    def __post_init__(self) -> None:
        self.e = np.zeros((self.N // self.K, self.K))

    def _margin(self, h: Floats) -> float:
        best = np.argmin(self.e, axis=1)[:, None]
        return float(np.mean(np.take_along_axis(h.reshape(self.e.shape), best, axis=1)))

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        h = h.reshape(self.e.shape)
        F = 0.0
        for m, e in enumerate(self.e):
            w = loss_weight(self.loss, y * F)
            if w >= self.smallest_weight and s * w >= NEGLIGIBLE:
                h_after = [self.bank.step(m * len(e) + k, x, y, s * w, 1) for k in range(len(e))]
                h[m] = h_after if self.evaluate == "after" else h[m]
            e[:] = self.forgetting * e + s * w * (y * h[m] <= 0)
            F += self.shrinkage * float(h[m, np.argmin(e)])
