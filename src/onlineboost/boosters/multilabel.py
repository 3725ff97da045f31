"""Binary relevance: a binary booster for each label, in one walk over the rows.

    label k:  a booster that is taught +1 for the rows that have the label and -1 for all others
    predict:  the labels whose calibrated probability is above 1/2, each on its own

Which variant: beside the labels there is one that no row has. Its booster learns every row, and a label that appears
later begins as a copy of it: it knows that the rows so far did not have it. So the booster of a label is, bit for bit,
the binary one that learned the label's column of the whole stream with the same seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters.mixture import Mixture
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.declarations import Object

if TYPE_CHECKING:
    from onlineboost.boosters.base import Booster

_BY_CLASS = ("class_weight", "cost", "metric")


class MultiLabel(OneVsRest, estimator="MultiLabelClassifier"):
    """Sets of labels with any binary booster of this package.

    An example has any number of labels; new labels may appear at any time.
    """

    label_sets = True
    unless_given = Mixture

    booster = Object(
        default=None,
        kind="estimator of this package for two classes",
        text="The booster of a label; None stands for `OnlineBoostClassifier()`. Its `threshold`, `random_state`, "
        "`n_jobs`, `shuffle`, `n_passes`, `schema`, `max_features`, `missing_columns` and `verbose` are those of the "
        "whole; it is a pattern, and learns nothing itself.",
        positional=True,
    )

    def pattern(self) -> Booster:
        """The booster of one label."""
        pattern = super().pattern()
        for name in _BY_CLASS:
            if getattr(pattern, name, None) is not None:
                raise ValueError(f"{name} is for models of one label per example: leave it out of the booster.")
        return pattern

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return {"kind": "binary_relevance"}
