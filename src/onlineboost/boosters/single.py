"""One weak learner as a classifier of its own: the baseline columns of the paper's tables."""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster, Shared


class Single(Booster, name="single", estimator="OnlineClassifier"):
    """A single weak learner, not boosted."""

    n_learners = None  # there is one
    n_jobs = None  # and nothing to split

    def size(self) -> int:
        """One learner."""
        return 1

    def against_the_rest(self) -> Booster | Shared | None:
        """Only with a learner in Python."""
        return None if self.weak_learner().native else super().against_the_rest()

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "single"}
