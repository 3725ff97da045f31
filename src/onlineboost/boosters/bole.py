"""BOLE: OzaBoost whose learners take their turns by accuracy.

Barros, Santos, Gonçalves, "A Boosting-like Online Learning Ensemble", IJCNN 2016, after ADOB (Santos, Gonçalves, Silva,
Barros, ECML 2014):

    λ = 1;  learners are sorted by accuracy sc_m / (sc_m + sw_m)
    the worst one is taught first; after one that was right comes the best that is left, after a wrong one the worst
    λ, sc, sw as in OzaBoost;  ε_m = sw_m / (sc_m + sw_m) ≤ error_bound:  vote log((1-ε_m)/ε_m) + weight_shift

Which variant: MOA's with its defaults, "break votes" off. There each learner is wrapped in a detector, DDM; here it is
ADWIN over the mistakes by which the learner is judged, which resets the learner and leaves sc and sw. The vote is on
the sign of h_m, where MOA adds up normalised votes; ε is clamped as in OzaBoost, where MOA leaves out ε = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters.osboost import DRIFT_DELTA
from onlineboost.boosters.ozaboost import OzaBoost
from onlineboost.declarations import Real

if TYPE_CHECKING:
    from onlineboost.declarations import Parameter


class BOLE(OzaBoost, name="bole", estimator="BOLEClassifier"):
    """Boosting-like online learning ensemble."""

    error_bound = Real(default=0.5, low=0.1, high=1.0, text="The largest error with which a learner votes.")
    weight_shift = Real(default=0.0, low=0.0, high=5.0, text="What is added to the weight of each vote.")
    drift_delta: Parameter = DRIFT_DELTA

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        own = {name: given[name] for name in ("error_bound", "weight_shift", "drift_delta")}
        return super().booster_spec(seed) | own | {"drift": "adwin"}
