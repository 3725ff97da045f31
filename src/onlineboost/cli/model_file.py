"""The model file as the commands use it: checkpoints of `train`, and models to predict with.

`model.ob` is the newest checkpoint and `model.ob.1` the one before. A lock beside them (`model.ob.lock`) keeps a
second process away. A checkpoint holds the model and a `Record`: how its input is read, how far it was read, and how
well that went.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from onlineboost import files
from onlineboost.cli import options
from onlineboost.cli.inputs import InputPosition
from onlineboost.cli.score import Score
from onlineboost.cli.set_score import SetScore
from onlineboost.persistence import ModelFileError, load_machine, to_bytes
from onlineboost.streams import Schema

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from onlineboost.machine import Machine


@dataclass(frozen=True)
class Record:
    """What is kept beside the model.

    Attributes
    ----------
    format : of the input.
    declared : the schema as the options gave it, as plain data.
    schema : the schema with what the data decided.
    position : how far the inputs were read.
    score : how well the model did on them.

    """

    format: str
    declared: dict[str, Any]
    schema: Schema
    position: InputPosition
    score: Score

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "format": self.format,
            "declared": self.declared,
            "schema": self.schema.to_json(),
            "position": self.position.to_json(),
            "progress": self.score.to_json(),
        }

    @classmethod
    def from_json(cls, extra: Any, file: str) -> Record:
        """From plain data; ValueError if it is something else."""
        if not isinstance(extra, dict) or not {"format", "declared", "schema", "position", "progress"} <= set(extra):
            raise ValueError(f"{file} cannot be resumed: it was not made by `onlineboost train`.")
        try:
            position, progress = InputPosition.from_json(extra["position"]), extra["progress"]
            sets = isinstance(progress, dict) and "sets" in progress
            score = SetScore.from_json(progress) if sets else Score.from_json(progress)
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file} cannot be resumed: {error}.") from None
        return cls(str(extra["format"]), extra["declared"], Schema.from_json(extra["schema"]), position, score)


def load_to_predict(arguments: argparse.Namespace) -> tuple[Machine, Schema, str]:
    """The model, and how the input is read: as the model's own was, in any format with the same columns."""
    machine, _, extra = load_machine(arguments.model)
    if not machine.begun:
        raise ValueError(f"{arguments.model} has learned nothing yet: train it first.")
    if machine.features.n_columns is not None and machine.schema is None:
        raise ValueError(
            f"{arguments.model} has learned from arrays in Python, where columns have no names: predict there, or "
            "train it with `onlineboost train`."
        )
    known = extra if isinstance(extra, dict) else {}
    if arguments.format is None and arguments.input[0] == "-":
        arguments.format = known.get("format")
    kind = options.format_of(arguments)
    schema = Schema.from_json(known["schema"]) if "schema" in known else Schema()
    separator = (arguments.label_separator or schema.label_separator or ",") if machine.recipe.label_sets else None
    if arguments.label_separator and separator is None:
        raise ValueError(f"{arguments.model} gives an example one label: leave --label-separator out.")
    if (columns := machine.schema) is not None:
        kept = {
            name: getattr(schema, name) for name in ("label", "positive", "weight", "missing", "header", "separator")
        }
        if arguments.label:
            kept["label"] = arguments.label
        ignore = "ignore" in {arguments.missing_columns, machine.recipe.missing_columns}
        schema = Schema.of_model(columns, ignore_missing=ignore, **kept)
    if kind in {"libsvm", "vw"}:
        return machine, Schema(positive=schema.positive, label_separator=separator), kind
    return machine, replace(schema, label_separator=separator), kind


class ModelPath:
    """The two files of a model, and the lock on them while this is open."""

    def __init__(self, path: str) -> None:
        self.given = path
        self.path = Path(os.path.realpath(path))
        self.before = self.path.with_name(self.path.name + ".1")
        self._lock = self.path.with_name(self.path.name + ".lock")
        self._handle = -1
        if self.path.exists() and not self.path.is_file():
            what = "folder" if self.path.is_dir() else "device or a pipe"
            raise ValueError(f"{path} is a {what}: name a file for the model.")
        if not self.path.parent.is_dir():
            raise ValueError(f"There is no folder {self.path.parent} for the model: make it first.")

    def __enter__(self) -> Self:
        while True:
            handle = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise ValueError(
                    f"Another process is writing {self.given}: wait until it ends, or give another --model."
                ) from None
            with contextlib.suppress(FileNotFoundError):  # the lock's last owner may have removed the file we opened
                if os.path.samestat(os.fstat(handle), os.stat(self._lock)):  # noqa: PTH116  # beside fstat
                    self._handle = handle
                    break
            os.close(handle)
        files.remove_unfinished(self.path)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._lock.unlink()
        os.close(self._handle)

    def load(self, say: Callable[[str], None]) -> tuple[Machine, Record] | None:
        """The newest checkpoint that can be read, or None if there is none."""
        found = [path for path in (self.path, self.before) if path.exists()]
        for path in found:
            try:
                machine, _, extra = load_machine(path)
            except ModelFileError as error:
                say(str(error))
            else:
                return machine, Record.from_json(extra, self.given)
        if found:
            raise ValueError(f"No checkpoint of {self.given} can be read: remove the files to start from scratch.")
        return None

    def write(self, machine: Machine, record: Record) -> None:
        """Replace the newest file, all of it or nothing; what was there is kept as the one before."""
        files.write(self.path, to_bytes(machine, record.to_json()), before=self._keep)

    def holds(self, machine: Machine, record: Record) -> bool:
        """Whether the newest file has exactly these bytes."""
        with contextlib.suppress(OSError):
            return self.path.read_bytes() == to_bytes(machine, record.to_json())
        return False

    def _keep(self) -> None:
        """Give the newest file the other name too, so there is a model at each moment."""
        if not self.path.exists():
            return
        link = self.path.with_name(f".{self.path.name}.old")
        link.unlink(missing_ok=True)
        try:
            os.link(self.path, link)
        except OSError:  # a file system without links
            self.path.replace(self.before)
        else:
            link.replace(self.before)
