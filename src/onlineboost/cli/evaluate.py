"""`onlineboost evaluate`: a saved model on labelled data, without learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.cli import options, saved

if TYPE_CHECKING:
    import argparse

    from onlineboost.machine import LabelCodec
    from onlineboost.streams import Batch

EXAMPLES = """\
  onlineboost evaluate spam.ob test.csv
  onlineboost evaluate spam.ob test1.parquet test2.parquet --json -
"""


def register(commands: Any) -> None:
    """Add the command."""
    command = options.command(
        commands,
        "evaluate",
        "error, log-loss and confusion counts of a saved model on labelled data",
        "Predict each example of labelled data with a saved model, and compare. Nothing is learned.",
        EXAMPLES,
    )
    saved.add(command)
    command.add_argument("--json", metavar="FILE", help="the result as JSON; - is standard output")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict and compare."""
    import numpy as np

    from onlineboost.cli.console import Console, figure, plural
    from onlineboost.cli.inputs import Inputs
    from onlineboost.cli.run_report import write_json
    from onlineboost.cli.score import Score
    from onlineboost.machine.report import Tests
    from onlineboost.streams.feed import Feed

    machine, schema, kind = saved.load(arguments)
    labels, threshold = machine.labels, str(machine.recipe.threshold)
    if len(labels.classes) < 2:
        raise ValueError(f"{arguments.model} has seen one label only: there is nothing to tell apart.")
    console, score, feed = Console(), Score(), Feed(machine)
    inputs = Inputs(
        arguments.input,
        kind,
        schema,
        batch_rows=options.BATCH_ROWS,
        strict=arguments.strict,
        max_bad=arguments.max_bad,
        on_problem=console.problem,
    )
    confusion = np.zeros((2, 2), int)  # label, said; smaller before larger
    console.begin(score)
    for batch in inputs:
        if len(batch):
            codes = _codes(labels, batch, inputs.name)
            opinion, orientation = feed.opinion(batch), labels.orientation
            larger = opinion.probabilities[:, 1]
            plus = larger if orientation > 0 else 1.0 - larger
            tests = Tests(codes, opinion.decisions * orientation, plus, plus)
            score.add_tests(labels, tests, batch.weight, vote=threshold == "vote", expected=False)
            np.add.at(confusion, ((codes * orientation > 0).astype(int), opinion.chosen(threshold)), 1)
        console.progress(score)
    console.clear()
    console.summary(inputs.bad)
    if not score.examples:
        raise ValueError("The input has no examples: there is nothing to compare.")
    names = labels.classes.tolist()
    if arguments.json:
        data = {
            "model": arguments.model,
            "inputs": arguments.input,
            "examples": score.examples,
            "malformed": inputs.bad,
            "error": score.error if score.weight > 0 else None,
            "log_loss": score.log_loss if score.weight > 0 else None,
            "labels": names,
            "confusion": confusion.tolist(),
        }
        write_json(arguments.json, data)
    if arguments.json != "-":
        print(plural(score.examples, "example"))
        print(f"error      {figure(score.error)}   the more frequent label alone: {figure(score.baseline)}")
        print(f"log-loss   {figure(score.log_loss)}   in nats")
        print(_table(names, confusion.tolist()))
    return 0


def _codes(labels: LabelCodec, batch: Batch, name: str) -> Any:
    """Labels as +1 and -1, in the engine's terms."""
    import numpy as np

    assert batch.y is not None  # noqa: S101  # for the type checker: labels are required
    plus, minus = labels.classes.tolist()[:: int(-labels.orientation)]
    first, second = np.asarray(batch.y == plus), np.asarray(batch.y == minus)
    if not (first | second).all():
        row = int(np.argmin(first | second))
        raise ValueError(
            f"{name}, line {batch.lines[row]}: the model does not know the label {batch.y.tolist()[row]!r}, only "
            f"{labels.known[0]!r} and {labels.known[1]!r}. Fix the line."
        )
    return np.where(first, 1.0, -1.0)


def _table(labels: list[Any], confusion: list[list[int]]) -> str:
    names = [str(label) for label in labels]
    rows = [["label", *(f"said {name}" for name in names)]]
    rows += [[name, *(f"{count:,}" for count in counts)] for name, counts in zip(names, confusion, strict=True)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return "\n".join(
        "   ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )
