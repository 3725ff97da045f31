"""Generations of K families, each with a stack that is one more expert: who speaks, leads, rests and learns.

When a generation is born and leaves is read off what speaks. The one that has nearly all weight leads, and the leader
before it rests: it speaks and learns nothing. At counts of examples that double, families that carry little retire.
"""

from collections.abc import Callable
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


S = TypeVar("S", bound=Stack)


class Generations(Generic[S]):
    """Experts are the stack and the families of each; with 0 generations there is one, and Bayes' rule alone."""

    def __init__(
        self,
        n_families: int,
        fresh: Callable[[], S],
        generations: int,
        first_look: int,
        least: tuple[float, float],
        lead: float,
    ) -> None:
        self.K, self.fresh, self.lead = n_families, fresh, lead
        self.first_look, self.least = first_look, least
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
        looks = self.rounds / self.first_look if self.first_look else 0.5
        if looks >= 1 and np.log2(looks) % 1 == 0:
            self._look()

    def _lead(self) -> None:
        weights = self.tracker.weights().reshape(len(self.stacks), -1).sum(axis=1)
        for g in np.flatnonzero(weights >= self.lead):
            if g != self.leads:
                self.rests[self.leads], self.rests[g], self.leads = True, False, int(g)

    def _look(self) -> None:
        """Retire the families of the first generation that carry little."""
        stack, w = self.stacks[0], self.tracker.weights()[1 : self.K + 1]
        pull = self.present[0] * stack.pull()
        few = (w < self.least[0]) & (pull < self.least[1] * pull.sum())
        for k in np.flatnonzero(self.present[0] & few):
            if self.present[0].sum() > 1:
                self.retire(0, int(k))

    def retire(self, g: int, k: int) -> None:
        """Family k of generation g is not asked again."""
        self.present[g, k] = False
        self.stacks[g].drop(k)
        self.tracker.drop(g * (self.K + 1) + 1 + k)
