"""Random Fourier features (Rahimi and Recht, NIPS 2007) in front of any native learner.

    z_j(x) = √2 cos(⟨ω_j, x⟩ + b_j),    ω_j ~ N(0, I / scale²),    b_j uniform on [0, 2π),    j = 1 … D

A linear learner on z is one with the Gaussian kernel exp(-|x - x'|² / (2 scale²)) on x, but for a factor of D. The
row is mapped once, and all learners see the same z. The coordinate of ω_j for a feature is a hash of (seed, j, feature)
turned into a normal number by Box and Muller's formula: features may appear at any time, and nothing is stored.

Which printed variant: the paper's √(2/D) is left out, so that the learner's own intercept is small beside z; for a
learner with unit norm it would make no other difference. For learners that should differ in what they see, put
`RandomSubsets` inside: RandomFourier(RandomSubsets(AROW(), share=0.3)).
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Flag, Integer, Real
from onlineboost.learners.base import INNER, Learner, native_spec


class RandomFourier(Learner):
    """A learner on random Fourier features of the rows."""

    learner = INNER
    n_components = Integer(default=300, low=1, high=65_536, text="D, the number of features.", positional=True)
    scale = Real(
        default=0.7,
        low=1e-6,
        high=1e6,
        text="The bandwidth of the kernel, on rows as the next two parameters make them.",
        positional=True,
    )
    intercept = Flag(
        default=True,
        text="Add a feature that is always 1 before the map; with `unit_norm` it keeps the length of the row.",
    )
    unit_norm = Flag(default=True, text="Divide each row, intercept included, by its Euclidean norm before the map.")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        components = given["n_components"]
        inner = native_spec(self, n_learners, components, seed)
        return {**given, "kind": "random_fourier", "components": components, "seed": seed, "inner": inner}
