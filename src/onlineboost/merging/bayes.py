"""Naive Bayes is sums over examples, so merging is adding: weights of classes, counts of values, raw moments.

A feature is discrete (the weight of each value, by class) or Gaussian (its moments, by class). It is Gaussian in the
merged model if it is so in a shard, or if the shards together have seen more values than a learner keeps. A feature
that was missing in a row has weights of its own, of the rows that had it: these add, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.merging.errors import CannotMergeError

if TYPE_CHECKING:
    from onlineboost.merging.group import Array, Group, Shard

SIDES = ("minus.", "plus.")


def merge_naive_bayes(learner: Any, group: Group) -> dict[str, Array]:
    """The arrays of the merged bank."""
    given = learner.checked()
    if given["estimates"] == "paper":
        raise CannotMergeError('NaiveBayes(estimates="paper") cannot be merged: use estimates="proper".')
    totals = {side + "totals": group.total(lambda one, s=side: one[s + "totals"]) for side in SIDES}  # type: ignore[misc]
    owned = sorted({int(one.places[slot]) for one in [group.base, *group.shards] for slot in _owned(one)})
    weights = {side: group.total(lambda one, s=side: _weights(one, group, s)) for side in SIDES}  # type: ignore[misc]
    merged = totals | (_merge_typed if given["kind"] == "typed" else _merge_plain)(given, group, weights)
    if "own_weights" in group.base.fields:
        merged["own_weights"] = np.array(owned, np.int64)
        merged |= {side + "own_totals": weights[side][owned] for side in SIDES if owned}
    return merged


def _owned(shard: Shard) -> list[int]:
    """The slots of features that were missing in a row."""
    return [int(slot) for slot in shard.fields.get("own_weights", ())]


def _weights(shard: Shard, group: Group, side: str) -> Array:
    """The weight of the rows that had it, for each feature of the group."""
    found = np.tile(shard[side + "totals"], (group.n_features, 1))
    if owned := _owned(shard):
        found[shard.places[owned]] = shard[side + "own_totals"]
    return found


def _moments(first: Array, second: Array, weight: Array) -> tuple[Array, Array]:
    """Means and squared deviations from Σ w x and Σ w x²."""
    mean = np.divide(first, weight, out=np.zeros_like(first), where=weight > 0)
    return mean, np.maximum(second - weight * mean**2, 0.0)


# ---- features that are counted if they are 0 or 1, and Gaussian else -----------------------------------------


def _merge_plain(given: dict[str, Any], group: Group, weights: dict[str, Array]) -> dict[str, Array]:
    gaussian = np.zeros(group.n_features, bool)
    for one in group.shards:
        gaussian[one.places] |= one["places"] < 0
    if given["kind"] == "gaussian":
        gaussian[:] = True
    for one in [group.base, *group.shards]:
        if given["unit_norm"] and (gaussian[one.places] & (one["places"] >= 0)).any():
            raise CannotMergeError(
                "A feature is 0 or 1 in one model and has other values in another, which are divided by the norms of "
                "their rows: use unit_norm=False, or start all models from a base that has seen such a value."
            )
    constant = len(group.base["plus.means"]) - int((group.base["places"] < 0).sum())  # the intercept's row, or none
    is_moment = np.concatenate([np.ones(constant, bool), gaussian])
    row = np.cumsum(is_moment)[constant:]
    found: dict[str, Array] = {"places": np.where(gaussian, -row, np.cumsum(~gaussian) - 1)}
    for side in SIDES:
        counts, first, second = (
            group.total(lambda one, k=k, s=side: _plain_sums(one, group, s, constant)[k])  # type: ignore[misc]
            for k in range(3)
        )
        total = group.total(lambda one, s=side: one[s + "totals"])  # type: ignore[misc]
        weight = np.concatenate([np.tile(total, (constant, 1)), weights[side]])
        mean, squares = _moments(first[is_moment], second[is_moment], weight[is_moment])
        found |= {side + "counts": counts[~is_moment], side + "means": mean, side + "squares": squares}
    return found


def _plain_sums(shard: Shard, group: Group, side: str, constant: int) -> Array:
    """Weights with the feature present, Σ w x and Σ w x², a row per feature of the group, the intercept's first."""
    means, squares = shard[side + "means"], shard[side + "squares"]
    weight = np.tile(shard[side + "totals"], (len(means), 1))
    if owned := _owned(shard):
        is_moment = shard["places"][owned] < 0
        weight[-1 - shard["places"][owned][is_moment]] = shard[side + "own_totals"][is_moment]
    first, second = weight * means, squares + weight * means**2
    sums = np.zeros((3, constant + group.n_features, weight.shape[1]))
    sums[1, :constant], sums[2, :constant] = first[:constant], second[:constant]
    counted = shard["places"] >= 0
    sums[:, constant + shard.places[counted]] = shard[side + "counts"][shard["places"][counted]]  # x is 1
    rows = -1 - shard["places"][~counted]
    sums[1, constant + shard.places[~counted]], sums[2, constant + shard.places[~counted]] = first[rows], second[rows]
    return sums


