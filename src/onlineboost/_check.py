"""Parameters out of range get one sentence that says what is allowed."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection


def real(
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    low_open: bool = False,
    high_open: bool = False,
) -> float:
    """The value as a float, or a ValueError that names the interval."""
    good = isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value)
    if good:
        good = (value > low if low_open else value >= low) and (value < high if high_open else value <= high)
    if not good:
        interval = f"{'(' if low_open else '['}{low:g}, {high:g}{')' if high_open else ']'}"
        raise ValueError(f"{name} must be a number in {interval}, not {value!r}.")
    return float(value)


def integer(name: str, value: Any, low: int, high: int) -> int:
    """The value as an int, or a ValueError that names the range."""
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool) and low <= int(value) <= high
    if not good:
        raise ValueError(f"{name} must be an integer from {low:,} to {high:,}, not {value!r}.")
    return int(value)


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """The value if it is one of the names allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}.")
    return value


def flag(name: str, value: Any) -> bool:
    """The value as a bool; numpy's are welcome, 0 and 1 too."""
    if not isinstance(value, (bool, numbers.Integral)) and type(value).__name__ not in {"bool_", "bool"}:
        raise ValueError(f"{name} must be True or False, not {value!r}.")
    return bool(value)
