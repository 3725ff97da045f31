"""OzaBoost (Oza & Russell, "Online Bagging and Boosting", AISTATS 2001; Oza, SMC 2005).

    λ = 1;  for m = 1…M:   teach learner m k ~ Poisson(λ) times
                           right:  sc_m += λ;  λ *= (sc_m + sw_m) / (2 sc_m)
                           wrong:  sw_m += λ;  λ *= (sc_m + sw_m) / (2 sw_m)
    vote: log((1-ε_m)/ε_m) on the sign of h_m,  ε_m = sw_m / (sc_m + sw_m)

Which variant: right or wrong is judged after the update. An output of exactly 0, such as that of a learner that has met
no example, says -1, here as in the vote (inside, -1 is the label that was not learned first). A learner with ε ≥ 1/2
has no vote, the ones behind it keep theirs; ε is clamped to 10⁻¹⁰; λ to 10⁶; k to 1000. This matches the OzaBoost
column of the paper's Table 1.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster
from onlineboost.declarations import Choice


class OzaBoost(Booster, name="ozaboost", estimator="OzaBoostClassifier"):
    """Online AdaBoost by Poisson sampling."""

    update = Choice(
        default="poisson",
        of=("poisson", "weight"),
        text="Teach k ~ Poisson(λ) times, or once with weight λ (less variance for Naive Bayes, more for Perceptrons).",
    )
    evaluate = Choice(
        default="after",
        of=("after", "before"),
        text='Judge a learner by its output after or before its update. "before" helps learners that remember rows.',
    )
    denominator = Choice(
        default="weights",
        of=("weights", "count"),
        text="λ *= (sc + sw) / (2 sc), or n / (2 sc) with n the number of examples, as the figure of 2001 and MOA "
        "have it.",
    )

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        return {
            "kind": "ozaboost",
            "poisson": given["update"] == "poisson",
            "after": given["evaluate"] == "after",
            "by_count": given["denominator"] == "count",
            "seed": seed,
        }
