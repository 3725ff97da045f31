"""Linear weak learners beyond the paper's, N at a time: first-order ones, and Gaussians over linear functions.

Rows and coordinates as in `learners`. A weight of 0 teaches nothing.
"""

import math
from statistics import NormalDist
from typing import Literal

import numpy as np

from . import rng
from .learners import Floats, _Linear


class _Zero(_Linear):
    """Coordinates start at 0, so that it does not matter when a feature is met."""

    def meet(self, x: Floats) -> None:
        pass

    def update(self, x: Floats, y: int, w: Floats) -> None:
        raise NotImplementedError

    def predict(self, x: Floats) -> Floats:
        raise NotImplementedError

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        for _ in range(times):
            self.update(x, y, self._only(i, w))
        return float(self.predict(x)[i])

    def _dense(self, x: Floats) -> Floats:
        dense = np.zeros(len(self.U))
        for c, value in self._row(x)[0]:
            dense[c] = value
        return dense


class AveragedPerceptron(_Zero):
    """The Perceptron, and as hypothesis the average of its u over time (Freund and Schapire 1999).

        if y <u, x> <= 0:  u <- u + w y x;     total <- total + tau u,  clock <- clock + tau
        h(x) = <a, x> / max(1, |a|),   a = total / clock

    The example lasts tau = w, or 1 with `clock="rounds"`. A coordinate that is met late has started at its own random
    value all the same, so that its total grows by that for the time before.
    """

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        seed: int = 0,
        intercept: bool = True,
        unit_norm: bool = True,
        init: Literal["random", "zero"] = "random",
        clock: Literal["weight", "rounds"] = "weight",
    ) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        if init == "random":
            learners = np.arange(n_learners, dtype=np.uint64)
            ids = np.array([rng.INTERCEPT_ID, *range(n_features)], dtype=np.uint64)
            self.U = rng.start(seed, learners, ids[:, None]) / math.sqrt(n_features + intercept)
        self.rounds = clock == "rounds"
        self.alive = np.zeros(n_features + 1, dtype=bool)
        self.alive[0] = intercept
        self.total = np.zeros_like(self.U)
        self.clock = np.zeros(n_learners)

    def predict(self, x: Floats) -> Floats:
        row, _ = self._row(x)
        average = np.where(self.clock > 0, self.total / np.where(self.clock > 0, self.clock, 1.0), self.U)
        known = self.alive.copy()
        known[[c for c, _ in row]] = True
        s = np.zeros(self.n_learners)
        for c, value in row:
            s += value * average[c]
        norm = np.sqrt(np.sum(average[known] ** 2, axis=0))
        return np.asarray(np.clip(s / np.maximum(1, norm), -1, 1))

    def meet(self, x: Floats) -> None:
        self.alive[[c for c, _ in self._row(x)[0]]] = True

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, _ = self._row(x)
        step = np.where((w > 0) & (y * self._scores(row) <= 0), w * y, 0.0)
        for c, value in row:
            self.U[c] += value * step
        tau = (w > 0).astype(float) if self.rounds else w
        self.total += tau * self.U
        self.clock += tau


class AdaGradLogistic(_Zero):
    """Diagonal AdaGrad (Duchi, Hazan and Singer 2011) for the logistic loss, the step divided infinitely often.

    g = sigma(-m), m = y <u, x>      G_f += (w g x_f)^2      D_f = rate w x_f / sqrt(G_f)      q = sum_f x_f D_f
    m' + exp(m') = m + exp(m) + q    u_f += y D_f (m' - m) / q
    """

    def __init__(
        self, n_learners: int, n_features: int, rate: float = 1.0, intercept: bool = True, unit_norm: bool = True
    ) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        self.rate = rate
        self.G = np.zeros_like(self.U)

    def predict(self, x: Floats) -> Floats:
        return np.asarray(np.tanh(self._scores(self._row(x)[0]) / 2))

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


class FTRL(_Zero):
    """Algorithm 1 of McMahan et al. (KDD 2013), the gradient multiplied by the weight."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        alpha: float = 3.0,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        self.z, self.n = np.zeros((2, *self.U.shape))

    def predict(self, x: Floats) -> Floats:
        return np.asarray(np.tanh(self._scores(self._row(x)[0]) / 2))

    def update(self, x: Floats, y: int, w: Floats) -> None:
        row, _ = self._row(x)
        m = y * self._scores(row)
        miss = np.exp(-np.maximum(m, 0)) / (1 + np.exp(-np.abs(m)))  # sigma(-m)
        for c, value in row:
            g = -y * w * miss * value
            sigma = (np.sqrt(self.n[c] + g * g) - np.sqrt(self.n[c])) / self.alpha
            self.z[c] += g - sigma * self.U[c]
            self.n[c] += g * g
            pulled = -(self.z[c] - np.sign(self.z[c]) * self.l1)
            pulled /= (self.beta + np.sqrt(self.n[c])) / self.alpha + self.l2
            self.U[c] = np.where(np.abs(self.z[c]) <= self.l1, 0.0, pulled)


class _Gaussian(_Zero):
    """u <- u + alpha y Sigma x,  Sigma <- Sigma - beta Sigma x x' Sigma; diagonal: other entries are dropped.

    A full Sigma has errors of rounding, so that an example whose x' Sigma x is not above 1e-12 |x|_1^2 of the starting
    variance teaches nothing.
    """

    def __init__(
        self, n_learners: int, n_features: int, full: bool, variance: float, intercept: bool, unit_norm: bool
    ) -> None:
        super().__init__(n_learners, n_features, intercept, unit_norm)
        self.full, self.variance = full, variance
        self.Sigma = np.repeat(variance * np.eye(len(self.U))[None], n_learners, axis=0)

    def predict(self, x: Floats) -> Floats:
        return np.clip(self._scores(self._row(x)[0]), -1, 1)

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


class AROW(_Gaussian):
    """Figure 1 of Crammer, Kulesza and Dredze (NIPS 2009), r / w in place of r."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        r: float = 0.1,
        covariance: Literal["diagonal", "full"] = "diagonal",
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        super().__init__(n_learners, n_features, covariance == "full", 1.0, intercept, unit_norm)
        self.r = r

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        if m >= 1:
            return 0.0, 0.0
        beta = 1 / (v + self.r / w)
        return (1 - m) * beta, beta


class SCW(_Gaussian):
    """Propositions 1 and 2 of Wang, Zhao and Hoi (ICML 2012), C w in place of C."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        C: float = 1.0,
        eta: float = 0.9,
        variant: Literal["I", "II"] = "I",
        covariance: Literal["diagonal", "full"] = "diagonal",
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        super().__init__(n_learners, n_features, covariance == "full", 1.0, intercept, unit_norm)
        self.C, self.phi, self.variant = C, NormalDist().inv_cdf(eta), variant

    def _alpha_beta(self, m: float, v: float, w: float) -> tuple[float, float]:
        phi, C = self.phi, self.C * w
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


class BayesianLogistic(_Gaussian):
    """Laplace's approximation around the mode of N(mu, Sigma) times the likelihood of w examples."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        variance: float = 0.2,
        covariance: Literal["diagonal", "full"] = "full",
        intercept: bool = True,
        unit_norm: bool = False,
    ) -> None:
        super().__init__(n_learners, n_features, covariance == "full", variance, intercept, unit_norm)

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


class OnlineRidge(_Gaussian):
    """u = A^-1 sum w y x, A = a I + sum w x x', solved anew for every row; VAW divides <u, x> by 1 + x' A^-1 x."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        a: float = 1.0,
        forecast: Literal["vaw", "ridge"] = "vaw",
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        super().__init__(n_learners, n_features, True, 1 / a, intercept, unit_norm)
        self.forward = forecast == "vaw"
        self.A = np.repeat(a * np.eye(len(self.U))[None], n_learners, axis=0)
        self.b = np.zeros((n_learners, len(self.U)))

    def predict(self, x: Floats) -> Floats:
        dense = self._dense(x)
        direction = np.linalg.solve(self.A, np.broadcast_to(dense[:, None], (*self.b.shape, 1)))[:, :, 0]
        h = np.sum(self.b * direction, axis=1)
        return np.asarray(np.clip(h / (1 + direction @ dense) if self.forward else h, -1, 1))

    def update(self, x: Floats, y: int, w: Floats) -> None:
        dense = self._dense(x)
        self.A += w[:, None, None] * np.outer(dense, dense)
        self.b += y * np.outer(w, dense)
