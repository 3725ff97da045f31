"""IBoost: boosting on a bounded window, with votes that follow it.

Grbovic and Vucetic, "Incremental Boosting with Bounded Memory", ECML 2011: members (h_j, a_j), F(x) = Σ_j a_j h_j(x),
keep the exponential loss of the last rows small while rows come and go. Written from a description; where the paper
may differ, this is what was chosen. On a window D of the last `window` rows with weights s_i:

    w_i = s_i e^(-y_i F(x_i)),    h_j(x) in {-1, 0, +1}, the sign of the learner's output
    (a)  each example, one member, in turn:   a_j += ½ ln( (R_j + s̄ e^(-a_j)) / (W_j + s̄ e^(a_j)) ),
         R_j and W_j the sums of w_i that h_j has right and wrong, s̄ the mean of s_i; then w follows
    (b)  every `every` examples, a new member joins: a learner that was taught D, once, oldest row first, with weights
         proportional to w_i, of mean 1 and at most 10; its a by (a) from 0
    (c)  if there are N before it, the one without which Σ w_i rises least leaves (of equal ones the oldest)

(a) is the exact minimum along a_j of Σ_i w_i + s̄ Σ_j (e^(a_j) + e^(-a_j)): as if each member had one row of its own
right and one wrong. So votes stay bounded where a member makes no mistake on the window. Scaling all weights changes
nothing. The margin is F / Σ_j |a_j|.

The work is spread over the stream. A member that joins at example t began `every` examples before, with the rows and
weights of that time; in between, each example teaches it a part of them, then asks it about the rows that have come.
Rows that leave the window in between are kept until it joins. With fewer rows in the window than `every`, a member
takes as many examples as there are rows; the first begins with 8. Members never change afterwards, so what they say of
the window is kept; a step of (a) costs O(window). A model file has no half-taught member: it is taught again.

Each member has a seed and features of its own: a feature that it has not seen says nothing to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters.base import Booster
from onlineboost.declarations import Integer

if TYPE_CHECKING:
    from collections.abc import Collection


class IBoost(Booster, name="iboost", estimator="IBoostClassifier"):
    """Incremental boosting with bounded memory: members of a window, and votes that follow it."""

    n_learners = Integer(default=50, low=1, high=10_000, text="How many members at most, N.", positional=True)
    window = Integer(
        default=1000,
        low=8,
        high=1_000_000,
        text="How many of the last rows votes are fitted to and members are taught; up to twice as many are kept.",
        positional=True,
    )
    every = Integer(
        default=100,
        low=1,
        high=1_000_000,
        text="Examples from one member to the next; if there are fewer rows in the window, so many.",
        positional=True,
    )

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds the members from."""
        given = self.checked()
        inner = self.weak_learner().bank_spec(1, n_features, seed)
        if inner["kind"] == "python":
            raise TypeError(
                f"IBoostClassifier needs a learner with a native bank, and {self.weak_learner()!r} has none: its "
                "members are made while rows are learned."
            )
        return {"kind": "window_members", "window": given["window"], "every": given["every"], "inner": inner}

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "iboost"}
