"""A confidence sequence for a mean: an interval at each time, and the mean is in all of them at once.

For δ_t in [-c/2, c/2] with E[δ_t | past] = Δ_t, a prediction γ_t of δ_t that is made before it (the mean so far) and
0 < λ < 1, put Y_t = (δ_t - γ_t)/c ≥ -1. Fan, Grama and Liu (2015): exp(λY - ψ(λ)Y²) ≤ 1 + λY for Y ≥ -1, where
ψ(λ) = -ln(1 - λ) - λ. So E[exp(λY_t - ψ(λ)Y_t²) | past] ≤ 1 + λ(Δ_t - γ_t)/c ≤ exp(λ(Δ_t - γ_t)/c), and

    exp(λ Σ(δ_t - Δ_t)/c - ψ(λ) Σ Y_t²)

is a supermartingale that starts at 1. By Ville's inequality it stays below 1/a for all times at once with probability
1 - a. The union over λ_j = 2^-j with a_j = a/(j(j+1)), j = 1, 2, …, and over both signs of δ, with a = α/2, gives for
all T at once, with probability 1 - α,

    |Σ(δ_t - Δ_t)| ≤ c min_j (ln(2j(j+1)/α) + ψ(λ_j) Σ Y_t²) / λ_j.

The construction is that of Choe and Ramdas (2024), Theorem 2, with this grid in place of their mixture. Nothing is
assumed of the stream: Δ_t may change, and the sequence is about its mean so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_J = np.arange(1.0, 25.0)  # below 2^-24 nothing is gained before 10^14 examples
_RATES = 2.0**-_J
_COSTS = -np.log1p(-_RATES) - _RATES


class ConfidenceSequence:
    """The mean of bounded numbers, watched; it takes them in batches of any size.

    Parameters
    ----------
    alpha : float, default=0.05
        The chance that the mean is ever outside.
    width : float, default=2.0
        Numbers are in [-width/2, width/2].

    """

    def __init__(self, alpha: float = 0.05, width: float = 2.0) -> None:
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha is the chance of an error, between 0 and 1; not {alpha!r}.")
        self._logs = np.log(2.0 * _J * (_J + 1.0) / alpha)
        self._width = width
        self.count = 0
        self._sum = self._squares = 0.0

    def add(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """After each of some more numbers: their mean so far, and the interval around it."""
        t = self.count + np.arange(1, len(values) + 1)
        sums = np.add.accumulate(np.concatenate(([self._sum], values)))
        guesses = sums[:-1] / np.maximum(t - 1, 1)
        squares = np.add.accumulate(np.concatenate(([self._squares], ((values - guesses) / self._width) ** 2)))
        if len(values):
            self.count, self._sum, self._squares = int(t[-1]), float(sums[-1]), float(squares[-1])
        reach = np.full(len(values), np.inf)
        for log, rate, cost in zip(self._logs, _RATES, _COSTS, strict=True):
            np.minimum(reach, (log + cost * squares[1:]) / rate, out=reach)
        mean, reach = sums[1:] / t, self._width * reach / t
        half = self._width / 2
        return mean, np.maximum(mean - reach, -half), np.minimum(mean + reach, half)
