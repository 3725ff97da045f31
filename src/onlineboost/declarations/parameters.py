"""One declaration per parameter: default, range and sentence. A value out of range gets one sentence back."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What every parameter declares.

    Attributes
    ----------
    default : its default.
    text : what it means, for docstrings, `--help` and the reference pages.
    words : strings that it takes beside its own range, such as "sqrt".
    optional : whether it may be None.
    positional : whether it may be given by position.

    """

    default: Any
    text: str
    words: tuple[str, ...] = ()
    optional: bool = False
    positional: bool = False

    def check(self, name: str, value: Any) -> Any:
        """The value in its plain type, or a ValueError that says what is allowed."""
        if (value is None and self.optional) or (isinstance(value, str) and value in self.words):
            return value
        return self.convert(name, value)

    def convert(self, name: str, value: Any) -> Any:
        """The same for a value that is neither None nor one of the words."""
        raise NotImplementedError

    @property
    def range(self) -> str:
        """What it takes, for a reader."""
        extra = [repr(word) for word in self.words] + ["None"] * self.optional
        return " or ".join([self._own_range, *extra]).replace('"', "'")

    @property
    def _own_range(self) -> str:
        raise NotImplementedError

    def _refuse(self, name: str, value: Any, wanted: str) -> ValueError:
        others = [repr(word) for word in self.words] + ["None"] * self.optional
        return ValueError(f"{name} must be {' or '.join([wanted, *others])}, not {value!r}.")


@dataclass(frozen=True, kw_only=True)
class Real(Parameter):
    """A number in an interval whose ends may be open."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    @property
    def interval(self) -> str:
        """As mathematicians write it."""
        return f"{'(' if self.low_open else '['}{self.low:g}, {self.high:g}{')' if self.high_open else ']'}"

    @property
    def _own_range(self) -> str:
        return f"float in {self.interval}"

    def convert(self, name: str, value: Any) -> float:
        """As a float."""
        good = isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value)
        if good:
            good = value > self.low if self.low_open else value >= self.low
            good = good and (value < self.high if self.high_open else value <= self.high)
        if not good:
            raise self._refuse(name, value, f"a number in {self.interval}")
        return float(value)


@dataclass(frozen=True, kw_only=True)
class Integer(Parameter):
    """A whole number in a range."""

    low: int
    high: int

    @property
    def _own_range(self) -> str:
        return f"int from {self.low:,} to {self.high:,}"

    def convert(self, name: str, value: Any) -> int:
        """As an int."""
        good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not good or not self.low <= int(value) <= self.high:
            raise self._refuse(name, value, f"an integer from {self.low:,} to {self.high:,}")
        return int(value)


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of a few strings."""

    of: tuple[str, ...]

    @property
    def _own_range(self) -> str:
        return "{" + ", ".join(map(repr, self.of)) + "}"

    def convert(self, name: str, value: Any) -> str:
        """The string."""
        if not isinstance(value, str) or value not in self.of:
            raise self._refuse(name, value, f"one of {', '.join(map(repr, self.of))}")
        return value


@dataclass(frozen=True, kw_only=True)
class Flag(Parameter):
    """True or False."""

    @property
    def _own_range(self) -> str:
        return "bool"

    def convert(self, name: str, value: Any) -> bool:
        """As a bool; NumPy's are welcome, 0 and 1 too."""
        if not isinstance(value, (bool, numbers.Integral)) and type(value).__name__ not in {"bool_", "bool"}:
            raise self._refuse(name, value, "True or False")
        return bool(value)


@dataclass(frozen=True, kw_only=True)
class Object(Parameter):
    """Anything; whoever uses it checks it."""

    kind: str

    @property
    def _own_range(self) -> str:
        return self.kind

    def check(self, name: str, value: Any) -> Any:
        """As it is."""
        return value
