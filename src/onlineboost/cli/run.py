"""`onlineboost run`: test, then train, on a stream; a report at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.cli import options

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
  onlineboost run clicks.libsvm --booster osboost --learner naive-bayes
  onlineboost run day1.csv.gz day2.csv.gz --label clicked --html clicks.html
  zcat log.vw.gz | onlineboost run - --format vw --vote ocp --json - > run.json
"""


def register(commands: Any) -> None:
    """Add the command."""
    command = options.command(
        commands,
        "run",
        "test, then train, on a stream, and report how well that went",
        "Predict each example, then learn it, in one pass. Ctrl-C ends the run with a report on what was seen.",
        EXAMPLES,
    )
    options.add_inputs(command)
    options.add_schema(command)
    options.add_model(command)
    add_report(command)
    command.set_defaults(run=run)


def add_report(command: argparse.ArgumentParser) -> None:
    """Where the report goes."""
    group = command.add_argument_group("report")
    group.add_argument("--json", metavar="FILE", help="the report as JSON; - is standard output")
    group.add_argument("--html", metavar="FILE", help="the report as one page with the learning curve")


def run(arguments: argparse.Namespace) -> int:
    """Learn, and report."""
    from onlineboost.cli.console import Console
    from onlineboost.cli.inputs import Inputs
    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session

    machine, console = options.model_of(arguments), Console()
    inputs = Inputs(
        arguments.input,
        options.format_of(arguments),
        options.schema_of(arguments),
        batch_rows=options.BATCH_ROWS,
        strict=arguments.strict,
        max_bad=arguments.max_bad,
        on_problem=console.problem,
    )
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


def report(arguments: argparse.Namespace, session: Any) -> None:
    """Print the text, unless standard output has the JSON; write what was asked for."""
    from onlineboost.cli import run_report as pages

    machine, score, inputs = session.machine, session.score, session.inputs
    session.console.summary(inputs.bad)
    if "-" not in {arguments.json, arguments.html}:
        print(pages.as_text(machine, score))
    if arguments.json or arguments.html:
        data = pages.as_data(machine, score, inputs.bad, arguments.input)
        if arguments.json:
            pages.write_json(arguments.json, data)
        if arguments.html:
            pages.write_html(arguments.html, data)
