"""One model from several that have learned parts of a stream, each from the same base.

With b what the base had and d_m what shard m has added, sums become b + Σ d_m: class weights and counts of Naive Bayes,
precisions of Gaussians, the sums behind certificates. Other weights become means over the shards. A shard that has
learned nothing changes nothing, and the order of the shards makes no difference but for rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onlineboost.machine import Machine
from onlineboost.merging.banks import ODD, merge_bank
from onlineboost.merging.boosters import merge_booster
from onlineboost.merging.columns import Renaming, merge_features
from onlineboost.merging.errors import CannotMergeError
from onlineboost.merging.group import Group, Shard
from onlineboost.merging.summary import MISSING, merge_summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onlineboost.estimators import OnlineEstimator
    from onlineboost.merging.group import Array


def merge(models: Sequence[OnlineEstimator], base: OnlineEstimator | None = None) -> OnlineEstimator:
    """One model from several that were trained apart.

    Parameters
    ----------
    models : list of estimators
        Of one class, with the same parameters. Models that have learned nothing take no part.
    base : estimator, default=None
        The model that all of them began from, as it was then; None if they began from nothing.

    Returns
    -------
    OnlineEstimator
        A new model. The given ones stay as they are.

    """
    if not models:
        raise ValueError("There are no models to merge: give a list of at least one.")
    machines = [one.machine_to_learn() for one in models]
    merged = merge_machines(machines, None if base is None else base.machine_to_learn())
    found: OnlineEstimator = type(models[0]).of_machine(merged, models[0].recipe())
    return found


def merge_machines(machines: Sequence[Machine], base: Machine | None = None) -> Machine:
    """The same for machines."""
    first = machines[0]
    for one in [*machines, *([] if base is None else [base])]:
        if repr(one.recipe) != repr(first.recipe):
            raise CannotMergeError(
                f"The models differ in their parameters: {first.recipe!r} and {one.recipe!r}. Only models with the "
                "same parameters can be merged."
            )
    if first.recipe.many_classes or len(first.labels.begun) > 2:
        raise CannotMergeError(f"{first.recipe.estimator} cannot be merged: only models of two classes can.")
    begun = [one for one in machines if one.begun]
    merged = Machine(first.recipe)
    if not begun:
        return merged
    origin = base if base is not None and base.begun else None
    lead = origin or begun[0]
    if any(one.seed != lead.seed for one in begun):
        raise CannotMergeError("The models have different seeds: give all of them the same random_state.")
    merged.seed, merged.start_features = lead.seed, max(one.start_features for one in [lead, *begun])
    if origin is not None:
        merged.start_features = origin.start_features
    _merge_labels(merged, begun, origin)
    merged.features = merge_features(begun, origin)
    engine = merged.make_engine()
    engine.begin(len(merged.labels.begun))
    group = _group(merged, begun, origin, engine.core.state())
    fields = merge_booster(merged.recipe, group) | merge_bank(merged.recipe.weak_learner(), group)
    fields |= merge_summary(group)
    engine.core.load({name: np.ascontiguousarray(array) for name, array in fields.items()} | {"features": group.ids})
    merged.engine = engine
    return merged


def _merge_labels(merged: Machine, begun: list[Machine], origin: Machine | None) -> None:
    """The labels of all; classes begin in the order of the base, then in that of the labels."""
    for one in [*([] if origin is None else [origin]), *begun]:
        merged.labels.declare(one.labels.known)
    first = [] if origin is None else list(origin.labels.begun)
    others = {label for one in begun for label in one.labels.begun if label not in first}
    merged.labels.begin([*first, *(label for label in merged.labels.known if label in others)])


def _group(merged: Machine, begun: list[Machine], origin: Machine | None, fresh: dict[str, Array]) -> Group:
    states = [_oriented(one, merged) for one in begun]
    base = fresh if origin is None else _oriented(origin, merged)
    renamed = []
    for one, state in zip(begun, states, strict=True):
        rename = Renaming(one.features, merged.features)
        for name in state.keys() & {"features", MISSING}:
            state[name] = np.array([rename(number) for number in state[name].tolist()], np.int64)
        renamed.append(state["features"])
    first = base["features"].astype(np.int64)
    ids = np.concatenate([first, np.setdiff1d(np.concatenate(renamed), first)])
    order = np.argsort(ids)
    rounds = int(base["rounds"][0])
    shards = [
        Shard(state, order[np.searchsorted(ids, numbers, sorter=order)], int(state["rounds"][0]) - rounds)
        for state, numbers in zip(states, renamed, strict=True)
    ]
    return Group(shards, Shard(base, np.arange(len(first)), 0), ids, int(merged.seed or 0), merged.start_features)


def _oriented(machine: Machine, merged: Machine) -> dict[str, Array]:
    """The state of a machine, with the classes changed where its first is not the merged model's."""
    state: dict[str, Array] = dict(machine.engine.core.state())
    own, theirs = list(machine.labels.begun), list(merged.labels.begun)
    if not own or own[0] == theirs[0]:
        return state
    found = {}
    for name, array in state.items():
        head, dot, tail = name.rpartition(".")
        side = {"plus": "minus", "minus": "plus"}.get(head.rpartition(".")[2])
        if side:
            head = head[: len(head) - len(head.rpartition(".")[2])] + side
        found[head + dot + tail] = -array if tail in ODD else array
    slope, intercept, *covariance = found["calibration"]
    found["calibration"] = np.array([slope, -intercept, covariance[0], -covariance[1], *covariance[2:]])
    return found
