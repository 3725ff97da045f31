"""The mixture of `OnlineBoostClassifier` of many classes; families give a vote f and calibrated probabilities.

A family's share of a class is Bayes' rule over the two. Its generation numbers classes in the order in which it has
learned them; after n examples, one that it has not learned has the share 1 / (n + K) of K classes, and the others share
the rest. Experts of a generation: the families, and a stack

    q(k) = exp(Σ m_f ln q_f(k)) / Σ_l exp(Σ m_f ln q_f(l))

or `TrackingSoftmax`, two of these. The forecast is p = Σ w q, w by `ExpertTracker`. Of a class that begins nobody knew:
all experts lose the same, and no stack learns. The mixture of two classes (`mixture`) goes on with the third class,
and with its sample weights as targets. `MacroMetric` decides between the classes where a metric is given.
"""

from functools import partial

import numpy as np

from .generations import Generations
from .learners import Floats
from .mixture import LogitStack, Mixture, StackShare, TrackingStack

SMALLEST = 1e-6
Vote = tuple[Floats, Floats] | None  # as it is, and calibrated, of the classes that the generation has learned


def apart_from_zero(p: Floats) -> Floats:
    """None below the smallest, and all of them 1."""
    kept = np.maximum(p, SMALLEST)
    return np.asarray(kept / kept.sum())


class SoftmaxStack:
    """Softmax regression on log-probabilities; the coefficients are N(m, 1/L), from 1/F."""

    def __init__(self, n_families: int, variance: float) -> None:
        self.variance = variance
        self.m = np.full(n_families, 1 / n_families)
        self.L = np.eye(n_families) / variance
        self.squares = np.zeros(n_families)

    def goes_on(self, stack: LogitStack) -> None:
        """With the state of a stack of two classes: logits are differences of logs."""
        self.m, self.squares = stack.m.copy(), stack.squares.copy()
        left = np.flatnonzero(np.diag(stack.P) > 0)
        covariance = stack.P[np.ix_(left, left)] + 1e-9 * self.variance * np.eye(len(left))
        self.L[np.ix_(left, left)] = np.linalg.inv(covariance)

    def probabilities(self, logs: Floats, m: Floats | None = None) -> Floats:
        """Of the classes; `logs` has a row per class, a column per family."""
        z = logs @ (self.m if m is None else m)
        e = np.exp(z - z.max())
        return np.asarray(e / e.sum())

    def learn(self, logs: Floats, label: int, s: float) -> None:
        """Move m to the minimum of (m' - m)ᵀ L (m' - m) / 2 - s ln q(y), by Newton's method; L follows."""
        at = self.m.copy()
        for _ in range(100):
            mean, covariance = self._moments(logs, at)
            gradient = self.L @ (at - self.m) - s * (logs[label] - mean)
            step = np.linalg.solve(self.L + s * covariance, gradient)
            decrement = float(gradient @ step)
            if decrement < 1e-24:
                break
            at -= step / (1 + np.sqrt(decrement)) if decrement > 0.25 else step
        self.m = at
        covariance = self._moments(logs, at)[1]
        self.L += s * covariance
        self.squares += s * np.diag(covariance)

    def _moments(self, logs: Floats, m: Floats) -> tuple[Floats, Floats]:
        q = self.probabilities(logs, m)
        off = logs - q @ logs
        return np.asarray(q @ logs), np.asarray((q[:, None] * off).T @ off)

    def forget(self, rate: float) -> None:
        """Let the precision go towards what it began with."""
        self.L = (1 - rate) * self.L + rate / self.variance * np.eye(len(self.m))


class TrackingSoftmax:
    """A stack that never forgets and one whose precision decays, mixed by `StackShare`; with 0 the first one alone."""

    def __init__(self, n_families: int, variance: float, forgetting: float) -> None:
        self.still, self.moving = SoftmaxStack(n_families, variance), SoftmaxStack(n_families, variance)
        self.share, self.forgetting = StackShare(), forgetting

    def goes_on(self, stack: TrackingStack) -> None:
        """With the state of the stacks of two classes."""
        self.still.goes_on(stack.still)
        self.moving.goes_on(stack.moving)
        self.share = stack.share

    def said(self, logs: Floats) -> Floats:
        """A row for each of the two."""
        return np.array([apart_from_zero(one.probabilities(logs)) for one in (self.still, self.moving)])

    def probabilities(self, logs: Floats) -> Floats:
        """Of the classes."""
        q = self.said(logs)
        return self.share.mix(q) if self.forgetting else np.asarray(q[0])

    def learn(self, logs: Floats, label: int, s: float) -> None:
        """The share of the second one, then both."""
        self.share.learn(self.said(logs)[:, label], s)
        self.still.learn(logs, label, s)
        self.moving.learn(logs, label, s)
        self.moving.forget(self.forgetting * min(s, 1.0))

    def drop(self, k: int) -> None:
        """The logs of a family are 0 from now on."""
        self.still.m[k] = self.moving.m[k] = 0.0

    def pull(self) -> Floats:
        """What each family contributes to the first one's score, up to a common factor."""
        return np.asarray(np.sqrt(self.still.squares) * np.abs(self.still.m))

    def saves(self) -> Floats:
        """Half the square of each coefficient of the first one over its variance."""
        return np.asarray(self.still.m**2 / np.diag(np.linalg.inv(self.still.L)) / 2)


