"""One model from several that have learned parts of a stream, each from the same base.

With b what the base had and d_m what shard m has added, sums become b + Σ d_m: class weights and counts of Naive Bayes,
precisions of Gaussians, the sums behind certificates. Other weights become means over the shards. A shard that has
learned nothing changes nothing, and the order of the shards makes no difference but for rounding.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.boosters.mixture import Mixture
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.machine import Machine
from onlineboost.machine.many_classes import ManyClasses
from onlineboost.machine.two_classes import TwoClasses
from onlineboost.merging.banks import merge_bank, prefixed
from onlineboost.merging.boosters import merge_booster
from onlineboost.merging.columns import merge_features
from onlineboost.merging.errors import CannotMergeError
from onlineboost.merging.group import Shard, inside, sign_of, turned
from onlineboost.merging.layout import features_of, group_of
from onlineboost.merging.mixture import check_mixture, merge_mixture
from onlineboost.merging.summary import merge_summary
from onlineboost.persistence.describe import parameters_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onlineboost.boosters import Booster
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.merging.group import Array, Group


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
        if not _same_recipe(one, first):
            raise CannotMergeError(
                f"The models differ in their parameters: {first.recipe!r} and {one.recipe!r}. Only models with the "
                "same parameters can be merged."
            )
    begun = [one for one in machines if one.begun]
    if isinstance(first.recipe, Mixture):
        check_mixture(first.recipe)
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
    if merged.recipe.many_classes or len(merged.labels.begun) > 2:
        if isinstance(merged.make_engine(wide=True), ManyClasses):
            _merge_against_the_rest(merged, begun, origin)
        else:
            _merge_wide(merged, begun, origin)
        return merged
    engine = merged.make_engine()
    states = [_oriented(one, merged) for one in begun]
    group = group_of(merged, begun, states, engine.core.state() if origin is None else _oriented(origin, merged))
    _load(engine, merged_fields(merged.recipe, group) | merge_summary(group) | {"features": group.ids})
    merged.engine = engine
    return merged


def _same_recipe(one: Machine, other: Machine) -> bool:
    """Whether the parameters are the same; a default may be there by its name, as it is in a model that was loaded."""
    if repr(one.recipe) == repr(other.recipe):
        return True
    if type(one.recipe) is not type(other.recipe):
        return False
    try:
        return parameters_of(one.recipe, one.seed) == parameters_of(other.recipe, other.seed)
    except ValueError:  # no file can hold them
        return False


def _merge_wide(merged: Machine, begun: list[Machine], origin: Machine | None) -> None:
    """Many classes in one bank."""
    nothing = Machine(merged.recipe)
    nothing.seed, nothing.start_features, nothing.features = merged.seed, merged.start_features, merged.features
    nothing.engine = nothing.make_engine()
    fresh, base, *ones = (widened(one) for one in [nothing, origin or nothing, *begun])
    labels = list(merged.labels.begun)

    def numbers(one: Machine) -> tuple[int | None, ...]:
        return tuple(one.labels.begun.get(label) for label in labels)

    states = [dict(one.engine.core.state()) for one in ones]
    group = group_of(merged, ones, states, base.engine.core.state())
    group = replace(
        group,
        shards=[replace(one, numbers=numbers(by)) for one, by in zip(group.shards, ones, strict=True)],
        base=replace(group.base, numbers=numbers(base)),
        fresh=Shard(fresh.engine.core.state(), np.arange(0), 0),
    )
    engine = merged.make_engine(wide=True)
    fields = merged_fields(merged.recipe, group) | merge_summary(group)
    _load(engine, fields | {"features": group.ids, "classes": np.array([len(labels)])})
    merged.engine = engine


def _merge_against_the_rest(merged: Machine, begun: list[Machine], origin: Machine | None) -> None:
    """A booster per class: each is merged as one of two classes, where it has begun."""
    recipe = merged.recipe if merged.recipe.many_classes else merged.recipe.against_the_rest()
    if type(recipe) is not OneVsRest:
        raise CannotMergeError(
            f"{merged.recipe.estimator} cannot be merged with many classes or labels: merge OSBoostClassifier, "
            "OnlineClassifier or OneVsRest, or let every machine keep its own model and average their probabilities."
        )
    turns = not merged.recipe.many_classes
    ones, base = [widened(one) for one in begun], None if origin is None else widened(origin)
    nothing = Machine(recipe.pattern())
    nothing.seed, nothing.start_features = merged.seed, merged.start_features
    fresh: dict[str, Array] = nothing.make_engine().core.state()
    states = [dict(one.engine.core.state()) for one in ones]
    first: dict[str, Array] = {} if base is None else base.engine.core.state()
    ids = features_of(merged, ones, states)
    engine = merged.make_engine(wide=True)
    engine.begin(len(merged.labels.begun))

    def of_class(one: Machine, state: dict[str, Array], label: Any, sign: int) -> dict[str, Array] | None:
        number = one.labels.begun.get(label)
        if number is None:
            return None
        own = inside(state, f"class{number}.")
        return own if not turns or state["class_signs"][number] == sign else turned(own)

    fields: dict[str, Array] = {}
    for k, label in enumerate(merged.labels.begun):
        sign = sign_of(k) if turns else 1
        found = [(one, of_class(one, state, label, sign)) for one, state in zip(ones, states, strict=True)]
        parts = [(one, state) for one, state in found if state is not None]
        start = (None if base is None else of_class(base, first, label, sign)) or fresh
        group = group_of(merged, [one for one, _ in parts], [state for _, state in parts], start, ids)
        moved = group.renumbered or any(one.labels.begun[label] != k for one, _ in parts)
        seed = _core.class_seed(group.seed, 0 if turns and k == 1 else k)
        group = replace(group, renumbered=moved, seed=seed)
        own = merged_fields(recipe.pattern(), group)
        fields |= prefixed(f"class{k}.", own | {"features": group.ids})
    whole = group_of(merged, ones, [_of_all(state) for state in states], _of_all(first) if first else fresh, ids)
    fields |= merge_summary(whole) | {"rounds": whole.total(lambda one: one["rounds"])}
    if turns:
        fields["class_signs"] = np.array([sign_of(k) for k in range(len(merged.labels.begun))])
    _load(engine, fields)
    merged.engine = engine


def _of_all(state: dict[str, Array]) -> dict[str, Array]:
    """What belongs to no class; moments of features are by those of the first."""
    shared = {name: array for name, array in state.items() if "." not in name and name != "class_signs"}
    return shared | {"features": state.get("class0.features", np.zeros(0, np.int64))}


def merged_fields(recipe: Booster, group: Group) -> dict[str, Array]:
    """The arrays of the merged booster and bank."""
    if isinstance(recipe, Mixture):
        return merge_mixture(recipe, group)
    return merge_booster(recipe, group) | merge_bank(recipe.weak_learner(), group)


def widened(machine: Machine) -> Machine:
    """A machine whose engine is one of many classes."""
    if not isinstance(machine.engine, TwoClasses):
        return machine
    wide = copy.deepcopy(machine)
    wide.widen()
    return wide


def _load(engine: Any, fields: dict[str, Array]) -> None:
    engine.core.load({name: np.ascontiguousarray(array) for name, array in fields.items()})


def _merge_labels(merged: Machine, begun: list[Machine], origin: Machine | None) -> None:
    """The labels of all; classes begin in the order of the base, then in that of the labels."""
    for one in [*([] if origin is None else [origin]), *begun]:
        merged.labels.declare(one.labels.known)
    first = [] if origin is None else list(origin.labels.begun)
    others = {label for one in begun for label in one.labels.begun if label not in first}
    merged.labels.begin([*first, *(label for label in merged.labels.known if label in others)])


def _oriented(machine: Machine, merged: Machine) -> dict[str, Array]:
    """The state of a machine, with the classes changed where its first is not the merged model's."""
    state: dict[str, Array] = dict(machine.engine.core.state())
    own, theirs = list(machine.labels.begun), list(merged.labels.begun)
    return state if not own or own[0] == theirs[0] else turned(state)
