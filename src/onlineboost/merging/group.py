"""Models that are merged, laid out alike: their labels in one order, their features in one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Shard:
    """The arrays of one model's state, and where its features stand among those of all models."""

    fields: Mapping[str, Array]
    places: NDArray[np.intp]
    examples: int  # learned since the base

    def __getitem__(self, name: str) -> Array:
        """The array of that name."""
        return self.fields[name]

    def inside(self, prefix: str) -> Shard:
        """The arrays whose names begin with the prefix, without it."""
        inner = {name.removeprefix(prefix): array for name, array in self.fields.items() if name.startswith(prefix)}
        return replace(self, fields=inner)


@dataclass(frozen=True, eq=False)
class Group:
    """All shards, the base that they began from, and the features of all."""

    shards: list[Shard]
    base: Shard
    ids: NDArray[np.int64]  # of the features
    seed: int
    start_features: int

    @property
    def n_features(self) -> int:
        """How many features any of them has seen."""
        return len(self.ids)

    def inside(self, prefix: str) -> Group:
        """The group of the banks inside wrappers."""
        return replace(self, shards=[one.inside(prefix) for one in self.shards], base=self.base.inside(prefix))

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
