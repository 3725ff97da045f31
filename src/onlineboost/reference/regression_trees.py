"""Regression trees that grow online, N at a time, as in stochastic gradient trees (Gouk, Pfahringer, Frank, ACML 2019).

A leaf predicts G / (H + lam), G the sum of w r and H that of w over its targets r and weights w. It is split by the
test of most

    gain = G_L^2 / (H_L + lam) + G_R^2 / (H_R + lam) - G^2 / (H + lam)

if gain H / V > 2 ln(1 / delta), V the sum of w^2 (r - G / H)^2: the left side is nearly chi-squared of one degree if
the test says nothing of r. Pairs are [G, H].
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .trees import LEAST_BRANCH, ROUNDING, TIE, Histogram, HoeffdingTree, Node, Pair

Floats = NDArray[np.float64]


class RegressionTree(HoeffdingTree):
    """Finds leaves and chooses features as `HoeffdingTree` does. Children inherit the G and H of their rows."""

    def __init__(
        self,
        n_learners: int,
        n_features: int,
        seed: int = 0,
        max_features: float | None = 0.75,
        subset: Literal["leaf", "tree"] = "leaf",
        grace_period: int = 20,
        delta: float = 0.01,
        regularization: float = 1.0,
        bins: int = 16,
        max_depth: int | None = None,
        max_leaves: int | None = None,
    ) -> None:
        super().__init__(
            n_learners, n_features, seed, max_features=max_features, subset=subset, resample=None, delta=delta,
            grace_period=grace_period, bins=bins, max_depth=max_depth, max_leaves=max_leaves,
        )  # fmt: skip
        self.lam = regularization
        self.taught: dict[
            tuple[int, int], list[tuple[float, float]]
        ] = {}  # (w r, w) of each tree's and leaf's examples

    def _output(self, i: int, x: Floats) -> float:
        node = self._find(i, x)
        H = node.weight(1) + self.lam
        return min(max(node.weight(0) / H, -1.0), 1.0) if H > 0 else 0.0

    def regress(self, x: Floats, r: Floats, w: Floats) -> None:
        """Teach the target r[i] with weight w[i] to learner i."""
        for i in np.flatnonzero(w > 0):
            self._teach(int(i), x, float(w[i] * r[i]), float(w[i]))

    def _learn(self, i: int, x: Floats, y: int, w: float) -> None:
        self._teach(i, x, y * w, w)

    def _teach(self, i: int, x: Floats, g: float, w: float) -> None:
        node = self._find(i, x)
        taught = self.taught.setdefault((i, node.number), [])
        taught.append((g, w))
        node.own = [node.own[0] + g, node.own[1] + w]
        for f in np.flatnonzero(x):
            if self._takes_part(i, node.number if self.subset == "leaf" else 0, int(f)):
                node.histograms.setdefault(int(f), Histogram()).learn(float(x[f]), [g, w], self.bins)
        if len(taught) - node.tried >= self.grace_period:
            node.tried = len(taught)
            self._attempt(i, node)

    def _attempt(self, i: int, node: Node) -> None:
        if node.depth >= self.max_depth or (self.sizes[i] + 1) // 2 >= self.max_leaves:
            return
        G, H = node.own
        g, w = np.array(self.taught[i, node.number]).T
        V = max(float(np.sum((g - w * G / H) ** 2)), ROUNDING * float(np.sum(g**2)))
        if V <= 0:
            return

        def score(pair: Pair) -> float:
            return pair[0] ** 2 / (pair[1] + self.lam)

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
            node.feature, node.threshold = top[1], top[2]
            share = top[3][1] / H
            low = [top[3][c] + node.before[c] * share for c in (0, 1)]
            high = [node.weight(c) - low[c] for c in (0, 1)]
            node.children = [Node(self.sizes[i] + k, node.depth + 1, pair) for k, pair in enumerate((low, high))]
            self.sizes[i] += 2
