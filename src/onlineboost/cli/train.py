"""`onlineboost train`: learn a stream into a model file, with checkpoints to go on from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.cli import options
from onlineboost.cli.run import add_report, report

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from onlineboost.boosters.base import OnlineEstimator
    from onlineboost.cli.checkpoint import ModelPath, Schedule
    from onlineboost.cli.console import Console
    from onlineboost.cli.inputs import Place
    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session
    from onlineboost.streams import Schema

EXAMPLES = """\
  onlineboost train day1.libsvm day2.libsvm --learner naive-bayes --model m.ob
  zcat log.csv.gz | onlineboost train - --format csv --label spam \\
      --model spam.ob --checkpoint 30s
  onlineboost train s.libsvm --model s.ob --checkpoint 100000 --resume

checkpoints:
  FILE has the newest and FILE.1 the one before; each knows how far its input
  was read, so that --resume goes on exactly there and ends with the same bytes
  as a run that was never disturbed. Give the same options and the same input,
  from its start. Ctrl-C, SIGTERM and errors save what was learned. A checkpoint
  that cannot be written, as when the disk is full, is reported; both files stay
  as they were, and learning goes on to the next one.
"""


def register(commands: Any) -> None:
    """Add the command."""
    command = options.command(
        commands,
        "train",
        "learn a stream into a model file, with checkpoints to go on from",
        "Learn a stream in one pass, each example after it was predicted, and write the model to a file.",
        EXAMPLES,
    )
    options.add_inputs(command)
    group = command.add_argument_group("model file")
    group.add_argument(
        "--model", required=True, metavar="FILE", help="where the model goes; one that is there becomes FILE.1"
    )
    group.add_argument("--checkpoint", metavar="EVERY", help="save now and then: 30s, 0.5s, 5m, or 10000 examples")
    group.add_argument("--resume", action="store_true", help="go on from FILE; start afresh if it is not there")
    options.add_schema(command)
    options.add_model(command)
    add_report(command)
    command.set_defaults(run=run, light=True)


def run(arguments: argparse.Namespace) -> int:
    """Learn, save, report."""
    from onlineboost.cli.checkpoint import ModelPath, Schedule
    from onlineboost.cli.console import Console
    from onlineboost.cli.inputs import Inputs
    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session

    model, console = options.model_of(arguments), Console()
    kind, schema = options.format_of(arguments), options.schema_of(arguments)
    declared, schedule = schema.to_json(), Schedule(arguments.checkpoint)
    place, score = None, Score()
    with ModelPath(arguments.model) as files:
        if arguments.resume:
            found = _resume(files, model, kind, schema, console)
            if found:
                model, schema, place, score = found
        inputs = Inputs(
            arguments.input,
            kind,
            schema,
            start=place,
            batch_rows=min(options.BATCH_ROWS, schedule.examples or options.BATCH_ROWS),
            strict=arguments.strict,
            max_bad=arguments.max_bad,
            on_problem=console.problem,
        )
        schedule.begin(score.examples)
        session = Session(model, inputs, score, console)
        return _learn(arguments, session, files, schedule, kind, declared)


def _resume(
    files: ModelPath, model: OnlineEstimator, kind: str, schema: Schema, console: Console
) -> tuple[OnlineEstimator, Schema, Place, Score] | None:
    """The checkpoint, if there is one and it is of this command."""
    from onlineboost.cli import run_report as pages
    from onlineboost.cli.console import plural
    from onlineboost.cli.session import read_record
    from onlineboost.streams import Schema

    found = files.load(console.say)
    if found is None:
        console.say(f"there is no checkpoint {files.shown}; starting afresh")
        return None
    old, extra = found
    old_kind, declared, decided, place, score = read_record(extra, files.shown)
    if old_kind != kind:
        raise ValueError(f"The checkpoint was made from {old_kind} and this input is {kind}: give --format {old_kind}.")
    before, now = pages.describe(old), pages.describe(model)
    for name in now | before:
        if before.get(name) != now.get(name):
            raise ValueError(
                f"The checkpoint was made with {name}={before.get(name)} and this command has {now.get(name)}: give "
                "the same options, or another --model."
            )
    wanted = schema.to_json()
    for name, value in wanted.items():
        if declared.get(name) != value:
            raise ValueError(
                f"The checkpoint was made with other columns ({name}: {declared.get(name)!r} there, {value!r} here): "
                "give the same options, or another --model."
            )
    console.say(f"going on after {plural(score.examples, 'example')}")
    return old, Schema.from_json(decided), place, score


def _learn(
    arguments: argparse.Namespace,
    session: Session,
    files: ModelPath,
    schedule: Schedule,
    kind: str,
    declared: dict[str, Any],
) -> int:
    from onlineboost.cli.console import plural
    from onlineboost.cli.session import record

    score, console = session.score, session.console
    started = score.examples

    def save() -> None:
        files.write(session.model, record(kind, declared, session.inputs, score))

    def checkpoint() -> None:
        if schedule.due(score.examples):
            _try(save, files, console)
            schedule.begin(score.examples)

    try:
        finished = session.go(checkpoint)
    except (OSError, ValueError) as error:
        if score.examples > started and _try(save, files, console):
            before = f"What came before, {plural(score.examples, 'example')}, is saved in {files.shown}."
            raise ValueError(f"{_full_stop(error)} {before}") from None
        raise
    if finished and not score.examples:
        raise ValueError("The input has no examples: there is nothing to save.")
    if not score.examples:
        console.say("stopped before the first example; nothing was saved")
        return 130
    if not files.holds(session.model, record(kind, declared, session.inputs, score)):
        try:
            save()
        except OSError as error:
            kept = f"; {files.shown} has the last checkpoint" if files.path.exists() else ""
            raise ValueError(f"{files.shown} cannot be written: {error.strerror}{kept}.") from None
    if not finished:
        console.say(
            f"stopped after {plural(score.examples, 'example')}; they are saved in {files.shown}, and --resume goes on"
        )
        return 130
    report(arguments, session)
    if "-" not in {arguments.json, arguments.html}:
        print(f"model      {files.shown}, {files.path.stat().st_size:,} bytes")
    return 0


def _try(save: Callable[[], None], files: ModelPath, console: Console) -> bool:
    try:
        save()
    except OSError as error:
        console.say(f"no checkpoint: {files.shown} cannot be written ({error.strerror}); what was there is kept")
        return False
    return True


def _full_stop(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
