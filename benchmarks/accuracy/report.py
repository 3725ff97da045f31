"""Errors beside the peers on the twelve data sets: writes docs/results/accuracy.md and docs/images/accuracy.png."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import page, run, streams
from benchmarks.accuracy import plan
from benchmarks.accuracy.measure import DUEL_ROWS, Cells, duel, measure
from benchmarks.accuracy.rows import Streams
from benchmarks.marks import Mark, table
from onlineboost.experiments import drawing, figures
from onlineboost.experiments.statistics import Ranking, friedman, mean_error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

CELLS = page.ROOT / "docs" / "results" / "accuracy.json"
IMAGE = page.ROOT / "docs" / "images" / "accuracy.png"
NEAR = 1.1  # within 10 %
SPEED = 20.0  # how many times faster than the forest

RULES = """\
Test, then train, one pass, one thread. Order *k* of a data set is `np.random.default_rng(k).permutation`, and *k* is
the seed, too. Figures are the mean over the orders ± its standard error. Every cell is kept in
[accuracy.json](accuracy.json) with its time and commit.

- **The data sets** are the paper's, with two differences: w8a is one copy of what the paper has eight times, without
  its test part, and cod-rna is without its part `cod-rna.r`.
- **onlineboost** has one configuration for all data sets and gets the rows as they are in the files: the default
  mixture, `OSBoostClassifier(Perceptron(), 100)`, `OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5)`, and the single
  learners `Scaled(AdaGradLogistic(rate=0.5))` and `AROW(covariance="full")`.
- **The peers** get splice and cod-rna, whose files are unscaled, scaled to [-1, 1] by the least and greatest value
  in the whole set.
- **Vowpal Wabbit**: its defaults (adaptive, normalised, invariant), alone and under `--boosting 100 --alg BBM`.
- **CapyMOA**: `OnlineSmoothBoost` and `OzaBoost` over 30 of MOA's Hoeffding trees, `AdaptiveRandomForestClassifier`
  (ARF) and `StreamingRandomPatches` (SRP) with 30 trees, `StreamingGradientBoostedTrees` (SGBT) with its 100; else its
  defaults. Features that are only 0 or 1 are nominal, which is faster and better; those of splice, which are letters,
  are nominal for the boosters and numbers for the others: on one order OnlineSmoothBoost, ARF and SRP err less so.
- **river**: `StandardScaler() | LogisticRegression()`, and `ARFClassifier(n_models=10)` on the smallest sets, where it
  can be waited for."""


def errors_of(cells: Cells, wanted: list[plan.Cell]) -> list[float] | None:
    """The errors, if all are there."""
    return [cells[cell]["error"] for cell in wanted] if wanted and all(cell in cells for cell in wanted) else None


def figure_of(errors: list[float] | None) -> str:
    """Mean and standard error; of a single order, the error."""
    if errors is None:
        return "–"
    mean, error = mean_error(errors)
    return f"{mean:.4f} ± {error:.4f}" if len(errors) > 1 else f"{mean:.4f}"


def errors_table(
    cells: Cells, names: list[str], data: list[str], rows: Callable[[str, str], list[plan.Cell]]
) -> list[str]:
    """A row per system; the least mean of each column in bold."""
    found = {(name, at): errors_of(cells, rows(name, at)) for name in names for at in data}
    lines = [f"| system | {' | '.join(data)} |", "|---" * (len(data) + 1) + "|"]
    least = {at: min((np.mean(e) for (_, d), e in found.items() if d == at and e), default=math.nan) for at in data}
    for name in names:
        texts = [figure_of(found[name, at]) for at in data]
        bold = [found[name, at] is not None and np.mean(found[name, at] or [0]) == least[at] for at in data]
        lines.append(
            f"| {name} | " + " | ".join(f"**{t}**" if b else t for t, b in zip(texts, bold, strict=True)) + " |"
        )
    return lines


def ceiling_table(cells: Cells) -> tuple[list[str], list[Mark]]:
    """Our default beside the best figure of each data set, and the marks that follow."""
    lines = [
        "| data set | orders | default | best beforehand | by | default ÷ best | at most best + 2 s.e. | within 10 % |"
    ]
    lines.append("|---" * 8 + "|")
    marks, reached, near = [], 0, 0
    for name, at in plan.DATA.items():
        errors = errors_of(cells, plan.whole(plan.DEFAULT, name))
        if errors is None:
            lines.append(f"| {name} | {at.orders} | – | {at.best:.4f} | {at.by} | – | – | – |")
            continue
        mean, error = mean_error(errors)
        below, close = mean - 2 * error <= at.best, mean <= NEAR * at.best
        reached, near = reached + below, near + close
        says = f"{mean / at.best:.3f} | {'yes' if below else 'no'} | {'yes' if close else 'no'}"
        lines.append(f"| {name} | {at.orders} | {figure_of(errors)} | {at.best:.4f} | {at.by} | {says} |")
        marks.append(
            Mark(f"{name}: error of the default", mean, most=at.asked, unit="", digits=4, more=f"± {error:.4f}")
        )
    of = f"of {len(plan.DATA)}"
    marks += [
        Mark("data sets at or below the best figure within two standard errors", reached, least=8, unit=of, digits=0),
        Mark("data sets within 10 % of the best figure", near, least=len(plan.DATA), unit=of, digits=0),
    ]
    return lines, marks


def ranking_of(cells: Cells, names: list[str], rows: Callable[[str, str], list[plan.Cell]]) -> Ranking | None:
    """Mean ranks over the data sets on which all of the systems are measured, if there are two."""
    found = [[errors_of(cells, rows(name, at)) for name in names] for at in plan.DATA]
    full = [[float(np.mean(e)) for e in row if e] for row in found if all(row)]
    return friedman(names, np.array(full)) if len(full) > 1 else None


def rank_mark(ranking: Ranking, where: str) -> Mark:
    """The best peer's mean rank over ours."""
    at = dict(zip(ranking.names, ranking.mean_ranks, strict=True))
    peer = min((name for name in at if plan.BY_NAME[name].peer != "ours"), key=at.__getitem__)
    more = f" ({at[peer]:.2f}, {peer}, over {at[plan.DEFAULT]:.2f})"
    return Mark(
        f"mean rank over {ranking.data_sets} data sets, {where}: the best peer's over the default's",
        at[peer] / at[plan.DEFAULT],
        least=1,
        digits=2,
        more=more,
    )


