"""The label before, said again: the no-change forecaster of streams, as a learner that knows how often it is right.

    h(x) = l (2 p - 1),    p = (s_l + 1/2) / (n_l + 1)

with l the label before, n_l the weight of the examples that followed a label l, and s_l that of those that were l
again: the estimate of Krichevsky and Trofimov (IEEE Trans. Inf. Theory 27, 1981) for the two rows of a Markov chain.
The row x has no part in it.

How the weight enters: as weight in the counts; a learner with weight 0 does not hear the label.
"""

from __future__ import annotations

from typing import Any

from onlineboost.learners.base import Learner


class LastLabel(Learner, name="last-label", witness="label_counts"):
    """Says the label before. Meant as a family of a mixture (`OnlineBoostClassifier(persistence=True)`).

    What it says is of use only where each label is known before the next prediction.
    """

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {"kind": "last_label"}
