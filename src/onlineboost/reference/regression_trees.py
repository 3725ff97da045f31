"""Regression trees, N at a time, for gradient boosting: the leaves of `trees.HoeffdingTree` with numbers in them.

The gain and the test of a split are in `RegressionTree`.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .learners import Floats
from .trees import LEAST_BRANCH, ROUNDING, TIE, HoeffdingTree, Node, Pair

LEAST_SQUARE = 1e-200  # values that differ by less are taken as equal


@dataclass
class Line:
    """The linear model of a leaf of regression trees."""

    slopes: Floats
    squares: Floats  # S
    excess: float = 0.0  # of its squared error over the mean's


@dataclass(eq=False, kw_only=True)
class RegressionTree(HoeffdingTree):
    """Regression trees that grow online, as in stochastic gradient trees (Gouk, Pfahringer, Frank, ACML 2019).

    A leaf predicts G / (H + lam), G the sum of w r and H that of w over its targets r and weights w. It is split by
    the test of most

        gain = G_L^2 / (H_L + lam) + G_R^2 / (H_R + lam) - G^2 / (H + lam)

    if gain H / V > 2 ln(1 / delta), V the sum of w^2 (r - G / H)^2: the left side is nearly chi-squared of one degree
    if the test says nothing of r. Pairs are [G, H]. Leaves are found and features chosen as in `HoeffdingTree`.
    Children inherit the G and H of their rows. lam is `regularization`.

    With `leaf="adaptive"`, a leaf has a line, too: G / (H + lam) + <b, z>, z_j = x_j - m_j where x_j is not 0, else 0,
    and m_j the mean of x_j over all rows. b is learned by recursive least squares with a diagonal matrix: with e the
    error of the line and d_j = S_j + max(lam, 1e-6) q_j,

        b_j <- b_j + w e z_j / d_j / (1 + w sum_k z_k^2 / d_k),    S_j <- S_j + w z_j^2

    q_j is the mean of z_j^2 over the rows that have the feature. The leaf says what the line says if its squared error
    has been less than the mean's. Children go on with the line, and with their share of S and of the difference.
    """

    leaf: str = "adaptive"  # or "mean"
    max_features: Literal["sqrt"] | float | None = 0.75
    resample: float | None = None
    grace_period: float = 20
    delta: float = 0.01
    regularization: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        # (w r, w) of the examples of each tree and leaf
        self.taught: dict[tuple[int, int], list[tuple[float, float]]] = {}
        self.lines: dict[tuple[int, int], Line] = {}
        self.count, self.sum, self.squares = np.zeros((3, self.n_features))  # of the rows that have a feature
        self.now = self._standardised(np.zeros(self.n_features))

    def predict(self, x: Floats) -> Floats:
        given = self._standardised(x)
        return np.array([self._says(i, x, given) for i in range(self.n_learners)])

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        self.update(x, y, self._only(i, w * times))
        return self._says(i, x, self.now)

    def _mean(self, node: Node) -> float:
        H = node.weight(1) + self.regularization
        return node.weight(0) / H if H > 0 else 0.0

    def _says(self, i: int, x: Floats, given: tuple[Floats, Floats]) -> float:
        node = self._find(i, x)
        line = self.lines.get((i, node.number))
        slope = line.slopes @ given[0] if line is not None and line.excess < 0 else 0.0
        return float(min(max(self._mean(node) + slope, -1.0), 1.0))

    def meet(self, x: Floats) -> None:
        """A row is going to be learned, by the moments of the rows before it."""
        self.now = self._standardised(x)
        self.count += x != 0
        self.sum += x
        self.squares += x**2
        super().meet(x)

    def _standardised(self, x: Floats) -> tuple[Floats, Floats]:
        """Z and q; z is 0 where the feature is absent, or has shown one value only."""
        seen = (x != 0) & (self.count > 0)
        count = np.where(seen, self.count, 1.0)
        mean = self.sum / max(self.rounds, 1)
        square = (self.squares - 2 * mean * self.sum + mean**2 * count) / count
        seen &= (square > ROUNDING * self.squares / count) & (square >= LEAST_SQUARE)
        return np.where(seen, x - mean, 0.0), np.where(seen, square, 1.0)

    def _learn_line(self, i: int, node: Node, g: float, w: float) -> None:
        line = self.lines.setdefault((i, node.number), Line(np.zeros(self.n_features), np.zeros(self.n_features)))
        z, q = self.now
        mean = self._mean(node)
        bent = mean + float(line.slopes @ z)
        flat, clipped = (min(max(v, -1.0), 1.0) for v in (mean, bent))
        line.excess += (flat - clipped) * (2 * g - w * (flat + clipped))
        d = line.squares + max(self.regularization, 1e-6) * q
        line.slopes += (g - w * bent) * z / d / (1 + w * np.sum(z**2 / d))
        line.squares += w * z**2

    def regress(self, x: Floats, r: Floats, w: Floats) -> None:
        """Teach the target r[i] with weight w[i] to learner i."""
        for i in np.flatnonzero(w > 0):
            self._teach(int(i), x, float(w[i] * r[i]), float(w[i]))

    def _learn(self, i: int, x: Floats, y: int, w: float) -> None:
        self._teach(i, x, y * w, w)

    def _teach(self, i: int, x: Floats, g: float, w: float) -> None:
        node = self._find(i, x)
        if self.leaf == "adaptive":
            self._learn_line(i, node, g, w)
        taught = self.taught.setdefault((i, node.number), [])
        taught.append((g, w))
        node.own = [node.own[0] + g, node.own[1] + w]
        self._count(node, x, [g, w])
        if len(taught) - node.tried >= self.grace_period:
            node.tried = len(taught)
            self._attempt(i, node)

    def _attempt(self, i: int, node: Node) -> None:
        if not self._may_grow(i, node):
            return
        G, H = node.own
        g, w = np.array(self.taught[i, node.number]).T
        V = max(float(np.sum((g - w * G / H) ** 2)), ROUNDING * float(np.sum(g**2)))
        if V <= 0:
            return

        def score(pair: Pair) -> float:
            return pair[0] ** 2 / (pair[1] + self.regularization)

        def repair(rest: Pair) -> Pair:
            return rest if rest[1] > ROUNDING * H else [0.0, 0.0]

        top, least = (0.0, -1, 0.0, [0.0, 0.0]), 2 * math.log(1 / self.delta)
        for f, histogram in node.histograms.items():
            for threshold, left in histogram.tests(node.own, repair):
                right = [G - left[0], H - left[1]]
                if min(left[1], right[1]) >= LEAST_BRANCH * H:
                    gain = (score(left) + score(right) - score(node.own)) * H / V
                    if gain > top[0] + TIE:
                        top = (gain, f, threshold, left)
        if top[1] >= 0 and top[0] > least:
            _, feature, threshold, left = top
            share = left[1] / H
            self._split(i, node, feature, threshold, [left[c] + node.before[c] * share for c in (0, 1)])
            if line := self.lines.pop((i, node.number), None):
                for child, part in zip(node.children, (share, 1 - share), strict=True):
                    own = Line(line.slopes.copy(), line.squares * part, line.excess * part)
                    self.lines[i, child.number] = own
