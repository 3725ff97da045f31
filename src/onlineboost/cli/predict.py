"""`onlineboost predict`: labels, margins and probabilities of a saved model, as CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from onlineboost.cli.inputs import Inputs
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, output, protect
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from onlineboost.machine import Opinion

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
COLUMNS = ("label", "margin", "probability")


def run(arguments: argparse.Namespace) -> int:
    """Predict."""
    columns = arguments.output.split(",")
    if not set(columns) <= set(COLUMNS) or len(set(columns)) < len(columns):
        raise ValueError(f"--output {arguments.output}: it is label, margin or probability, or several with commas.")
    protect([arguments.model, *arguments.input], arguments.out)
    machine, schema, kind = load_to_predict(arguments)
    console, malformed = Console(), list[int]()

    def on_problem(name: str, problem: Any) -> None:
        malformed.append(problem.line)
        console.problem(name, problem)

    inputs = Inputs(arguments, kind, schema, on_problem, labels="ignored")
    feed, label = Feed(machine), str if arguments.raw_labels else harmless
    empty = "," * (len(columns) - 1)
    with output(arguments.out) as write:
        write(",".join(columns) + "\n")
        for batch in inputs:
            lines = list(zip(malformed, [empty] * len(malformed), strict=True))
            malformed.clear()
            if len(batch):
                cells = _cells(feed.opinion(batch), columns, str(machine.recipe.threshold), label)
                lines += zip(batch.lines.tolist(), cells, strict=True)
            if lines:
                write("".join(f"{line}\n" for _, line in sorted(lines, key=lambda one: one[0])))
        write(f"{empty}\n" * len(malformed))
    console.summary(inputs.bad)
    return 0


def _cells(opinion: Opinion, columns: list[str], threshold: str, label: Callable[[Any], str]) -> list[str]:
    found = {
        "label": (_quoted(label(one)) for one in opinion.labels(threshold).tolist()),
        "margin": map(repr, opinion.decisions.tolist()),
        "probability": map(repr, opinion.probabilities[:, -1].tolist()),
    }
    return [",".join(cells) for cells in zip(*(found[name] for name in columns), strict=True)]


def harmless(label: Any) -> str:
    """The label as text that no spreadsheet takes for a formula; numbers stay numbers."""
    text = str(label)
    formula = text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text
