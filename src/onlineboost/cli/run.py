"""`onlineboost run`: test, then train, on a stream; a report at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost.cli import options
from onlineboost.cli.inputs import Inputs
from onlineboost.cli.output import Console, protect
from onlineboost.cli.report import report
from onlineboost.cli.session import Session
from onlineboost.cli.set_score import score_of

if TYPE_CHECKING:
    import argparse


def run(arguments: argparse.Namespace) -> int:
    """Learn, and report."""
    protect(arguments.input, arguments.json, arguments.html)
    machine, console = options.model_of(arguments), Console()
    kind, schema = options.format_of(arguments), options.schema_of(arguments)
    inputs = Inputs(arguments, kind, schema, console.problem, buckets=machine.buckets)
    windows = bool(arguments.json or arguments.html)
    session = Session(machine, inputs, score_of(machine), console, arguments.max_model_features, windows=windows)
    try:
        finished = session.go(lambda: None)
    except (OSError, ValueError):
        if session.score.examples:
            report(arguments, session)
        raise
    report(arguments, session)
    if not finished:
        console.say("stopped; the report is on what was seen until then")
    return 0 if finished else 130
