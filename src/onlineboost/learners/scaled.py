"""Feature scaling by running statistics, in front of any native learner.

    method="standard"    z_f = (x_f - mean_f) / deviation_f  for dense features,  x_f / √(mean of x_f²)  for sparse ones
    method="maxabs"      z_f = x_f / max |x_f|

The statistics are over all rows learned and the present one, absent features counted as 0, by Welford's recurrence. A
prediction takes its own row in as well, so that a row has one scaled form before and after its label is known. A
feature is dense while it was present in at least nine tenths of the rows; only then is it centred (and has a value
where it is absent), so that sparse rows stay sparse. Results are clipped to ±clip, against outliers and the first few
rows. Sample weights play no part in the statistics: a row that is learned counts once.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner, native_spec


class Scaled(Learner):
    """A learner on rows whose features have been brought to one scale.

    Parameters
    ----------
    learner : Learner
        A learner with a native bank.
    method : {"standard", "maxabs"}, default="standard"
        What features are divided by, and whether dense ones are centred.
    clip : float, default=5.0
        The largest size of a standardised value, in [0.1, 1e6].

    """

    def __init__(self, learner: Any, method: str = "standard", *, clip: float = 5.0) -> None:
        self.learner = learner
        self.method = method
        self.clip = clip

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        return {
            "kind": "scaled",
            "method": _check.choice("method", self.method, ("standard", "maxabs")),
            "clip": _check.real("clip", self.clip, 0.1, 1e6),
            "inner": native_spec(self, n_learners, n_features, seed),
        }
