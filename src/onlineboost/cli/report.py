"""The report of `run` and `train`: as text, as JSON, and as one HTML page that loads nothing."""

from __future__ import annotations

import math
import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

from onlineboost.cli.options import certificate_of, describe
from onlineboost.cli.output import figure, listed, output, plural, show, shown, write_json
from onlineboost.cli.set_score import SetScore
from onlineboost.evaluation.changes import noticed
from onlineboost.explanation.contributions import column_of, importances

if TYPE_CHECKING:
    import argparse

    from onlineboost.cli.score import Score
    from onlineboost.cli.session import Session
    from onlineboost.evaluation import Metrics
    from onlineboost.machine import Machine

_BARS = "▁▂▃▄▅▆▇█"
_FEATURES = 20  # in the report
_LABELS = 30  # in the page's confusion matrix
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 320, 56, 708, 16, 280  # the page's curve: the picture, its axes


def report(arguments: argparse.Namespace, session: Session) -> None:
    """Print the text, unless standard output has the data; write what was asked for."""
    machine, score, bad = session.machine, session.score, session.inputs.bad
    metrics = session.collector.finish(machine) if machine.begun and not machine.recipe.label_sets else None
    if metrics is not None and metrics.examples != score.examples:
        metrics = None  # of a run that was resumed, these know only its own part
    session.console.summary(bad, arguments.bad_rows)
    if "-" not in {arguments.json, arguments.html}:
        show(as_text(machine, score, metrics))
        if machine.begun and machine.schema is not None:
            show("\n".join(f"columns    {shown(line, 100)}" for line in machine.schema.lines()))
    if arguments.json or arguments.html:
        data = as_data(machine, score, bad, arguments.input, metrics)
        if arguments.json:
            write_json(arguments.json, data)
        if arguments.html:
            with output(arguments.html) as write:
                write(page(data))


def as_data(
    machine: Machine, score: Score, bad: int, inputs: list[str], metrics: Metrics | None = None
) -> dict[str, Any]:
    """Everything that is known at the end, as plain data; what does not exist is null."""
    counts, errors = score.points()
    certificate = certificate_of(machine) if machine.begun else None
    return {
        "inputs": inputs,
        "model": describe(machine.recipe),
        "examples": score.examples,
        "examples_before": machine.n_examples - score.examples if machine.begun else 0,
        "malformed": bad,
        "labels": machine.labels.classes.tolist(),
        "error": finite(score.error),
        "log_loss": finite(score.log_loss),
        **(set_figures(score) if isinstance(score, SetScore) else {}),
        "error_of_the_more_frequent_label": finite(score.baseline),
        "confusion_matrix": score.confusion(machine.labels) if score.examples else None,
        "certificate": None if certificate is None else str(certificate.summary()),
        "curve": {
            "examples": counts,
            "error": errors,
            "windows": dict(zip(("examples", "error"), score.windows(), strict=True)),
        },
        "metrics": None if metrics is None else metrics.to_dict(),
        "windows": [] if metrics is None else [_finite_row(row) for row in metrics.windows],
        "changes": [{"example": example, "what": what} for example, what in noticed(machine)],
        "importances": _importances(machine),
        "columns": machine.schema.lines() if machine.begun and machine.schema is not None else [],
    }


def _finite_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: finite(value) if isinstance(value, float) else value for name, value in row.items()}


def _importances(machine: Machine) -> dict[str, float]:
    """The columns that move the prediction most; a category or a text is one column of many features."""
    if not machine.begun or len(machine.labels.classes) < 2:
        return {}
    shares, schema = dict[str, float](), machine.features.schema
    for name, share in importances(machine).items():
        column = column_of(name, schema.columns if schema else ())
        shares[column] = shares.get(column, 0.0) + share
    found = sorted(shares.items(), key=lambda pair: -pair[1])
    return {name: share for name, share in found[:_FEATURES] if share > 0}


def set_figures(score: SetScore) -> dict[str, float | None]:
    """What is known of label sets beside the error."""
    return {"hamming_loss": finite(score.hamming_loss), "f1_micro": finite(score.f1_micro)}


