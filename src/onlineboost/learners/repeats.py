"""Rows seen before: the label that the same row had.

Streams repeat themselves: records are sent twice, short rows of counts and categories come again, and parts of a data
set were merged from overlapping sources. A row that is equal to an earlier one in every feature mostly has its label,
which no boundary between rows says as surely. With s(x) the signed weight Σ w y of the earlier rows equal to x:

    h(x) = s(x) / (|s(x)| + 1),    0 for a row that is new

so (1 + h)/2 of rows that agree is the share of their label beside one row of either. Of many classes a row keeps one
label and a weight c, by the majority vote of Boyer and Moore ("MJRTY", 1981): another label takes its weight from c,
and takes the place where c would fall below 0. P(label) is c / (c + 1), the rest is divided evenly among all classes.
Of two classes this is the above.

Rows are kept as hashes of 64 bits, about 50 bytes each. The memory is a biased reservoir (Aggarwal, VLDB 2006): once it
is full, a new row takes the place of one drawn at random. A row with missing values repeats only where these are filled
in alike. Alone it says nothing of new rows: it is meant as a family of a mixture.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Integer
from onlineboost.learners.base import Learner


class Repeats(Learner, name="repeats", witness="repeat_sums"):
    """Says the label of earlier rows that were the same. Meant as a family of a mixture."""

    knows_classes = True

    memory = Integer(
        default=2**18, low=1, high=2**30, text="How many different rows are kept, as hashes.", positional=True
    )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        return {**self.checked(), "kind": "repeats", "seed": seed}
