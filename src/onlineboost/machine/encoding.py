"""Frames and dicts as a machine reads them: by the schema of its columns, or by the one that they begin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onlineboost.machine.encoder import Plan, schema_of_table
from onlineboost.machine.frames import Frame
from onlineboost.machine.schema import ColumnSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onlineboost.machine.encoder import NamedRows
    from onlineboost.machine.machine import Machine


def encode(machine: Machine, data: Frame | list[Mapping[Any, Any]], *, learn: bool) -> NamedRows:
    """The rows of a frame or of dicts, by the schema of the columns."""
    schema = machine.schema
    if schema is None:
        declared = machine.declared
        if machine.begun or isinstance(data, list):
            schema = ColumnSchema(declared, frozenset(declared), closed=False)
            schema = schema.with_numbers(machine.features.numbers)
        else:
            schema = schema_of_table(data, declared)
    if not schema.closed and isinstance(data, Frame):
        schema = _opened(machine, schema, data)
    plan = Plan(schema, machine.buckets, ignore_missing=machine.recipe.missing_columns == "ignore")
    rows = machine.encoders.read(data, plan, learn=learn)
    if rows.schema is not schema and rows.schema is not None:
        known = machine.features.numbers
        for name, kind in rows.schema.columns.items():
            if name in known and name not in schema.columns and kind not in {"number", "flag", "undecided"}:
                raise ValueError(f"X, column {name!r}: the model has learned from numbers there, and this is a {kind}.")
    return rows


def _opened(machine: Machine, schema: ColumnSchema, table: Frame) -> ColumnSchema:
    """The schema of rows that may have any columns, with those of a table."""
    new = [name for name in table.names if name not in schema.columns]
    if not new:
        return schema
    known = machine.features.numbers
    kinds = {name: "number" if name in known else table.kind(name) or "undecided" for name in new}
    return replace(schema, columns={**schema.columns, **kinds})
