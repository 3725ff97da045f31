"""`onlineboost predict`: labels, margins and probabilities of a saved model, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.cli import options, saved

if TYPE_CHECKING:
    import argparse

    from onlineboost.streams import Batch
    from onlineboost.streams.feed import Feed

COLUMNS = ("label", "margin", "probability")
EXAMPLES = """\
  onlineboost predict spam.ob new.parquet > scores.csv
  onlineboost predict spam.ob mail.csv --output probability --out scores.csv
  tail -f mail.jsonl | onlineboost predict spam.ob - --format jsonl

output:
  A header, then a line for each example in the order of the input. A malformed
  line of the input has an empty line (only commas, if there are several
  columns) in its place. margin is from -1 to 1, and above 0 it means the larger
  of the two labels; probability is the larger label's. A label column in the
  input is not looked at.
"""


def register(commands: Any) -> None:
    """Add the command."""
    command = options.command(
        commands,
        "predict",
        "labels, margins or probabilities of a saved model, as CSV",
        "Predict each example of the input with a saved model. Nothing is learned.",
        EXAMPLES,
    )
    saved.add(command)
    command.add_argument(
        "--output",
        default="label,probability",
        metavar="COLUMNS",
        help="label, margin, probability, or several with commas (%(default)s)",
    )
    command.add_argument("--out", metavar="FILE", help="a file for the CSV (default: standard output)")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict."""
    from onlineboost.cli.console import Console
    from onlineboost.cli.inputs import Inputs
    from onlineboost.streams.feed import Feed

    columns = arguments.output.split(",")
    if not set(columns) <= set(COLUMNS) or len(set(columns)) < len(columns):
        raise ValueError(f"--output {arguments.output}: it is label, margin or probability, or several with commas.")
    machine, schema, kind = saved.load(arguments)
    console, malformed = Console(), list[int]()

    def on_problem(name: str, problem: Any) -> None:
        malformed.append(problem.line)
        console.problem(name, problem)

    inputs = Inputs(
        arguments.input,
        kind,
        schema,
        batch_rows=options.BATCH_ROWS,
        strict=arguments.strict,
        max_bad=arguments.max_bad,
        labels="ignored",
        on_problem=on_problem,
    )
    feed = Feed(machine)
    with saved.output(arguments.out) as file:
        file.write(",".join(columns) + "\n")
        for batch in inputs:
            lines = _cells(feed, batch, columns) if len(batch) else []
            lines = _in_order(lines, batch.lines.tolist(), malformed, "," * (len(columns) - 1))
            malformed.clear()
            file.write("".join(f"{line}\n" for line in lines))
            if lines:
                file.flush()
        file.write(("," * (len(columns) - 1) + "\n") * len(malformed))
    console.summary(inputs.bad)
    return 0


def _cells(feed: Feed, batch: Batch, columns: list[str]) -> list[str]:
    opinion = feed.opinion(batch)
    found = {
        "label": [_quoted(str(label)) for label in opinion.labels(str(feed.machine.recipe.threshold)).tolist()],
        "margin": list(map(repr, opinion.decisions.tolist())),
        "probability": list(map(repr, opinion.probabilities[:, -1].tolist())),
    }
    return [",".join(cells) for cells in zip(*(found[name] for name in columns), strict=True)]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def _in_order(lines: list[str], numbers: list[int], malformed: list[int], empty: str) -> list[str]:
    if not malformed:
        return lines
    placed = [*zip(numbers, lines, strict=True), *((number, empty) for number in malformed)]
    return [line for _, line in sorted(placed, key=lambda one: one[0])]
