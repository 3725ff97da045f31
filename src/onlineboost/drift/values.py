"""The values that detectors take."""

from __future__ import annotations


def unit(x: float) -> float:
    """A number in [0, 1], or a bool, as a float."""
    value = float(x)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"x must be a number in [0, 1], not {x!r}.")
    return value
