"""The weak learner of the paper's Section 3: online gradient ascent on the unit ball.

    S ← S + w² |x|²          u ← Proj_ball(u + √(2/S) w y x)          h(x) = ⟨u, x⟩

Which variant: the paper points to Zinkevich (ICML 2003), whose step 1/√t ignores small weights and does not
give the paper's inequality (1). The weight-adaptive step does, with c = 8: its regret is at most √(8 Σ w²). It starts
at u = 0, where the paper says "a random h_1".

`restart="clock"` has a regret on every interval of the stream (docs/theory.md, Section 10). With c = Σw the learner's
own clock, level k = 0…19 is the learner above, restarted when ⌊c/2^k⌋ changes, to block B. Experts (k, j), j = 1…11, of
rate η_j = 2^(-j), enter each block with p = 1/((B+1)(B+2)(k+1)(k+2)j(j+1)), and with h_k the outputs of the levels

    h = Σ p η_j h_k / Σ p η_j          p ← p (1 + η_j w y (h_k - h)/2)
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Flag
from onlineboost.learners.base import INTERCEPT, Learner


class OnlineGradient(Learner, name="online-gradient", witness="squared_norms"):
    """Linear hypotheses in the unit ball by projected gradient ascent, with a regret bound."""

    intercept = INTERCEPT
    unit_norm = Flag(
        default=True,
        text="Divide each row, intercept included, by its Euclidean norm. The guarantee needs |x| <= 1; without this "
        "it is yours to ensure, and outputs are clipped to [-1, 1].",
    )
    restart = Choice(
        default="never",
        of=("never", "clock"),
        text="Clock: a mixture of learners, of which the k-th restarts after each 2^k of weight received, so the "
        "regret is small on every interval: for streams that change. It takes 20 times the memory and time.",
    )

    def witness_of(self) -> str:
        """Of levels that restart, the clocks."""
        return "clocks" if self.checked()["restart"] == "clock" else self.witness

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        clock = given.pop("restart") == "clock"
        return {"kind": "online_gradient_clock" if clock else "online_gradient", **given}
