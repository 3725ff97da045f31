"""Random subspaces (Ho, IEEE PAMI 20, 1998) for any native learner: each sees its own share of the features.

A learner sees feature f if a hash of (seed, learner, f) falls below `share`: nothing is stored, features may appear at
any time, and it makes no difference how many learners there are. What it does not see is not there for it: unit norm is
that of the part it sees.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Integer, Real
from onlineboost.learners.base import INNER, Learner, native_spec


class RandomSubsets(Learner):
    """Learners that each see a random share of the features."""

    learner = INNER
    share = Real(
        default=0.5, low=0.0, high=1.0, low_open=True, text="The chance of a feature to be seen.", positional=True
    )
    group = Integer(
        default=1,
        low=1,
        high=1_000_000,
        text="How many neighbouring learners share a subset. Each group is a bank of its own; groups of 8 or more are "
        "swept at the speed of the plain learner, single learners several times slower.",
    )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        inner = [
            (n, native_spec(self, n, n_features, seed_of(seed, g))) for g, n in enumerate(self.group_sizes(n_learners))
        ]
        return {**given, "kind": "random_subsets", "seed": seed, "inner": inner}

    def group_sizes(self, n_learners: int) -> list[int]:
        """How many learners each group has."""
        group = min(self.checked()["group"], n_learners)
        return [min(group, n_learners - first) for first in range(0, n_learners, group)]


def seed_of(seed: int, group: int) -> int:
    """Groups draw apart from each other."""
    return (seed + 0x9E3779B97F4A7C15 * (group + 1)) % 2**64
