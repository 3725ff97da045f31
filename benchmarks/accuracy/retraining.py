"""Our default beside batch boosters that keep all rows: writes docs/results/retraining.md and its picture."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import page, run, streams
from benchmarks.accuracy import plan
from benchmarks.accuracy.measure import SCORES, Cells, measure
from benchmarks.accuracy.report import provenance
from benchmarks.accuracy.rows import Streams
from benchmarks.marks import Mark, table
from onlineboost.experiments import drawing
from onlineboost.experiments.statistics import mean_error

if TYPE_CHECKING:
    import argparse

CELLS = page.ROOT / "docs" / "results" / "retraining.json"
IMAGE = "retraining.png"
SYSTEMS = (plan.DEFAULT, plan.LOW.name, *(system.name for system in plan.RETRAINED))
COLOURS = dict(zip(SYSTEMS, ("OSBoost", "OSBoost.OCP", "OSBoost.EXP", "OzaBoost", "OGBoost", "single"), strict=True))
SHORT = {plan.DEFAULT: "default", plan.LOW.name: 'effort="low"'}  # in the picture

RULES = f"""\
What a practitioner does instead of learning online: keep all rows, and train a batch booster again whenever they have
grown by 25 %, from 30 rows on; in between it predicts. 200 trees of rate 0.1 and 31 leaves, 255 leaves above 100,000
rows (CatBoost: depth 5 and 8), else the library's defaults, one thread, rows as they are in the files. The default, its
cheap families (`effort="low"`) and LightGBM learn up to five orders, one of the sets above {plan.LONG:,} examples; the
others, which take longer, one order, and in the picture they are beside the default on that order. Streams are in their
own order, the first 50,000 rows at most, categories as a column per value for all. Seconds are processor time of a
whole stream, trainings and predictions; MB the peak of the process with its libraries and all rows, which the default
reads from memory, too, and does not keep. Log-loss is in nats, probabilities below 10⁻⁶ counted as that; the
calibration error is the mean gap between probability and frequency over 20 bins. A dash: not measured."""
ALL = (*plan.DATA, *plan.STREAMS)
ASKED = {"splice": 0.0438, "ijcnn1": 0.0109, "cod-rna": 0.0258, "covertype": 0.0699}  # LightGBM's, measured beforehand


def found(cells: Cells, system: str, data: str) -> list[dict[str, Any]] | None:
    """The cells of one system on one data set that are there, if there is one."""
    return [cells[cell] for cell in plan.retrained(system, data) if cell in cells] or None


def seconds_of(of: list[dict[str, Any]]) -> float:
    """Processor time of a stream, the median over the orders."""
    return statistics.median(at["examples"] / at["examples_per_cpu_second"] for at in of)


def _figure(of: list[dict[str, Any]] | None, name: str = "error", *, bold: bool = False) -> str:
    if of is None or name not in of[0]:
        return "–"
    mean, error = mean_error([at[name] for at in of if name in at])
    text = f"{mean:.4f} ± {error:.4f}" if len(of) > 1 else f"{mean:.4f}"
    return f"**{text}**" if bold else text


def _cost(of: list[dict[str, Any]] | None) -> str:
    return "–" if of is None else f"{seconds_of(of):,.1f} s, {max(at['peak_mb'] for at in of):,.0f} MB"


def _table(cells: Cells, name: str) -> list[str]:
    """A figure of every system on every data set, the least in bold."""
    lines = [f"| data set | {' | '.join(SYSTEMS)} |", "|---" * (len(SYSTEMS) + 1) + "|"]
    for data in ALL:
        of = [found(cells, system, data) for system in SYSTEMS]
        means = [math.inf if not one or name not in one[0] else statistics.fmean(at[name] for at in one) for one in of]
        best = [mean == min(means) < math.inf for mean in means]
        if min(means) < math.inf:
            texts = (_figure(one, name, bold=b) for one, b in zip(of, best, strict=True))
            lines.append(f"| {data} | {' | '.join(texts)} |")
    return lines


def tables(cells: Cells) -> list[str]:
    """Errors, probabilities, and what they cost."""
    costs = [f"| data set | {' | '.join(SYSTEMS)} |", "|---" * (len(SYSTEMS) + 1) + "|"]
    for data in ALL:
        of = [found(cells, system, data) for system in SYSTEMS]
        if any(of):
            costs.append(f"| {data} | {' | '.join(map(_cost, of))} |")
    lines = ["## Errors", "", *_table(cells, "error"), "", "## Log-loss", "", *_table(cells, "log_loss")]
    lines += ["", "## Calibration error", "", *_table(cells, "calibration_error")]
    return [*lines, "", "## Processor time and memory", "", *costs]


def _beside_lightgbm(cells: Cells, names: tuple[str, ...]) -> dict[str, tuple[list[Any], list[Any]]]:
    both = {data: (found(cells, plan.DEFAULT, data), found(cells, plan.LIGHTGBM, data)) for data in names}
    return {data: (ours, theirs) for data, (ours, theirs) in both.items() if ours and theirs}


def marks(cells: Cells) -> list[Mark]:
    """At or below LightGBM within two standard errors, its time on covertype, and the memory."""
    full = _beside_lightgbm(cells, tuple(plan.DATA))
    if not full:
        return []
    below, ratios = 0, []
    for ours, theirs in full.values():
        mean, error = mean_error([at["error"] for at in ours])
        other = statistics.fmean(at["error"] for at in theirs)
        spread = error if len(ours) > 1 else math.sqrt(mean * (1 - mean) / ours[0]["examples"])
        below += mean - 2 * spread <= other
        ratios.append(mean / other)
    of = f"of {len(full)}"
    made = [
        Mark("data sets at or below LightGBM retrained within two s.e.", below, least=len(full), unit=of, digits=0),
        Mark("error over LightGBM's, geometric mean", statistics.geometric_mean(ratios), most=0.85, digits=2),
    ]
    for name in SCORES:
        better = [
            statistics.fmean(at[name] for at in ours) <= statistics.fmean(at[name] for at in theirs)
            for ours, theirs in full.values()
            if name in ours[0] and name in theirs[0]
        ]
        if better:
            words = f"{name.replace('_', ' ').replace('log loss', 'log-loss')} at or below LightGBM's"
            made.append(Mark(words, sum(better), least=len(better) / 2, unit=f"of {len(better)}", digits=0))
    for data in filter(full.get, ASKED):
        error = statistics.fmean(at["error"] for at in full[data][0])
        made.append(Mark(f"error on {data}", error, most=ASKED[data], unit="", digits=4))
    own = _beside_lightgbm(cells, tuple(plan.STREAMS))
    if own:
        won = sum(ours[0]["error"] <= theirs[0]["error"] for ours, theirs in own.values())
        made.append(
            Mark("streams at or below LightGBM retrained", won, least=0.7 * len(own), unit=f"of {len(own)}", digits=0)
        )
    if "covertype" in full:
        ours, theirs = full["covertype"]
        made.append(
            Mark("processor time on covertype over LightGBM's", seconds_of(ours) / seconds_of(theirs), most=1, digits=2)
        )
    if low := found(cells, plan.LOW.name, "adult"):
        made += [
            Mark(
                f"examples/s on adult, {plan.LOW.name}",
                low[0]["examples_per_cpu_second"],
                least=100_000,
                unit="",
                digits=0,
            ),
            Mark(f"its error, {plan.LOW.name}", low[0]["error"], most=0.153, unit="", digits=4),
        ]
    return made


def draw(cells: Cells, path: Path | None) -> list[str]:
    """Error against time, both beside the default's: a point per system and data set, and the geometric means."""
    points: dict[str, list[tuple[float, float]]] = {}
    for data in ALL:
        ours = found(cells, plan.DEFAULT, data)
        for system in SYSTEMS[1:]:
            theirs = found(cells, system, data)
            if ours and theirs:
                same = ours[: len(theirs)]
                error = statistics.fmean(at["error"] for at in theirs) / statistics.fmean(at["error"] for at in same)
                points.setdefault(system, []).append((seconds_of(theirs) / seconds_of(same), error))
    if path is None or not points:
        return []
    title = "Error against processor time, the default at 1"
    with drawing.style(drawing.LIGHT):
        figure, ax = drawing.canvas(title)
        ends = []
        for system, at in points.items():
            colour = drawing.LIGHT.colours[COLOURS[system]]
            xs, ys = zip(*at, strict=True)
            ax.scatter(xs, ys, s=16, color=colour, alpha=0.5, linewidths=0)
            middle = statistics.geometric_mean(xs), statistics.geometric_mean(ys)
            ax.scatter(*middle, s=90, color=colour, marker="D")
            ends.append((SHORT.get(system, system), *middle, colour))
        mine = drawing.LIGHT.colours[COLOURS[plan.DEFAULT]]
        ax.scatter(1, 1, s=110, color=mine, marker="*")
        ax.set(xscale="log", yscale="log", xlabel="processor time ÷ the default's", ylabel="error ÷ the default's")
        ticks = (0.8, 1, 1.25, 1.5, 2, 5, 10, 20, 50)
        ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
        ax.set_yticks([], minor=True)
        ax.axhline(1, color=drawing.LIGHT.faint, linewidth=0.8)
        ax.axvline(1, color=drawing.LIGHT.faint, linewidth=0.8)
        drawing.label_ends(figure, ax, [*ends, (SHORT[plan.DEFAULT], 1.0, 1.0, mine)])
        path.write_bytes(drawing.png(figure, scale=2))
    small = "Dots are data sets, diamonds geometric means over those on which a library was run."
    return ["", f"![{title}](../images/{IMAGE})", "", small]


