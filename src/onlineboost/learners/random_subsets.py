"""Random subspaces (Ho, IEEE PAMI 20, 1998) for any native learner: each sees its own share of the features.

A learner sees feature f if a hash of (seed, learner, f) falls below `share`: nothing is stored, features may appear at
any time, and it makes no difference how many learners there are. What it does not see is not there for it: unit norm is
that of the part it sees.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner, native_spec


class RandomSubsets(Learner):
    """Learners that each see a random share of the features.

    Parameters
    ----------
    learner : Learner
        A learner with a native bank.
    share : float, default=0.5
        The chance of a feature to be seen, in (0, 1].
    group : int, default=1
        How many neighbouring learners share a subset. Each group is a bank of its own; groups of 8 or more are swept
        at the speed of the plain learner, single learners several times slower.

    """

    def __init__(self, learner: Any, share: float = 0.5, *, group: int = 1) -> None:
        self.learner = learner
        self.share = share
        self.group = group

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        group = min(_check.integer("group", self.group, 1, 1_000_000), n_learners)
        sizes = [min(group, n_learners - first) for first in range(0, n_learners, group)]
        return {
            "kind": "random_subsets",
            "share": _check.real("share", self.share, 0.0, 1.0, low_open=True),
            "seed": seed,
            "inner": [(n, native_spec(self, n, n_features, seed_of(seed, g))) for g, n in enumerate(sizes)],
        }


def seed_of(seed: int, group: int) -> int:
    """Groups draw apart from each other."""
    return (seed + 0x9E3779B97F4A7C15 * (group + 1)) % 2**64
