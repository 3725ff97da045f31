"""`onlineboost evaluate`: a saved model on labelled data, without learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.cli.inputs import Inputs
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, confusion_lines, figure, listed, plural, protect, show, write_json
from onlineboost.cli.report import finite, set_figures, set_lines, skill_line
from onlineboost.cli.score import Score
from onlineboost.cli.set_score import SetScore
from onlineboost.evaluation.metrics import Metrics
from onlineboost.machine.label_sets import read_label_sets
from onlineboost.machine.many_labels import found_of
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray

    from onlineboost.machine import LabelCodec, Machine
    from onlineboost.streams import Batch, Schema


def run(arguments: argparse.Namespace) -> int:
    """Predict and compare."""
    protect([arguments.model, *arguments.input], arguments.json)
    machine, schema, kind = load_to_predict(arguments)
    if machine.recipe.label_sets:
        return _run_sets(arguments, machine, schema, kind)
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
            score.add_columns(labels, true, chosen, np.asarray(chosen != true, np.float64), P, weights)
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


def _run_sets(arguments: argparse.Namespace, machine: Machine, schema: Schema, kind: str) -> int:
    """The same for sets of labels."""
    labels, known = machine.labels, set(machine.labels.known)
    console, score, feed = Console(), SetScore(), Feed(machine)
    inputs = Inputs(arguments, kind, schema, console.problem, buckets=machine.buckets)
    score.n_labels = len(known)
    console.begin(score)
    for batch in inputs:
        if len(batch):
            for row, given in enumerate([] if batch.y is None else batch.y.tolist()):
                if strange := given - known:
                    raise ValueError(_unknown(inputs.name, batch.lines[row], min(strange, key=str), labels))
            found = found_of(feed.opinion(batch), str(machine.recipe.threshold))
            sets: Any = read_label_sets(batch.y)
            score.add_sets(found, labels.places(sets), np.ones(len(batch)) if batch.weight is None else batch.weight)
        console.progress(score)
    console.clear()
    console.summary(inputs.bad, arguments.bad_rows)
    if not score.examples:
        raise ValueError("The input has no examples: there is nothing to compare.")
    if arguments.json:
        data = {
            "model": arguments.model,
            "inputs": arguments.input,
            "examples": score.examples,
            "malformed": inputs.bad,
            "error": finite(score.error),
            **set_figures(score),
            "labels": labels.classes.tolist(),
        }
        write_json(arguments.json, data)
    if arguments.json != "-":
        show("\n".join([plural(score.examples, "example"), *set_lines(score)]))
    return 0


def _unknown(name: str, line: Any, label: Any, labels: LabelCodec) -> str:
    return (
        f"{name}, line {line}: the model does not know the label {label!r}, only {listed(labels.known)}. Fix the line."
    )


def _columns(labels: LabelCodec, batch: Batch, name: str) -> NDArray[np.intp]:
    """The column of each label among the sorted ones."""
    assert batch.y is not None  # noqa: S101  # for the type checker: labels are required
    place, given = {label: k for k, label in enumerate(labels.known)}, batch.y.tolist()
    found = np.array([place.get(label, -1) for label in given], np.intp)
    if (found < 0).any():
        row = int(np.argmin(found))
        raise ValueError(_unknown(name, batch.lines[row], given[row], labels))
    return found
