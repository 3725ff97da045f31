"""`onlineboost train`: learn a stream into a model file, with checkpoints to resume from."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

from onlineboost.cli import options
from onlineboost.cli.inputs import BATCH_ROWS, Inputs
from onlineboost.cli.model_file import ModelPath, Record
from onlineboost.cli.output import Console, plural, protect, show, shown
from onlineboost.cli.report import report
from onlineboost.cli.session import Session
from onlineboost.cli.set_score import score_of

if TYPE_CHECKING:
    import argparse

    from onlineboost.machine import Machine
    from onlineboost.streams import Schema

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def run(arguments: argparse.Namespace) -> int:
    """Learn, save, report."""
    machine, console, path = options.model_of(arguments), Console(), arguments.model
    beside = [f"{os.path.realpath(path)}{ending}" for ending in (".1", ".lock")]
    protect(arguments.input, path, *beside, arguments.json, arguments.html)
    kind, schema = options.format_of(arguments), options.schema_of(arguments)
    declared, schedule = schema.to_json(), Schedule(arguments.checkpoint)
    position, score = None, score_of(machine)
    with ModelPath(path) as files:
        if arguments.resume and (found := files.load(console.say)):
            old, record = found
            _check_same(old, record, machine, kind, schema)
            old.set_jobs(getattr(machine.recipe, "n_jobs", None))
            machine, schema, position, score = old, record.schema, record.position, record.score
            console.say(f"resuming after {plural(score.examples, 'example')}")
        elif arguments.resume:
            console.say(f"there is no checkpoint {path}; starting from scratch")
        rows = min(BATCH_ROWS, schedule.examples or BATCH_ROWS)
        inputs = Inputs(
            arguments, kind, schema, console.problem, start=position, batch_rows=rows, buckets=machine.buckets
        )
        windows = bool(arguments.json or arguments.html)
        session = Session(machine, inputs, score, console, arguments.max_model_features, windows=windows)
        return _learn(arguments, session, files, schedule, declared)


def _check_same(old: Machine, record: Record, new: Machine, kind: str, schema: Schema) -> None:
    """Raise an error if a checkpoint was not made with the options of this command."""
    if record.format != kind:
        raise ValueError(
            f"The checkpoint was made from {record.format} and this input is {kind}: give --format {record.format}."
        )
    before, now = options.describe(old.recipe), options.describe(new.recipe)
    for name in now | before:
        if before.get(name) != now.get(name):
            raise ValueError(
                f"The checkpoint was made with {name}={before.get(name)} and this command has {now.get(name)}: give "
                "the same options, or another --model."
            )
    for name, value in schema.to_json().items():
        there = record.declared.get(name, value)  # a checkpoint may be older than the field
        if there != value:
            raise ValueError(
                f"The checkpoint was made with other columns ({name}: {there!r} there, {value!r} here): give the same "
                "options, or another --model."
            )


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
        self.begin(0)

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


def _learn(
    arguments: argparse.Namespace,
    session: Session,
    files: ModelPath,
    schedule: Schedule,
    declared: dict[str, Any],
) -> int:
    """Learn to the end, save, report; the exit code."""
    machine, inputs, score, console = session.machine, session.inputs, session.score, session.console
    started = score.examples
    schedule.begin(started)

    def record() -> Record:
        return Record(inputs.kind, declared, inputs.schema, inputs.position, score)

    def save() -> str | None:
        """Save; the reason if that fails."""
        try:
            files.write(machine, record())
        except OSError as error:
            return str(error.strerror)
        except MemoryError:
            return "Not enough memory"
        return None

    def checkpoint() -> None:
        if schedule.due(score.examples):
            report_failure(save())
            schedule.begin(score.examples)

    def report_failure(reason: str | None) -> None:
        if reason:
            console.say(f"no checkpoint: {files.given} cannot be written ({reason}); what was there is kept")

    try:
        finished = session.go(checkpoint)
    except (OSError, ValueError) as error:
        if score.examples > started:
            reason = save()
            report_failure(reason)
            if not reason:
                kept = f"What came before, {plural(score.examples, 'example')}, is saved in {files.given}."
                raise ValueError(f"{str(error).rstrip('.')}. {kept}") from None
        raise
    if not score.examples:
        if finished:
            raise ValueError("The input has no examples: there is nothing to save.")
        console.say("stopped before the first example; nothing was saved")
        return 130
    if not files.holds(machine, record()) and (reason := save()):
        kept = f"; {files.given} has the last checkpoint" if files.path.exists() else ""
        raise ValueError(f"{files.given} cannot be written: {reason}{kept}.")
    if not finished:
        console.say(
            f"stopped after {plural(score.examples, 'example')}; they are saved in {files.given}; --resume continues"
        )
        return 130
    report(arguments, session)
    if "-" not in {arguments.json, arguments.html}:
        show(f"model      {shown(files.given)}, {files.path.stat().st_size:,} bytes")
    return 0