def set_lines(score: SetScore, how: str = "") -> list[str]:
    """The same as text."""
    lines = (
        ("error", score.error, f"{how}share of sets that were not predicted exactly"),
        ("Hamming", score.hamming_loss, "share of labels that were predicted wrongly"),
        ("F1", score.f1_micro, "over all labels"),
    )
    return [f"{name:<10} {figure(value)}   {what}" for name, value, what in lines if math.isfinite(value)]


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_text(machine: Machine, score: Score, metrics: Metrics | None = None) -> str:
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
    known = machine.labels.classes.tolist()
    if isinstance(score, SetScore):
        named = listed(known) if known else "none so far"
        wrapped = textwrap.wrap(named, 80, initial_indent="labels     ", subsequent_indent=" " * 11)
        return "\n".join([headline, *wrapped, *set_lines(score, "test, then train; ")])
    labels, frequent, alone = listed(known), "more" if len(known) == 2 else "most", figure(score.baseline)
    if len(known) < 2:
        return f"{headline}\nlabel      {labels}, the only one so far: nothing to distinguish"
    lines = [
        headline,
        *textwrap.wrap(labels, 80, initial_indent="labels     ", subsequent_indent=" " * 11),
        f"error      {figure(score.error)}   test, then train; the {frequent} frequent label alone: {alone}",
        f"log-loss   {figure(score.log_loss)}   in nats",
    ]
    if metrics is not None:
        lines += _metric_lines(metrics, score)
    if events := noticed(machine):
        lines.append(f"changes    {len(events)} noticed, the last at example {events[-1][0]:,}: {events[-1][1]}")
    found = certificate_of(machine)
    if mixture and found is not None:
        top = found.heaviest
        lines.append(f"heaviest   {shown(top.name, 30)}   carries {top.carries:.0%} of the prediction")
    elif found is not None:
        bound = float(found.certified_error[-1])
        lines.append(f"certified  {figure(bound)}   the theory's bound on the error of the mean vote")
    if metrics is not None:
        moved = [f"{shown(name, 24)} {share:.0%}" for name, share in _importances(machine).items()]
        text = ", ".join(moved[:4])
        lines.append(f"moved by   {shown(text, 68)}")
        if advice := metrics.advice("other options" if mixture else "the default, without --booster and --learner"):
            lines.append(textwrap.fill(advice, 80, initial_indent="note       ", subsequent_indent=" " * 11))
    return "\n".join(lines)


def skill_line(metrics: Metrics) -> str:
    """What the predictions are worth beside rules without a model."""
    kappa, before = figure(metrics["cohen_kappa"]), figure(metrics["no_change_error"])
    kappa += f", temporal {figure(metrics['kappa_temporal'])}"
    return f"auc        {figure(metrics['roc_auc'])}   kappa {kappa}; repeating labels errs {before}"


def _metric_lines(metrics: Metrics, score: Score) -> list[str]:
    lines = [skill_line(metrics)]
    ends, errors = score.windows()
    if len(errors) > 1:
        low, high = min(errors), max(errors)
        step = (high - low) / (len(_BARS) - 1) or 1.0
        bars = "".join(_BARS[round((value - low) / step)] for value in errors)
        lines.append(f"curve      {bars} windows of {ends[0]:,}: {figure(errors[0])} first, {figure(errors[-1])} last")
    return lines


# ---- the page ----------------------------------------------------------------------------------------------------


def page(data: dict[str, Any]) -> str:
    """The report as one page. Every text from the data is escaped, and the page may load nothing."""
    errors = {
        "error, test then train": data["error"],
        "error of the more frequent label": data["error_of_the_more_frequent_label"],
        "log-loss, nats": data["log_loss"],
    }
    if "hamming_loss" in data:
        errors = {
            "sets not predicted exactly": data["error"],
            "Hamming loss": data["hamming_loss"],
            "F1 over all labels": data["f1_micro"],
        }
    facts = {
        "input": ", ".join("standard input" if name == "-" else name for name in data["inputs"]),
        "examples": f"{data['examples']:,}",
        "malformed lines": f"{data['malformed']:,}",
        "labels": ", ".join(map(repr, data["labels"])),
        **{name: "–" if value is None else figure(value) for name, value in errors.items()},
    }
    metrics = data.get("metrics")
    if metrics:
        names = (
            "no_change_error",
            "balanced_accuracy",
            "cohen_kappa",
            "kappa_temporal",
            "roc_auc",
            "calibration_error",
        )
        facts |= {name.replace("_", " "): _number(metrics[name]) for name in names}
    parts = ["<h1>Test, then train</h1>", _table(facts)]
    if data["curve"]["examples"]:
        parts += ["<h2>Error</h2>", _curve(data)]
    if data.get("confusion_matrix"):
        parts += ["<h2>Classes</h2>", _classes(data["labels"], data["confusion_matrix"])]
        parts += ["<h2>Confusion matrix</h2>", _confusion(data["labels"], data["confusion_matrix"])]
    if data.get("columns"):
        parts += [
            "<h2>Columns</h2>",
            "<ul>" + "\n".join(f"<li>{_safe(line)}</li>" for line in data["columns"]) + "</ul>",
        ]
    if data.get("importances"):
        shares = {name: f"{share:.1%}" for name, share in data["importances"].items()}
        parts += ["<h2>What moves the prediction</h2>", _table(shares)]
    if data["certificate"]:
        parts += ["<h2>Certificate</h2>", "<p>" + "<br>\n".join(map(_safe, data["certificate"].splitlines())) + "</p>"]
    parts += ["<h2>Model</h2>", _table(data["model"])]
    from onlineboost.files.page import fill  # noqa: PLC0415  # for pages only

    return fill(__package__, "run", body="\n".join(parts))


