"""The mixture of `OnlineBoostClassifier` over families that say h = 2 p - 1, p a probability of +1; 2 means no opinion.

Experts of a generation: q_0, which stacks the logits l of its families (σ(⟨m, l⟩), or `TrackingStack`), and q_k =
σ(l_k). The forecast is p = Σ w q, w by `ExpertTracker`: Bayes' rule, with generations also fixed share. Sample weights
are targets (see `EffectiveWeights`), or repeats. Who speaks and leads is up to `generations`.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from .boosters import Booster
from .generations import Generations, Rule
from .learners import Floats

LARGEST_LOGIT = 12.0


def _sigmoid(v: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-v)))


class LogitStack:
    """Bayesian logistic regression on logits: the coefficients are N(m, P), from 1/K."""

    def __init__(self, n_families: int, variance: float) -> None:
        self.m = np.full(n_families, 1 / n_families)
        self.P = variance * np.eye(n_families)
        self.squares = np.zeros(n_families)

    def learn(self, logits: Floats, y: int, s: float) -> None:
        """One step: e = s (target - σ(z + spread e))."""
        self.squares += s * logits**2
        target, z, product = (y + 1) / 2, float(self.m @ logits), self.P @ logits
        spread = max(float(logits @ product), 0.0)
        low, high = sorted((0.0, s * (target - float(_sigmoid(np.array(z))))))
        for _ in range(200):
            e = (low + high) / 2
            above = s * (target - float(_sigmoid(np.array(z + spread * e)))) > e
            low, high = (e, high) if above else (low, e)
        p = target - e / s
        curvature = s * p * (1 - p)
        self.m += product * e
        self.P -= curvature / (1 + curvature * spread) * np.outer(product, product)

    def drop(self, k: int) -> None:
        """Leave out the logit of a family from now on."""
        self.m[k] = self.P[k] = self.P[:, k] = 0.0


class StackShare:
    """What the second of two stacks weighs, by fixed share at rate 1/t."""

    def __init__(self) -> None:
        self.v, self.steps = 0.5, 0

    def mix(self, q: Floats) -> Floats:
        """Of what the two said."""
        return np.asarray((1 - self.v) * q[0] + self.v * q[1])

    def learn(self, q: Floats, s: float) -> None:
        """What the two gave to the outcome."""
        posterior = np.array([1 - self.v, self.v]) * np.exp(s * (np.log(q) - np.log(q).max()))
        self.steps += 1
        self.v = float((self.steps * posterior[1] / posterior.sum() + 0.5) / (self.steps + 1))


class TrackingStack:
    """A stack that never forgets and one that follows the stream, mixed by `StackShare`.

    The second one's coefficients walk at random: their variances grow by `walk`, up to what they began with.
    """

    def __init__(self, n_families: int, variance: float, walk: float) -> None:
        self.variance, self.walk = variance, walk
        self.still, self.moving = LogitStack(n_families, variance), LogitStack(n_families, variance)
        self.share = StackShare()

    def said(self, logits: Floats) -> Floats:
        """The probabilities of the two."""
        return _sigmoid(np.clip([one.m @ logits for one in (self.still, self.moving)], -LARGEST_LOGIT, LARGEST_LOGIT))

    def probability(self, logits: Floats) -> float:
        """Of +1."""
        q = self.said(logits)
        return float(self.share.mix(q) if self.walk else q[0])

    def learn(self, logits: Floats, y: int, s: float) -> None:
        """The share of the second one, then both."""
        self.share.learn(self.said(logits) if y > 0 else 1 - self.said(logits), s)
        self.still.learn(logits, y, s)
        self.moving.learn(logits, y, s)
        own = np.diag(self.moving.P).copy()
        wider = np.maximum(own, np.minimum(own + self.walk * min(s, 1.0), self.variance))
        np.fill_diagonal(self.moving.P, np.where(own > 0, wider, own))

    def drop(self, k: int) -> None:
        """Leave out the logit of a family from now on."""
        self.still.drop(k)
        self.moving.drop(k)

    def pull(self) -> Floats:
        """What each family contributes to the first one's score, up to a common factor; the other's wanders."""
        return np.asarray(np.sqrt(self.still.squares) * np.abs(self.still.m))

    def saves(self) -> Floats:
        """Half the square of each coefficient of the first one over its variance."""
        variance = np.diag(self.still.P)
        return np.asarray(np.where(variance > 0, self.still.m**2 / np.where(variance > 0, 2 * variance, 1.0), 0.0))


class EffectiveWeights:
    """Sample weights as targets: an example counts for r = s / b_y, b_y = Σ s² / Σ s of its class so far.

    The examples' probability of class k times b_k is that of the weights, up to a common factor; of two classes, the
    odds times b₊ / b₋. Σ r is about Kish's effective number of examples.
    """

    def __init__(self) -> None:
        self.weights: dict[int, list[float]] = {-1: [], 1: []}

    def goes_on(self) -> None:
        """With many classes: +1 and -1 are the first and the second."""
        self.weights = {0: self.weights[1], 1: self.weights[-1]}

    def _unit(self, c: int) -> float:
        s = np.array(self.weights[c])
        return float((s**2).sum() / s.sum())

    def learn(self, y: int, s: float) -> float:
        """Count the example; r."""
        self.weights.setdefault(y, []).append(s)
        return s / self._unit(y)

    def probabilities(self, p: Floats, *, balanced: bool = False) -> Floats:
        """Of many classes, those of the weights from those of the examples."""
        units = np.array([self._unit(k) / (len(self.weights[k]) if balanced else 1) for k in range(len(p))])
        weighed = p * np.maximum(units / units.max(), 1e-6)
        return np.asarray(weighed / weighed.sum())

    def odds(self, *, balanced: bool = False) -> float:
        """What the odds of a probability are multiplied by; 1 as long as a class has no example."""
        if not (self.weights[-1] and self.weights[1]):
            return 1.0
        counts = len(self.weights[-1]) / len(self.weights[1]) if balanced else 1.0
        return float(np.clip(self._unit(1) / self._unit(-1) * counts, 1e-6, 1e6))


def tilted(p: float, odds: float) -> float:
    """A probability whose odds are multiplied."""
    return p * odds / (p * odds + (1 - p))


def best_cut(p: Floats, y: Floats, s: Floats, metric: str = "f1", bins: int = 192) -> float:
    """The probability of +1 from which +1 is predicted, for the best F1 or balanced accuracy on these examples.

    Cuts are edges of bins of the logit in [-12, 12]; of equal ones the one next to 1/2. Until both classes have ten
    examples it is 1/2.
    """
    if min((y > 0).sum(), (y < 0).sum()) < 10:
        return 0.5
    edges = 24 * np.arange(1, bins) / bins - 12
    bin_of = np.minimum((np.clip(np.log(p / (1 - p)), -12, 12) + 12) / 24 * bins, bins - 1).astype(int)

    def value(k: int) -> float:
        said = np.where(bin_of >= k, 1, -1)
        right = {c: s[(y == c) & (said == c)].sum() for c in (-1, 1)}
        if metric == "f1":
            return float(2 * right[1] / (s[said == 1].sum() + s[y == 1].sum()))
        return float(sum(right[c] / s[y == c].sum() for c in (-1, 1)) / 2)

    values = np.array([value(k) for k in range(1, bins)])
    best = np.flatnonzero(values > values.max() - 1e-12)
    return float(_sigmoid(edges[best[np.argmin(np.abs(edges[best]))]]))


class Mixture(Generations[TrackingStack]):
    """Up to `generations` of K families and their stacks; 0 is one generation and Bayes' rule alone. See the module."""

    def __init__(
        self,
        n_families: int,
        rule: Rule | None = None,
        variance: float = 0.1,
        generations: int = 0,
        lead: float = 0.9,
        weights: str = "targets",
        walk: float = 0.0,
    ) -> None:
        fresh = partial(TrackingStack, n_families, variance, walk)
        super().__init__(n_families, fresh, generations, rule or Rule(), lead)
        self.mistakes = np.zeros(n_families + 1)
        self.effective = EffectiveWeights() if weights == "targets" else None

    def _opinions(self, h: Floats) -> tuple[Floats, Floats]:
        """The logits of the families, and the experts' probabilities: stack and families, generation by generation."""
        p = np.where(self.present, (1 + h.reshape(self.present.shape)) / 2, 0.5)
        with np.errstate(divide="ignore"):
            logits = np.clip(np.log(p) - np.log(1 - p), -LARGEST_LOGIT, LARGEST_LOGIT)
        stacked = [stack.probability(row) for stack, row in zip(self.stacks, logits, strict=True)]
        return logits, np.column_stack([stacked, _sigmoid(logits)]).ravel()

    def predict(self, h: Floats) -> float:
        """2 p - 1 for what the families say."""
        self.follow(h <= 1)
        p = float(self.tracker.weights() @ self._opinions(h)[1])
        return 2 * (p if self.effective is None else tilted(p, self.effective.odds())) - 1

    def update(self, h: Floats, y: int, s: float) -> None:
        """The label, +1 or -1, with its weight; afterwards `present` says which families are asked again."""
        self.follow(h <= 1)
        vote = self.predict(h)
        s = s if self.effective is None else self.effective.learn(y, s)
        logits, q = self._opinions(h)
        right = y * np.append(vote, 2 * q.reshape(len(self.stacks), -1)[self.leads, 1:] - 1) > 0
        self.mistakes += s * ~(right & np.append(True, self.present[self.leads]))
        self.tracker.learn(q if y > 0 else 1 - q, s)
        for g, stack in enumerate(self.stacks):
            if self.learns(g):
                stack.learn(logits[g], y, s)
        self.end_round()


@dataclass(eq=False, kw_only=True)
class BayesVote(Booster):
    """The mixture over the learners of one bank, none of which retires."""

    def __post_init__(self) -> None:
        self.mixture = Mixture(self.N, Rule(first_look=0), weights="repeats")

    def _margin(self, h: Floats) -> float:
        return self.mixture.predict(h)

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        self.mixture.update(h, y, s)
        self.bank.update(x, y, np.full(self.N, s))
