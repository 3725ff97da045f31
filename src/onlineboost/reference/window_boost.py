"""Gradient-boosted trees on a bounded window: the rows at hand, a tree grown whole, in use `every` examples later."""

from dataclasses import dataclass, field

import numpy as np

from . import rng
from .boosters import NEGLIGIBLE
from .learners import Floats

FIRST = 16
MOST_BINS, MOST_CELLS, SAMPLED_ROWS, SAMPLED_NUMBERS = 64, 32768, 2048, 200_000
LEAST_GAIN, TIE = 1e-9, 1e-9


@dataclass
class Node:
    """A leaf with a value, or a test x[feature] < threshold with two children."""

    value: float = 0.0
    feature: int = -1
    threshold: np.float32 = field(default_factory=lambda: np.float32(0))
    children: "tuple[Node, Node] | None" = None

    def __call__(self, x: Floats) -> float:
        node = self
        while node.children is not None:
            node = node.children[0 if x[node.feature] < node.threshold else 1]
        return node.value


@dataclass
class Row:
    """A row of the window."""

    x: Floats
    y: int
    weight: float
    score: float  # the sum of the trees


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
        seed: int = 0,
    ) -> None:
        self.visits, self.max_bytes = visits, max_bytes
        self.window, self.n_trees, self.every, self.rate = window, n_trees, every, learning_rate
        self.max_leaves, self.lam, self.least, self.seed = max_leaves, regularization, least_curvature, seed
        self.rows: list[Row] = []
        self.waiting: list[Row] = []
        self.trees: list[Node] = []
        self.dropped = Node()
        self.next: Node | None = None
        self.edges: list[Floats] = []
        self.rounds, self.due, self.admitted, self.binned, self.grown = 0, FIRST, 0, 0, 0

    def _score(self, x: Floats) -> float:
        x = x.astype(np.float32).astype(float)
        total = 0.0
        for tree in self.trees:
            total += tree(x)
        return total

    def margin(self, x: Floats) -> float:
        """2 p - 1."""
        return float(np.tanh(self._score(x) / 2))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        """Take the row in; the tree that is due comes into use, and the next begins."""
        if s < NEGLIGIBLE:
            return
        self.waiting.append(Row(x.astype(np.float32).astype(float), y, s, self._score(x)))
        self.rounds += 1
        if self.rounds < self.due:
            return
        if self.next is not None:
            for row in [*self.rows, *self.waiting]:
                row.score += self.next(row.x)
            place = self.grown % self.n_trees
            self.dropped = self.trees[place] if place < len(self.trees) else Node()
            self.trees[place : place + 1] = [self.next]
            self.grown += 1
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
            row.score -= self.dropped(row.x)
        self.next = self._grow()

    def _full(self, n_features: int) -> bool:
        numbers = sum(int(np.count_nonzero(row.x)) for row in self.rows)
        taken = len(self.rows) * (144 + n_features) + 12 * numbers
        return len(self.rows) >= self.window or (len(self.rows) > 0 and taken >= self.max_bytes)

    def _choose_edges(self) -> None:
        """Halfway between two values, each time that at least 1 / bins of the sample has passed."""
        numbers = [np.count_nonzero(row.x) for row in self.rows]
        step = -(-len(self.rows) // SAMPLED_ROWS)
        while sum(numbers) // step > SAMPLED_NUMBERS // 2:
            step += 1
        kept = np.cumsum(numbers[::step]) <= SAMPLED_NUMBERS
        X = np.array([row.x for row in self.rows[::step]])[kept]
        bins = int(np.clip(MOST_CELLS // max(int(X.any(axis=0).sum()), 1), 2, MOST_BINS))
        self.edges = []
        for column in X.T:
            values, counts = np.unique(column.astype(np.float32), return_counts=True)
            edges: list[np.float32] = []
            passed = counts[0]
            for last, value, count in zip(values[:-1], values[1:], counts[1:], strict=True):
                if passed >= -(-len(X) // bins) and len(edges) + 1 < bins:
                    edge = np.float32(0.5) * last + np.float32(0.5) * value
                    edges.append(edge if edge > last else value)
                    passed = 0
                passed += count
            self.edges.append(np.array(edges, dtype=float))

    def _grow(self) -> Node:
        X = np.array([row.x for row in self.rows])
        y = np.array([row.y > 0 for row in self.rows], float)
        w = np.array([row.weight for row in self.rows])
        w = w / (w.sum() / len(w))
        p = 1 / (1 + np.exp(-np.array([row.score for row in self.rows])))
        g, h = w * (y - p), w * p * (1 - p)
        root = Node()
        leaves = [(root, np.arange(len(X)), *self._best(X, g, h))]
        while True:
            best = 0
            for k, leaf in enumerate(leaves):
                if leaf[2] > leaves[best][2] * (1 + TIE):
                    best = k
            node, rows, gain, feature, edge = leaves[best]
            if gain <= 0 or len(leaves) == self.max_leaves:
                break
            node.feature, node.threshold, node.children = feature, edge, (Node(), Node())
            below = X[rows, feature] < edge
            parts = [
                (child, rows[take], *self._best(X[rows[take]], g[rows[take]], h[rows[take]]))
                for child, take in zip(node.children, (below, ~below), strict=True)
            ]
            small = 0 if below.sum() <= (~below).sum() else 1
            leaves[best] = parts[1 - small]  # the smaller half is the newest leaf
            leaves.append(parts[small])
        for node, rows, *_ in leaves:
            node.value = float(np.clip(self.rate * g[rows].sum() / (h[rows].sum() + self.lam), -1, 1))
        return root

    def _best(self, X: Floats, g: Floats, h: Floats) -> tuple[float, int, np.float32]:
        """The gain, feature and threshold of the best test; of equal gains the first."""
        G, H, found = g.sum(), h.sum(), (0.0, -1, np.float32(0))
        if 2 * self.least > H:
            return found
        for f, edges in enumerate(self.edges):
            for edge in edges:
                below = X[:, f] < edge
                GL, HL = g[below].sum(), h[below].sum()
                if self.least > HL or self.least > H - HL:
                    continue
                gain = GL**2 / (HL + self.lam) + (G - GL) ** 2 / (H - HL + self.lam) - G**2 / (H + self.lam)
                if gain > found[0] * (1 + TIE) + LEAST_GAIN:
                    found = (float(gain), f, np.float32(edge))
        return found
