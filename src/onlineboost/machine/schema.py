"""The kinds of a model's columns: plain data, kept with the model and its file.

| kind | features |
|---|---|
| number | one, with the column's name |
| flag | the same: 1 for true and 0 for false |
| category | `column=value`, of value 1 |
| hash:BITS | `column#bucket`, of value 1, one of 2^BITS buckets |
| text, text:BITS | `column#bucket` for words and pairs of words: log(1 + count); 2^18 or 2^BITS buckets |
| counts:BITS | `column#bucket` for words: their count |
| time, time:SECONDS | hour, weekday and day of the year as sine and cosine, and the years since the first time |
| ignored | none |
| undecided | none yet: its first value decides |
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MISSING = ("", "NA", "NaN", "nan", "null", "NULL")
"""Cells of texts that stand for nothing."""

KINDS = ("number", "flag", "category", "text", "time", "ignored")
UNDECIDED, IGNORED, LABEL, WEIGHT = 0, 5, 6, 7  # as in the native readers
_CODES = {
    "undecided": UNDECIDED,
    "number": 1,
    "category": 2,
    "hash": 3,
    "counts": 4,
    "ignored": IGNORED,
    "flag": 8,
    "time": 9,
    "text": 10,
}
_NAMES = {code: name for name, code in _CODES.items()}
NUMBER, FLAG, TIME = _CODES["number"], _CODES["flag"], _CODES["time"]
_TEXT_BITS, _MOST_BITS = 18, 30
_NO_TIME = -(2**62)
_KIND = re.compile(r"(undecided|number|flag|category|ignored|text|time)|(hash|text|counts):(\d{1,2})|time:(-?\d{1,13})")


def kind_code(name: str, kind: Any) -> tuple[int, int]:
    """The native number of a kind, and its setting: bits, or the first time in seconds."""
    match = _KIND.fullmatch(kind) if isinstance(kind, str) else None
    if match and match[1]:
        return _CODES[match[1]], {"text": _TEXT_BITS, "time": _NO_TIME}.get(match[1], 0)
    if match and match[4]:
        return TIME, int(match[4])
    if match and 1 <= int(match[3]) <= _MOST_BITS:
        return _CODES[match[2]], int(match[3])
    raise ValueError(
        f"Column {name!r} has the kind {kind!r}: it must be {', '.join(KINDS)}, hash:BITS or text:BITS, BITS from 1 to "
        f"{_MOST_BITS}."
    )


def kind_name(code: int, setting: int) -> str:
    """The kind as it stands in a schema."""
    name = _NAMES[code]
    plain = (name == "text" and setting == _TEXT_BITS) or (name == "time" and setting == _NO_TIME)
    return name if plain or name in {"undecided", "number", "flag", "category", "ignored"} else f"{name}:{setting}"


def near(name: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name."""
    import difflib  # noqa: PLC0415  # for mistakes only

    close = difflib.get_close_matches(name, list(known), 1)
    return f" Did you mean {close[0]!r}?" if close else ""


