"""Hoeffding trees of many classes: one tree tells all of them apart (Domingos and Hulten, KDD 2000).

As `trees.HoeffdingTree`, with class weights of all classes and G the gain over all of them, in nats or by
1 - sum_c p_c^2. `rule="evidence"` asks for more than chance gives: with n the leaf's weight, L = ln(1 / delta) and C
classes in the leaf,

    gini   n G > 2 a L + (I - a) + 2 sqrt((I - a) a L),   I = 1 - sum p^2, a = min(I, max p)
    gain   n G > L + (C - 2) / 2 + sqrt((C - 2) L)

The gain of a random test is at most a sum of squares of normals with trace I and largest variance a (Laurent and
Massart, Annals of Statistics 2000, Lemma 1), or half a chi-square of C - 1 degrees: of two classes these are the
thresholds there. Hoeffding's bound is eps times 1, or times ln C.

A leaf says its class weights, divided by their sum, or Naive Bayes over the features that the row has. Classes are in
the order of their first example in the leaf; of two with the same weight the first is the majority.

Two classes are learned by binary trees, whose +1 is the first class. They go on as these with the third. Cells are
summed in single precision.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from . import rng
from .learners import Floats
from .trees import ABOVE_ZERO, LEAST_BRANCH, TIE, HoeffdingTree, Node

Weights = dict[int, float]  # of classes, in their order in the leaf

ROUNDING = 1e-6  # cells are summed in single precision


@dataclass
class ClassHistogram:
    """Class weights of the values of a feature in a leaf, in cells as `trees.Histogram` has them."""

    borders: list[float] = field(default_factory=list)
    weights: list[dict[int, np.float32]] = field(default_factory=list)

    def cell(self, v: float) -> int:
        k = max(sum(b <= v for b in self.borders) - 1, 0)
        return k + (v > 0 > self.borders[k] and k + 1 < len(self.borders))

    def learn(self, v: float, c: int, w: float, bins: int) -> None:
        if v not in self.borders and len(self.borders) < bins:
            k = sum(b <= v for b in self.borders)
            self.borders.insert(k, v)
            self.weights.insert(k, {})
        cell = self.weights[self.cell(v)]
        cell[c] = cell.get(c, np.float32(0)) + np.float32(w)

    def of(self, k: int, classes: list[int]) -> Floats:
        """The weights of a cell."""
        return np.array([float(self.weights[k].get(c, 0)) for c in classes])

    def tests(self, own: Floats, classes: list[int]) -> Iterator[tuple[float, Floats]]:
        """Thresholds in ascending order, and the weights of the values below; the leaf's rest has the value 0."""
        cells = [self.of(k, classes) for k in range(len(self.borders))]
        zero = own.copy()
        for cell in cells:
            zero -= cell
        zero[zero <= ROUNDING * own] = 0
        negative = sum(b < 0 for b in self.borders)
        left = np.zeros(len(classes))
        for k in range(negative):
            if k > 0:
                yield self.borders[k], left
            left = left + cells[k]
        if negative:
            yield 0.0, left
        left = left + zero
        for k in range(negative, len(cells)):
            yield (ABOVE_ZERO if k == negative else self.borders[k]), left
            left = left + cells[k]


