"""The Perceptron of the paper's experiments (Chen, Lin, Lu, ICML 2012, Section 5).

    h(x) = ⟨u, x⟩ / max(1, |u|)         if y ⟨u, x⟩ <= 0:   u ← u + w y x

with x ← (1, x) / |(1, x)| and u starting as a random direction. Which printed variant: the output is real-valued
and normalised, the weight multiplies the step, and a score of exactly 0 counts as a mistake. These choices
reproduce the paper's Tables 1 and 3; the paper itself leaves them open.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class Perceptron(Learner):
    """Perceptron with example weights.

    Parameters
    ----------
    intercept : bool, default=True
        Add a feature that is always 1.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm.
    init : {"random", "zero"}, default="random"
        Where learners start. Random: each learner has its own direction, of norm 1 in expectation, a pure
        function of (seed, learner, feature); the coordinate of a feature comes to life when it first occurs.
        Zero: all learners start, and in OSBoost remain, equal (docs/theory.md has the proof); it is
        there to show that.

    """

    def __init__(self, *, intercept: bool = True, unit_norm: bool = True, init: str = "random") -> None:
        self.intercept = intercept
        self.unit_norm = unit_norm
        self.init = init

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        intercept = _check.flag("intercept", self.intercept)
        return {
            "kind": "perceptron",
            "intercept": intercept,
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
            "init": _check.choice("init", self.init, ("random", "zero")),
            "seed": seed,
            "width": float(max(1, n_features + intercept)),
        }
