"""The sections of the scale page: every number in them was measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.scale import cost, endless, features
from onlineboost import _core

Pairs = list[tuple[int, int]]


def fit(cells: list[list[float]]) -> tuple[float, float, float, float]:
    """(a, b, c, d) of nanoseconds = a + b · nnz + N · (c + d · nnz), by least squares of the relative errors."""
    n, nnz, time = np.array(cells, dtype=float).T
    terms = np.column_stack([np.ones(len(time)), nnz, n, n * nnz]) / time[:, np.newaxis]
    a, b, c, d = np.linalg.lstsq(terms, np.ones(len(time)), rcond=None)[0]
    return float(a), float(b), float(c), float(d)


def of_cost(found: dict[str, list[list[float]]]) -> list[str]:
    """Time per example."""
    lines = [
        "## Learners and numbers per row",
        "",
        "![Time per example against N · nnz](../images/scale-cost.png)",
        "",
        "Microseconds per example (`partial_fit`, one thread), for N learners and rows of nnz numbers.",
    ]
    for learner, cells in found.items():
        at = {(n, nnz): time for n, nnz, time in cells}
        lines += ["", f"| OSBoost, {learner} | " + " | ".join(f"nnz = {nnz}" for nnz in cost.NON_ZEROS) + " |"]
        lines.append("|---" * (len(cost.NON_ZEROS) + 1) + "|")
        for n in cost.LEARNERS:
            lines.append(f"| N = {n:,} | " + " | ".join(f"{at[n, nnz] / 1e3:,.2f}" for nnz in cost.NON_ZEROS) + " |")
    lines.append("")
    for learner, cells in found.items():
        a, b, c, d = fit(cells)
        at = {(n, nnz): time for n, nnz, time in cells}
        n, nnz = at[10_000, 14] / at[100, 14], at[100, 200] / at[100, 50]
        lines.append(
            f"- {learner}: about {a:,.0f} + {b:.1f} · nnz + N · ({c:.2f} + {d:.2f} · nnz) ns, the lines in the figure. "
            f"N = 10,000 takes {n:.0f} times as long as N = 100 (nnz = 14), nnz = 200 takes {nnz:.1f} times as long as "
            "nnz = 50 (N = 100)."
        )
    return [*lines, ""]


def of_features(found: dict[str, dict[tuple[int, int], Any]], seen: Pairs, declared: Pairs) -> list[str]:
    """Memory by features."""
    lines = [
        "## Features",
        "",
        "![Memory against features seen and declared](../images/scale-features.png)",
        "",
        "A feature takes memory when it is first met, not when a matrix declares it. MB that a model of",
        f"N = {features.N_LEARNERS} takes:",
    ]
    for title, pairs, which in (("features met, of 1,000,000", seen, 1), ("declared, 10,000 met", declared, 0)):
        lines += ["", f"| {title} | " + " | ".join(f"{pair[which]:,}" for pair in pairs) + " |"]
        lines.append("|---" * (len(pairs) + 1) + "|")
        for learner, cells in found.items():
            lines.append(f"| {learner} | {_row(cells, pairs, 'added_mb')} |")
        lines += [
            f"| {learner}, µs per example | {_row(cells, pairs, 'microseconds')} |" for learner, cells in found.items()
        ]
    per = []
    for learner, cells in found.items():
        cell = max(cells.values(), key=lambda cell: cell["features"])
        per.append(f"{learner} {cell['added_mb'] * 2**20 / cell['features']:.0f}")
    return [
        *lines,
        "",
        f"Bytes per feature met: {', '.join(per)} (N numbers of 8 bytes are {8 * features.N_LEARNERS}).",
        f"The examples have {features.PER_ROW} ones. Perceptrons touch only these; Naive Bayes also weighs what is",
        "absent, and so looks at every feature that it has met.",
        "",
    ]


def _row(cells: dict[tuple[int, int], Any], pairs: Pairs, key: str) -> str:
    return " | ".join(f"{cells[pair][key]:,.1f}" if pair in cells else "–" for pair in pairs)


def of_endless(found: dict[str, list[list[float]]]) -> list[str]:
    """Memory over time."""
    examples = int(next(iter(found.values()))[-1][0])
    lines = [
        "## Examples",
        "",
        "![Resident memory while the examples go by](../images/scale-examples.png)",
        "",
        f"{examples:,} examples of {endless.FEATURES} numbers from a generator, {endless.BATCH:,} at a time, N = 100:",
        "",
        "| learner | resident MB after a tenth | at the end | examples/s, first tenth | last tenth |",
        "|---|---|---|---|---|",
    ]
    for learner, points in found.items():
        early, late = points[len(points) // 10 - 1], points[-1]
        before = points[-(len(points) // 10) - 1]
        speeds = early[0] / early[2], (late[0] - before[0]) / (late[2] - before[2])
        lines.append(f"| {learner} | {early[1]:.1f} | {late[1]:.1f} | {speeds[0]:,.0f} | {speeds[1]:,.0f} |")
    return [*lines, ""]


def of_threads(found: list[list[float]]) -> list[str]:
    """Throughput by threads."""
    at = {(int(batch), int(threads)): rate for batch, threads, rate in found}
    counts = sorted({threads for _, threads in at})
    lines = [
        "## Threads",
        "",
        "One model per thread, OSBoost × 100 Perceptrons, 14 numbers per row; all threads together, examples/s.",
        "The engine works without Python's lock, which threads share only between batches.",
        "",
        "| rows per `partial_fit` | " + " | ".join(f"{n} thread{'s' * (n > 1)}" for n in counts) + " | gain |",
        "|---" * (len(counts) + 2) + "|",
    ]
    for batch in sorted({batch for batch, _ in at}):
        rates = [at[batch, n] for n in counts]
        gain = rates[-1] / rates[0]
        lines.append(f"| {batch:,} | " + " | ".join(f"{rate:,.0f}" for rate in rates) + f" | {gain:.2f} × |")
    return [*lines, ""]


def of_split(found: list[Any]) -> list[str]:
    """Time per example of one model by threads."""
    counts = range(1, len(found[0][3]) + 1)
    lines = [
        "## One model on several threads",
        "",
        "OSBoost with `n_jobs`, least microseconds per example (`partial_fit`). Votes and weights are",
        "not split. Here the sweeps over the learners are, whatever their size; elsewhere only those of at least",
        f"{_core.split_threshold():,} numbers are. The results are the same bits.",
        "",
        "| rows | learners | " + " | ".join(f"{n} thread{'s' * (n > 1)}" for n in counts) + " | gain |",
        "|---" * (len(counts) + 3) + "|",
    ]
    for stream, learner, n_learners, times in found:
        cells = " | ".join(f"{time:,.0f}" for time in times)
        lines.append(f"| {stream} | {n_learners:,} × {learner} | {cells} | {times[0] / times[-1]:.2f} × |")
    return lines