@dataclass
class ClassNode:
    """A leaf, until it gets a feature to test: then x[feature] < threshold goes to children[0]."""

    number: int  # in the order of making
    depth: int
    before: Weights  # handed down by the node that was split
    own: Weights = field(default_factory=dict)
    right: list[float] = field(default_factory=lambda: [0.0, 0.0])  # predicted rightly by majority and by Naive Bayes
    tried: float = 0.0
    histograms: dict[int, ClassHistogram] = field(default_factory=dict)
    feature: int = -1
    threshold: float = 0.0
    children: list["ClassNode"] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.own = {c: self.own.get(c, 0.0) for c in self.before}

    @property
    def classes(self) -> list[int]:
        return list(self.own)

    def sums(self) -> Floats:
        return np.array([self.before[c] + self.own[c] for c in self.own])

    def own_weights(self) -> Floats:
        return np.array(list(self.own.values()))

    def learn(self, c: int, w: float) -> None:
        self.before.setdefault(c, 0.0)
        self.own[c] = self.own.get(c, 0.0) + w

    def majority(self) -> Floats:
        """Shares of the leaf's classes."""
        return np.asarray(self.sums() / self.sums().sum())

    def naive_bayes(self, x: Floats) -> Floats:
        """Over the features that x has. A cell of M, the absence included, has (weight + 1/M) / (class weight + 1)."""
        if len(self.own) < 2:
            return self.majority()
        with np.errstate(divide="ignore"):
            logs = np.log(self.sums())
        for f in np.flatnonzero(x):
            if int(f) in self.histograms:
                histogram = self.histograms[int(f)]
                cell = histogram.of(histogram.cell(float(x[f])), self.classes)
                logs += np.log((cell + 1 / (len(histogram.borders) + 1)) / (self.own_weights() + 1))
        p = np.exp(logs - logs.max())
        return np.asarray(p / p.sum())


def grown_from(node: Node) -> ClassNode:
    """The tree of many classes that goes on with a binary one."""
    found = ClassNode(
        node.number,
        node.depth,
        {1: node.before[0], 0: node.before[1]},
        {1: node.own[0], 0: node.own[1]},
        list(node.right),
        node.tried,
        feature=node.feature,
        threshold=node.threshold,
        children=[grown_from(child) for child in node.children],
    )
    for f, histogram in node.histograms.items():
        cells = [{1: np.float32(pair[0]), 0: np.float32(pair[1])} for pair in histogram.weights]
        found.histograms[f] = ClassHistogram(list(histogram.borders), cells)
    return found


