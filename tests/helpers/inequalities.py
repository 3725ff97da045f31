"""The inequalities of docs/theory.md as functions that say by how much a run breaks them, and searches for such runs.

A run is what the theory speaks of: the margins m = y h of T examples and N learners, the weights w (N+1 per example),
the parameters. Every function gives the worst left side minus right side: at most 0, but for rounding, where it holds.
What is compared is computed here from m alone wherever the statement allows, so that a wrong recursion cannot hide.
"""

import math
from dataclasses import dataclass

import numpy as np

from onlineboost import reference
from onlineboost.theory import constants

ROOM = 1e-9  # relative to the number of examples


@dataclass(frozen=True)
class Run:
    m: np.ndarray
    w: np.ndarray
    gamma: float
    theta: float
    s: np.ndarray

    @property
    def z(self):
        return np.cumsum(self.m - self.theta, axis=1)

    @property
    def c(self):
        return constants(self.gamma, self.theta)

    @property
    def W(self):  # noqa: N802  # the paper's name
        return self.s @ self.w


def run(m, gamma, theta=None, s=None, weights=None):
    """A run over given margins; `weights` is the recursion, by default the reference's."""
    m = np.atleast_2d(np.asarray(m, dtype=float))
    theta = gamma / (2 + gamma) if theta is None else theta
    recursion = reference.smooth_weights if weights is None else weights
    w = np.array([recursion(row, gamma, theta)[0] for row in m])
    return Run(m, w, gamma, theta, np.ones(len(m)) if s is None else np.asarray(s, dtype=float))


def smooth(r):
    """I1: w_1 = 1, 0 < w <= 1, w_{i+1} = 1 iff z_i <= 0, and e^(-beta(1-theta)) <= w_{i+1}/w_i <= e^(beta(1+theta))."""
    w, z, beta = r.w, r.z, r.c.beta
    ratio = np.log(w[:, 1:]) - np.log(w[:, :-1])
    clear = np.where(np.abs(z) > 1e-12, (z <= 0) != (w[:, 1:] == 1), False)  # at a tie the rounding decides
    clear &= ~((z > 0) & (beta * z < 1e-15))
    return max(
        np.abs(w[:, 0] - 1).max(),
        (w - 1).max(),
        float((w <= 0).any()),
        float(clear.any()),
        (ratio - beta * (1 + r.theta)).max(),
        (-beta * (1 - r.theta) - ratio).max(),
    )


def margin_sums(r):
    """I2: w_{i+1} belongs to z_i = i (y f_i - theta)."""
    i = np.arange(1, r.m.shape[1] + 1)
    z = i * (np.cumsum(r.m, axis=1) / i - r.theta)
    return np.abs(r.w[:, 1:] - r.c.weight(z)).max()


def prefix_errors(r):
    """I3: #{y f_i <= theta} <= W_{i+1}, and so the mistakes of f_i. At a tie the rounding of z decides."""
    i = np.arange(1, r.m.shape[1] + 1)
    thin = r.s @ (np.cumsum(r.m, axis=1) <= i * r.theta - 1e-12)
    wrong = r.s @ (np.cumsum(r.m, axis=1) <= (0 if r.theta > 1e-9 else -1e-12))
    return np.maximum(thin - r.W[1:], wrong - r.W[1:]).max() / r.s.sum()


def margin_profile(r):
    """I3m: #{y f_i <= rho} <= W_{i+1} (1-gamma)^(-i (rho-theta)/2) for rho >= theta."""
    i = np.arange(1, r.m.shape[1] + 1)
    worst = -math.inf
    for rho in r.theta + np.array([0.01, 0.1, 0.3, 0.9]):
        thin = r.s @ (np.cumsum(r.m, axis=1) <= i * rho - 1e-12)
        limit = r.W[1:] * np.exp(r.c.beta * i * (rho - r.theta))
        worst = max(worst, ((thin - limit) / r.s.sum()).max())
    return worst


