"""IBoost on a bounded window: a member is taught at once when it begins, and joins `every` examples later."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import rng
from .boosters import NEGLIGIBLE
from .learners import Bank, Floats

FIRST, SURE = 8, 1e-9
LARGEST_LOSS, LARGEST_MARGIN, LARGEST_LESSON = 1e20, 46.0, 10.0


@dataclass
class Member:
    """A learner that no longer learns, and its vote."""

    bank: Bank
    vote: float = 0.0

    def __call__(self, x: Floats) -> int:
        """Its label; 0 where it says next to nothing."""
        h = float(self.bank.predict(x)[0])
        return int(h > SURE) - int(h < -SURE)


@dataclass
class Row:
    """A row of the window, with e^(-y F)."""

    x: Floats
    y: int
    weight: float
    loss: float

    def move(self, by: float) -> None:
        """The margin has grown by so much."""
        self.loss = min(max(self.loss * math.exp(-by), 1 / LARGEST_LOSS), LARGEST_LOSS)


@dataclass(eq=False, kw_only=True)
class IBoost:
    """See onlineboost.boosters.iboost. `make(seed)` makes a bank of one learner."""

    make: Callable[[int], Bank]
    n_learners: int = 50
    window: int = 1000
    every: int = 100
    seed: int = 0
    rows: list[Row] = field(default_factory=list, init=False)
    members: list[Member] = field(default_factory=list, init=False)
    next: Member | None = field(default=None, init=False)
    rounds: int = field(default=0, init=False)
    due: int = field(default=FIRST, init=False)
    born: int = field(default=0, init=False)

    def margin(self, x: Floats) -> float:
        total = sum(abs(one.vote) for one in self.members)
        return self._score(x) / total if total > SURE else 0.0

    def _score(self, x: Floats) -> float:
        return float(sum(one.vote * one(x) for one in self.members))

    def learn(self, x: Floats, y: int, s: float = 1.0) -> None:
        if s < NEGLIGIBLE:
            return
        margin = min(max(y * self._score(x), -LARGEST_MARGIN), LARGEST_MARGIN)
        self.rows = [*self.rows, Row(x.copy(), y, s, math.exp(-margin))][-self.window :]
        self.rounds += 1
        if self.rounds == self.due:
            if self.next is not None:
                if len(self.members) == self.n_learners:
                    self._drop()
                self.members.append(self.next)
                self._adjust(self.next)
            self.next = self._begin()
            self.due = self.rounds + min(self.every, len(self.rows))
        if self.members:
            self._adjust(self.members[self.rounds % len(self.members)])

    def _begin(self) -> Member:
        """A learner that is taught the window."""
        shift = int(rng.hash64(0, rng.MEMBER, self.born, 0))
        bank = self.make((self.seed + shift) % 2**64)
        self.born += 1
        w = np.array([row.weight * row.loss for row in self.rows])
        w = np.minimum(w * (len(w) / w.sum()), LARGEST_LESSON)
        for row, weight in zip(self.rows, np.where(w < NEGLIGIBLE, 0, w), strict=True):
            bank.meet(row.x)
            bank.update(row.x, row.y, np.array([weight]))
        return Member(bank)

    def _sides(self, member: Member) -> tuple[float, float]:
        """The weights of the rows that the member has right and wrong."""
        m = np.array([row.y * member(row.x) for row in self.rows])
        w = np.array([row.weight * row.loss for row in self.rows])
        return float(w[m > 0].sum()), float(w[m < 0].sum())

    def _move(self, member: Member, by: float) -> None:
        for row in self.rows:
            row.move(by * row.y * member(row.x))

    def _adjust(self, member: Member) -> None:
        """The minimum along the member's vote, with one more row right and one wrong."""
        right, wrong = self._sides(member)
        own = float(np.mean([row.weight for row in self.rows]))
        by = math.log((right + own * math.exp(-member.vote)) / (wrong + own * math.exp(member.vote))) / 2
        member.vote += by
        self._move(member, by)

    def _drop(self) -> None:
        """The member without which the loss is least leaves."""
        rises = []
        for one in self.members:
            right, wrong = self._sides(one)
            rises.append(right * (math.exp(one.vote) - 1) + wrong * (math.exp(-one.vote) - 1))
        gone = self.members.pop(int(np.argmin(rises)))
        self._move(gone, -gone.vote)
