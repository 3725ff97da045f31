"""Checks of single arguments, with the messages of declared parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.declarations.parameters import Choice, Integer, Real

if TYPE_CHECKING:
    from collections.abc import Collection


def real(name: str, value: Any, low: float, high: float, *, low_open: bool = False, high_open: bool = False) -> float:
    """The value as a float, or a ValueError that names the interval."""
    declared = Real(default=None, text="", low=low, high=high, low_open=low_open, high_open=high_open)
    return declared.convert(name, value)


def integer(name: str, value: Any, low: int, high: int) -> int:
    """The value as an int, or a ValueError that names the range."""
    return Integer(default=None, text="", low=low, high=high).convert(name, value)


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """The value if it is one of the names allowed."""
    return Choice(default=None, text="", of=tuple(allowed)).convert(name, value)
