"""How the columns of a table become features: plain data, to JSON and back, kept with the model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from onlineboost.machine.schema import IGNORED, LABEL, MISSING, UNDECIDED, WEIGHT, ColumnSchema, kind_code, kind_name
from onlineboost.streams.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

SEPARATORS = ",;|/&~ "  # of labels: none is part of a number
_LATER = {"gaps": False}  # fields that files of earlier versions have not, and what these meant


@dataclass(frozen=True)
class Schema:
    """How columns become features.

    Attributes
    ----------
    label : the label's column. It may be absent where no labels are required.
    positive : if given, y is 1 where the label is this one and 0 elsewhere, so any number of labels will do.
    weight : the column of example weights, if there is one.
    ignore : columns that are ignored.
    columns : a kind for each column (docs/data.md). A column that is not here is decided by the first 1,000 rows (or
        16 MiB, or the end): `number`, `flag` or `time` if every value is one, else `category`; a column that appears
        later, by its first value.
    missing : cells that stand for nothing, and `?` where a number, a flag or a time is expected.
    header : whether a CSV or TSV file starts with the names of its columns; otherwise they are called 0, 1, 2, …
    separator : of a CSV file, one ASCII character; None is the format's own.
    label_separator : if given, the label of a row is a set: labels with this character between them, such as "a;b", or
        nothing. Blanks around a label do not count.
    decided : whether the first rows have decided.
    declared : then, the columns whose kind was declared.
    gaps : whether a missing number is treated as such; otherwise it is 0.
    closed : whether all columns must be there, and others are ignored.

    """

    label: str = "label"
    positive: str | int | float | None = None
    weight: str | None = None
    ignore: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = MISSING
    header: bool = True
    separator: str | None = None
    label_separator: str | None = None
    decided: bool = False
    declared: tuple[str, ...] = ()
    gaps: bool = True
    closed: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("label", "weight"):
            if not isinstance(getattr(self, name), str) and not (name == "weight" and self.weight is None):
                raise FormatError(f"The schema's {name} must be the name of a column, not {getattr(self, name)!r}.")
        for name in ("ignore", "missing", "declared"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(one, str) for one in value):
                raise FormatError(f"The schema's {name} must be a list of texts, not {value!r}.")
            object.__setattr__(self, name, tuple(value))
        for name in ("header", "decided", "gaps", "closed"):
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
        if self.label_separator is not None:
            if not isinstance(self.label_separator, str) or self.label_separator not in tuple(SEPARATORS):
                raise FormatError(
                    f"The label separator must be one of {' '.join(SEPARATORS.strip())} or a blank, not "
                    f"{self.label_separator!r}."
                )
            if self.positive is not None:
                raise FormatError("A positive label is for one label per row: leave it or the label separator out.")
        for name, kind in self.columns.items():
            try:
                kind_code(name, kind)
            except ValueError as error:
                raise FormatError(str(error)) from None
        special = [self.label, *([self.weight] if self.weight is not None else []), *self.ignore, *self.columns]
        twice = [name for name, count in Counter(special).items() if count > 1]
        if twice:
            raise FormatError(f"The schema uses column {min(twice)!r} twice.")

    def to_json(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data = {one.name: getattr(self, one.name) for one in fields(self)}
        lists = {name: list(getattr(self, name)) for name in ("ignore", "missing", "declared")}
        return data | lists | {"columns": dict(self.columns)}

    @classmethod
    def from_json(cls, data: Any) -> Schema:
        """From such data; fields that are not there have their defaults, or what they meant before there were any."""
        if not isinstance(data, dict):
            raise FormatError(f"A schema is an object, not {data!r:.200}.")
        unknown = set(data) - {one.name for one in fields(cls)}
        if unknown:
            raise FormatError(f"A schema has no field {min(unknown)!r}.")
        if not isinstance(data.get("columns", {}), dict):
            raise FormatError("The schema's columns must be an object of names and kinds.")
        for name in ("ignore", "missing", "declared"):
            if not isinstance(data.get(name, []), (list, tuple)):
                raise FormatError(f"The schema's {name} must be a list of texts, not {data[name]!r:.200}.")
        if "gaps" not in data:
            columns = {name: _of_version_2(kind) for name, kind in data.get("columns", {}).items()}
            data = data | _LATER | {"columns": columns}
        return cls(**data)

    @classmethod
    def of_model(cls, columns: ColumnSchema, *, ignore_missing: bool, **rest: Any) -> Schema:
        """For a model that knows its columns."""
        kinds = {name: kind for name, kind in columns.columns.items() if kind not in {"ignored", "undecided"}}
        ignored = tuple(name for name, kind in columns.columns.items() if kind == "ignored")
        special = {rest.get("label", "label"), rest.get("weight")}
        return cls(
            **rest,
            columns={name: kind for name, kind in kinds.items() if name not in special},
            ignore=tuple(name for name in ignored if name not in special),
            decided=True,
            declared=tuple(columns.declared),
            gaps=columns.gaps,
            closed=columns.closed and not ignore_missing,
        )

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
        return name, IGNORED if self.closed else UNDECIDED, 0

    def with_kinds(self, columns: list[tuple[str, int, int]]) -> Schema:
        """The schema with the kinds that a reader has decided."""
        special = {UNDECIDED, IGNORED, LABEL, WEIGHT}
        kinds = {name: kind_name(code, setting) for name, code, setting in columns if code not in special}
        declared = self.declared if self.decided else tuple(self.columns)
        return replace(self, columns={**self.columns, **kinds}, decided=True, declared=declared)

    def of_columns(self, columns: list[tuple[str, int, int]], *, closed: bool) -> ColumnSchema:
        """What a model keeps of it."""
        kinds = {name: kind_name(code, setting) for name, code, setting in columns if code not in {LABEL, WEIGHT}}
        declared = {*(self.declared if self.decided else self.columns), *self.ignore}
        return ColumnSchema(kinds, frozenset(declared & kinds.keys()), closed, self.gaps)


def _of_version_2(kind: Any) -> Any:
    """Before there were pairs of words, text:BITS stood for the counts of words."""
    return kind.replace("text:", "counts:") if isinstance(kind, str) else kind
