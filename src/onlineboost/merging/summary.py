"""What a model keeps of its stream: moments of the features and what missing values are filled with. They are sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onlineboost.merging.group import Array, Group, Shard

SETS = "set_thresholds"
MISSING = "missing_features"  # the numbers of those that were missing somewhere


def merge_summary(group: Group) -> dict[str, Array]:
    """The arrays of the merged summary."""
    return _merge_moments(group) | _merge_missing(group)


def _merge_moments(group: Group) -> dict[str, Array]:
    if any(SETS not in one.fields for one in group.shards):  # from a file of an earlier version
        return {}

    def column(one: Shard, name: str) -> Array:
        found = np.zeros(group.n_features)
        if name in one.fields:
            found[one.places] = one[name]
        return found

    def weight(one: Shard) -> Array:
        return one["feature_weight"] if SETS in one.fields else np.zeros(1)

    return {
        # A mean of thresholds is one that the rule of the sets could have come to, and it is corrected from there.
        SETS: group.mean(lambda one: one.fields.get(SETS, np.ones_like(group.shards[0][SETS]))),
        "set_steps": group.total(lambda one: one.fields.get("set_steps", np.zeros(1))),
        "feature_weight": group.total(weight),
        "feature_sums": group.total(lambda one: column(one, "feature_sums")),
        "feature_squares": np.maximum(group.total(lambda one: column(one, "feature_squares")), 0.0),
    }


def _merge_missing(group: Group) -> dict[str, Array]:
    ones = [group.base, *group.shards]
    ids = sorted({int(number) for one in ones if MISSING in one.fields for number in one[MISSING]})
    if not ids:
        return {}
    numbers = np.array(ids, np.int64)

    def row(one: Shard, name: str) -> Array:
        found = np.zeros(len(ids))
        if MISSING in one.fields:
            found[np.searchsorted(numbers, one[MISSING])] = one[name]
        return found

    return {
        MISSING: numbers,
        "missing_present": group.total(lambda one: row(one, "missing_present")).astype(np.int64),
        "missing_sums": group.total(lambda one: row(one, "missing_sums")),
    }
