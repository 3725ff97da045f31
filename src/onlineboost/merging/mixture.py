"""How mixtures of families merge, where Bayes' rule alone weighs them: log-losses add, families merge by their rules.

The stack is a Bayesian regression on the families' logits, of two classes or of many, and merges as BayesianLogistic
does. Weights are those that one machine would have, had its experts lost what they have lost on all shards. What the
shards lost because none knew what the others had learned of the experts is counted: the bound on the regret has it. A
family that has retired in a shard has retired.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from onlineboost.boosters.mixture import GOLDEN
from onlineboost.merging.banks import LEAST_GAIN, can_merge, merge_bank, prefixed
from onlineboost.merging.boosters import COMMON, FIELDS, merge_booster
from onlineboost.merging.errors import CannotMergeError

if TYPE_CHECKING:
    from onlineboost.boosters.mixture import Mixture
    from onlineboost.merging.group import Array, Group, Shard

SUMS = ("logit_squares", "expert_losses", "mixture_loss", "example_weight", "family_mistakes")
APART = "Let every machine keep its own model and average their probabilities, or "


def check_mixture(recipe: Mixture) -> None:
    """Refuse a mixture that follows one stream, in one sentence."""
    ones = [(one.name, one.booster) for one in recipe.members()]
    names = [name for name, own in ones if type(own).__name__ not in FIELDS or not can_merge(own.weak_learner())]
    who = f"{recipe.estimator} cannot be merged"
    if names:
        raise CannotMergeError(
            f"{who}: the states of its families {', '.join(names)} are no sums. {APART}give families of linear "
            "learners and Naive Bayes."
        )
    given = recipe.checked()
    if given["generations"] or given["metric"] is not None:
        raise CannotMergeError(
            f"{who}: its generations and metric follow the errors of one stream, example by example. {APART}use "
            "generations=0 and no metric."
        )


def merge_mixture(recipe: Mixture, group: Group) -> dict[str, Array]:
    """The arrays of the merged booster and of the families."""
    members, shards = recipe.members(), [group.base, *group.shards]
    stay = np.min([shard["families_present"] for shard in shards], axis=0) > 0
    stay &= np.array([group.n_features <= one.most_features for one in members])
    if not stay.any():
        raise CannotMergeError("No family is at work in all models: give families that take more features.")
    fields = {name: group.total(lambda one, name=name: one[name]) for name in SUMS if name in group.base.fields}  # type: ignore[misc]
    if all("class_weight_sums" in one.fields for one in shards):
        fields["class_weight_sums"] = group.total(_class_weights)
    common = {name: rule for name, rule in COMMON.items() if all(name in one.fields for one in shards)}
    fields |= {name: getattr(group, rule)(lambda one, name=name: one[name]) for name, rule in common.items()}
    fields |= {"families_present": stay.astype(float), "families_at_work": stay.astype(np.int64)}
    fields["largest_weight"] = np.max([one["largest_weight"] for one in shards], axis=0)
    fields["rate_surprises"] = _lost_apart(fields, stay)
    fields |= _stack(group, stay)
    for k, one in enumerate(members):
        if not stay[k]:
            continue
        own = replace(group.inside(f"family{k}."), seed=(group.seed + k * GOLDEN) % 2**64)
        family = merge_booster(one.booster, own) | merge_bank(one.booster.weak_learner(), own)
        if "calibration_losses" in own.base.fields:
            family["calibration_losses"] = own.total(lambda one: one["calibration_losses"])
        fields |= prefixed(f"family{k}.", family)
    return fields


def _class_weights(shard: Shard) -> Array:
    """The sums of each class, of many in the merged model's order; 0 where it has not begun."""
    sums = shard["class_weight_sums"]
    if shard.numbers is None:
        return sums
    own = sums.reshape(-1, 3)
    return np.concatenate([np.zeros(3) if number is None else own[number] for number in shard.numbers])


def _lost_apart(fields: dict[str, Array], stay: Array) -> Array:
    """What the mixture lost beyond Bayes' rule over the sums of the losses of the stack and the families at work."""
    rate, losses = float(fields["largest_weight"][0]), fields["expert_losses"][np.append(True, stay)]
    least = losses.min()
    bayes = least - rate * np.log(np.exp((least - losses) / rate).sum() / len(fields["expert_losses"]))
    return np.asarray(np.maximum(fields["mixture_loss"] - bayes, 0.0))


def _stack(group: Group, stay: Array) -> dict[str, Array]:
    """Precisions add, means are weighted by the precision gained since the base, as those of `BayesianLogistic`.

    With many classes the state has precisions; with two it has covariances, without the families that have retired.
    """
    many = "stack_precision" in group.base.fields
    at = np.ones_like(stay) if many else stay
    block = np.ix_(at, at)

    def precision(one: Shard) -> Array:
        matrix = one["stack_precision" if many else "stack_covariance"].reshape(len(stay), len(stay))
        return matrix if many else np.linalg.inv(matrix[block])

    before, mean = precision(group.base), group.base["stack_mean"][at]
    gains = [precision(one) - before for one in group.shards]
    gained = sum(gains, np.zeros_like(before))
    pairs = zip(gains, group.shards, strict=True)
    moved = sum((gain @ (one["stack_mean"][at] - mean) for gain, one in pairs), 0.0 * mean)
    means, matrix = np.zeros(len(stay)), np.zeros((len(stay), len(stay)))
    means[at] = mean + np.linalg.solve(gained + LEAST_GAIN * before, moved)
    total = before + gained
    matrix[block] = total if many else np.linalg.inv(total)
    return {
        "stack_mean": np.where(stay, means, 0.0),
        "stack_precision" if many else "stack_covariance": ((matrix + matrix.T) / 2).ravel(),
    }
