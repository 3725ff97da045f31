"""`onlineboost evaluate`: a saved model on labelled data, without learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.cli.inputs import Inputs
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, figure, plural, protect, show, shown, table, write_json
from onlineboost.cli.score import Score
from onlineboost.machine.report import Tests
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse

    from onlineboost.machine import LabelCodec
    from onlineboost.streams import Batch


def run(arguments: argparse.Namespace) -> int:
    """Predict and compare."""
    protect([arguments.model, *arguments.input], arguments.json)
    machine, schema, kind = load_to_predict(arguments)
    labels, threshold = machine.labels, str(machine.recipe.threshold)
    if len(labels.classes) < 2:
        raise ValueError(f"{arguments.model} has seen one label only: there is nothing to compare.")
    console, score, feed = Console(), Score(), Feed(machine)
    inputs = Inputs(arguments, kind, schema, console.problem)
    confusion = np.zeros((2, 2), int)  # true label, predicted label; smaller before larger
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
        rows = [["label", *(f"said {shown(name, 30)}" for name in names)]]
        rows += [[shown(name, 30), *(f"{n:,}" for n in counts)] for name, counts in zip(names, confusion, strict=True)]
        lines = [
            plural(score.examples, "example"),
            f"error      {figure(score.error)}   the more frequent label alone: {figure(score.baseline)}",
            f"log-loss   {figure(score.log_loss)}   in nats",
            *table(rows),
        ]
        show("\n".join(lines))
    return 0


def _codes(labels: LabelCodec, batch: Batch, name: str) -> Any:
    """Labels as +1 and -1, in the engine's terms."""
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