def lines_of(cells: Cells, image: Path | None) -> tuple[list[str], list[Mark]]:
    """The page below its header, and its marks; the picture goes to `image`."""
    reached = marks(cells)
    asked = ["## Asked and measured", "", *table(reached), ""] if reached else []
    return [RULES, "", *asked, *tables(cells), *draw(cells, image)], reached


def main(arguments: argparse.Namespace) -> None:
    """Measure what is not there yet, and write the page from all that is."""
    systems, data = arguments.system or SYSTEMS, ["heart"] if arguments.quick else ALL
    wanted = [cell for at in data for system in systems for cell in plan.retrained(system, at)]
    cells = Cells(None if arguments.quick else arguments.cells or CELLS)
    if arguments.again:
        for cell in wanted:
            cells.found.pop(cell.key, None)
    python = run.pythons({plan.BY_NAME[cell.system].peer for cell in wanted}, arguments.cache)
    with tempfile.TemporaryDirectory() as folder:
        at = Streams(Path(folder), streams.data_folder(arguments.data))
        measure(wanted, cells, at, python, time.monotonic() + 60 * arguments.minutes)
    keep = not arguments.quick
    lines, _ = lines_of(cells, page.ROOT / "docs" / "images" / IMAGE if keep else None)
    head = page.header("The default beside batch boosters that are retrained", "python -m benchmarks retraining")
    page.write("retraining.md", [*head, provenance(cells), "", *lines], keep=keep)
