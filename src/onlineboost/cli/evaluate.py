"""`onlineboost evaluate`: a saved model on labelled data, without learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onlineboost.cli.inputs import Inputs
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, confusion_lines, figure, listed, plural, protect, show, write_json
from onlineboost.cli.report import skill_line
from onlineboost.cli.score import Score
from onlineboost.evaluation.metrics import Metrics
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray

    from onlineboost.machine import LabelCodec
    from onlineboost.streams import Batch


def run(arguments: argparse.Namespace) -> int:
    """Predict and compare."""
    protect([arguments.model, *arguments.input], arguments.json)
    machine, schema, kind = load_to_predict(arguments)
    labels, threshold = machine.labels, str(machine.recipe.threshold)
    if len(labels.classes) < 2:
        raise ValueError(f"{arguments.model} has seen one label only: there is nothing to compare.")
    console, score, feed, metrics = Console(), Score(), Feed(machine), Metrics()
    inputs = Inputs(arguments, kind, schema, console.problem, buckets=machine.buckets)
    confusion = np.zeros((len(labels.classes),) * 2, int)  # true label, predicted label; smaller before larger
    console.begin(score)
    for batch in inputs:
        if len(batch):
            true, opinion = _columns(labels, batch, inputs.name), feed.opinion(batch)
            chosen, P = opinion.chosen(threshold), opinion.probabilities
            weights = np.ones(len(batch)) if batch.weight is None else batch.weight
            metrics.update_numbers(true, chosen, P, opinion.classes, batch.weight)
            score.add_columns(labels, true, np.asarray(chosen != true, np.float64), P, weights)
            np.add.at(confusion, (true, chosen), 1)
        console.progress(score)
    console.clear()
    console.summary(inputs.bad, arguments.bad_rows)
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
            "metrics": metrics.to_dict(),
        }
        write_json(arguments.json, data)
    if arguments.json != "-":
        frequent = "more" if len(names) == 2 else "most"
        lines = [
            plural(score.examples, "example"),
            f"error      {figure(score.error)}   the {frequent} frequent label alone: {figure(score.baseline)}",
            f"log-loss   {figure(score.log_loss)}   in nats",
            skill_line(metrics),
            *confusion_lines(names, confusion.tolist()),
        ]
        show("\n".join(lines))
    return 0


def _columns(labels: LabelCodec, batch: Batch, name: str) -> NDArray[np.intp]:
    """The column of each label among the sorted ones."""
    assert batch.y is not None  # noqa: S101  # for the type checker: labels are required
    place, given = {label: k for k, label in enumerate(labels.known)}, batch.y.tolist()
    found = np.array([place.get(label, -1) for label in given], np.intp)
    if (found < 0).any():
        row = int(np.argmin(found))
        raise ValueError(
            f"{name}, line {batch.lines[row]}: the model does not know the label {given[row]!r}, only "
            f"{listed(labels.known)}. Fix the line."
        )
    return found
