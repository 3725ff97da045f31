"""Checkpoints: the model and how far it came, in one file that is always whole.

`model.ob` is the newest and `model.ob.1` the one before. A lock beside them (`model.ob.lock`) keeps a second process
away. A checkpoint that cannot be written (the disk is full) is told in a sentence and leaves both files as they
were; learning goes on, and the next one is tried when it is due.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from onlineboost import files
from onlineboost.cli.saved import refuse_many_classes
from onlineboost.persistence import ModelFileError, load_machine, to_bytes

if TYPE_CHECKING:
    from onlineboost.machine import Machine

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Schedule:
    """When checkpoints are due: `30s`, `0.5s`, `5m` by the clock, `10000` by examples, None never."""

    def __init__(self, text: str | None) -> None:
        self.seconds: float | None = None
        self.examples: int | None = None
        if text is not None:
            match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h)|(\d+)", text)
            if match and match[1]:
                self.seconds = float(match[1]) * _UNITS[match[2]]
            elif match:
                self.examples = int(match[3])
            if not match or not (self.seconds or self.examples):
                raise ValueError(f"--checkpoint {text}: write a time, as in 30s, 0.5s or 5m, or a number of examples.")
        self._last_time = time.monotonic()
        self._last_examples = 0

    def begin(self, examples: int) -> None:
        """Count from here."""
        self._last_time, self._last_examples = time.monotonic(), examples

    def due(self, examples: int) -> bool:
        """Whether it is time; nothing is due where nothing was learned."""
        if examples == self._last_examples:
            return False
        if self.seconds is not None:
            return time.monotonic() - self._last_time >= self.seconds
        return self.examples is not None and examples - self._last_examples >= self.examples


class ModelPath:
    """The two files of a model, and the lock on them while this is open."""

    def __init__(self, path: str) -> None:
        self.shown = path
        self.path = Path(os.path.realpath(path))
        self.before = self.path.with_name(self.path.name + ".1")
        self._lock = self.path.with_name(self.path.name + ".lock")
        self._handle = -1
        if self.path.is_dir():
            raise ValueError(f"{path} is a folder: name a file for the model.")
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
                    f"Another process is writing {self.shown}: wait for its end, or give another --model."
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

    def load(self, say: Any) -> tuple[Machine, Any] | None:
        """The newest of the two that can be read, or None if there is none."""
        found = [path for path in (self.path, self.before) if path.exists()]
        for path in found:
            try:
                machine, _, extra = load_machine(path)
            except ModelFileError as error:
                say(str(error))
            else:
                refuse_many_classes(machine, self.shown)
                return machine, extra
        if found:
            raise ValueError(f"No checkpoint of {self.shown} can be read: remove the file to start afresh.")
        return None

    def write(self, machine: Machine, extra: Any) -> None:
        """The model takes the path, all of it or nothing; what was there is kept as the one before."""
        files.write(self.path, to_bytes(machine, extra), before=self._keep)

    def holds(self, machine: Machine, extra: Any) -> bool:
        """Whether the newest file has exactly these bytes."""
        with contextlib.suppress(OSError):
            return self.path.read_bytes() == to_bytes(machine, extra)
        return False

    def _keep(self) -> None:
        """The newest file gets the other name too, so that there is one at each moment."""
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
