"""The averaged Perceptron (Freund and Schapire, Machine Learning 37, 1999; the lazy form of Daumé's thesis, 2006).

    if y ⟨u, x⟩ <= 0:   u ← u + w y x,   v ← v + c w y x;        then  c ← c + w

    ū = u - v / c        h(x) = ⟨ū, x⟩ / max(1, |ū|)

ū is the average of u over time: each step w y x, taken when the clock showed c, has been in u for the rest of it. The
sums ⟨u, u⟩, ⟨u, v⟩, ⟨v, v⟩ are kept beside u and v, so that an example costs what its non-zero features cost.

How the weight enters: it multiplies the step, and it is the time that the example lasts (`clock="weight"`), so that
the average is one over weighted examples; with `clock="rounds"` every example lasts 1. Which printed variant: Freund
and Schapire average u before each example, here it is u after each, so that the first example already counts; and as in
the Perceptron of the paper's experiments a score of exactly 0 is a mistake and u starts as a random direction.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner
from onlineboost.learners.perceptron import START


class AveragedPerceptron(Learner, name="averaged-perceptron", witness="squared_norms"):
    """Averaged Perceptron with example weights."""

    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    init = START
    clock = Choice(
        default="weight",
        of=("weight", "rounds"),
        text="How long an example lasts in the average: its weight, or 1.",
    )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        return {
            "kind": "averaged_perceptron",
            **given,
            "rounds": given["clock"] == "rounds",
            "seed": seed,
            "width": float(max(1, n_features + given["intercept"])),
        }
