"""`onlineboost predict`: labels, margins and probabilities of a saved model, as CSV."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from onlineboost.cli.inputs import Inputs
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, output, protect
from onlineboost.machine.many_labels import found_of
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from onlineboost.machine import Opinion
    from onlineboost.streams import Schema

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
        if not problem.kept:
            malformed.append(problem.line)
        console.problem(name, problem)

    inputs = Inputs(arguments, kind, schema, on_problem, labels="ignored", buckets=machine.buckets)
    feed, label = Feed(machine), str if arguments.raw_labels else harmless
    labels = machine.labels.classes.tolist()
    header = _header(labels, columns, each=schema.label_separator is not None or len(labels) > 2)
    empty = "," * (len(header) - 1)
    with output(arguments.out) as write:
        write(",".join(map(_quoted, header)) + "\n")
        for batch in inputs:
            lines = list(zip(malformed, [empty] * len(malformed), strict=True))
            malformed.clear()
            if len(batch):
                cells = _cells(feed.opinion(batch), columns, str(machine.recipe.threshold), label, schema)
                lines += zip(batch.lines.tolist(), cells, strict=True)
            if lines:
                write("".join(f"{line}\n" for _, line in sorted(lines, key=lambda one: one[0])))
        write(f"{empty}\n" * len(malformed))
    console.summary(inputs.bad, arguments.bad_rows)
    return 0


def _header(labels: list[Any], columns: list[str], *, each: bool) -> list[str]:
    """With more than two labels, or sets of them, margin and probability have a column for each."""
    if not each:
        return columns
    return [
        name
        for column in columns
        for name in ([column] if column == "label" else [f"{column}_{label}" for label in labels])
    ]


def _cells(
    opinion: Opinion, columns: list[str], threshold: str, label: Callable[[Any], str], schema: Schema
) -> list[str]:
    many = schema.label_separator is not None or len(opinion.classes) > 2
    decisions = opinion.decisions if opinion.decisions.ndim == 2 else opinion.decisions[:, None]
    if schema.label_separator is not None:
        given = [opinion.classes[row].tolist() for row in found_of(opinion, threshold)]
        labels = [schema.label_separator.join([*map(label, one[:1]), *map(str, one[1:])]) for one in given]
    else:
        labels = [label(one) for one in opinion.labels(threshold).tolist()]
    found = {
        "label": [[_quoted(one)] for one in labels],
        "margin": [map(repr, row) for row in decisions.tolist()],
        "probability": [map(repr, row) for row in opinion.probabilities[:, 0 if many else -1 :].tolist()],
    }
    return [",".join(chain.from_iterable(cells)) for cells in zip(*(found[name] for name in columns), strict=True)]


def harmless(label: Any) -> str:
    """The label as text that no spreadsheet takes for a formula; numbers stay numbers."""
    text = str(label)
    formula = text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text
