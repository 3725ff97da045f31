"""Hoeffding trees, N at a time: Domingos and Hulten, "Mining High-Speed Data Streams", KDD 2000 (VFDT).

A tree starts as one leaf. A leaf keeps, for each feature that may be tested in it, the class weights of the values
seen; now and then it asks whether its best test is better than the second best by more than Hoeffding's bound,

    G(best) - G(second) > eps,    eps = sqrt(ln(1 / delta) / (2 n)),    n = the weight seen by the leaf,

or whether eps is below the tie threshold, and if so becomes a node with two leaves. G is the information gain in bits,
or the decrease of the Gini index I = 4 p (1 - p); both lie in [0, 1]. n is the sum of the weights: with weights all
equal to 1 the paper's. `rule="evidence"` asks instead that the best gain be beyond chance:

    2 n ln 2 G(best) > 2 ln(1 / delta)  (likelihood ratio, G in bits)        n G(best) / I > 2 ln(1 / delta)  (Pearson)

where the left sides are chi-squared of one degree if the test is independent of the class.

    h(x) = 2 p(+1 | leaf of x) - 1

Class index 0 is -1, index 1 is +1. Zero is the absence of a feature: only other values are stored.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import rng
from .learners import Bank, Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = list[float]

ABOVE_ZERO = 2.0**-1022  # x < ABOVE_ZERO asks whether x is not positive
LEAST_BRANCH = 0.01
ROUNDING = 1e-9  # a share of a class that is not more than this comes from the order of additions
TIE = 1e-10  # of two tests that differ by less, the first is taken


def not_negative(rest: Pair) -> Pair:
    """Differences of class weights, without what rounding left below 0."""
    return [max(z, 0.0) for z in rest]


@dataclass
class Histogram:
    """Class weights, or another pair of sums, of the values of a feature in a leaf.

    The first `bins` distinct values are the borders of cells.
    A cell reaches from its border to the next. A positive value does not go to a cell of negative values if there
    is another: so 0 lies between two cells.
    """

    borders: list[float] = field(default_factory=list)
    weights: list[Pair] = field(default_factory=list)

    def cell(self, v: float) -> int:
        k = max(sum(b <= v for b in self.borders) - 1, 0)
        return k + (v > 0 > self.borders[k] and k + 1 < len(self.borders))

    def learn(self, v: float, add: Pair, bins: int) -> None:
        if v not in self.borders and len(self.borders) < bins:
            k = sum(b <= v for b in self.borders)
            self.borders.insert(k, v)
            self.weights.insert(k, [0.0, 0.0])
        k = self.cell(v)
        self.weights[k] = [a + b for a, b in zip(self.weights[k], add, strict=True)]

    def tests(self, own: Pair, repair: Callable[[Pair], Pair] = not_negative) -> Iterator[tuple[float, Pair]]:
        """Thresholds in ascending order, and the sums of the values below; the leaf's rest has the value 0."""
        zero = list(own)
        for pair in self.weights:
            zero = [z - w for z, w in zip(zero, pair, strict=True)]
        negative = [k for k, b in enumerate(self.borders) if b < 0]
        positive = [k for k, b in enumerate(self.borders) if b > 0]
        left = [0.0, 0.0]
        for k in negative:
            if k > 0:
                yield self.borders[k], left
            left = [a + b for a, b in zip(left, self.weights[k], strict=True)]
        if negative:
            yield 0.0, left
        left = [a + z for a, z in zip(left, repair(zero), strict=True)]
        for k in positive:
            yield (ABOVE_ZERO if k == positive[0] else self.borders[k]), left
            left = [a + b for a, b in zip(left, self.weights[k], strict=True)]


@dataclass
class Node:
    """A leaf, until it gets a feature to test: then x[feature] < threshold goes to children[0]."""

    number: int  # in the order of making
    depth: int
    before: Pair  # class weights handed down by the node that was split
    own: Pair = field(default_factory=lambda: [0.0, 0.0])
    right: Pair = field(default_factory=lambda: [0.0, 0.0])  # weight predicted rightly by majority and by Naive Bayes
    tried: float = 0.0
    histograms: dict[int, Histogram] = field(default_factory=dict)
    feature: int = -1
    threshold: float = 0.0
    children: list["Node"] = field(default_factory=list)

    def weight(self, c: int) -> float:
        return self.before[c] + self.own[c]

    def majority(self) -> float:
        n = self.weight(0) + self.weight(1)
        return (self.weight(1) - self.weight(0)) / n if n > 0 else 0.0

    def naive_bayes(self, x: Floats) -> float:
        """Over the features that x has. A cell of M, the absence included, has (weight + 1/M) / (class weight + 1)."""
        if min(self.weight(0), self.weight(1)) <= 0:
            return self.majority()
        logodds = math.log(self.weight(1)) - math.log(self.weight(0))
        for f in np.flatnonzero(x):
            if int(f) in self.histograms:
                histogram = self.histograms[int(f)]
                minus, plus = histogram.weights[histogram.cell(float(x[f]))]
                a = 1 / (len(histogram.borders) + 1)
                logodds += math.log((plus + a) * (self.own[0] + 1)) - math.log((minus + a) * (self.own[1] + 1))
        return math.tanh(logodds / 2)


