"""Linear weak learners beyond the paper's, N at a time: first-order ones, and Gaussians over linear functions.

Rows and coordinates as in `learners`. A weight of 0 teaches nothing.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from .learners import Floats, Linear, Perceptron, kept_share

Covariance = Literal["diagonal", "full"]


@dataclass(eq=False, kw_only=True)
class AveragedPerceptron(Perceptron):
    """The Perceptron, and as hypothesis the average of its u over time (Freund and Schapire 1999).

        if y <u, x> <= 0:  u <- u + w y x;     total <- total + tau u,  clock <- clock + tau
        h(x) = <a, x> / max(1, |a|),   a = total / clock

    The example lasts tau = w, or 1 with `clock="rounds"`. A coordinate that is seen late has started at its own random
    value all the same, so its total grows by that for the time before.
    """

    clock: Literal["weight", "rounds"] = "weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.total = np.zeros_like(self.U)
        self.time = np.zeros(self.n_learners)

    def predict(self, x: Floats) -> Floats:
        row, _ = self._row(x)
        average = np.where(self.time > 0, self.total / np.where(self.time > 0, self.time, 1.0), self.U)
        known = self.alive.copy()
        known[[c for c, _ in row]] = True
        s = self._scores(row, average)
        norm = np.sqrt(np.sum(average[known] ** 2, axis=0))
        return np.asarray(np.clip(s / np.maximum(1, norm), -1, 1))

    def update(self, x: Floats, y: int, w: Floats) -> None:
        super().update(x, y, w)
        tau = (w > 0).astype(float) if self.clock == "rounds" else w
        self.total += tau * self.U
        self.time += tau


class _Logistic(Linear):
    """Linear functions that are log-odds."""

    def predict(self, x: Floats) -> Floats:
        return np.asarray(np.tanh(self._scores(self._row(x)[0]) / 2))


@dataclass(eq=False, kw_only=True)
class AdaGradLogistic(_Logistic):
    """Diagonal AdaGrad (Duchi, Hazan and Singer 2011) for the logistic loss, the step divided infinitely often.

    g = sigma(-m), m = y <u, x>      G_f += (w g x_f)^2      D_f = rate w x_f / sqrt(G_f)      q = sum_f x_f D_f
    m' + exp(m') = m + exp(m) + q    u_f += y D_f (m' - m) / q
    """

    rate: float = 1.0
    half_life: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.G = np.zeros_like(self.U)

    def meet(self, x: Floats) -> None:
        self.G *= kept_share(self.half_life)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        dense = self._dense(x)
        s = self._scores(self._row(x)[0])
        for i in np.flatnonzero(w > 0):
            m = y * s[i]
            g = math.exp(-m) / (1 + math.exp(-m)) if m > 0 else 1 / (1 + math.exp(m))
            self.G[:, i] += (w[i] * g * dense) ** 2
            moves = self.G[:, i] > 1e-290  # its root divides
            D = np.where(moves, self.rate * w[i] * dense / np.sqrt(np.where(moves, self.G[:, i], 1.0)), 0.0)
            q = float(dense @ D)
            if q > 0:
                self.U[:, i] += y * D * (distance(m, q) / q)


def distance(m: float, q: float) -> float:
    """The d >= 0 with m + d + exp(m + d) = m + exp(m) + q, by bisection."""
    low, high = 0.0, min(q, q * math.exp(-m) if m > -700 else q)
    for _ in range(200):
        middle = (low + high) / 2
        if middle + math.exp(m) * math.expm1(min(middle, 700.0)) < q:
            low = middle
        else:
            high = middle
    return high


@dataclass(eq=False, kw_only=True)
class FTRL(_Logistic):
    """Algorithm 1 of McMahan et al. (KDD 2013), the gradient multiplied by the weight."""

    alpha: float = 3.0
    beta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    half_life: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.z, self.n = np.zeros((2, *self.U.shape))

    def meet(self, x: Floats) -> None:
        self.z *= kept_share(self.half_life)
        self.n *= kept_share(self.half_life) ** 2
        for c, _ in self._row(x)[0]:
            self._solve(c)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, _ = self._row(x)
        m = y * self._scores(row)
        miss = np.exp(-np.maximum(m, 0)) / (1 + np.exp(-np.abs(m)))  # sigma(-m)
        for c, value in row:
            g = -y * w * miss * value
            sigma = (np.sqrt(self.n[c] + g * g) - np.sqrt(self.n[c])) / self.alpha
            self.z[c] += g - sigma * self.U[c]
            self.n[c] += g * g
            self._solve(c)

    def _solve(self, c: int) -> None:
        pulled = -(self.z[c] - np.sign(self.z[c]) * self.l1)
        pulled /= (self.beta + np.sqrt(self.n[c])) / self.alpha + self.l2
        self.U[c] = np.where(np.abs(self.z[c]) <= self.l1, 0.0, pulled)


@dataclass(eq=False, kw_only=True)
class PassiveAggressive(Linear):
    """Figure 1 of Crammer et al. (JMLR 7, 2006), PA-I and PA-II, with C w in place of C."""

    C: float = 1.0
    variant: Literal["I", "II"] = "I"

    def predict(self, x: Floats) -> Floats:
        return np.asarray(np.clip(self._scores(self._row(x)[0]), -1, 1))

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, norm2 = self._row(x)
        loss = np.maximum(0, 1 - y * self._scores(row))
        for i in np.flatnonzero((w > 0) & (loss > 0) & (norm2 > 0)):
            price = self.C * w[i]
            tau = min(price, loss[i] / norm2) if self.variant == "I" else loss[i] / (norm2 + 1 / (2 * price))
            for c, value in row:
                self.U[c, i] += tau * y * value


@dataclass(eq=False, kw_only=True)
class _Gaussian(Linear):
    """u <- u + alpha y Sigma x,  Sigma <- Sigma - beta Sigma x x' Sigma; diagonal: other entries are dropped.

    A full Sigma has errors of rounding, so an example whose x' Sigma x is not above 1e-12 |x|_1^2 of the starting
    variance teaches nothing.
    """

    covariance: Covariance = "diagonal"
    variance: float = 1.0
    half_life: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.full = self.covariance == "full"
        self.Sigma = np.repeat(self.variance * np.eye(len(self.U))[None], self.n_learners, axis=0)

    def meet(self, x: Floats) -> None:
        kept = kept_share(self.half_life)
        self.Sigma = kept * self.Sigma + (1 - kept) * self.variance * np.eye(len(self.U))

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        raise NotImplementedError

    def update(self, x: Floats, y: int, w: Floats) -> None:
        dense = self._dense(x)
        s = self._scores(self._row(x)[0])
        for i in np.flatnonzero(w > 0):
            t = self.Sigma[i] @ dense
            v = float(dense @ t)
            if self.full and v <= 1e-12 * self.variance * np.sum(np.abs(dense)) ** 2:
                continue
            alpha, beta = self._alpha_beta(float(y * s[i]), v, float(w[i]))
            self.U[:, i] += alpha * y * t
            self.Sigma[i] -= beta * np.outer(t, t)
            if not self.full:
                self.Sigma[i] = np.diag(np.diag(self.Sigma[i]))


@dataclass(eq=False, kw_only=True)
class AROW(_Gaussian):
    """Figure 1 of Crammer, Kulesza and Dredze (NIPS 2009), r / w in place of r."""

    r: float = 0.1

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        if m >= 1:
            return 0.0, 0.0
        beta = 1 / (v + self.r / w)
        return (1 - m) * beta, beta


@dataclass(eq=False, kw_only=True)
class SCW(_Gaussian):
    """Propositions 1 and 2 of Wang, Zhao and Hoi (ICML 2012), C w in place of C."""

    C: float = 1.0
    eta: float = 0.9
    variant: Literal["I", "II"] = "I"

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        phi, C = NormalDist().inv_cdf(self.eta), self.C * w
        if v <= 1e-200 or phi * math.sqrt(v) - m <= 0:
            return 0.0, 0.0
        if self.variant == "I":
            psi, zeta = 1 + phi**2 / 2, 1 + phi**2
            alpha = (-m * psi + math.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta)
            alpha = min(C, max(0.0, alpha))
        else:
            n = v + 1 / (2 * C)
            gamma = phi * math.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
            alpha = max(0.0, (-(2 * m * n + phi**2 * m * v) + gamma) / (2 * (n**2 + n * v * phi**2)))
        u = (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        return alpha, alpha * phi / (math.sqrt(u) + v * alpha * phi)


@dataclass(eq=False, kw_only=True)
class BayesianLogistic(_Gaussian):
    """Laplace's approximation around the mode of N(mu, Sigma) times the likelihood of w examples."""

    variance: float = 0.2
    covariance: Covariance = "full"
    unit_norm: bool = False

    def predict(self, x: Floats) -> Floats:
        dense = self._dense(x)
        s = self._scores(self._row(x)[0])
        v = np.maximum(np.einsum("f,nfg,g->n", dense, self.Sigma, dense), 0)
        return np.asarray(np.tanh(s / np.sqrt(1 + np.pi * v / 8) / 2))

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        low, high = 0.0, w  # of the step e = w / (1 + exp(m + e v)), by halving
        for _ in range(200):
            e = (low + high) / 2
            low, high = (e, high) if e < w * (1 - math.tanh((m + e * v) / 2)) / 2 else (low, e)
        curvature = e * (1 - e / w)
        return e, curvature / (1 + curvature * v)


@dataclass(eq=False, kw_only=True)
class OnlineRidge(Linear):
    """u = A^-1 sum w y x, A = a I + sum w x x', solved anew for every row; VAW divides <u, x> by 1 + x' A^-1 x."""

    a: float = 1.0
    forecast: Literal["vaw", "ridge"] = "vaw"
    half_life: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.A = np.repeat(self.a * np.eye(len(self.U))[None], self.n_learners, axis=0)
        self.b = np.zeros((self.n_learners, len(self.U)))

    def predict(self, x: Floats) -> Floats:
        dense = self._dense(x)
        direction = np.linalg.solve(self.A, np.broadcast_to(dense[:, None], (*self.b.shape, 1)))[:, :, 0]
        h = np.sum(self.b * direction, axis=1)
        return np.asarray(np.clip(h / (1 + direction @ dense) if self.forecast == "vaw" else h, -1, 1))

    def meet(self, x: Floats) -> None:
        """Inflate A^-1 towards I / a; u stays."""
        if self.half_life is None:
            return
        kept = kept_share(self.half_life)
        u = np.linalg.solve(self.A, self.b[:, :, None])
        wider = kept * np.linalg.inv(self.A) + (1 - kept) / self.a * np.eye(self.b.shape[1])
        self.A = np.asarray(np.linalg.inv(wider), np.float64)
        self.b = (self.A @ u)[:, :, 0]

    def update(self, x: Floats, y: int, w: Floats) -> None:
        dense = self._dense(x)
        self.A += w[:, None, None] * np.outer(dense, dense)
        self.b += y * np.outer(w, dense)
