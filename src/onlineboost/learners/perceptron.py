"""The Perceptron of the paper's experiments (Chen, Lin, Lu, ICML 2012, Section 5).

    h(x) = ⟨u, x⟩ / max(1, |u|)         if y ⟨u, x⟩ <= 0:   u ← u + w y x

with x ← (1, x) / |(1, x)| and u starting as a random direction. Which printed variant: the output is real-valued
and normalised, the weight multiplies the step, and a score of exactly 0 counts as a mistake. These choices
reproduce the paper's Tables 1 and 3; the paper itself leaves them open.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice
from onlineboost.learners.base import INTERCEPT, UNIT_NORM, Learner

START = Choice(
    default="random",
    of=("random", "zero"),
    text="Where learners start. Random: each learner has its own direction, of norm 1 in expectation, a pure "
    "function of (seed, learner, feature); the coordinate of a feature comes to life when it first occurs. Zero: all "
    "learners start, and in OSBoost remain, equal (docs/theory.md has the proof); it is there to show that.",
)


class Perceptron(Learner, name="perceptron", witness="squared_norms"):
    """Perceptron with example weights."""

    intercept = INTERCEPT
    unit_norm = UNIT_NORM
    init = START

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        return {
            "kind": "perceptron",
            **given,
            "seed": seed,
            "width": float(max(1, n_features + given["intercept"])),
        }
