"""The end of a run: as text, as JSON, and as one HTML page that loads nothing."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any

from onlineboost import files
from onlineboost.cli.console import figure, plural
from onlineboost.cli.options import describe, learner_of

if TYPE_CHECKING:
    from onlineboost.cli.score import Score
    from onlineboost.machine import Machine

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 320, 56, 40, 16


def as_data(machine: Machine, score: Score, bad: int, inputs: list[str]) -> dict[str, Any]:
    """Everything that is known at the end, as plain data; what there is none of is null."""
    counts, errors = score.points()
    labels = machine.labels.classes.tolist()
    return {
        "inputs": inputs,
        "model": describe(machine.recipe),
        "examples": score.examples,
        "malformed": bad,
        "labels": labels,
        "error": _finite(score.error),
        "log_loss": _finite(score.log_loss),
        "error_of_the_more_frequent_label": _finite(score.baseline),
        "certificate": certificate(machine),
        "curve": {"examples": counts, "error": errors},
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def certificate(machine: Machine) -> str | None:
    """What the theory guarantees for this stream; OSBoost's only."""
    found = machine.recipe.certificate(machine, faded=False) if machine.begun else None
    return None if found is None else str(found.summary())


def as_text(machine: Machine, score: Score) -> str:
    """A few lines of 80 characters."""
    about = describe(machine.recipe)
    booster = about["booster"].removesuffix("Classifier")
    many = f"{about['n_learners']} × " if "n_learners" in about else ""
    name = about["learner"] if booster == "Online" else f"{booster} over {many}{about['learner']}"
    if about["learner"] == "Families":
        name = f"OnlineBoost, a mixture of {len(learner_of(machine.recipe)[1])} families"
    if not score.examples:
        return f"{name}: no examples"
    lines = [f"{name}, {plural(score.examples, 'example')}"]
    labels = " and ".join(repr(label) for label in machine.labels.classes.tolist())
    if len(machine.labels.classes) < 2:
        return f"{lines[0]}\nlabel      {labels}, the only one so far: nothing to tell apart"
    lines.append(f"labels     {labels}")
    lines.append(
        f"error      {figure(score.error)}   test, then train; the more frequent label alone: {figure(score.baseline)}"
    )
    lines.append(f"log-loss   {figure(score.log_loss)}   in nats")
    found = machine.recipe.certificate(machine, faded=False)
    if about["learner"] == "Families":
        top = found.heaviest
        lines.append(f"heaviest   {top.name}   carries {top.carries:.0%} of the prediction")
    elif found is not None:
        bound = float(found.certified_error[-1])
        lines.append(f"certified  {figure(bound)}   the theory's bound on the error of the mean vote")
    return "\n".join(lines)


def write_json(path: str, data: dict[str, Any]) -> None:
    """To a file, or to standard output for -."""
    _write(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_html(path: str, data: dict[str, Any]) -> None:
    """To a file, or to standard output for -."""
    _write(path, page(data))


def _write(path: str, text: str) -> None:
    if path == "-":
        print(text, end="")
    else:
        files.write(path, text)


# ---- the page ----------------------------------------------------------------------------------------------------


def page(data: dict[str, Any]) -> str:
    """The report as one page. Every text of the user's is escaped, and the page may load nothing."""
    from onlineboost.files.page import fill

    facts = {
        "input": ", ".join("standard input" if name == "-" else name for name in data["inputs"]),
        "examples": f"{data['examples']:,}",
        "malformed lines": f"{data['malformed']:,}",
        "labels": ", ".join(map(repr, data["labels"])),
        "error, test then train": _shown(data["error"]),
        "error of the more frequent label": _shown(data["error_of_the_more_frequent_label"]),
        "log-loss, nats": _shown(data["log_loss"]),
    }
    parts = ["<h1>Test, then train</h1>", _table(facts)]
    if data["curve"]["examples"]:
        parts += ["<h2>Error so far</h2>", _curve(data)]
    if data["certificate"]:
        parts += ["<h2>Certificate</h2>", f"<p>{escape(data['certificate'])}</p>"]
    parts += ["<h2>Model</h2>", _table({name: str(value) for name, value in data["model"].items()})]
    return fill(__package__, "run", body="\n".join(parts))


def _shown(value: float | None) -> str:
    return "–" if value is None else figure(value)


def _table(rows: dict[str, str]) -> str:
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
    return "<table>\n" + "\n".join(cells) + "\n</table>"


def _curve(data: dict[str, Any]) -> str:
    counts, errors = data["curve"]["examples"], data["curve"]["error"]
    baseline = data["error_of_the_more_frequent_label"]
    settled = errors[len(errors) // 20 :]  # the first few examples may be all wrong, and would flatten the rest
    top = min(1.0, 1.1 * max([*settled, baseline or 0.0, 0.01]))
    right = _WIDTH - 12

    def x(count: float) -> float:
        return float(_LEFT + (right - _LEFT) * count / counts[-1])

    def y(error: float) -> float:
        return float(_TOP + (_HEIGHT - _BOTTOM - _TOP) * (1.0 - min(error, top) / top))

    points = " ".join(f"{x(count):.1f},{y(error):.1f}" for count, error in zip(counts, errors, strict=True))
    pieces = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Error over the examples seen so far">']
    for share in range(5):
        level = top * share / 4
        pieces.append(f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>')
        pieces.append(f'<text x="{_LEFT - 8}" y="{y(level) + 4:.1f}" text-anchor="end">{level:.3f}</text>')
    for share in range(5):
        count = counts[-1] * share // 4
        anchor = "end" if share == 4 else "middle"
        pieces.append(f'<text x="{x(count):.1f}" y="{_HEIGHT - 16}" text-anchor="{anchor}">{count:,}</text>')
    if baseline is not None:
        place = f'x1="{_LEFT}" x2="{right}" y1="{y(baseline):.1f}" y2="{y(baseline):.1f}"'
        pieces.append(f'<line class="base" {place}><title>the more frequent label alone</title></line>')
    pieces.append(f'<polyline class="curve" points="{points}"/>\n</svg>')
    pieces.append("<p>Examples seen, and the error over them. Dashed: the more frequent label alone.</p>")
    return "\n".join(pieces)
