"""The features of several models as those of one: columns matched by name, kinds agreed upon, names numbered anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onlineboost.machine.features import COLUMNS, LAST_INDICATOR, Features
from onlineboost.merging.errors import CannotMergeError

if TYPE_CHECKING:
    from onlineboost.machine import Machine
    from onlineboost.machine.schema import ColumnSchema

SMALLEST_NAME = {COLUMNS: 2**31}  # of the numbers that names get beside columns


class Renaming:
    """One model's numbers of named features as numbers of the merged model."""

    def __init__(self, own: Features, merged: Features) -> None:
        self._table = {number: merged.numbers[name] for name, number in own.numbers.items()}

    def __call__(self, number: int) -> int:
        """The merged model's number."""
        if number in self._table:
            return self._table[number]
        of = LAST_INDICATOR - number  # what it is an indicator of, if it is one
        return LAST_INDICATOR - self._table[of] if of in self._table else number


def merge_features(begun: list[Machine], origin: Machine | None) -> Features:
    """The features of all."""
    lead = (origin or begun[0]).features
    for one in begun:
        if (
            one.features.kind != lead.kind
            or one.features.n_columns != lead.n_columns
            or (one.features.column_names != lead.column_names)
        ):
            raise CannotMergeError(
                f"One model has learned from {lead} and another from {one.features}: give all of them the same columns."
            )
    known = {} if origin is None else dict(origin.features.numbers)
    fresh = sorted({name for one in begun for name in one.features.numbers if name not in known}, key=_order)
    if lead.n_columns is not None:
        known, fresh = dict(lead.numbers), []
    next_number = SMALLEST_NAME.get(lead.kind, 0) + len(known)
    known |= {name: next_number + k for k, name in enumerate(fresh)}
    schema = None
    for one in [*([] if origin is None else [origin]), *begun]:
        schema = _join(schema, one.features.schema)
    return Features(lead.kind, known, lead.n_columns, lead.column_names, schema)


def _join(first: ColumnSchema | None, second: ColumnSchema | None) -> ColumnSchema | None:
    """The columns of two schemas; a kind that one has not decided is the other's."""
    if first is None or second is None:
        return first or second
    kinds = dict(first.columns)
    for name, kind in second.columns.items():
        before = kinds.get(name, "undecided")
        if "undecided" not in {before, kind} and before != kind:
            raise CannotMergeError(
                f"Column {name!r} is {before} in one model and {kind} in another: declare its kind in `schema`, or "
                "start all models from one base that has seen it."
            )
        kinds[name] = kind if before == "undecided" else before
    return replace(
        first,
        columns=kinds,
        declared=first.declared | second.declared,
        closed=first.closed and second.closed,
        gaps=first.gaps and second.gaps,
    )


def _order(name: Any) -> tuple[str, str]:
    return type(name).__name__, str(name)