def potential(r):
    """I4: phi(z_k) <= sum_{i<=k} w_i (m_i - theta) <= phi(z_k) + kappa sum_{i<=k} w_i, for each example and k."""
    gained = np.cumsum(r.w[:, :-1] * (r.m - r.theta), axis=1)
    phi, lost = r.c.phi(r.z), r.c.kappa * np.cumsum(r.w[:, :-1], axis=1)
    size = 1 + np.abs(phi)
    return max(((phi - gained) / size).max(), ((gained - phi - lost) / size).max())


def spending(r):
    """I5: sum_{i<=k} (A_i - gamma_hat) W_i <= sum_t phi(z_tk) <= T / beta."""
    spent = np.cumsum(r.s @ (r.w[:, :-1] * r.m) - r.c.gamma_hat * r.W[:-1])
    phi = r.s @ r.c.phi(r.z)
    T = r.s.sum()
    return max(((spent - phi) / T).max() / r.c.ceiling, (phi / T).max() / r.c.ceiling - 1)


def learners_that_keep_up(r):
    """I6: if A_i >= 2 gamma for i <= K, then K <= 1 / (beta min_{i<=K}(W_i/T) (2 gamma - gamma_hat))."""
    kept = (r.s @ (r.w[:, :-1] * r.m)) >= 2 * r.gamma * r.W[:-1] * (1 + 1e-12)
    K = int(np.argmin(np.append(kept, False)))
    if K == 0:
        return -math.inf
    return K - r.c.most_learners((r.W[:K] / r.s.sum()).min())


def smooth_distribution(r):
    """I7: no example of weight 1 has more than 1/W_i of learner i's weights; 1/(delta T) for i <= k*(delta)."""
    worst, unit = -math.inf, bool((r.s == 1).all())
    W, T = r.W, r.s.sum()
    for i in range(r.m.shape[1]):
        worst = max(worst, r.w[:, i].max() - 1)
    for delta in (0.1, 0.5, 0.9, 1.0):
        k = next((i for i in range(1, len(W)) if W[i] < delta * T), None)
        for i in range(k or 0):  # learners 1..k*
            worst = max(worst, (r.w[:, i].max() / W[i] - 1 / (delta * T)) if unit else -math.inf)
    return worst


EACH = {
    "I1": smooth,
    "I2": margin_sums,
    "I3": prefix_errors,
    "I3m": margin_profile,
    "I4": potential,
    "I5": spending,
    "I6": learners_that_keep_up,
    "I7": smooth_distribution,
}


def broken(r, among=EACH):
    """The names of the inequalities that a run breaks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name for name in among if not EACH[name](r) <= ROOM}


def climb(objective, start, values, rng, sweeps=3):
    """Coordinate search for a large objective: each entry in turn takes the best of some values."""
    x, best = np.array(start, dtype=float), objective(start)
    for _ in range(sweeps):
        before = best
        for at in rng.permutation(x.size):
            kept = x.flat[at]
            for value in [*values, rng.uniform(-1, 1)]:
                x.flat[at] = value
                found = objective(x)
                if found > best:
                    best, kept = found, value
            x.flat[at] = kept
        if best <= before:
            break
    return best, x


def worst_example(reward, final, gamma, theta, n_learners, grid=20):
    """Dynamic programme over the margins of one example, on a grid of z: the largest sum of rewards plus final(z).

    reward(w, m) is what a step with weight w and margin m adds. Margins are -1, -1 + g, ... with g = (1 + theta)/grid,
    so that z stays on the grid; what is found is attained by a real stream.
    """
    c = constants(gamma, theta)
    g = (1 + theta) / grid
    steps = np.arange(-grid, int((1 - theta) / g + 1e-9) + 1)
    reach = grid * n_learners
    z = g * np.arange(-reach, reach + 1)
    w = c.weight(z)
    value = final(z)
    for _ in range(n_learners):
        options = [
            reward(w, theta + g * a) + np.concatenate([value[max(a, 0) :], np.full(max(a, 0), -np.inf)])
            if a >= 0
            else reward(w, theta + g * a) + np.concatenate([np.full(-a, -np.inf), value[:a]])
            for a in steps
        ]
        value = np.max(options, axis=0)
    return value[reach]
