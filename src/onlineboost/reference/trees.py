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
from typing import TYPE_CHECKING, Literal, NamedTuple

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
    key: int = 0  # source of the random choice of features
    histograms: dict[int, Histogram] = field(default_factory=dict)
    feature: int = -1
    threshold: float = 0.0
    children: list["Node"] = field(default_factory=list)

    def weight(self, c: int) -> float:
        return self.before[c] + self.own[c]

    def below(self) -> int:
        """How many nodes hang below it."""
        return sum(1 + child.below() for child in self.children)

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


class Test(NamedTuple):
    """A test of a feature, and the class weights of the rows that go left."""

    gain: float
    feature: int
    threshold: float
    left: Pair


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

    With `reexamine`, nodes go on learning. After every such weight a node looks at its test again, and takes the best
    test on another feature in its place if G(best) - G(its own) > eps; what is below it is dropped (Manapragada, Webb
    and Salehi, KDD 2018). The features of a leaf then depend on the way to it.
    """

    leaf: str = "adaptive"  # or "majority", "naive_bayes"
    max_features: Literal["sqrt"] | float | None = 0.7
    subset: Literal["leaf", "tree"] = "leaf"
    resample: float | None = 6.0
    criterion: Literal["gain", "gini"] = "gini"
    rule: Literal["hoeffding", "evidence"] = "evidence"
    grace_period: float = 50
    delta: float = 1e-10
    tie_threshold: float = 0.05
    bins: int = 16
    reexamine: float | None = None
    max_depth: int | None = None
    max_leaves: int | None = None

    def __post_init__(self) -> None:
        self.share = 1.0
        if self.max_features == "sqrt":
            self.share = min(1.0, (math.sqrt(self.n_features) + 1) / max(1, self.n_features))
        elif self.max_features is not None:
            self.share = self.max_features
        self.roots = [Node(0, 0, [0.0, 0.0], key=self._key(i, 0)) for i in range(self.n_learners)]
        self.sizes = [1] * self.n_learners
        self.features = np.arange(self.n_features, dtype=np.uint64)
        self.chosen: dict[int, NDArray[np.bool_]] = {}  # by the key
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
        add = [w * (1 - c), w * c]
        node = self.roots[i]
        while node.children:
            if self._look_again(i, node, x, c, add):
                return
            node = node.children[0 if x[node.feature] < node.threshold else 1]
        if self.leaf == "adaptive":
            for k, h in enumerate((node.majority(), node.naive_bayes(x))):
                node.right[k] += w * (y * h > 0)
        node.own[c] += w
        self._count(node, x, add)
        if sum(node.own) - node.tried >= self.grace_period:
            node.tried = sum(node.own)
            self._attempt(i, node)

    def _look_again(self, i: int, node: Node, x: Floats, c: int, add: Pair) -> bool:
        """A node that is no leaf learns, if it is re-examined. Whether its test is replaced."""
        if self.reexamine is None:
            return False
        node.own[c] += add[c]
        self._count(node, x, add)
        if sum(node.own) - node.tried < self.reexamine:
            return False
        node.tried = sum(node.own)
        top, _ = self._best(node)
        eps = math.sqrt(math.log(1 / self.delta) / (2 * sum(node.own)))
        tests = node.histograms[node.feature].tests(node.own)
        now = next(self._gain(node.own, left) for threshold, left in tests if threshold == node.threshold)
        if top.feature in {-1, node.feature} or top.gain - max(now, 0.0) <= eps:
            return False
        self.sizes[i] -= node.below()
        self._take(i, node, top)
        return True

    def _count(self, node: Node, x: Floats, add: Pair) -> None:
        for f in np.flatnonzero(x):
            if self._takes_part(node.key, int(f)):
                node.histograms.setdefault(int(f), Histogram()).learn(float(x[f]), add, self.bins)

    def _key(self, i: int, number: int) -> int:
        return int(rng.hash64(self.seed, rng.FEATURES, i, number if self.subset == "leaf" else 0))

    def _key_below(self, i: int, node: Node, side: int) -> int:
        if self.reexamine is None:
            return self._key(i, self.sizes[i] + side)
        return int(rng.hash64(node.key, rng.FEATURES, side, 0)) if self.subset == "leaf" else node.key

    def _takes_part(self, key: int, f: int) -> bool:
        if self.share == 1:
            return True
        if key not in self.chosen:
            bits = rng.mix64(np.uint64(key) + np.uint64(rng.GOLDEN) * (self.features + np.uint64(1)))
            self.chosen[key] = bits <= np.uint64(int(self.share * 2.0**64))
        return bool(self.chosen[key][f])

    def _may_grow(self, i: int, node: Node) -> bool:
        deep = self.max_depth is not None and node.depth >= self.max_depth
        return not deep and (self.max_leaves is None or (self.sizes[i] + 1) // 2 < self.max_leaves)

    def _attempt(self, i: int, node: Node) -> None:
        if not self._may_grow(i, node):
            return
        top, second = self._best(node)
        if top.feature >= 0 and self._is_better(node.own, top.gain, second):
            self._take(i, node, top)

    def _best(self, node: Node) -> tuple[Test, float]:
        """The best test of a node, and the gain of the best on another feature: not to split has no gain."""
        found = [Test(0.0, -1, 0.0, [0.0, 0.0])]
        for f, histogram in node.histograms.items():
            best = Test(0.0, f, 0.0, [0.0, 0.0])
            for threshold, left in histogram.tests(node.own):
                gain = self._gain(node.own, left)
                if gain > best.gain + TIE:
                    best = Test(gain, f, threshold, left)
            found.append(best)
        top = found[0]
        for candidate in found[1:]:
            if candidate.gain > top.gain + TIE:
                top = candidate
        return top, max((candidate.gain for candidate in found if candidate.feature != top.feature), default=0.0)

    def _take(self, i: int, node: Node, test: Test) -> None:
        """The class weights of the leaf, or of all leaves below the node, go to the sides of the test."""
        shares = [a / n if n > 0 else 0.5 for a, n in zip(test.left, node.own, strict=True)]
        shares = [0.0 if v < ROUNDING else 1.0 if v > 1 - ROUNDING else v for v in shares]
        self._split(i, node, test.feature, test.threshold, [node.weight(c) * shares[c] for c in (0, 1)])

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
        node.children = [
            Node(self.sizes[i] + k, node.depth + 1, pair, key=self._key_below(i, node, k))
            for k, pair in enumerate((low, high))
        ]
        self.sizes[i] += 2