def rank_lines(ranking: Ranking) -> list[str]:
    """A table of mean ranks, best first."""
    order = sorted(zip(ranking.mean_ranks, ranking.names, strict=True))
    return ["| system | mean rank |", "|---|---|", *(f"| {name} | {rank:.2f} |" for rank, name in order)]


def caption_of(ranking: Ranking) -> list[str]:
    """What the diagram says of the default."""
    at = dict(zip(ranking.names, ranking.mean_ranks, strict=True))
    far = [name for name in at if at[name] - at[plan.DEFAULT] >= ranking.critical_difference]
    p = f"p = {ranking.p_value:.4f}" if ranking.p_value >= 1e-4 else "p < 0.0001"
    return [
        f"Mean ranks of the errors on the shared rows of {ranking.data_sets} data sets, after Demšar (JMLR 2006).",
        f"Friedman's test gives {p}. Bars join systems that Nemenyi's test at 5 % does not tell apart: those within",
        f"{ranking.critical_difference:.2f}. The default is told apart from: {', '.join(far) or 'none'}.",
    ]


def cost_lines(cells: Cells) -> list[str]:
    """Speed and memory on the shared rows of two large sets."""
    sets = ("adult", "covertype")
    titles = [f"{at}, examples per second of processor time | peak MB" for at in sets]
    lines = [f"| system | {' | '.join(titles)} |", "|---" * 5 + "|"]
    for name in (system.name for system in plan.SYSTEMS):
        parts = []
        for data in sets:
            wanted = plan.shared(name, data)
            found = [cells[cell] for cell in wanted if cell in cells]
            if found:
                rate = statistics.median(at["examples_per_cpu_second"] for at in found)
                parts += [f"{rate:,.0f}", f"{max(at['peak_mb'] for at in found):,.0f}"]
            else:
                parts += ["–", "–"]
        lines.append(f"| {name} | {' | '.join(parts)} |")
    return lines


def duel_lines(duels: list[dict[str, Any]]) -> tuple[list[str], list[Mark]]:
    """The default beside the forest, in turns on one core."""
    if not duels:
        return ["Not measured yet."], []
    titles = "| repetition | default, examples per second | ARF × 30 | ratio | on the clock | ratio | errors |"
    lines, ratios = [titles, "|---" * 7 + "|"], []
    for k, seen in enumerate(duels):
        ours, theirs = seen[plan.DEFAULT], seen[plan.ARF]
        cpu, wall = ([at[f"examples_per_{of}"] for at in (ours, theirs)] for of in ("cpu_second", "second"))
        ratios.append(cpu[0] / cpu[1])
        clock = f"{wall[0]:,.0f}, {wall[1]:,.0f} | {wall[0] / wall[1]:.1f} ×"
        errors = f"{ours['error']:.4f}, {theirs['error']:.4f}"
        lines.append(f"| {k + 1} | {cpu[0]:,.0f} | {cpu[1]:,.0f} | {ratios[-1]:.1f} × | {clock} | {errors} |")
    what = f"speed on covertype: the default's over CapyMOA's ARF × 30, median of {len(ratios)}"
    return lines, [Mark(what, statistics.median(ratios), least=SPEED)]


