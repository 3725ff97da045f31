"""The states of several machines laid out alike, for the rules to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onlineboost.merging.columns import Renaming
from onlineboost.merging.group import Group, Shard
from onlineboost.merging.summary import MISSING

if TYPE_CHECKING:
    from onlineboost.machine import Machine
    from onlineboost.merging.group import Array


def features_of(merged: Machine, machines: list[Machine], states: list[dict[str, Array]]) -> Array:
    """The features of all classes of these states, by the merged model's numbers."""
    found: set[int] = set()
    for one, state in zip(machines, states, strict=True):
        rename = Renaming(one.features, merged.features)
        own = [array for name, array in state.items() if name.startswith("class") and name.endswith(".features")]
        found.update(rename(number) for array in own for number in array.tolist())
    return np.array(sorted(found), np.int64)


def group_of(
    merged: Machine,
    machines: list[Machine],
    states: list[dict[str, Array]],
    base: dict[str, Array],
    more: Array | None = None,
) -> Group:
    """The group of these states; features get the merged model's numbers, and there may be `more` of them."""
    renamed, moved = [], False
    for one, state in zip(machines, states, strict=True):
        rename = Renaming(one.features, merged.features)
        for name in state.keys() & {"features", MISSING}:
            numbers = np.array([rename(number) for number in state[name].tolist()], np.int64)
            moved = moved or bool((numbers != state[name]).any())
            state[name] = numbers
        renamed.append(state["features"])
    first = base["features"].astype(np.int64)
    ids = np.concatenate([first, np.setdiff1d(np.concatenate([*renamed, first if more is None else more]), first)])
    order = np.argsort(ids)
    rounds = int(base["rounds"][0])
    shards = [
        Shard(state, order[np.searchsorted(ids, numbers, sorter=order)], int(state["rounds"][0]) - rounds)
        for state, numbers in zip(states, renamed, strict=True)
    ]
    start = Shard(base, np.arange(len(first)), 0)
    return Group(shards, start, ids, int(merged.seed or 0), merged.start_features, renumbered=moved)