@dataclass(frozen=True)
class ColumnSchema:
    """The kind of each column of a model.

    Attributes
    ----------
    columns : kinds by name, in the order in which the columns came.
    declared : the columns whose kind the user gave; the data decided the others.
    closed : whether every row has these columns and no others, as in tables; rows of dicts may have any.
    gaps : whether a missing number is treated as such; otherwise it is 0, as in models of earlier versions.

    """

    columns: Mapping[str, str] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    closed: bool = True
    gaps: bool = True

    def __post_init__(self) -> None:
        """Check every kind."""
        for name, kind in self.columns.items():
            kind_code(name, kind)

    def native(self) -> list[tuple[str, int, int]]:
        """Name, code and setting of each column."""
        return [(name, *kind_code(name, kind)) for name, kind in self.columns.items()]

    def numbers_among(self, features: Iterable[Any]) -> list[str]:
        """The features that are columns of numbers: no values, words or parts of times of other columns, no buckets."""
        others = {name for name, kind in self.columns.items() if kind != "number"}

        def is_own(name: str) -> bool:
            cuts = (name[:k] for k, letter in enumerate(name) if letter in "=#@")
            return name not in others and not any(not cut or cut in others for cut in cuts)

        return [name for name in features if isinstance(name, str) and is_own(name)]

    def with_numbers(self, features: Iterable[Any]) -> ColumnSchema:
        """The same with the columns of numbers that a model's features tell."""
        return replace(self, columns={**dict.fromkeys(self.numbers_among(features), "number"), **self.columns})

    @property
    def used(self) -> list[str]:
        """The columns that are not ignored."""
        return [name for name, kind in self.columns.items() if kind != "ignored"]

    def by_kind(self) -> dict[str, list[str]]:
        """The names of the columns of each kind, settings aside."""
        found: dict[str, list[str]] = {}
        for name, kind in self.columns.items():
            found.setdefault(kind.partition(":")[0], []).append(name)
        return found

    def lines(self, most: int = 8) -> list[str]:
        """One line per kind, with the first names."""
        counts = {
            kind: names for kind in (*KINDS, "hash", "counts", "undecided") if (names := self.by_kind().get(kind))
        }
        return [
            f"{kind}: {', '.join(names[:most])}" + (f" and {len(names) - most} more" if len(names) > most else "")
            for kind, names in counts.items()
        ]

    def require(self, names: Iterable[str], what: str = "X") -> list[str]:
        """Refuse a table that lacks columns; the columns that it has too many."""
        given = list(names)
        twice = next((name for name, count in Counter(given).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"{what} has two columns named {twice!r}: names must be unique to identify features.")
        known = set(given)
        lacking = [name for name in self.used if name not in known]
        if lacking and self.closed:
            shown = ", ".join(map(repr, lacking[:5])) + (" …" if len(lacking) > 5 else "")
            raise ValueError(
                f"{what} has no column {shown}, which the model has learned from: add it, or set "
                f'missing_columns="ignore".{near(lacking[0], given)}'
            )
        return [name for name in given if name not in self.columns]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "columns": [[name, kind] for name, kind in self.columns.items()],
            "declared": sorted(self.declared),
            "closed": self.closed,
            "gaps": self.gaps,
        }

    @classmethod
    def from_json(cls, data: Any) -> ColumnSchema:
        """From plain data; ValueError if it is something else."""
        pairs = data.get("columns") if isinstance(data, dict) else None
        if not isinstance(pairs, list) or not all(isinstance(one, list) and len(one) == 2 for one in pairs):
            raise ValueError("the schema is not a list of columns")
        columns = {name: kind for name, kind in pairs if isinstance(name, str)}
        if len(columns) < len(pairs):
            raise ValueError("the schema names a column twice, or has one without a name")
        declared, closed, gaps = data.get("declared"), data.get("closed"), data.get("gaps")
        if not isinstance(declared, list) or not set(map(str, declared)) <= set(columns):
            raise ValueError("the schema declares columns that it does not have")
        if type(closed) is not bool or type(gaps) is not bool:
            raise ValueError("the schema does not say what rows have")
        return cls(columns, frozenset(declared), closed, gaps)

    def __str__(self) -> str:
        """One line per column."""
        return "\n".join(f"{name}: {kind}" for name, kind in self.columns.items())


def declared_columns(given: Any) -> dict[str, str]:
    """The kinds that a user declares, checked."""
    if given is None:
        return {}
    if isinstance(given, ColumnSchema):
        return dict(given.columns)
    if not hasattr(given, "items"):
        raise ValueError(f"schema must be a dict of columns and their kinds, not {given!r}.")
    columns = {str(name): kind for name, kind in given.items()}
    for name, kind in columns.items():
        kind_code(name, kind)
    return columns
