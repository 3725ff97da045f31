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

from onlineboost import _check
from onlineboost.learners.base import Learner, native_spec


class RandomFourier(Learner):
    """A learner on random Fourier features of the rows.

    Parameters
    ----------
    learner : Learner
        A learner with a native bank.
    n_components : int, default=300
        D, from 1 to 65,536.
    scale : float, default=0.7
        The bandwidth of the kernel, on rows as the next two parameters make them.
    intercept : bool, default=True
        Add a feature that is always 1 before the map; with `unit_norm` it keeps the length of the row.
    unit_norm : bool, default=True
        Divide each row, intercept included, by its Euclidean norm before the map.

    """

    def __init__(
        self,
        learner: Any,
        n_components: int = 300,
        scale: float = 0.7,
        *,
        intercept: bool = True,
        unit_norm: bool = True,
    ) -> None:
        self.learner = learner
        self.n_components = n_components
        self.scale = scale
        self.intercept = intercept
        self.unit_norm = unit_norm

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        components = _check.integer("n_components", self.n_components, 1, 65_536)
        return {
            "kind": "random_fourier",
            "components": components,
            "scale": _check.real("scale", self.scale, 1e-6, 1e6),
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
            "seed": seed,
            "inner": native_spec(self, n_learners, components, seed),
        }
