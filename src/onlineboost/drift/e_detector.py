"""An e-detector: alarms when a mean has risen above a named value, with a proved rate of false alarms.

Shin, Ramdas & Rinaldo, "E-detectors: a nonparametric framework for sequential change detection", 2022, the
Shiryaev-Roberts form. For values x in [0, 1], a mean μ and a bet 0 < λ < 1/μ,

    M_t(λ) = (1 + M_{t-1}(λ)) · (1 + λ (x_t - μ)),      alarm when the mean of M_t(λ) over the bets is at least A.

While the conditional mean of x, given the past, is at most μ, the factor has a conditional mean of at most 1, so
M_t - t is a supermartingale; at the time τ of the first alarm M_τ ≥ A, so E[τ] ≥ E[M_τ] ≥ A (optional stopping): on
average at least A values pass before a false alarm, whatever the values' distribution and dependence. The bets are
0.9/μ, half of it, a quarter, …: small ones find small rises late, large ones large rises at once. After an alarm the
detector begins anew.
"""

from __future__ import annotations

from onlineboost.declarations import checks
from onlineboost.drift.values import unit

BETS = 6


class EDetector:
    """Alarms when the mean of values in [0, 1] exceeds `mean`; at least `run_length` values between false alarms."""

    def __init__(self, mean: float, run_length: float = 10_000.0) -> None:
        """Take the mean that is not to be exceeded, and the least mean time to a false alarm."""
        self.mean = checks.real("mean", mean, 0.0, 1.0, low_open=True, high_open=True)
        self.run_length = checks.real("run_length", run_length, 1.0, 1e15)
        self._bets = [0.9 / self.mean * 0.5**k for k in range(BETS)]
        self._evidence = [0.0] * BETS

    def update(self, x: float) -> bool:
        """Take the next value; whether this is an alarm."""
        rise = unit(x) - self.mean
        self._evidence = [(1.0 + m) * (1.0 + bet * rise) for m, bet in zip(self._evidence, self._bets, strict=True)]
        if self.evidence < self.run_length:
            return False
        self._evidence = [0.0] * BETS
        return True

    @property
    def evidence(self) -> float:
        """For a rise; an alarm is raised when it reaches `run_length`."""
        return sum(self._evidence) / BETS
