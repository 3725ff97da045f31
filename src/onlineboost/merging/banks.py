"""How the learners of several shards become those of one model. `docs/merging.md` has the rules and their sources.

A rule gets the group of shards and gives the arrays of the merged bank. Sums add exactly. Weights of linear learners
are averaged: by examples, by the squared gradients of each feature, or by precision.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.learners.base import inner_learner
from onlineboost.learners.random_subsets import seed_of
from onlineboost.merging.bayes import merge_naive_bayes
from onlineboost.merging.errors import CannotMergeError
from onlineboost.merging.group import sign_of
from onlineboost.reference.rng import INTERCEPT_ID, SUBSET, hash64, start, uniform

if TYPE_CHECKING:
    from collections.abc import Callable

    from onlineboost.learners.base import Learner
    from onlineboost.merging.group import Array, Group, Shard

    Fields = dict[str, Array]
    Rule = Callable[[Any, Group], Fields]


def merge_bank(learner: Learner, group: Group) -> Fields:
    """The arrays of the merged bank."""
    name = type(learner).__name__
    if name not in RULES:
        raise CannotMergeError(
            f"{name} cannot be merged: its state is no sum over examples. Let every machine keep its own model and "
            "average their probabilities, or use a linear learner or Naive Bayes."
        )
    if learner.checked().get("half_life") is not None:
        raise CannotMergeError(
            f"{name} with a half_life cannot be merged: what each shard forgets depends on its rows."
        )
    if group.base.numbers is None or "learner" in learner.parameters:
        return RULES[name](learner, group)
    count = len(group.base.numbers)
    fields = {"class_signs": np.array([sign_of(k) for k in range(count)])}
    for k in range(count):
        fields |= prefixed(f"class{k}.", RULES[name](learner, group.of_class(k)))
    return fields


def can_merge(learner: Learner | None) -> bool:
    """Whether there is a rule for the learner, and for the one inside of a wrapper."""
    if type(learner).__name__ not in RULES:
        return False
    return learner is None or "learner" not in learner.parameters or can_merge(inner_learner(learner))


def _zeros(group: Group, shard: Shard, name: str) -> Array:
    """The table of a learner that starts at 0."""
    before = len(shard[name]) - len(shard.places)
    return np.zeros((before + group.n_features, shard[name].shape[1]))


# ---- averages by examples ------------------------------------------------------------------------------------


def _start(learner: Any, group: Group, n_learners: int) -> Array:
    """The first coordinates of every feature, as `Perceptron` draws them."""
    ids = group.ids.astype(np.uint64)
    if learner.intercept:
        ids = np.concatenate([np.array([INTERCEPT_ID], np.uint64), ids])
    if learner.init != "random":
        return np.zeros((len(ids), n_learners))
    width = max(group.start_features + learner.intercept, 1)
    drawn = start(group.seed, np.arange(n_learners, dtype=np.uint64)[None, :], ids[:, None])
    return np.asarray(drawn / math.sqrt(width))


MISTAKES = 0.9  # below 1: shards make different mistakes, too, and a mean leaves each with a part of its correction


def _perceptron(learner: Any, group: Group) -> Fields:
    """The base and what shards have added, by (n / all n)^0.9: 1 is the mean, 0 the sum, which overshoots."""
    first = _start(learner, group, group.base["coordinates"].shape[1])
    u, examples = group.rows(group.base, "coordinates", first), sum(one.examples for one in group.shards)
    added = [
        (one.examples / examples) ** MISTAKES * (group.rows(one, "coordinates", first) - u)
        for one in group.shards
        if one.examples
    ]
    u = u + sum(added, np.zeros_like(u))
    return {"coordinates": u, "squared_norms": np.square(u).sum(axis=0)}


def _averaged_perceptron(learner: Any, group: Group) -> Fields:
    """The average is u - v/c, with the clock c and the timed steps v: c u - v is a sum over time, so it adds."""
    first = _start(learner, group, group.base["coordinates"].shape[1])

    def sums(one: Shard) -> Array:
        u, v = group.rows(one, "coordinates", first), group.rows(one, "timed_steps", np.zeros_like(first))
        return np.asarray(one["clocks"] * u - v)

    u = group.mean(lambda one: group.rows(one, "coordinates", first))
    clocks = group.total(lambda one: one["clocks"])
    v = clocks * u - group.total(sums)
    return {
        "coordinates": u,
        "timed_steps": v,
        "clocks": clocks,
        "squared_norms": np.square(u).sum(axis=0),
        "products": (u * v).sum(axis=0),
        "timed_norms": np.square(v).sum(axis=0),
    }


def _online_gradient(learner: Any, group: Group) -> Fields:
    if learner.checked()["restart"] != "never":
        raise CannotMergeError(
            'OnlineGradient(restart="clock") cannot be merged: every shard restarts by a clock of its own. Use '
            "OnlineGradient()."
        )
    u = group.mean(lambda one: group.rows(one, "coordinates", _zeros(group, one, "coordinates")) * one["scales"])
    return {
        "coordinates": u,
        "scales": np.ones(u.shape[1]),
        "squared_norms": np.minimum(np.square(u).sum(axis=0), 1.0),  # of a mean of points in the unit ball
        "squared_weights": group.total(lambda one: one["squared_weights"]),
    }


def _passive_aggressive(_: Any, group: Group) -> Fields:
    return {
        "coordinates": group.mean(lambda one: group.rows(one, "coordinates", _zeros(group, one, "coordinates"))),
    }


# ---- averages by squared gradients (Agarwal et al., JMLR 2014) -----------------------------------------------


def _by_squares(group: Group, weights: Callable[[Shard], Array]) -> tuple[Array, Array]:
    """The mean of the weights, per coordinate by the squared gradients since the base; and the squares of all."""

    def squares(one: Shard) -> Array:
        return group.rows(one, "coordinate_squares", _zeros(group, one, "coordinate_squares"))

    before = squares(group.base)
    since = [squares(one) - before for one in group.shards]
    total = np.sum(since, axis=0)
    moved = sum(share * weights(one) for share, one in zip(since, group.shards, strict=True))
    u = np.divide(moved, total, out=weights(group.base), where=total > 0)
    return u, before + total


def _adagrad(_: Any, group: Group) -> Fields:
    u, squares = _by_squares(group, lambda one: group.rows(one, "coordinates", _zeros(group, one, "coordinates")))
    return {"coordinates": u, "coordinate_squares": squares}


def _ftrl(learner: Any, group: Group) -> Fields:
    """FTRL keeps duals z, from which the weights follow; back from the mean weights to z."""

    def rate(squares: Array) -> Array:
        return np.asarray((learner.beta + np.sqrt(squares)) / learner.alpha + learner.l2)

    def duals(one: Shard) -> Array:
        return group.rows(one, "duals", _zeros(group, one, "duals"))

    def weights(one: Shard) -> Array:
        z, squares = duals(one), group.rows(one, "coordinate_squares", _zeros(group, one, "coordinate_squares"))
        return np.asarray(-np.sign(z) * np.maximum(np.abs(z) - learner.l1, 0.0) / rate(squares))

    u, squares = _by_squares(group, weights)
    asleep = np.clip(group.total(duals), -learner.l1, learner.l1)  # weights of 0
    return {
        "duals": np.where(u == 0, asleep, -u * rate(squares) - np.sign(u) * learner.l1),
        "coordinate_squares": squares,
    }


# ---- Gaussians: precisions add -------------------------------------------------------------------------------


def _posterior(learner: Any, group: Group) -> Fields:
    """Means by precision, less the base's M - 1 times: exact where each Gaussian is the posterior of its examples."""
    spec = learner.bank_spec(1, 1, 0)
    precisions, means, n_shards = _natural(group, spec)
    before, mean = precisions[-1], means[-1]
    total = before + sum(one - before for one in precisions[:-1])
    weighted = sum(
        (_times(one, u) for one, u in zip(precisions[:-1], means[:-1], strict=True)),
        -(n_shards - 1) * _times(before, mean),
    )
    return _packed(total, _solve(total, weighted))


