"""One example at a time: `predict_one` + `learn_one`, ours beside river's; writes docs/results/latency.md."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import marks, page, run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


@dataclass(frozen=True)
class Case:
    """A model, the form of its examples, and how many of them are timed."""

    words: str
    peer: str
    model: str
    form: str
    examples: int


CASES = (
    Case("onlineboost, OSBoost × 100 Perceptrons, arrays", "ours", "Perceptron", "arrays", 20_000),
    Case("onlineboost, OSBoost × 100 Perceptrons, dicts", "ours", "Perceptron", "dicts", 20_000),
    Case("onlineboost, OSBoost × 100 Naive Bayes, arrays", "ours", "NaiveBayes", "arrays", 20_000),
    Case("onlineboost, OSBoost × 100 Naive Bayes, dicts", "ours", "NaiveBayes", "dicts", 20_000),
    Case("river, AdaBoostClassifier × 100 Perceptrons, dicts", "river", "AdaBoost", "dicts", 3_000),
    Case("river, one Perceptron, dicts", "river", "Perceptron", "dicts", 20_000),
    Case("river, one LogisticRegression, dicts", "river", "LogisticRegression", "dicts", 20_000),
)
ARRAYS, DICTS, RIVER = CASES[0], CASES[1], CASES[4]


def measure(cases: list[Case], python: Mapping[str, str], repetitions: int) -> dict[Case, dict[str, float]]:
    """The median over interleaved repetitions of each quantile."""
    seen: dict[Case, list[dict[str, float]]] = {case: [] for case in cases}
    for _ in range(repetitions):
        for case in cases:
            arguments = (case.peer, case.model, case.form, str(case.examples))
            seen[case].append(run.process(python[case.peer], "latency.py", *arguments))
            print(f"{case.words}: {seen[case][-1]['p50']:.1f} µs", flush=True)
    return {case: {key: statistics.median(r[key] for r in runs) for key in runs[0]} for case, runs in seen.items()}


def marks_of(found: Mapping[Case, dict[str, float]]) -> list[marks.Mark]:
    """What is asked of one example at a time."""
    what = "`predict_one` + `learn_one`, N = 100, 14 features, median, "
    return [
        marks.Mark(f"{what}arrays", found[ARRAYS]["p50"], most=10, unit="µs"),
        marks.Mark(f"{what}dicts", found[DICTS]["p50"], most=20, unit="µs"),
    ]


def main(arguments: argparse.Namespace) -> None:
    """Measure and write."""
    peers = {"ours", *(arguments.only or ["river"])} & {"ours", "river"}
    cases = [case for case in CASES if case.peer in peers]
    if arguments.quick:
        cases = [Case(case.words, case.peer, case.model, case.form, 1_000) for case in cases]
    found = measure(cases, run.pythons(peers, arguments.cache), arguments.repetitions)
    lines = page.header("Latency: one example at a time", "python -m benchmarks latency")
    lines += [
        "Each example, of 14 numbers, is predicted, then learned: microseconds for both calls together, and the median",
        f"of each. Medians over {arguments.repetitions} repetitions in fresh processes, in turns; the collector's and",
        "the system's pauses are in the slowest 1 %.",
        "",
        "| model | median | 99 % are below | `predict_one` | `learn_one` |",
        "|---|---|---|---|---|",
    ]
    for case, at in found.items():
        lines.append(f"| {case.words} | {at['p50']:.1f} | {at['p99']:.1f} | {at['predict']:.1f} | {at['learn']:.1f} |")
    if RIVER in found:
        faster = found[RIVER]["p50"] / found[DICTS]["p50"]
        lines += ["", f"With dicts, a boosted example takes river {faster:.0f} times as long as us."]
    if not arguments.quick:
        lines += ["", *marks.table(marks_of(found))]
    page.write("latency.md", lines, keep=not (arguments.quick or arguments.only))
