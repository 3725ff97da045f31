"""How the columns of a table become features: plain data, to JSON and back, kept with the model."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from onlineboost.streams.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

MISSING = ("", "NA", "NaN", "nan", "null", "NULL")

_KINDS = {"number": 1, "category": 2, "hash": 3, "text": 4}
UNDECIDED, IGNORED, LABEL, WEIGHT = 0, 5, 6, 7  # as in the native readers
_MOST_BITS = 30


def kind_code(name: str, kind: Any) -> tuple[int, int]:
    """The native number of a kind, and its bits."""
    match = re.fullmatch(r"(number|category)|(hash|text):(\d{1,2})", kind) if isinstance(kind, str) else None
    if match and match[1]:
        return _KINDS[match[1]], 0
    if match and 1 <= int(match[3]) <= _MOST_BITS:
        return _KINDS[match[2]], int(match[3])
    raise FormatError(
        f"Column {name!r} has the kind {kind!r}: it must be number, category, hash:BITS or text:BITS, "
        f"BITS from 1 to {_MOST_BITS}."
    )


def kind_name(code: int, bits: int) -> str:
    """The kind as it stands in a schema."""
    name = next(name for name, value in _KINDS.items() if value == code)
    return f"{name}:{bits}" if bits else name


@dataclass(frozen=True)
class Schema:
    """How columns become features.

    Attributes
    ----------
    label : the label's column. It may be absent where no labels are required.
    positive : if given, y is 1 where the label is this one and 0 elsewhere, so any number of labels will do.
    weight : the column of example weights, if there is one.
    ignore : columns that are ignored.
    columns : a kind for each column: `number` is a feature with the column's name; `category` a feature
        `column=value` of value 1; `hash:BITS` the same with 2^BITS buckets, `column#bucket`; `text:BITS` counts words
        in 2^BITS buckets. A column that is not here is decided by the first 1,000 rows (or 16 MiB, or the end):
        `number` if every value is one, else `category`; a column that appears later, by its first value.
    missing : cells that stand for nothing: the feature is absent.
    header : whether a CSV or TSV file starts with the names of its columns; otherwise they are called 0, 1, 2, …
    separator : of a CSV file, one ASCII character; None is the format's own.
    decided : whether the first rows have decided.

    """

    label: str = "label"
    positive: str | int | float | None = None
    weight: str | None = None
    ignore: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = MISSING
    header: bool = True
    separator: str | None = None
    decided: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("label", "weight"):
            if not isinstance(getattr(self, name), str) and not (name == "weight" and self.weight is None):
                raise FormatError(f"The schema's {name} must be the name of a column, not {getattr(self, name)!r}.")
        for name in ("ignore", "missing"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(one, str) for one in value):
                raise FormatError(f"The schema's {name} must be a list of texts, not {value!r}.")
            object.__setattr__(self, name, tuple(value))
        for name in ("header", "decided"):
            if not isinstance(getattr(self, name), bool):
                raise FormatError(f"The schema's {name} must be true or false, not {getattr(self, name)!r}.")
        if self.positive is not None and (
            isinstance(self.positive, bool) or not isinstance(self.positive, (str, int, float))
        ):
            raise FormatError(f"The schema's positive label must be a text or a number, not {self.positive!r}.")
        if self.separator is not None and not (
            isinstance(self.separator, str)
            and len(self.separator) == 1
            and self.separator.isascii()
            and self.separator not in '"\n\r\0'
        ):
            raise FormatError(f"The separator must be one ASCII character, not {self.separator!r}.")
        for name, kind in self.columns.items():
            kind_code(name, kind)
        special = [self.label, *([self.weight] if self.weight is not None else []), *self.ignore, *self.columns]
        twice = [name for name, count in Counter(special).items() if count > 1]
        if twice:
            raise FormatError(f"The schema uses column {min(twice)!r} twice.")

    def to_json(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data = {one.name: getattr(self, one.name) for one in fields(self)}
        return data | {"ignore": list(self.ignore), "missing": list(self.missing), "columns": dict(self.columns)}

    @classmethod
    def from_json(cls, data: Any) -> Schema:
        """From such data; fields that are not there have their defaults."""
        if not isinstance(data, dict):
            raise FormatError(f"A schema is an object, not {data!r:.200}.")
        unknown = set(data) - {one.name for one in fields(cls)}
        if unknown:
            raise FormatError(f"A schema has no field {min(unknown)!r}.")
        if not isinstance(data.get("columns", {}), dict):
            raise FormatError("The schema's columns must be an object of names and kinds.")
        for name in ("ignore", "missing"):
            if not isinstance(data.get(name, []), (list, tuple)):
                raise FormatError(f"The schema's {name} must be a list of texts, not {data[name]!r:.200}.")
        return cls(**data)

    def native(self, name: str, *, required: bool) -> tuple[str, int, int]:
        """Name, kind and bits of a column; a weight counts only where labels are required."""
        if name == self.label:
            return name, LABEL, 0
        if name == self.weight:
            return name, WEIGHT if required else IGNORED, 0
        if name in self.ignore:
            return name, IGNORED, 0
        if name in self.columns:
            return (name, *kind_code(name, self.columns[name]))
        return name, UNDECIDED, 0

    def with_kinds(self, columns: list[tuple[str, int, int]]) -> Schema:
        """The schema with the kinds that a reader has decided."""
        kinds = {name: kind_name(code, bits) for name, code, bits in columns if UNDECIDED < code < IGNORED}
        return replace(self, columns={**self.columns, **kinds}, decided=True)