def _average(learner: Any, group: Group) -> Fields:
    """Means by the precision that each shard has gained since the base.

    Rules that learn from mistakes correct the same ones on every shard, and the sum of all corrections overshoots.
    """
    precisions, means, _ = _natural(group, learner.bank_spec(1, 1, 0))
    before, mean = precisions[-1], means[-1]
    gains = [one - before for one in precisions[:-1]]
    gained = sum(gains, np.zeros_like(before))
    moved = sum((_times(gain, u - mean) for gain, u in zip(gains, means[:-1], strict=True)), np.zeros_like(mean))
    return _packed(before + gained, mean + _solve(gained + LEAST_GAIN * before, moved))


LEAST_GAIN = 1e-9  # of the base's precision: coordinates that no shard has learned stay as they are


def _natural(group: Group, spec: dict[str, Any]) -> tuple[list[Array], list[Array], int]:
    """Precisions and means of the shards, the base's last, by learner; and how many shards there are.

    A precision is a matrix per learner, or of a diagonal covariance a vector.
    """
    ones = [*group.shards, group.base]
    means = [group.rows(one, "coordinates", _zeros(group, one, "coordinates")).T for one in ones]
    first, n_rows = float(spec["variance"]), means[0].shape[1]
    if not spec["full"]:
        tables = [group.rows(one, "covariance", _zeros(group, one, "covariance") + first).T for one in ones]
        return [1.0 / np.maximum(one, 1e-300) for one in tables], means, len(group.shards)
    return [np.linalg.inv(_covariance(group, one, first, n_rows)) for one in ones], means, len(group.shards)


def _covariance(group: Group, one: Shard, first: float, n_rows: int) -> Array:
    """A matrix per learner, from the rows of its lower triangle."""
    packed, before = one["covariance"], n_rows - group.n_features
    at = np.concatenate([np.arange(before), before + one.places]).astype(np.intp)
    sigma = np.tile(first * np.eye(n_rows), (packed.shape[1], 1, 1))
    rows, columns = (at[part] for part in np.tril_indices(len(at)))
    sigma[:, rows, columns] = sigma[:, columns, rows] = packed.T
    return sigma


