"""OzaBoost that resets its worst learner when errors rise.

Bifet, Holmes, Pfahringer, Kirkby, Gavaldà, "New Ensemble Methods for Evolving Data Streams", KDD 2009, describe it for
bagging; MOA has the boosting form, OzaBoostAdwin:

    OzaBoost, and an ADWIN window over the mistakes of each learner;
    when any window is cut because its mean has risen:   m = the learner whose window has the largest mean
                                                         learner m, its window, sc_m and sw_m begin anew

Which variant: that of MOA, with this package's OzaBoost (votes of learners with ε ≥ 1/2 are left out one by one, where
MOA ends with the first; no SAMME, no output codes). Mistakes are those by which OzaBoost judges a learner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters.osboost import DRIFT_DELTA
from onlineboost.boosters.ozaboost import OzaBoost

if TYPE_CHECKING:
    from onlineboost.declarations import Real


class OzaBoostADWIN(OzaBoost, name="ozaboost-adwin", estimator="OzaBoostADWINClassifier"):
    """OzaBoost whose worst learner begins anew when the errors of any learner rise."""

    drift_delta: Real = DRIFT_DELTA

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return super().booster_spec(seed) | {"drift": "worst", "drift_delta": self.checked()["drift_delta"]}
