"""A saved model and new data: what `predict` and `evaluate` share."""

from __future__ import annotations

import contextlib
import sys
from typing import IO, TYPE_CHECKING, Any

from onlineboost import files
from onlineboost.cli import options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from onlineboost.machine import Machine
    from onlineboost.streams import Schema


def load(arguments: argparse.Namespace) -> tuple[Machine, Schema, str]:
    """The model, and how the input is read: as the model's own was, in any format with the same columns."""
    from onlineboost.persistence import load_machine
    from onlineboost.streams import Schema

    machine, _, extra = load_machine(arguments.model)
    refuse_many_classes(machine, arguments.model)
    if not machine.begun:
        raise ValueError(f"{arguments.model} has learned nothing yet: train it first.")
    if machine.features.n_columns is not None:
        raise ValueError(
            f"{arguments.model} has learned from arrays in Python and knows columns by place only: predict there, or "
            "train it with `onlineboost train`."
        )
    known = extra if isinstance(extra, dict) else {}
    kind = arguments.format
    if kind is None and arguments.input[0] == "-":
        kind = known.get("format")
    arguments.format = kind
    kind = options.format_of(arguments)
    schema = Schema.from_json(known["schema"]) if "schema" in known else Schema()
    if kind in {"libsvm", "vw"}:
        schema = Schema(positive=schema.positive)
    return machine, schema, kind


def refuse_many_classes(machine: Machine, file: str) -> None:
    """The commands know two labels."""
    if machine.recipe.many_classes:
        raise ValueError(
            f"{file} holds a {machine.recipe.estimator}, and the commands are for two classes: use onlineboost.load in "
            "Python."
        )


@contextlib.contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """Standard output, or a file that is there, whole, at the end."""
    if path is None or path == "-":
        if sys.stdout is None:
            raise ValueError("Standard output is closed: open it, or name a file for the output.")
        yield sys.stdout
        sys.stdout.flush()
        return
    with files.whole_text(path) as file:
        yield file


def add(command: argparse.ArgumentParser, **_: Any) -> None:
    """The model and its input."""
    command.add_argument("model", metavar="MODEL", help="a file of `onlineboost train`")
    options.add_inputs(command)
