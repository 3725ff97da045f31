"""Models of shards become one by a tree of merges, whose shape follows from the shards' numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost.merging import merge

if TYPE_CHECKING:
    from onlineboost.estimators import OnlineEstimator

FAN = 32  # models that are merged at a time


def merge_tree(models: list[tuple[int, OnlineEstimator]], base: OnlineEstimator, fan: int = FAN) -> OnlineEstimator:
    """One model from those of shards, with their numbers: neighbours are merged, at most `fan` at a time."""
    nodes = sorted(models, key=lambda one: one[0])
    while nodes[-1][0] >= fan:
        groups: dict[int, list[OnlineEstimator]] = {}
        for number, model in nodes:
            groups.setdefault(number // fan, []).append(model)
        nodes = [(number, merge_group(group, base)) for number, group in groups.items()]
    return merge_group([model for _, model in nodes], base)


def merge_group(group: list[OnlineEstimator], base: OnlineEstimator) -> OnlineEstimator:
    """A node of the tree; a single model stays as it is."""
    return group[0] if len(group) == 1 else merge(group, base)
