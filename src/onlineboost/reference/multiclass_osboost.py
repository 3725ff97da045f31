"""OSBoost for many classes: the paper's recursion on margins between classes.

Learner i says a distribution s_i over the classes. With y the class of the example,

    m_i = s_i(y) - max_{k != y} s_i(k)              z_i = z_{i-1} + m_i - theta
    w_1 = 1                                          w_{i+1} = min((1 - gamma)^(z_i / 2), 1)

and learner i is taught the example with weight w_i. If the mean of the first i distributions does not put y alone in
front, some rival k has sum_j s_j(y) <= sum_j s_j(k), so sum_j m_j <= 0, z_i <= 0 and w_{i+1} = 1: Lemma 2 holds for any
number of classes, and Lemma 3, which knows margins only, stays as it is.

The vote is f(k) = sum_i alpha_i s_i(k): uniform; by online convex programming, or by exponentiated gradient, on the
loss max(0, theta - min_{k != y} (f(y) - f(k))), whose subgradient is that of the vote's own rival. In OSBoost.EXP,
expert i is the mean of the first i distributions: it votes for the class in front, of equal ones for the one that began
first, and errs unless y is alone in front; f(k) is the weight of the experts that vote for k.

Trees know many classes themselves (`HoeffdingClassTree`). Other learners are a binary learner per class (`PerClass`),
s_i(k) = (1 + h_ki) / sum_l (1 + h_li). With two classes there is one, whose output is h for the first and -h for the
second; with the third the second class goes on with a copy of it. The bank of a class that begins knows all features
that were seen before, and none of their values.

Where all classes say nearly -1, so that their 1 + h sum up to t, a rounding of h moves shares by about 1e-16 / t: Naive
Bayes that finds a row impossible for every class leaves few digits to them, here and in the engine.
"""

import copy
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from .boosters import NEGLIGIBLE, Experts, Sums, negligible_to_zero, smooth_weights
from .class_trees import HoeffdingClassTree
from .learners import Bank, Floats
from .simplex import project_sort

if TYPE_CHECKING:
    from numpy.typing import NDArray


EARLY = 4  # classes that have all their learners


def class_margins(shares: Floats, label: int) -> Floats:
    """m_i of each learner; a row per class."""
    return np.asarray(shares[label] - np.max(np.delete(shares, label, axis=0), axis=0))


def sharpened(shares: Floats, scale: float) -> Floats:
    """Shares with margins `scale` times as large, up to 1; a row per class."""
    return shares if scale == 1 else np.asarray(np.maximum(0, 1 - scale * (shares.max(axis=0) - shares)))


class PerClass:
    """Learners of many classes made of binary ones, a bank per class.

    With `late`, the fifth class and later ones have at most so many; learner i says what the one says whose number is
    the remainder of i. `make(k)` gives as many as class k has.
    """

    def __init__(self, make: Callable[[int], Bank], late: int | None = None) -> None:
        self.make, self.late = make, late
        self.banks: list[tuple[Bank, float]] = [(make(0), 1.0)]
        self.seen: NDArray[np.bool_] = np.zeros(self.banks[0][0].n_features, dtype=bool)

    def shares(self, x: Floats) -> Floats:
        """A row per class, a column per learner."""
        h = [sign * np.clip(bank.predict(x), -1, 1) for bank, sign in self.banks]
        h = [np.resize(one, len(h[0])) for one in h]
        said = 1 + np.array(h if len(h) > 1 else [h[0], -h[0]])
        total = said.sum(axis=0)
        return np.where(total > 0, said / np.where(total > 0, total, 1), 1 / len(said))

    def learn(self, x: Floats, label: int, w: Floats) -> None:
        """Teach the class `label`, which may be a new one, to every learner i with the weight w[i] >= 0."""
        if label == max(len(self.banks), 2):
            if label == 2:
                self.banks.append((copy.deepcopy(self.banks[0][0]), -1.0))
            fresh = self.make(label)
            fresh.meet(self.seen.astype(float))
            self.banks.append((fresh, 1.0))
        self.seen |= x != 0
        for k, (bank, sign) in enumerate(self.banks):
            bank.meet(x)
            own = w if k < EARLY or self.late is None else w[: self.late]
            bank.update(x, int(sign if k == label else -sign), own)


class MulticlassOSBoost:
    """The booster over learners of many classes; `decide` gives f of the classes that have begun."""

    def __init__(
        self,
        bank: PerClass | HoeffdingClassTree,
        n_learners: int,
        gamma: float = 0.1,
        vote: Literal["uniform", "ocp", "eg", "experts"] = "uniform",
        expert_rate: float | Literal["adahedge", "anytime", "paper", "share"] = "adahedge",
        margin_scale: float = 1.0,
    ) -> None:
        self.bank, self.vote, self.gamma, self.margin_scale = bank, vote, gamma, margin_scale
        self.theta = gamma / (2 + gamma)
        self.alpha = np.full(n_learners, 1 / n_learners)
        self.gains = np.zeros(n_learners)
        self.squares = 0.0
        self.sums = Sums.zero(n_learners)
        self.experts = Experts(bank.banks[0][0] if isinstance(bank, PerClass) else bank, expert_rate=expert_rate)
        self.rounds = 0

    def decide(self, x: Floats) -> Floats:
        shares = sharpened(self.bank.shares(x), self.margin_scale)
        if self.vote != "experts":
            return np.asarray(shares @ self.alpha)
        chosen = np.argmax(np.cumsum(shares, axis=1), axis=0)
        return np.asarray(np.bincount(chosen, self.experts.expert_weights(), minlength=len(shares)), dtype=float)

    def learn(self, x: Floats, label: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        shares = sharpened(self.bank.shares(x), self.margin_scale)
        if label == len(shares):
            shares = np.vstack([shares, np.zeros(shares.shape[1])])
        self._move(shares, label, s)
        margins = class_margins(shares, label)
        w, z = smooth_weights(margins, self.gamma, self.theta)
        self.sums.add(margins, z, w, s)
        self.bank.learn(x, label, negligible_to_zero(s * w[:-1]))
        self.rounds = self.experts.rounds = self.rounds + 1

    def _move(self, shares: Floats, label: int, s: float) -> None:
        if self.vote == "experts":
            sums = np.cumsum(shares, axis=1)
            alone = sums[label] > np.max(np.delete(sums, label, axis=0), axis=0)
            self.experts.learn_experts(np.where(alone, 1.0, -1.0), 1, s)
            return
        f = shares @ self.alpha
        rival = max((k for k in range(len(f)) if k != label), key=lambda k: (f[k], -k))
        if self.vote == "uniform" or not f[label] - f[rival] < self.theta:
            return
        ahead = shares[label] - shares[rival]
        if self.vote == "ocp":
            self.alpha = project_sort(self.alpha + s / math.sqrt(self.rounds + 1) * ahead)
            return
        self.squares += s * s
        self.gains += s * ahead
        rate = math.sqrt(math.log(len(self.gains)) / (1 + self.squares))
        v = np.exp(rate * (self.gains - self.gains.max()))
        self.alpha = v / v.sum()