# ---- typed: every value is counted, up to a number of them ---------------------------------------------------


def _merge_typed(given: dict[str, Any], group: Group, weights: dict[str, Array]) -> dict[str, Array]:
    shards, base = [_Typed(one, group) for one in group.shards], _Typed(group.base, group)
    n_learners = weights["plus."].shape[1]
    kinds, values = [], []
    rows: dict[str, list[Array]] = {side + name: [] for side in SIDES for name in ("counts", "means", "squares")}
    for feature in range(group.n_features):
        parts = [one.features[feature] for one in shards]
        seen = sorted(set().union(*(one for one in [base.features[feature], *parts] if isinstance(one, dict))))
        is_gaussian = any(not isinstance(one, dict) for one in parts) or len(seen) > given["max_values"]
        kinds.append(-1 - len(rows["plus.means"]) if is_gaussian else len(seen))
        for side in range(2):
            name = SIDES[side]
            if is_gaussian:
                before = base.raw(feature)[:, side]
                first, second = before + sum(one.raw(feature)[:, side] - before for one in shards)
                mean, squares = _moments(first, second, weights[name][feature])
                rows[name + "means"].append(mean)
                rows[name + "squares"].append(squares)
                continue
            for value in seen:
                before = base.features[feature].get(value, np.zeros((2, n_learners)))[side]
                rows[name + "counts"].append(
                    before + sum(one.get(value, np.zeros((2, n_learners)))[side] - before for one in parts)
                )
        values += [] if is_gaussian else seen
    tables = {name: np.array(found).reshape(len(found), n_learners) for name, found in rows.items()}
    started = max(int(one["started"][0]) for one in [group.base, *group.shards])
    return tables | {
        "started": np.array([started]),
        "kinds": np.array(kinds, np.int64),
        "values": np.array(values, np.float64),
    }


class _Typed:
    """The features of one shard: the weight of each value by class, or raw moments by class."""

    def __init__(self, shard: Shard, group: Group) -> None:
        self.totals = totals = np.array([shard[side + "totals"] for side in SIDES])
        unseen = {0.0: totals} if shard["started"][0] else {}  # it was 0 in every row
        self.features: list[Any] = [unseen for _ in range(group.n_features)]
        weights = np.array([_weights(shard, group, side) for side in SIDES])
        at = 0
        for place, kind in zip(shard.places.tolist(), shard["kinds"].tolist(), strict=True):
            if kind < 0:
                mean, squares = (
                    np.array([shard[side + name][-1 - kind] for side in SIDES]) for name in ("means", "squares")
                )
                weight = weights[:, place]
                self.features[place] = np.array([weight * mean, squares + weight * mean**2])
                continue
            self.features[place] = {
                float(shard["values"][row]): np.array([shard[side + "counts"][row] for side in SIDES])
                for row in range(at, at + kind)
            }
            at += kind

    def raw(self, feature: int) -> Array:
        """Σ w x and Σ w x² of the feature by class."""
        one = self.features[feature]
        if not isinstance(one, dict):
            return np.asarray(one)
        nothing = np.zeros_like(self.totals)
        return np.array([sum((value**power * w for value, w in one.items()), nothing) for power in (1, 2)])
