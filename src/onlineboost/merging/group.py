"""Models that are merged, laid out alike: their labels in one order, their features in one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]


# What changes its sign when the classes change places, by learner; the other arrays are even.
ODD = frozenset({"coordinates", "timed_steps", "duals"})


def _same(array: Array) -> Array:
    return array


def _turned_calibration(array: Array) -> Array:
    slope, intercept, *covariance = array
    return np.array([slope, -intercept, covariance[0], -covariance[1], *covariance[2:]])


_TURNS: dict[str, Callable[[Array], Array]] = {
    **dict.fromkeys(ODD, np.negative),
    "calibration": _turned_calibration,
    "class_weight_sums": lambda array: np.concatenate([array[3:], array[:3]]),
}


def inside(fields: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin with the prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in fields.items() if name.startswith(prefix)}


def sign_of(number: int) -> int:
    """Of a class of many: the second says the opposite of what its bank says, as it is taken over from two classes."""
    return -1 if number == 1 else 1


def turned(fields: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of a model of two classes with these changed."""
    found = {}
    for name, array in fields.items():
        head, dot, tail = name.rpartition(".")
        side = {"plus": "minus", "minus": "plus"}.get(head.rpartition(".")[2])
        if side:
            head = head[: len(head) - len(head.rpartition(".")[2])] + side
        found[head + dot + tail] = _TURNS.get(tail, _same)(array)
    return found


@dataclass(frozen=True, eq=False)
class Shard:
    """The arrays of one model's state, and where its features stand among those of all models."""

    fields: Mapping[str, Array]
    places: NDArray[np.intp]
    examples: int  # learned since the base
    numbers: tuple[int | None, ...] | None = None  # of many classes: its own number of each class of the merged model

    def __getitem__(self, name: str) -> Array:
        """The array of that name."""
        return self.fields[name]

    def inside(self, prefix: str) -> Shard:
        """The arrays whose names begin with the prefix, without it."""
        return replace(self, fields=inside(self.fields, prefix))

    def of_class(self, k: int) -> Shard | None:
        """The bank of the merged model's class k; None if it has not begun here."""
        number = (self.numbers or ())[k]
        if number is None:
            return None
        fields = inside(self.fields, f"class{number}.")
        if self.fields["class_signs"][number] != sign_of(k):
            fields = turned(fields)
        return replace(self, fields=fields, numbers=None)


@dataclass(frozen=True, eq=False)
class Group:
    """All shards, the base that they began from, and the features of all."""

    shards: list[Shard]
    base: Shard
    ids: NDArray[np.int64]  # of the features
    seed: int
    start_features: int
    fresh: Shard | None = None  # of many classes: one that has learned nothing
    renumbered: bool = False  # features or classes have other numbers in a shard, and so other hashes

    @property
    def n_features(self) -> int:
        """How many features any of them has seen."""
        return len(self.ids)

    def inside(self, prefix: str) -> Group:
        """The group of the banks inside wrappers."""
        return self.each(lambda one: one.inside(prefix))

    def each(self, change: Callable[[Shard], Shard]) -> Group:
        """The group with every shard changed, the base and a fresh one too."""
        return replace(
            self,
            shards=[change(one) for one in self.shards],
            base=change(self.base),
            fresh=None if self.fresh is None else change(self.fresh),
        )

    def of_class(self, k: int) -> Group:
        """The group of the banks of the merged model's class k."""
        moved = any(one.numbers is not None and one.numbers[k] not in {k, None} for one in self.shards)
        return replace(self.each_of(k, Shard.of_class, "class0."), renumbered=self.renumbered or moved)

    def each_of(self, k: int, read: Callable[[Shard, int], Shard | None], fresh: str) -> Group:
        """The group of a part that each class has; where class k has not begun, the part is as in the base."""
        assert self.fresh is not None  # noqa: S101  # many classes have it
        base = read(self.base, k) or replace(self.fresh, numbers=None).inside(fresh)
        return replace(
            self,
            shards=[read(one, k) or replace(base, examples=one.examples) for one in self.shards],
            base=base,
            fresh=None,
        )

    def total(self, read: Callable[[Shard], Array]) -> Array:
        """What the base has, and all that the shards have added to it."""
        first = read(self.base)
        return np.asarray(first + sum((read(one) - first for one in self.shards), np.zeros_like(first)))

    def mean(self, read: Callable[[Shard], Array]) -> Array:
        """The mean over shards by the examples that each has learned; the base's if there are none."""
        examples = sum(one.examples for one in self.shards)
        if examples == 0:
            return np.array(read(self.base))
        return np.asarray(sum(read(one) * (one.examples / examples) for one in self.shards if one.examples))

    def kept(self, read: Callable[[Shard], Array]) -> Array:
        """What the base has."""
        return np.array(read(self.base))

    def rows(self, shard: Shard, name: str, start: Array) -> Array:
        """A table with a row for each feature of the group, after rows that belong to none.

        `start` is the table of a model that has seen none of the features.
        """
        found, table = np.array(start, dtype=np.float64), shard[name]
        before = len(start) - self.n_features
        found[:before] = table[:before]
        found[before + shard.places] = table[before:]
        return found
