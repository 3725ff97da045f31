"""`onlineboost run`: test, then train, on a stream; a report at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost.cli import options

if TYPE_CHECKING:
    import argparse

SUMMARY = "test, then train, on a stream, and report how well that went"
DESCRIPTION = "Predict each example, then learn it, in one pass. Ctrl-C ends the run with a report on what was seen."
EXAMPLES = """\
  onlineboost run clicks.libsvm --booster osboost --learner naive-bayes
  onlineboost run day1.csv.gz day2.csv.gz --label clicked --html clicks.html
  zcat log.vw.gz | onlineboost run - --format vw --vote ocp --json - > run.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.add_inputs(parser)
    options.add_schema(parser)
    options.add_model(parser)
    options.add_report(parser)


def run(arguments: argparse.Namespace) -> int:
    """Learn, and report."""
    from onlineboost.cli.inputs import Inputs
    from onlineboost.cli.output import Console, protect
    from onlineboost.cli.report import report
    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session

    protect(arguments.input, arguments.json, arguments.html)
    machine, console = options.model_of(arguments), Console()
    inputs = Inputs(arguments, options.format_of(arguments), options.schema_of(arguments), console.problem)
    session = Session(machine, inputs, Score(), console)
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
