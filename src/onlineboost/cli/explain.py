"""`onlineboost explain`: what matters to a saved model, and why it says what it says of an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.cli.inputs import Inputs, part
from onlineboost.cli.model_file import load_to_predict
from onlineboost.cli.output import Console, protect, show, shown, write_json
from onlineboost.explanation.contributions import importances
from onlineboost.persistence import load_machine
from onlineboost.streams.feed import Feed

if TYPE_CHECKING:
    import argparse

    from onlineboost.explanation.contributions import Explanation
    from onlineboost.machine import Machine


def run(arguments: argparse.Namespace) -> int:
    """Explain the first examples of a file, or the model."""
    if arguments.row is None:
        machine, _, _ = load_machine(arguments.model)
        machine.require_begun()
        return _model(machine, arguments)
    protect([arguments.model, arguments.row], arguments.plot)
    arguments.input = [arguments.row]
    machine, schema, kind = load_to_predict(arguments)
    if machine.recipe.label_sets:
        raise ValueError(f"{arguments.model} gives an example any number of labels: leave --row out.")
    feed, found = Feed(machine), list[Any]()
    for batch in Inputs(arguments, kind, schema, Console().problem, labels="ignored", buckets=machine.buckets):
        for k in range(min(len(batch), arguments.count - len(found))):
            found.append((batch.lines[k], feed.explain(part(batch, k, k + 1))))
        if len(found) >= arguments.count:
            break
    if not found:
        raise ValueError(f"{arguments.row} has no examples: there is nothing to explain.")
    if arguments.json:
        write_json(None, [_data(int(line), one) for line, one in found])
    else:
        show("\n".join(f"line {line}: {shown(one, keep=chr(10))}" for line, one in found))
    if arguments.plot:
        found[0][1].plot().figure.savefig(arguments.plot)
    return 0


def _model(machine: Machine, arguments: argparse.Namespace) -> int:
    if arguments.plot:
        raise ValueError("--plot draws why the model says what it says of an example: name one with --row FILE.")
    shares = sorted(importances(machine).items(), key=lambda pair: -pair[1])
    if arguments.json:
        write_json(None, {"importances": {str(name): share for name, share in shares}})
        return 0
    lines = ["What moves the prediction, by the share of each feature:"]
    lines += [f"  {share:6.1%}  {shown(name, 60)}" for name, share in shares[:20] if share > 0]
    lines += ["Of an example: --row FILE. What is guaranteed: onlineboost certify."]
    show("\n".join(lines))
    return 0


def _data(line: int, found: Explanation) -> dict[str, Any]:
    many = found.contributions.ndim == 2
    labels = [str(label) for label in found.classes.tolist()]
    by_label = {
        name: dict(zip(labels, value.tolist(), strict=True)) if many else value
        for name, value in (("margin", found.margin), ("base", found.base))
    }
    return {
        "line": line,
        **by_label,
        **({"towards": found.classes.tolist()[int(found.margin.argmax())]} if many else {}),
        "contributions": {str(name): moved for name, _, moved in found.ranked()},
        "families": {one.name: {"share": one.share, "probability": one.probability} for one in found.families},
    }