def provenance(cells: Cells) -> str:
    """When, and at which commits, the cells were measured."""
    found = [*cells.found.values(), *(at for seen in cells.duels for at in seen.values())]
    times = sorted(at["time"] for at in found)
    commits = ", ".join(sorted({at["commit"] for at in found}))
    return f"{len(found)} cells, measured from {times[0]} to {times[-1]} at commit {commits}."


def lines_of(cells: Cells, image: Path | None) -> list[str]:
    """The page; the diagram goes to `image`."""
    everyone = [system.name for system in plan.SYSTEMS if not system.small]
    fast = [system.name for system in plan.SYSTEMS if not system.slow]
    ceilings, marks = ceiling_table(cells)
    on_shared, on_whole = ranking_of(cells, everyone, plan.shared), ranking_of(cells, fast, plan.whole)
    fights, speed = duel_lines(cells.duels)
    marks += [rank_mark(r, w) for r, w in ((on_shared, "shared rows"), (on_whole, "whole streams")) if r] + speed
    lines = [
        *page.header("Accuracy beside the peers", "python -m benchmarks accuracy"),
        provenance(cells),
        "",
        RULES,
        "",
    ]
    lines += ["## Asked and measured", "", *table(marks), "", "## Whole streams", ""]
    lines += ["Those that are fast enough: five orders, two from 100,000 examples on.", ""]
    small, large = list(plan.DATA)[:7], list(plan.DATA)[7:]
    for some in (small, large):
        lines += [*errors_table(cells, fast, some, plan.whole), ""]
    lines += [
        "The best figure beforehand is a ceiling: linear learners and Fourier features of a prototype, each with the",
        "best of a grid, and CapyMOA's tree ensembles at full length, picked in hindsight for each data set.",
        "",
        *ceilings,
        "",
    ]
    if on_whole:
        lines += [f"Mean ranks over {on_whole.data_sets} data sets:", "", *rank_lines(on_whole), ""]
    lines += ["## Shared rows: all systems", ""]
    lines += ["Every system learned the same rows in the same orders: " + "; ".join(map(_shares, plan.DATA)) + ".", ""]
    for some in (small, large):
        names = [system.name for system in plan.SYSTEMS] if some is small else everyone
        lines += [*errors_table(cells, names, some, plan.shared), ""]
    if on_shared:
        picture = figures.critical_difference(
            on_shared, f"Mean ranks over {on_shared.data_sets} data sets, shared rows"
        )
        if image is not None:
            image.write_bytes(drawing.png(picture.draw(drawing.LIGHT), scale=2))
        lines += [f"![{picture.title}](../images/{IMAGE.name})", "", *caption_of(on_shared), ""]
    lines += ["## Speed and memory", ""]
    lines += [
        "On the shared rows of two data sets. Processor time is that of all threads of a process, the JVM's compiler",
        "and collector included; memory is the peak of the process, with its libraries and the rows.",
        "",
        *cost_lines(cells),
        "",
        f"In turns, both kept to one core, over the first {DUEL_ROWS:,} rows of covertype in order 0. Rates are by",
        "processor time, which is what a clock would show on an idle core, and beside them by the clock as it was.",
        "",
        *fights,
    ]
    return lines


def _shares(name: str) -> str:
    at = plan.DATA[name]
    orders = "one order" if at.shared_orders == 1 else f"{at.shared_orders} orders"
    return f"{name} {f'the first {at.prefix:,} rows of ' if at.prefix else ''}{orders}"


def main(arguments: argparse.Namespace) -> None:
    """Measure what is not there yet, and write the page from all that is."""
    wanted = plan.cells(quick=arguments.quick)
    peers = {"ours", *(arguments.only or {system.peer for system in plan.SYSTEMS})}
    wanted = [cell for cell in wanted if plan.BY_NAME[cell.system].peer in peers]
    cells = Cells(None if arguments.quick else arguments.cells or CELLS)
    if arguments.again:
        for cell in wanted:
            cells.found.pop(cell.key, None)
    until = time.monotonic() + 60 * arguments.minutes
    python = run.pythons(peers, arguments.cache)
    with tempfile.TemporaryDirectory() as folder:
        at = Streams(Path(folder), streams.data_folder(arguments.data))
        measure(wanted, cells, at, python, until)
        if not arguments.quick and "capymoa" in peers and time.monotonic() < until:
            duel(cells, at, python, arguments.repetitions)
    keep = not arguments.quick
    page.write("accuracy.md", lines_of(cells, IMAGE if keep else None), keep=keep)
