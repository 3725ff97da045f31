"""How mixtures of families merge, where Bayes' rule alone weighs them: log-losses add, families merge by their rules.

The stack is a Bayesian logistic regression on the families' logits, and merges as that learner does. Weights are those
that one machine would have, had its experts lost what they have lost on all shards. What the shards lost because none
knew what the others had learned of the experts is counted: the bound on the regret has it.
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

SUMS = ("logit_squares", "expert_losses", "mixture_loss", "example_weight", "family_mistakes", "class_weight_sums")
APART = "Let every machine keep its own model and average their probabilities, or "


def check_mixture(recipe: Mixture, n_classes: int) -> None:
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
    if given["generations"] or given["retire"] or given["metric"] is not None:
        raise CannotMergeError(
            f"{who}: its generations, retirements and metric follow one stream. {APART}use generations=0, "
            "retire=False and no metric."
        )
    if n_classes > 2:
        raise CannotMergeError(f"{who} with more than two classes. {APART}merge OSBoostClassifier.")


def merge_mixture(recipe: Mixture, group: Group) -> dict[str, Array]:
    """The arrays of the merged booster and of the families."""
    members, shards = recipe.members(), [group.base, *group.shards]
    gone = [one.name for k, one in enumerate(members) if any(shard["families_present"][k] == 0 for shard in shards)]
    gone += [one.name for one in members if group.n_features > one.most_features and one.name not in gone]
    if gone:
        raise CannotMergeError(
            f"The families {', '.join(gone)} take fewer features than the models have together: raise their limits."
        )
    fields = {name: group.total(lambda one, name=name: one[name]) for name in SUMS if name in group.base.fields}  # type: ignore[misc]
    fields |= {name: getattr(group, rule)(lambda one, name=name: one[name]) for name, rule in COMMON.items()}
    fields |= {name: group.kept(lambda one, name=name: one[name]) for name in ("families_present", "families_at_work")}  # type: ignore[misc]
    fields["largest_weight"] = np.max([one["largest_weight"] for one in shards], axis=0)
    fields["rate_surprises"] = _lost_apart(fields)
    fields |= _stack(group, len(members))
    for k, one in enumerate(members):
        own = replace(group.inside(f"family{k}."), seed=(group.seed + k * GOLDEN) % 2**64)
        family = merge_booster(one.booster, own) | merge_bank(one.booster.weak_learner(), own)
        if "calibration_losses" in own.base.fields:
            family["calibration_losses"] = own.total(lambda one: one["calibration_losses"])
        fields |= prefixed(f"family{k}.", family)
    return fields


def _lost_apart(fields: dict[str, Array]) -> Array:
    """What the mixture lost beyond Bayes' rule over the sums of the experts' losses."""
    rate, losses = float(fields["largest_weight"][0]), fields["expert_losses"]
    least = losses.min()
    bayes = least - rate * np.log(np.exp((least - losses) / rate).mean())
    return np.asarray(np.maximum(fields["mixture_loss"] - bayes, 0.0))


def _stack(group: Group, size: int) -> dict[str, Array]:
    """Precisions add, means are weighted by the precision gained since the base, as those of `BayesianLogistic`."""

    def precision(one: Shard) -> Array:
        return np.linalg.inv(one["stack_covariance"].reshape(size, size))

    before, mean = precision(group.base), group.base["stack_mean"]
    gains = [precision(one) - before for one in group.shards]
    gained = sum(gains, np.zeros_like(before))
    moved = sum((gain @ (one["stack_mean"] - mean) for gain, one in zip(gains, group.shards, strict=True)), 0.0 * mean)
    covariance = np.linalg.inv(before + gained)
    return {
        "stack_mean": mean + np.linalg.solve(gained + LEAST_GAIN * before, moved),
        "stack_covariance": ((covariance + covariance.T) / 2).ravel(),
    }
