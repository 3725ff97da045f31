"""Generations of K families, each with a stack that is one more expert: who speaks, leads, rests and learns.

When a generation is born and leaves is read off what speaks. The one that has nearly all weight leads, and the leader
before it rests: it speaks and learns nothing. Families that are not worth their cost retire one by one (`Rule`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .expert_tracker import ExpertTracker
from .learners import Floats


class Stack(Protocol):
    """An expert made of the families of a generation."""

    def drop(self, k: int) -> None:
        """Leave out a family from now on."""

    def pull(self) -> Floats:
        """What each family contributes, up to a common factor."""

    def saves(self) -> Floats:
        """About how much more log-loss there would be without each, the others' coefficients fitted again."""


@dataclass(frozen=True)
class Rule:
    """Which families retire, and when.

    From `first_look` on, after every so many examples, the family that has saved least for its cost retires if what it
    has saved of the log-loss so far is less than `price` times its part of the cost. Those that are `slow` wait until
    `slow_look`. With a price of 0, at counts that double, all families that carry little retire: their weights and
    their shares in the stack are below these.
    """

    first_look: int = 4000
    least: tuple[float, float] = (1e-3, 0.02)
    price: float = 0.0
    every: int = 1000
    costs: tuple[float, ...] = ()
    slow: tuple[int, ...] = ()
    slow_look: int = 0


S = TypeVar("S", bound=Stack)


class Generations(Generic[S]):
    """Experts are the stack and the families of each; with 0 generations there is one, and Bayes' rule alone."""

    def __init__(
        self,
        n_families: int,
        fresh: Callable[[], S],
        generations: int,
        rule: Rule,
        lead: float,
    ) -> None:
        self.K, self.fresh, self.lead = n_families, fresh, lead
        self.rule = rule
        n = max(generations, 1)
        self.stacks = [fresh() for _ in range(n)]
        self.present = np.arange(n * n_families).reshape(n, n_families) < n_families
        self.rests = np.zeros(n, bool)
        self.born = np.zeros(n, int)
        self.leads = self.rounds = 0
        self.tracker = ExpertTracker(n * (n_families + 1), n_families + 1, shares=generations > 0)

    def follow(self, speaks: NDArray[np.bool_]) -> None:
        """Let begin and leave what began and left since the last row."""
        speaks = speaks.reshape(self.present.shape)
        for g in range(len(self.stacks)):
            if speaks[g].any() and not self.present[g].any():
                self.begin(g)
                for k in range(self.K):
                    if speaks[g, k]:
                        self.present[g, k] = True
                        self.tracker.add(g * (self.K + 1) + 1 + k)
                    else:
                        self.stacks[g].drop(k)
            for gone in np.flatnonzero(self.present[g] & ~speaks[g]):
                self.retire(g, int(gone))
            if self.tracker.alive[g * (self.K + 1)] and not speaks[g].any() and speaks.any():
                self.tracker.drop(g * (self.K + 1))

    def begin(self, g: int) -> None:
        """A generation that has learned the last row, its first."""
        self.stacks[g], self.rests[g], self.born[g] = self.fresh(), False, self.rounds - 1
        self.tracker.add(g * (self.K + 1))

    def learns(self, g: int) -> bool:
        """Whether it speaks and does not rest."""
        return bool(self.present[g].any() and not self.rests[g])

    def end_round(self) -> None:
        """After an example was learned."""
        self.rounds += 1
        self._lead()
        first = self.rule.first_look
        if not first or self.rounds < first:
            return
        if self.rule.price and self.rounds % self.rule.every == 0:
            self._look_at_earnings()
        elif not self.rule.price and np.log2(self.rounds / first) % 1 == 0:
            self._look()

    def _lead(self) -> None:
        weights = self.tracker.weights().reshape(len(self.stacks), -1).sum(axis=1)
        for g in np.flatnonzero(weights >= self.lead):
            if g != self.leads:
                self.rests[self.leads], self.rests[g], self.leads = True, False, int(g)

    def _look_at_earnings(self) -> None:
        """Retire the family of the first generation that saves least for its cost, if that is too little."""
        costs = np.array(self.rule.costs)
        saved = self.stacks[0].saves() / costs
        looked_at = self.present[0].copy()
        if self.rounds < self.rule.slow_look:
            looked_at[list(self.rule.slow)] = False
        worst = int(np.argmin(np.where(looked_at, saved, np.inf)))
        if self.present[0].sum() > 1 and looked_at[worst]:
            least = self.rule.price * self.tracker.loss / costs[self.present[0]].sum()
            if saved[worst] < least:
                self.retire(0, worst)

    def _look(self) -> None:
        """Retire the families of the first generation that carry little."""
        stack, w = self.stacks[0], self.tracker.weights()[1 : self.K + 1]
        pull = self.present[0] * stack.pull()
        few = (w < self.rule.least[0]) & (pull < self.rule.least[1] * pull.sum())
        for k in np.flatnonzero(self.present[0] & few):
            if self.present[0].sum() > 1:
                self.retire(0, int(k))

    def retire(self, g: int, k: int) -> None:
        """Family k of generation g is not asked again."""
        self.present[g, k] = False
        self.stacks[g].drop(k)
        self.tracker.drop(g * (self.K + 1) + 1 + k)