@dataclass(eq=False, kw_only=True)
class HoeffdingClassTree(HoeffdingTree):
    """N trees of many classes: they give `shares`, and are taught classes by `learn`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.begun = 2
        self.trees: list[ClassNode] = []  # none as long as there are two classes

    def shares(self, x: Floats) -> Floats:
        """What each learner gives to each class: a row per class."""
        if not self.trees:
            h = self.predict(x)
            return np.array([(1 + h) / 2, (1 - h) / 2])
        shares = np.zeros((self.begun, self.n_learners))
        for i in range(self.n_learners):
            leaf = self._leaf(i, x)
            if leaf.sums().sum() > 0:
                bayes = self.leaf == "naive_bayes" or (self.leaf == "adaptive" and leaf.right[1] > leaf.right[0])
                shares[leaf.classes, i] = leaf.naive_bayes(x) if bayes else leaf.majority()
            else:
                shares[:, i] = 1 / self.begun
        return shares

    def learn(self, x: Floats, label: int, w: Floats) -> None:
        """Teach the class `label`, which may be a new one, to every learner i with the weight w[i] >= 0."""
        if label == self.begun:
            self.trees = self.trees or [grown_from(root) for root in self.roots]
            self.begun += 1
        self.meet(x)
        if not self.trees:
            self.update(x, 1 if label == 0 else -1, w)
            return
        for i in np.flatnonzero(w > 0):
            self._teach(int(i), x, label, float(w[i]))

    def _leaf(self, i: int, x: Floats) -> ClassNode:
        node = self.trees[i]
        while node.children:
            node = node.children[0 if x[node.feature] < node.threshold else 1]
        return node

    def _teach(self, i: int, x: Floats, label: int, w: float) -> None:
        if self.resample is not None:
            w *= rng.poisson(self.resample, self.seed, i, self.rounds - 1, rng.RESAMPLE)
        if w <= 0:
            return
        leaf = self._leaf(i, x)
        if self.leaf == "adaptive" and leaf.own and leaf.sums().sum() > 0:
            for k, shares in enumerate((leaf.majority(), leaf.naive_bayes(x))):
                leaf.right[k] += w * (leaf.classes[int(np.argmax(shares))] == label)
        leaf.learn(label, w)
        for f in np.flatnonzero(x):
            if self._takes_part(self._key(i, leaf.number), int(f)):
                leaf.histograms.setdefault(int(f), ClassHistogram()).learn(float(x[f]), label, w, self.bins)
        if leaf.own_weights().sum() - leaf.tried >= self.grace_period:
            leaf.tried = float(leaf.own_weights().sum())
            self._try_to_split(i, leaf)

    def _try_to_split(self, i: int, leaf: ClassNode) -> None:
        deep = self.max_depth is not None and leaf.depth >= self.max_depth
        full = self.max_leaves is not None and (self.sizes[i] + 1) // 2 >= self.max_leaves
        own = leaf.own_weights()
        if deep or full or np.count_nonzero(own) < 2:
            return
        n, tie = own.sum(), TIE * own.sum()
        top = (0.0, -1, 0.0, own)  # gain, feature, threshold, weights on the left: not to split has no gain
        second = 0.0
        for f, histogram in leaf.histograms.items():
            best = (0.0, f, 0.0, own)
            for threshold, left in histogram.tests(own, leaf.classes):
                gain = self._gain_of(own, left)
                if gain > best[0] + tie:
                    best = (gain, f, threshold, left)
            if best[0] > top[0] + tie:
                top, second = best, top[0]
            else:
                second = max(second, best[0])
        ahead = top[0] - (second if self.rule == "hoeffding" else 0.0)
        if top[1] >= 0 and ahead > self._least(own, n):
            self._divide(i, leaf, *top[1:])

    def _impurity(self, weights: Floats) -> float:
        """Times the sum of the weights."""
        n = float(weights.sum())
        if n <= 0:
            return 0.0
        if self.criterion == "gini":
            return n - float(np.sum(weights**2)) / n
        return -sum(float(v) * math.log(v / n) for v in weights if v > 0)

    def _gain_of(self, own: Floats, left: Floats) -> float:
        right = np.maximum(own - left, 0)
        if min(left.sum(), right.sum()) < LEAST_BRANCH * own.sum():
            return 0.0
        return self._impurity(own) - self._impurity(left) - self._impurity(right)

    def _least(self, own: Floats, n: float) -> float:
        odds, degrees = math.log(1 / self.delta), len(own) - 2
        if self.rule == "hoeffding":
            eps = math.sqrt(odds / (2 * n))
            return (
                -1.0 if eps < self.tie_threshold else n * eps * (1 if self.criterion == "gini" else math.log(len(own)))
            )
        if self.criterion == "gain":
            return odds + degrees / 2 + math.sqrt(degrees * odds)
        whole = self._impurity(own) / n
        a = min(whole, float(own.max()) / n)
        return 2 * a * odds + (whole - a) + 2 * math.sqrt((whole - a) * a * odds)

    def _divide(self, i: int, leaf: ClassNode, feature: int, threshold: float, left: Floats) -> None:
        """All the weight is passed on; what came before the statistics is divided as they are."""
        leaf.feature, leaf.threshold = feature, threshold
        low: Weights = {}
        high: Weights = {}
        for c, below, own, whole in zip(leaf.classes, left, leaf.own_weights(), leaf.sums(), strict=True):
            share = below / own if own > 0 else 0.5
            share = 0.0 if share < ROUNDING else 1.0 if share > 1 - ROUNDING else share
            if whole * share > 0:
                low[c] = float(whole * share)
            if whole - whole * share > 0:
                high[c] = float(whole - whole * share)
        leaf.children = [ClassNode(self.sizes[i] + k, leaf.depth + 1, one) for k, one in enumerate((low, high))]
        self.sizes[i] += 2