class MacroMetric:
    """Predicts the class by which a mean over the classes is expected to rise most, to first order.

    With S_k the weight of its examples, P_k that of those said to be k, R_k that of those that were both: the mean of
    the recalls R_k / S_k rises by p_k / S_k, that of F_k = 2 R_k / (S_k + P_k) by (2 p_k - F_k) / (S_k + P_k). Each
    class begins with ten examples of mean weight that were said right.
    """

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.true: list[int] = []
        self.said: list[int] = []
        self.weights: list[float] = []

    def scores(self, p: Floats) -> Floats:
        """What decides between the classes, from their probabilities."""
        true, said, s = np.array(self.true), np.array(self.said), np.array(self.weights)
        S, P, R = (
            np.array([s[which == k].sum() for k in range(len(p))]) + 10 * s.mean()
            for which in (true, said, np.where(true == said, true, -1))
        )
        if self.metric == "balanced_accuracy":
            return np.asarray(p / S * S.min())
        F = 2 * R / (S + P)
        return np.asarray((p - F / 2) / (S + P) * (S + P).min())

    def learn(self, said: int, label: int, s: float) -> None:
        """Count an example, what was said of it, and its weight."""
        self.said.append(said)
        self.true.append(label)
        self.weights.append(s)


class MulticlassMixture(Generations[TrackingSoftmax]):
    """Goes on with a mixture of two classes, whose families' votes have lost so much, as they are and calibrated.

    `losses` has a row per place, NaN where nothing speaks: place g F + f is family f of generation g.
    """

    def __init__(self, two: Mixture, losses: Floats, variance: float = 0.1, forgetting: float = 0.0) -> None:
        two.follow(~np.isnan(losses[:, 0]))
        shares = two.tracker.shares
        fresh = partial(TrackingSoftmax, two.K, variance, forgetting)
        super().__init__(two.K, fresh, len(two.stacks) if shares else 0, two.rule, two.lead)
        for stack, before in zip(self.stacks, two.stacks, strict=True):
            stack.goes_on(before)
        self.tracker, self.present, self.rests, self.born = two.tracker, two.present, two.rests, two.born
        self.leads, self.rounds = two.leads, two.rounds
        self.effective = two.effective
        if self.effective is not None:
            self.effective.goes_on()
        self.losses = losses.copy()
        self.orders = [[0, 1] for _ in self.stacks]
        self.examples = np.maximum(self.rounds - self.born, 2)
        self.classes, self.last = 2, 0

    def begin(self, g: int) -> None:
        """It has learned one class."""
        super().begin(g)
        self.orders[g], self.examples[g] = [self.last], 1
        self.losses[g * self.K : (g + 1) * self.K] = 0.0

    def shares(self, votes: list[Vote]) -> Floats:
        """A row per place, a column per class; 1 where nothing speaks."""
        found = np.ones((len(votes), self.classes))
        for i, vote in enumerate(votes):
            if vote is None:
                continue
            order, n = self.orders[i // self.K], self.examples[i // self.K]
            weight = 1 / (1 + np.exp(self.losses[i, 0] - self.losses[i, 1]))
            said = weight * apart_from_zero(vote[0]) + (1 - weight) * apart_from_zero(vote[1])
            unknown = self.classes - len(order)
            if unknown:
                found[i] = none = 1 / (n + self.classes)
                said = np.maximum((1 - none * unknown) * said, SMALLEST)
            found[i, order] = said
        return found

    def _experts(self, shares: Floats) -> Floats:
        """A row per expert: the stack and the families, generation by generation."""
        rows = []
        for g, stack in enumerate(self.stacks):
            said = shares[g * self.K : (g + 1) * self.K]
            rows += [stack.probabilities(np.log(said).T), *said]
        return np.array(rows)

    def predict(self, votes: list[Vote]) -> Floats:
        """Probabilities of the classes that have begun, for what the families say."""
        self.follow(np.array([vote is not None for vote in votes]))
        p = np.asarray(self.tracker.weights() @ self._experts(self.shares(votes)))
        return p if self.effective is None else self.effective.probabilities(p)

    def update(self, votes: list[Vote], label: int, s: float) -> None:
        """The label, with its weight."""
        self.follow(np.array([vote is not None for vote in votes]))
        begins = label == self.classes
        s = s if self.effective is None else self.effective.learn(label, s)
        shares = self.shares(votes)
        experts = self._experts(shares)
        self.tracker.learn(np.full(len(experts), SMALLEST) if begins else experts[:, label], s)
        for g, stack in enumerate(self.stacks):
            if self.learns(g):
                if not begins:
                    stack.learn(np.log(shares[g * self.K : (g + 1) * self.K]).T, label, s)
                self._learn(g, votes, label, s)
        self.classes, self.last = max(self.classes, label + 1), label
        self.end_round()

    def _learn(self, g: int, votes: list[Vote], label: int, s: float) -> None:
        """The families of a generation, of whose learning only the surprise and the class are seen here."""
        order = self.orders[g]
        if label in order:
            for i in range(g * self.K, (g + 1) * self.K):
                if (vote := votes[i]) is not None:
                    self.losses[i] -= s * np.log([apart_from_zero(way)[order.index(label)] for way in vote])
        else:
            order.append(label)
        self.examples[g] += 1
