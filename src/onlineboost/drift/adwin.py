"""ADWIN: a window over a stream's last values, cut where its two parts have different means.

Bifet & Gavaldà, "Learning from Time-Changing Data with Adaptive Windowing", SDM 2007, Section 4. The window of n values
lies in an exponential histogram with at most five buckets of each size 1, 2, 4, …: O(log n) memory. For a cut with n₀
and n₁ values on its sides, 1/m = 1/n₀ + 1/n₁ and L = ln(2 ln(n)/δ), the oldest bucket is dropped if

    |mean₀ - mean₁| ≥ √(2/m · variance · L) + 2/(3m) · L,

and this is repeated until no cut is left. Every bucket boundary is a candidate; both parts have at least 5 values.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _core
from onlineboost.declarations import checks
from onlineboost.drift.values import unit


class ADWIN:
    """Adaptive window over values in [0, 1], such as mistakes.

    `delta` bounds the chance of a false alarm for one look at one cut, for independent values; there are many of both,
    so docs/results/drift.md has the false alarms per 100,000 values that were counted.
    """

    def __init__(self, delta: float = 0.002, clock: int = 32) -> None:
        """Look for a change every `clock` values."""
        self.delta = checks.real("delta", delta, 0.0, 1.0, low_open=True, high_open=True)
        self.clock = checks.integer("clock", clock, 1, 10**9)
        self._window: Any = _core.Adwin(self.delta, self.clock)

    def update(self, x: float) -> bool:
        """Take the next value; whether the window was cut."""
        cut: bool = self._window.update(unit(x))
        return cut

    @property
    def rose(self) -> bool:
        """Whether the mean was higher after the last cut than before it."""
        rose: bool = self._window.rose
        return rose

    @property
    def width(self) -> int:
        """Values in the window."""
        width: int = self._window.width
        return width

    @property
    def mean(self) -> float:
        """Of the window."""
        mean: float = self._window.mean
        return mean

    def __getstate__(self) -> dict[str, Any]:
        """Plain data."""
        return {"delta": self.delta, "clock": self.clock, "fields": self._window.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Resume from plain data."""
        self.delta, self.clock = state["delta"], state["clock"]
        self._window = _core.Adwin(self.delta, self.clock)
        self._window.load(state["fields"])