def impurity(pair: Pair, criterion: str) -> float:
    """Of class weights: entropy in bits, or 4 p (1 - p)."""
    n = sum(pair)
    if n <= 0:
        return 0.0
    if criterion == "gini":
        return 4 * (pair[0] / n) * (pair[1] / n)
    return -sum(v / n * math.log2(v / n) for v in pair if v > 0)


@dataclass(eq=False, kw_only=True)
class HoeffdingTree(Bank):
    """Hoeffding trees with weights, and the two sources of difference of a random forest.

    Features: a leaf (or the whole tree, `subset="tree"`) uses a feature with a fixed chance. Weights: `resample`
    multiplies each by a Poisson number, as adaptive random forests do (Gomes et al., Machine Learning 106, 2017).
    `leaf="adaptive"` takes Naive Bayes where it was right more often than the majority (Gama, Rocha, Medas, KDD 2003).
    Variant: children inherit the class weights of the leaf for prediction, but n and the statistics start at 0.
    """

    leaf: Literal["majority", "naive_bayes", "adaptive"] = "adaptive"
    max_features: Literal["sqrt"] | float | None = 0.7
    subset: Literal["leaf", "tree"] = "leaf"
    resample: float | None = 6.0
    criterion: Literal["gain", "gini"] = "gini"
    rule: Literal["hoeffding", "evidence"] = "evidence"
    grace_period: float = 50
    delta: float = 1e-10
    tie_threshold: float = 0.05
    bins: int = 16
    max_depth: int | None = None
    max_leaves: int | None = None

    def __post_init__(self) -> None:
        self.share = 1.0
        if self.max_features == "sqrt":
            self.share = min(1.0, (math.sqrt(self.n_features) + 1) / max(1, self.n_features))
        elif self.max_features is not None:
            self.share = self.max_features
        self.roots = [Node(0, 0, [0.0, 0.0]) for _ in range(self.n_learners)]
        self.sizes = [1] * self.n_learners
        self.features = np.arange(self.n_features, dtype=np.uint64)
        self.chosen: dict[tuple[int, int], NDArray[np.bool_]] = {}
        self.rounds = 0

    def _find(self, i: int, x: Floats) -> Node:
        node = self.roots[i]
        while node.children:
            node = node.children[0 if x[node.feature] < node.threshold else 1]
        return node

    def _output(self, i: int, x: Floats) -> float:
        node = self._find(i, x)
        bayes = self.leaf == "naive_bayes" or (self.leaf == "adaptive" and node.right[1] > node.right[0])
        return node.naive_bayes(x) if bayes else node.majority()

    def predict(self, x: Floats) -> Floats:
        return np.array([self._output(i, x) for i in range(self.n_learners)])

    def meet(self, x: Floats) -> None:
        """A row is going to be learned: the next round begins."""
        self.rounds += 1

    def update(self, x: Floats, y: int, w: Floats) -> None:
        for i in np.flatnonzero(w > 0):
            self._learn(int(i), x, y, float(w[i]))

    def _learn(self, i: int, x: Floats, y: int, w: float) -> None:
        if self.resample is not None:
            w *= rng.poisson(self.resample, self.seed, i, self.rounds - 1, rng.RESAMPLE)
        if w <= 0:
            return
        c = int(y > 0)
        node = self._find(i, x)
        if self.leaf == "adaptive":
            for k, h in enumerate((node.majority(), node.naive_bayes(x))):
                node.right[k] += w * (y * h > 0)
        node.own[c] += w
        self._count(i, node, x, [w * (1 - c), w * c])
        if sum(node.own) - node.tried >= self.grace_period:
            node.tried = sum(node.own)
            self._attempt(i, node)

    def _count(self, i: int, node: Node, x: Floats, add: Pair) -> None:
        for f in np.flatnonzero(x):
            if self._takes_part(i, node.number if self.subset == "leaf" else 0, int(f)):
                node.histograms.setdefault(int(f), Histogram()).learn(float(x[f]), add, self.bins)

    def _takes_part(self, i: int, number: int, f: int) -> bool:
        if self.share == 1:
            return True
        if (i, number) not in self.chosen:
            key = rng.hash64(self.seed, rng.FEATURES, i, number)
            bits = rng.mix64(key + np.uint64(rng.GOLDEN) * (self.features + np.uint64(1)))
            self.chosen[i, number] = bits <= np.uint64(int(self.share * 2.0**64))
        return bool(self.chosen[i, number][f])

    def _may_grow(self, i: int, node: Node) -> bool:
        deep = self.max_depth is not None and node.depth >= self.max_depth
        return not deep and (self.max_leaves is None or (self.sizes[i] + 1) // 2 < self.max_leaves)

    def _attempt(self, i: int, node: Node) -> None:
        if not self._may_grow(i, node):
            return
        found = [(0.0, -1, 0.0, [0.0, 0.0])]  # gain, feature, threshold, weights on the left: not to split has no gain
        for f, histogram in node.histograms.items():
            best = (0.0, f, 0.0, [0.0, 0.0])
            for threshold, left in histogram.tests(node.own):
                gain = self._gain(node.own, left)
                if gain > best[0] + TIE:
                    best = (gain, f, threshold, left)
            found.append(best)
        top = found[0]
        for candidate in found[1:]:
            if candidate[0] > top[0] + TIE:
                top = candidate
        second = max((candidate[0] for candidate in found if candidate[1] != top[1]), default=0.0)
        if top[1] >= 0 and self._is_better(node.own, top[0], second):
            _, feature, threshold, left = top
            shares = [a / n if n > 0 else 0.5 for a, n in zip(left, node.own, strict=True)]
            shares = [0.0 if v < ROUNDING else 1.0 if v > 1 - ROUNDING else v for v in shares]
            self._split(i, node, feature, threshold, [node.weight(c) * shares[c] for c in (0, 1)])

    def _is_better(self, own: Pair, gain: float, second: float) -> bool:
        odds = math.log(1 / self.delta) / sum(own)
        if self.rule == "evidence":
            return gain > (odds / math.log(2) if self.criterion == "gain" else 2 * odds * impurity(own, "gini"))
        eps = math.sqrt(odds / 2)
        return eps < self.tie_threshold or gain - second > eps

    def _gain(self, own: Pair, left: Pair) -> float:
        right = [max(a - b, 0.0) for a, b in zip(own, left, strict=True)]
        n, low, high = sum(own), sum(left), sum(right)
        if min(low, high) < LEAST_BRANCH * n:
            return -math.inf
        apart = (low * impurity(left, self.criterion) + high * impurity(right, self.criterion)) / n
        return impurity(own, self.criterion) - apart

    def _split(self, i: int, node: Node, feature: int, threshold: float, low: Pair) -> None:
        """The child of smaller values inherits the pair `low`, the other the rest."""
        node.feature, node.threshold = feature, threshold
        high = [node.weight(c) - low[c] for c in (0, 1)]
        node.children = [Node(self.sizes[i] + k, node.depth + 1, pair) for k, pair in enumerate((low, high))]
        self.sizes[i] += 2


@dataclass(eq=False, kw_only=True)
class RegressionTree(HoeffdingTree):
    """Regression trees that grow online, as in stochastic gradient trees (Gouk, Pfahringer, Frank, ACML 2019).

    A leaf predicts G / (H + lam), G the sum of w r and H that of w over its targets r and weights w. It is split by
    the test of most

        gain = G_L^2 / (H_L + lam) + G_R^2 / (H_R + lam) - G^2 / (H + lam)

    if gain H / V > 2 ln(1 / delta), V the sum of w^2 (r - G / H)^2: the left side is nearly chi-squared of one degree
    if the test says nothing of r. Pairs are [G, H]. Leaves are found and features chosen as in `HoeffdingTree`.
    Children inherit the G and H of their rows. lam is `regularization`.
    """

    max_features: Literal["sqrt"] | float | None = 0.75
    resample: float | None = None
    grace_period: float = 20
    delta: float = 0.01
    regularization: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        # (w r, w) of the examples of each tree and leaf
        self.taught: dict[tuple[int, int], list[tuple[float, float]]] = {}

    def _output(self, i: int, x: Floats) -> float:
        node = self._find(i, x)
        H = node.weight(1) + self.regularization
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
        self._count(i, node, x, [g, w])
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