def _safe(value: Any) -> str:
    return escape(shown(value))


def _table(rows: dict[str, Any]) -> str:
    cells = (f"<tr><th>{_safe(name)}</th><td>{_safe(value)}</td></tr>" for name, value in rows.items())
    return "<table>\n" + "\n".join(cells) + "\n</table>"


def _number(value: float | None) -> str:
    return "–" if value is None else figure(value)


def _classes(labels: list[Any], confusion: list[list[float]]) -> str:
    """A row per label: its examples, how many of them were found, and how often it was said rightly."""
    rows = ["<tr><th>label</th><th>examples</th><th>recall</th><th>precision</th></tr>"]
    for k, label in enumerate(labels):
        there, said = sum(confusion[k]), sum(row[k] for row in confusion)
        shares = (confusion[k][k] / total if total else None for total in (there, said))
        cells = "".join(f"<td>{_number(share)}</td>" for share in shares)
        rows.append(f"<tr><th>{_safe(repr(label))}</th><td>{there:,.0f}</td>{cells}</tr>")
    return '<table class="grid">\n' + "\n".join(rows) + "\n</table>"


def _confusion(labels: list[Any], confusion: list[list[float]]) -> str:
    """A row per true label, a column per predicted one; of many labels, the most frequent."""
    order = sorted(range(len(labels)), key=lambda k: (-sum(confusion[k]), k))[:_LABELS]
    order.sort()
    head = "".join(f"<th>{_safe(repr(labels[k]))}</th>" for k in order)
    rows = [f"<tr><th>true \\ said</th>{head}</tr>"]
    for k in order:
        cells = "".join(f"<td>{confusion[k][j]:,.0f}</td>" for j in order)
        rows.append(f"<tr><th>{_safe(repr(labels[k]))}</th>{cells}</tr>")
    left = len(labels) - len(order)
    told = f"<p>The {len(order)} most frequent labels; {left:,} more are in the JSON report.</p>" if left else ""
    return '<table class="grid">\n' + "\n".join(rows) + "\n</table>" + told


def _curve(data: dict[str, Any]) -> str:
    counts, errors = data["curve"]["examples"], data["curve"]["error"]
    baseline = data["error_of_the_more_frequent_label"]
    windows = list(zip(*data["curve"]["windows"].values(), strict=True))
    settled = [*errors[len(errors) // 20 :], *(error for _, error in windows)]  # the very first would flatten the rest
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
    before = data["examples_before"]
    for one in data["changes"]:
        if one["example"] > before:
            place = x(one["example"] - before)
            title = f"<title>example {one['example']:,}: {_safe(one['what'])}</title>"
            pieces.append(f'<line class="change" x1="{place}" x2="{place}" y1="{_TOP}" y2="{_BOTTOM}">{title}</line>')
    points = " ".join(f"{x(count)},{y(error)}" for count, error in zip(counts, errors, strict=True))
    steps = " ".join(f"{x(count)},{y(error)}" for count, error in windows)
    if len(windows) > 1:
        pieces.append(f'<polyline class="windows" points="{steps}"/>')
    pieces.append(f'<polyline class="curve" points="{points}"/>\n</svg>')
    told = f" Thin: over windows of {windows[0][0]:,}." if len(windows) > 1 else ""
    told += " Upright: changes that the model has noticed." if 'class="change"' in "".join(pieces) else ""
    told += "" if baseline is None else " Dashed: the more frequent label alone."
    pieces.append(f"<p>Error over the examples seen so far.{told}</p>")
    return "\n".join(pieces)
