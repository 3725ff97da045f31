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

from onlineboost import _check
from onlineboost.learners.base import Learner


class AveragedPerceptron(Learner):
    """Averaged Perceptron with example weights.

    Parameters
    ----------
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.
    init : {"random", "zero"}, default="random"
        Where learners start, as for `Perceptron`.
    clock : {"weight", "rounds"}, default="weight"
        How long an example lasts in the average: its weight, or 1.

    """

    def __init__(
        self, *, intercept: bool = True, unit_norm: bool = True, init: str = "random", clock: str = "weight"
    ) -> None:
        self.intercept = intercept
        self.unit_norm = unit_norm
        self.init = init
        self.clock = clock

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        intercept = _check.flag("intercept", self.intercept)
        return {
            "kind": "averaged_perceptron",
            "intercept": intercept,
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
            "init": _check.choice("init", self.init, ("random", "zero")),
            "rounds": _check.choice("clock", self.clock, ("weight", "rounds")) == "rounds",
            "seed": seed,
            "width": float(max(1, n_features + intercept)),
        }