def _times(precision: Array, u: Array) -> Array:
    return np.asarray(precision * u if precision.ndim == 2 else np.einsum("nij,nj->ni", precision, u))


def _solve(precision: Array, v: Array) -> Array:
    return np.asarray(v / precision if precision.ndim == 2 else np.linalg.solve(precision, v[..., None])[..., 0])


def _packed(precision: Array, u: Array) -> Fields:
    if precision.ndim == 2:
        return {"coordinates": u.T, "covariance": (1.0 / precision).T}
    sigma = np.linalg.inv(precision)
    rows, columns = np.tril_indices(sigma.shape[1])
    return {"coordinates": u.T, "covariance": ((sigma + sigma.transpose(0, 2, 1)) / 2)[:, rows, columns].T}


# ---- wrappers ------------------------------------------------------------------------------------------------


def _scaled(learner: Any, group: Group) -> Fields:
    """Running means and squared deviations of the features join as those of two samples (Chan et al. 1979)."""

    def column(one: Shard, name: str) -> Array:
        found = np.zeros(group.n_features)
        found[one.places] = one[name]
        return found

    rows = group.total(lambda one: one["scaled_rows"])
    # A feature that a row lacks is 0 there: raw sums know nothing of such rows, and all rows count.
    sums = group.total(lambda one: column(one, "scaled_means") * column(one, "scaled_counts"))
    squares = group.total(
        lambda one: column(one, "scaled_squares") + column(one, "scaled_counts") * column(one, "scaled_means") ** 2
    )
    means = sums / max(float(rows[0]), 1.0)
    spread = np.maximum(squares - rows[0] * means**2, 0.0)
    return {
        "scaled_rows": rows,
        "scaled_counts": np.full(group.n_features, rows[0]),
        "scaled_means": means,
        "scaled_squares": spread,
        "scaled_present": group.total(lambda one: column(one, "scaled_present")),
        "scaled_largest": np.max([column(one, "scaled_largest") for one in [group.base, *group.shards]], axis=0),
        **prefixed("inner.", merge_bank(inner_learner(learner), group.inside("inner."))),
    }


def _random_fourier(learner: Any, group: Group) -> Fields:
    """The learner inside, on components that are the same in all shards: hashes of the seed and of the features."""
    _require_numbers(learner, group)
    n_components = learner.checked()["n_components"]

    def met(one: Shard) -> bool:
        return bool(one["components_met"][0])

    def places(one: Shard) -> Shard:
        return replace(one.inside("inner."), places=np.arange(n_components if met(one) else 0))

    ids = np.arange(n_components if any(map(met, [group.base, *group.shards])) else 0)
    inner = replace(group.each(places), ids=ids, start_features=n_components)
    return {
        "components_met": np.array([int(len(ids) > 0)]),
        **prefixed("inner.", merge_bank(inner_learner(learner), inner)),
    }


def _random_subsets(learner: Any, group: Group) -> Fields:
    """Each group of learners by itself, on the features that it sees."""
    _require_numbers(learner, group)
    share, g = learner.checked()["share"], 0
    fields: Fields = {}
    while any(name.startswith(f"subset{g}.") for name in group.base.fields):
        seen = uniform(hash64(group.seed, SUBSET, g, group.ids.astype(np.uint64))) < share
        place = np.cumsum(seen) - 1

        def part(one: Shard, seen: Array = seen, place: Array = place, prefix: str = f"subset{g}.") -> Shard:
            return replace(one.inside(prefix), places=place[one.places[seen[one.places]]])

        inner = replace(group.each(part), ids=group.ids[seen], seed=seed_of(group.seed, g))
        fields |= prefixed(f"subset{g}.", merge_bank(inner_learner(learner), inner))
        g += 1
    return fields


def _require_numbers(learner: Any, group: Group) -> None:
    if group.renumbered:
        raise CannotMergeError(
            f"{type(learner).__name__} cannot be merged here: the models have met names or labels in different orders, "
            "and what is random depends on it. Let all begin from one base that has seen them."
        )


def prefixed(prefix: str, fields: Fields) -> Fields:
    """The arrays with longer names."""
    return {prefix + name: array for name, array in fields.items()}


RULES: dict[str, Rule] = {
    "Perceptron": _perceptron,
    "AveragedPerceptron": _averaged_perceptron,
    "OnlineGradient": _online_gradient,
    "PassiveAggressive": _passive_aggressive,
    "AdaGradLogistic": _adagrad,
    "FTRL": _ftrl,
    "AROW": _average,
    "SCW": _posterior,
    "OnlineRidge": _posterior,
    "BayesianLogistic": _average,
    "NaiveBayes": merge_naive_bayes,
    "Scaled": _scaled,
    "RandomFourier": _random_fourier,
    "RandomSubsets": _random_subsets,
}
