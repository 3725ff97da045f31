"""The report of `run` and `train`: as text, as JSON, and as one HTML page that loads nothing."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from onlineboost.cli.options import describe
from onlineboost.cli.output import figure, output, plural, show, shown, write_json
from onlineboost.files.page import fill

if TYPE_CHECKING:
    import argparse

    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session
    from onlineboost.machine import Machine

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 320, 56, 708, 16, 280  # the page's curve: the picture, its axes


def report(arguments: argparse.Namespace, session: Session) -> None:
    """Print the text, unless standard output has the data; write what was asked for."""
    machine, score, bad = session.machine, session.score, session.inputs.bad
    session.console.summary(bad)
    if "-" not in {arguments.json, arguments.html}:
        show(as_text(machine, score))
    if arguments.json or arguments.html:
        data = as_data(machine, score, bad, arguments.input)
        if arguments.json:
            write_json(arguments.json, data)
        if arguments.html:
            with output(arguments.html) as write:
                write(page(data))


def as_data(machine: Machine, score: Score, bad: int, inputs: list[str]) -> dict[str, Any]:
    """Everything that is known at the end, as plain data; what does not exist is null."""
    counts, errors = score.points()
    certificate = machine.recipe.certificate(machine, faded=False) if machine.begun else None
    return {
        "inputs": inputs,
        "model": describe(machine.recipe),
        "examples": score.examples,
        "malformed": bad,
        "labels": machine.labels.classes.tolist(),
        "error": _finite(score.error),
        "log_loss": _finite(score.log_loss),
        "error_of_the_more_frequent_label": _finite(score.baseline),
        "certificate": None if certificate is None else str(certificate.summary()),
        "curve": {"examples": counts, "error": errors},
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_text(machine: Machine, score: Score) -> str:
    """A few lines of 80 characters."""
    about = describe(machine.recipe)
    mixture = about["learner"] == "Families"
    booster = about["booster"].removesuffix("Classifier")
    many = f"{about['n_learners']} × " if "n_learners" in about else ""
    if mixture:
        families = sum(name.startswith("learner__") for name in about)
        name = f"OnlineBoost, a mixture of {families} families"
    else:
        name = about["learner"] if booster == "Online" else f"{booster} over {many}{about['learner']}"
    if not score.examples:
        return f"{name}: no examples"
    headline = f"{name}, {plural(score.examples, 'example')}"
    labels = " and ".join(shown(repr(label), 30) for label in machine.labels.classes.tolist())
    if len(machine.labels.classes) < 2:
        return f"{headline}\nlabel      {labels}, the only one so far: nothing to distinguish"
    lines = [
        headline,
        f"labels     {labels}",
        f"error      {figure(score.error)}   test, then train; the more frequent label alone: {figure(score.baseline)}",
        f"log-loss   {figure(score.log_loss)}   in nats",
    ]
    found = machine.recipe.certificate(machine, faded=False)
    if mixture:
        top = found.heaviest
        lines.append(f"heaviest   {shown(top.name, 30)}   carries {top.carries:.0%} of the prediction")
    elif found is not None:
        bound = float(found.certified_error[-1])
        lines.append(f"certified  {figure(bound)}   the theory's bound on the error of the mean vote")
    return "\n".join(lines)


# ---- the page ----------------------------------------------------------------------------------------------------


def page(data: dict[str, Any]) -> str:
    """The report as one page. Every text from the data is escaped, and the page may load nothing."""
    errors = {
        "error, test then train": data["error"],
        "error of the more frequent label": data["error_of_the_more_frequent_label"],
        "log-loss, nats": data["log_loss"],
    }
    facts = {
        "input": ", ".join("standard input" if name == "-" else name for name in data["inputs"]),
        "examples": f"{data['examples']:,}",
        "malformed lines": f"{data['malformed']:,}",
        "labels": ", ".join(map(repr, data["labels"])),
        **{name: "–" if value is None else figure(value) for name, value in errors.items()},
    }
    parts = ["<h1>Test, then train</h1>", _table(facts)]
    if data["curve"]["examples"]:
        parts += ["<h2>Error so far</h2>", _curve(data)]
    if data["certificate"]:
        parts += ["<h2>Certificate</h2>", f"<p>{_safe(data['certificate'])}</p>"]
    parts += ["<h2>Model</h2>", _table(data["model"])]
    return fill(__package__, "run", body="\n".join(parts))


def _safe(value: Any) -> str:
    return escape(shown(value))


def _table(rows: dict[str, Any]) -> str:
    cells = (f"<tr><th>{_safe(name)}</th><td>{_safe(value)}</td></tr>" for name, value in rows.items())
    return "<table>\n" + "\n".join(cells) + "\n</table>"


def _curve(data: dict[str, Any]) -> str:
    counts, errors = data["curve"]["examples"], data["curve"]["error"]
    baseline = data["error_of_the_more_frequent_label"]
    settled = errors[len(errors) // 20 :]  # the first few examples may be all wrong, and would flatten the rest
    top = min(1.0, 1.1 * max([*settled, baseline or 0.0, 0.01]))

    def x(count: float) -> str:
        return f"{_LEFT + (_RIGHT - _LEFT) * count / counts[-1]:.1f}"

    def y(error: float, below: float = 0.0) -> str:
        return f"{_BOTTOM - (_BOTTOM - _TOP) * min(error, top) / top + below:.1f}"

    def level(error: float) -> str:
        return f'x1="{_LEFT}" x2="{_RIGHT}" y1="{y(error)}" y2="{y(error)}"'

    pieces = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Error over the examples seen so far">']
    for share in range(5):
        error, count = top * share / 4, counts[-1] * share // 4
        anchor = "end" if share == 4 else "middle"
        pieces += [
            f'<line class="axis" {level(error)}/>',
            f'<text x="{_LEFT - 8}" y="{y(error, 4)}" text-anchor="end">{error:.3f}</text>',
            f'<text x="{x(count)}" y="{_HEIGHT - 16}" text-anchor="{anchor}">{count:,}</text>',
        ]
    if baseline is not None:
        pieces.append(f'<line class="base" {level(baseline)}><title>the more frequent label alone</title></line>')
    points = " ".join(f"{x(count)},{y(error)}" for count, error in zip(counts, errors, strict=True))
    pieces.append(f'<polyline class="curve" points="{points}"/>\n</svg>')
    pieces.append("<p>Error over the examples seen so far. Dashed: the more frequent label alone.</p>")
    return "\n".join(pieces)
