"""Nearest neighbours in a bounded memory.

Fix and Hodges 1951; Cover and Hart, "Nearest Neighbor Pattern Classification", IEEE Trans. Inf. Theory 13, 1967;
neighbours weighted by distance: Dudani, IEEE Trans. SMC 6, 1976. With d_1 ≤ d_2 ≤ … the squared Euclidean distances to
the rows of the memory, y_j and w_j their labels and weights, and n_j = d_1 / d_j:

    h(x) = Σ_j n_j w_j y_j / Σ_j n_j w_j  ·  S / (S + 1),    S = Σ_j n_j,    j = 1 … k

So (1 + h)/2 is the weighted share of +1 among the neighbours and one without a label, and scaling all weights changes
nothing. A bank searches once for all its learners; the number of neighbours is halved from learner to learner until it
is 1, and begins again: k = 15 gives 15, 7, 3, 1, 15, …

The memory is a biased reservoir (Aggarwal, VLDB 2006): once it is full, each new row takes the place of one drawn at
random. So a row stays for `memory` examples on average, some for far longer. The search is exact: distances to all
rows, feature by feature, for the features that the row has. With at most 16 features, rows are kept in boxes of up to
64 neighbours with their least and largest values, which split as they fill and dissolve as rows leave; a search then
looks only into boxes that may have one of the nearest, and finds the same to the bit. Where boxes spare too little, as
among many independent features, all rows are looked at. Which variant: a row in the memory takes up a place among the
nearest for every learner, with weight 0 for those that were not taught it. Values are stored in single precision, and
cut off at ±1e15. Features must be on one scale: `Scaled(Neighbours())`.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Integer
from onlineboost.learners.base import Learner


class Neighbours(Learner, name="neighbours", witness="neighbour_weights"):
    """The nearest rows of a bounded memory vote, the nearer the more."""

    knows_classes = True  # one search for all of them

    k = Integer(
        default=15,
        low=1,
        high=1000,
        text="How many neighbours the first learner asks; each next one half of it, until it is 1.",
        positional=True,
    )
    memory = Integer(
        default=2000,
        low=1,
        high=1_000_000,
        text="How many rows are kept. It takes features up to 2^26 divided by this.",
        positional=True,
    )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {**self.checked(), "kind": "neighbours", "seed": seed}
