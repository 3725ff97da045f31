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

from onlineboost.declarations import Choice, Real
from onlineboost.learners.base import INNER, Learner, native_spec


class Scaled(Learner):
    """A learner on rows whose features have been brought to one scale."""

    learner = INNER
    method = Choice(
        default="standard",
        of=("standard", "maxabs"),
        text="What features are divided by, and whether dense ones are centred.",
        positional=True,
    )
    clip = Real(default=5.0, low=0.1, high=1e6, text="The largest size of a standardised value.")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {**self.checked(), "kind": "scaled", "inner": native_spec(self, n_learners, n_features, seed)}
