"""How the sums of boosters merge: certificates are sums over examples, so they add, whatever the learners were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost.merging.errors import CannotMergeError

if TYPE_CHECKING:
    from onlineboost.boosters import Booster
    from onlineboost.merging.group import Array, Group, Shard

SUMS = "total"  # what the base has and what the shards have added
MEAN = "mean"  # by examples
BASE = "kept"  # what the base has
COMMON = {"rounds": SUMS, "calibration": MEAN, "calibration_bisects": BASE}
DIAGNOSTICS = (
    "weight_mass",
    "weight_squares",
    "weighted_edges",
    "margin_shortfalls",
    "margin_errors",
    "prefix_mistakes",
)
FIELDS = {
    "OSBoost": dict.fromkeys((*DIAGNOSTICS, *(f"faded_{name}" for name in DIAGNOSTICS), "vote_mistakes"), SUMS),
    "OzaBoost": dict.fromkeys(("correct", "wrong", "count"), SUMS),
    "BBM": dict.fromkeys(("weight_mass", "weighted_edges", "count", "vote_mistakes", "majority_mistakes"), SUMS),
    "GradientBoost": {},
    "Single": {},
}


def merge_booster(recipe: Booster, group: Group) -> dict[str, Array]:
    """The arrays of the merged booster."""
    if recipe.label_sets:
        raise CannotMergeError(
            f"{recipe.estimator} cannot be merged: it has a booster for each label of a set. Let every machine keep "
            "its own model and average their probabilities, or learn a model for each label and merge these."
        )
    name = type(recipe).__name__
    vote = getattr(recipe, "vote", "uniform")
    if name not in FIELDS or vote != "uniform":
        which = recipe.estimator if vote == "uniform" else f"{recipe.estimator}(vote={vote!r})"
        raise CannotMergeError(
            f"{which} cannot be merged: its own vote follows one stream. Merge OSBoostClassifier with "
            'vote="uniform", OzaBoostClassifier, BBMClassifier or OnlineClassifier, or add up certificates.'
        )
    if getattr(recipe, "drift", None) is not None:
        raise CannotMergeError(
            f"{recipe.estimator}(drift={recipe.drift!r}) cannot be merged: its windows follow one stream. "  # type: ignore[attr-defined]
            "Merge models with drift=None, or add up certificates."
        )
    rules = COMMON | FIELDS[name]
    fields: dict[str, Array] = {}
    for k in range(len(group.base.numbers or ())):
        fields |= _calibration_of(group, k)
    return fields | {
        field: getattr(group, rule)(lambda one, field=field: one[field])
        for field, rule in rules.items()
        if field in group.base.fields
    }


def _calibration_of(group: Group, k: int) -> dict[str, Array]:
    """That of one of many classes: the mean by examples, those before the class began too."""

    def part(one: Shard, k: int) -> Shard | None:
        number = (one.numbers or ())[k]
        return None if number is None else one.inside(f"calibration{number}.")

    own = group.each_of(k, part, "calibration0.")
    return {
        f"calibration{k}.calibration": own.mean(lambda one: one["calibration"]),
        f"calibration{k}.calibration_bisects": own.kept(lambda one: one["calibration_bisects"]),
    }
