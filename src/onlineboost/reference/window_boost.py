"""Gradient-boosted trees on a bounded window: the rows at hand, a tree grown whole, in use `every` examples later."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import rng
from .boosters import NEGLIGIBLE
from .learners import Floats

FIRST, MOST_BINS, ABOVE_ALL = 16, 256, 2e30
COARSE_BINS, CROWD_BINS, FINE_CELLS, MOST_CELLS, SAMPLED_ROWS, SAMPLED_NUMBERS = 64, 32, 8192, 32768, 2048, 200_000
LEAST_GAIN, TIE = 1e-9, 1e-9
MOST_STEPS, FEW_ROWS, DOUBT, MOST_LEAF_BYTES = 16_384, 16, 4, 2**26


@dataclass
class Node:
    """A leaf with a value, or a test x[feature] < threshold with two children; NaN goes left if gaps_left."""

    value: Any = 0.0
    feature: int = -1
    threshold: np.float32 = field(default_factory=lambda: np.float32(0))
    children: "tuple[Node, Node] | None" = None
    gaps_left: bool = False

    def __call__(self, x: Floats) -> Any:
        node = self
        while node.children is not None:
            value = x[node.feature]
            left = node.gaps_left if np.isnan(value) else value < node.threshold
            node = node.children[0 if left else 1]
        return node.value


@dataclass
class Row:
    """A row of the window."""

    x: Floats
    y: int
    weight: float
    score: Any  # the sum of the trees; of many classes, one for each


class WindowBoost:
    """See onlineboost.boosters.window_boost."""

    def __init__(
        self,
        window: int = 20_000,
        n_trees: int = 100,
        every: int | None = None,
        learning_rate: float = 0.1,
        max_leaves: int = 63,
        regularization: float = 1.0,
        least_curvature: float = 1.0,
        visits: int = 64,
        max_bytes: int = 2**28,
        max_bins: int = 64,
        seed: int = 0,
        crowd: int | None = None,
    ) -> None:
        self.crowd = crowd
        self.visits, self.max_bytes, self.max_bins = visits, max_bytes, max_bins
        self.window, self.n_trees, self.every, self.rate = window, n_trees, every, learning_rate
        self.max_leaves, self.lam, self.least, self.seed = (
            max_leaves,
            regularization,
            least_curvature * (1.0 - TIE),
            seed,
        )
        self.rows: list[Row] = []
        self.waiting: list[Row] = []
        self.trees: list[Node] = []
        self.dropped = Node()
        self.next: Node | None = None
        self.edges: list[Floats] = []
        self.ever_missing = np.zeros(0, bool)
        self.rounds, self.due, self.admitted, self.binned, self.grown = 0, FIRST, 0, 0, 0

    def _score(self, x: Floats) -> Any:
        x = x.astype(np.float32).astype(float)
        total = 0.0
        for tree in self.trees:
            total += tree(x)
        return total

    def _add(self, row: Row, tree: Node, sign: float) -> None:
        row.score += sign * tree(row.x)

    def margin(self, x: Floats) -> float:
        """2 p - 1."""
        return float(np.tanh(self._score(x) / 2))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        """Take the row in; the tree that is due comes into use, and the next begins."""
        if s < NEGLIGIBLE:
            return
        self.ever_missing = np.isnan(x) | (self.ever_missing if self.rounds else False)
        self.waiting.append(Row(x.astype(np.float32).astype(float), y, s, self._score(x)))
        self.rounds += 1
        if self.rounds < self.due:
            return
        if self.next is not None:
            for row in [*self.rows, *self.waiting]:
                self._add(row, self.next, 1.0)
            place = self.grown % self.n_trees
            self.dropped = self.trees[place] if place < len(self.trees) else Node()
            self.trees[place : place + 1] = [self.next]
            self.grown += 1
        self._trim(len(x))
        for row in self.waiting:
            if not self._full(len(x)):
                self.rows.append(row)
            else:
                self.rows[int(rng.hash64(self.seed, rng.MEMORY, 1, self.admitted)) % len(self.rows)] = row
            self.admitted += 1
        self.waiting = []
        if self.admitted - self.binned >= min(self.binned, self.window):
            self.binned = self.admitted
            self._choose_edges()
        self.due = self.rounds + (self.every or max(1, len(self.rows) // self.visits))
        for row in self.rows:
            self._add(row, self.dropped, -1.0)
        self.next = self._grow()

    def _taken(self, n_features: int) -> int:
        n_features += int(self.ever_missing.sum())  # the engine has an indicator for each
        numbers = sum(int(np.count_nonzero(row.x)) for row in self.rows)
        leaves = self.n_trees if self.max_leaves <= 256 and self.n_trees * self.window <= MOST_LEAF_BYTES else 0
        return len(self.rows) * (104 + n_features + leaves + self._bytes_of_classes()) + 16 * numbers

    def _full(self, n_features: int) -> bool:
        return len(self.rows) >= self.window or (len(self.rows) > 0 and self._taken(n_features) >= self.max_bytes)

    def _trim(self, n_features: int) -> None:
        """Nothing: only classes that begin take memory from rows."""

    def _bytes_of_classes(self) -> int:
        return 0

    def _most_bins(self) -> int:
        return self.max_bins

    def _choose_edges(self) -> None:
        """Halfway between two values, each time that at least 1 / bins of the sample has passed."""
        numbers = [np.count_nonzero(row.x) for row in self.rows]
        step = -(-len(self.rows) // SAMPLED_ROWS)
        while sum(numbers) // step > SAMPLED_NUMBERS // 2:
            step += 1
        kept = np.cumsum(numbers[::step]) <= SAMPLED_NUMBERS
        X = np.array([row.x for row in self.rows[::step]])[kept]
        features = max(int(X.any(axis=0).sum()), 1)
        coarse = min(COARSE_BINS, MOST_CELLS // features)
        bins = int(np.clip(max(FINE_CELLS // features, coarse), 2, self._most_bins()))
        self.edges = []
        for column in X.T:
            known = column[~np.isnan(column)]
            values, counts = np.unique(known.astype(np.float32), return_counts=True)
            most = min(bins, MOST_BINS - (len(known) < len(column)))
            edges: list[np.float32] = []
            passed = counts[0] if len(counts) else 0
            for last, value, count in zip(values[:-1], values[1:], counts[1:], strict=True):
                if passed >= -(-len(known) // most) and len(edges) + 1 < most:
                    edge = np.float32(0.5) * last + np.float32(0.5) * value
                    edges.append(edge if edge > last else value)
                    passed = 0
                passed += count
            self.edges.append(np.array(edges, dtype=float))

    def _grow(self) -> Node:
        X = np.array([row.x for row in self.rows])
        w = np.array([row.weight for row in self.rows])
        w = w / (w.sum() / len(w))
        g, h = self._gradients(w)
        root = Node()
        for f, edges in enumerate(self.edges):
            if len(edges) == MOST_BINS - 1:  # there is no bin for gaps: they are above all edges
                X[np.isnan(X[:, f]), f] = np.inf
        leaves = [(root, np.arange(len(X)), *self._best(X, g, h))]
        while True:
            best = 0
            for k, leaf in enumerate(leaves):
                if leaf[2] > leaves[best][2] * (1 + TIE):
                    best = k
            node, rows, gain, feature, edge, side = leaves[best]
            if gain <= 0 or len(leaves) == self._most_leaves():
                break
            node.feature, node.threshold, node.children = feature, edge, (Node(), Node())
            below, gaps = X[rows, feature] < edge, np.isnan(X[rows, feature])
            if side is None:
                node.gaps_left = below.sum() > (~below).sum() and len(self.edges[feature]) < MOST_BINS - 1
            else:
                node.gaps_left = side == "left"
            below |= gaps & node.gaps_left
            parts = [
                (child, rows[take], *self._best(X[rows[take]], g[rows[take]], h[rows[take]]))
                for child, take in zip(node.children, (below, ~below), strict=True)
            ]
            small = 0 if below.sum() <= (~below).sum() else 1
            leaves[best] = parts[1 - small]  # the smaller half is the newest leaf
            leaves.append(parts[small])
        for node, rows, *_ in leaves:
            node.value = self._step(w, g, h, rows)
        return root

    def _most_leaves(self) -> int:
        return self.max_leaves

    def _gradients(self, w: Floats) -> tuple[Floats, Floats]:
        y = np.array([row.y > 0 for row in self.rows], float)
        p = 1 / (1 + np.exp(-np.array([row.score for row in self.rows])))
        return w * (y - p), w * p * (1 - p)

    def _step(self, w: Floats, g: Floats, h: Floats, rows: NDArray[np.intp]) -> Any:
        return float(np.clip(self.rate * g[rows].sum() / (h[rows].sum() + self.lam), -1, 1))

    def _best(self, X: Floats, g: Floats, h: Floats) -> tuple[float, int, np.float32, str | None]:
        """The gain, feature and threshold of the best test, and the side of the gaps; of equal gains the first."""
        G, H = g.sum(), h.sum()
        found: tuple[float, int, np.float32, str | None] = (0.0, -1, np.float32(0), None)
        if 2 * self.least > H:
            return found
        for f, edges in enumerate(self.edges):
            gaps = np.isnan(X[:, f])
            tests: list[tuple[float, str | None]] = [(edge, None) for edge in edges]
            if h[gaps].sum() > TIE * H:
                tests = [*((edge, side) for side in ("right", "left") for edge in edges), (ABOVE_ALL, "right")]
            for edge, side in tests:
                below = (X[:, f] < edge) | (gaps & (side == "left"))
                GL, HL = g[below].sum(), h[below].sum()
                if self.least > HL or self.least > H - HL:
                    continue
                gain = GL**2 / (HL + self.lam) + (G - GL) ** 2 / (H - HL + self.lam) - G**2 / (H + self.lam)
                if gain > found[0] * (1 + TIE) + LEAST_GAIN:
                    found = (float(gain), f, np.float32(edge), side)
        return found


class WindowClasses(WindowBoost):
    """The same of many classes, from the state of one of two; y is the number of a class."""

    def __init__(self, two: WindowBoost) -> None:
        vars(self).update(vars(two))
        self.first = [0.0, 0.0]
        for row in [*self.rows, *self.waiting]:
            row.y, row.score = 0 if row.y > 0 else 1, np.array([row.score / 2, -row.score / 2])
        for tree in [*self.trees, self.dropped]:
            _halve(tree)
        if self.next is not None:  # it is grown again
            self.next = self._grow()

    def probabilities(self, x: Floats) -> Floats:
        """Of the classes that have begun."""
        return softmax(self._score(x))

    def _score(self, x: Floats) -> Floats:
        row = Row(x.astype(np.float32).astype(float), 0, 1.0, np.array(self.first))
        for tree in self.trees:
            self._add(row, tree, 1.0)
        return np.asarray(row.score)

    def _add(self, row: Row, tree: Node, sign: float) -> None:
        step = np.atleast_1d(tree(row.x))  # an older tree has no step for a class that began later
        row.score[: len(step)] += sign * step

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        """Begin the class if it is new, then as with two."""
        if s >= NEGLIGIBLE and y == len(self.first):
            self.first.append(-float(np.log(min(self.rounds + 1, DOUBT))))
            for row in [*self.rows, *self.waiting]:
                row.score = np.append(row.score, self.first[-1])
        super().learn(x, y, s)

    def _trim(self, n_features: int) -> None:
        while len(self.rows) > FEW_ROWS and self._taken(n_features) > self.max_bytes:
            self.rows.pop()

    def _bytes_of_classes(self) -> int:
        return 16 * len(self.first)

    def _most_bins(self) -> int:
        crowded = self.crowd is not None and len(self.first) > self.crowd
        return min(self.max_bins, CROWD_BINS) if crowded else self.max_bins

    def _most_leaves(self) -> int:
        return int(np.clip(MOST_STEPS // len(self.first), 2, self.max_leaves))

    def _direction(self) -> Floats:
        """Every class ±1/2, not all the same."""
        K, tries = len(self.first), 0
        while True:
            bits = [int(rng.hash64(self.seed, rng.SAMPLE, self.grown, tries * K + k)) >> 63 for k in range(K)]
            if 0 < sum(bits) < K:
                return np.array(bits) - 0.5
            tries += 1

    def _gradients(self, w: Floats) -> tuple[Floats, Floats]:
        y, r = np.array([row.y for row in self.rows]), self._direction()
        self._p = np.array([softmax(row.score) for row in self.rows])
        m = self._p @ r
        return w * (r[y] - m), w * (self._p * (r - m[:, None]) ** 2).sum(axis=1)

    def _step(self, w: Floats, g: Floats, h: Floats, rows: NDArray[np.intp]) -> Any:
        K = len(self.first)
        p, hit = self._p[rows], np.eye(K)[[self.rows[r].y for r in rows]]
        G, H = (w[rows] @ one for one in (hit - p, p * (1 - p)))
        return np.clip(self.rate * (1 - 1 / K) * G / (H + self.lam), -1, 1)


def softmax(scores: Floats) -> Floats:
    """exp(scores), divided by their sum."""
    e = np.exp(scores - np.max(scores))
    return np.asarray(e / e.sum())


def _halve(node: Node) -> None:
    if node.children is not None:
        for child in node.children:
            _halve(child)
    node.value = np.array([node.value / 2, -node.value / 2])
