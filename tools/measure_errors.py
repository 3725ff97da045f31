"""Errors of every booster on the paper's data sets against an independent prototype: writes docs/results/errors.md.

    python tools/measure_errors.py [--quick] [--only LEARNER]

A difference counts as noise within three standard errors. The standard error of the prototype, where it was not
recorded, is taken from our own spread over orders and the number of orders that it averaged.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
import prototype_figures as proto
import results_page
from joblib import Parallel, delayed

from onlineboost import datasets, prequential
from onlineboost.experiments import grid, paper

RESOLUTION = 0.0001  # figures are given to four places


def one_order(data: str, X: Any, y: Any, learner: str, algorithm: str, order: int) -> float:
    """The error over one random order; the order depends on nothing but its number."""
    rows = np.random.default_rng(order).permutation(len(y))
    cell = grid.cell(data, "", learner, algorithm, order)
    parameters = proto.PARAMETERS.get((learner, data), cell["learner_parameters"])
    return prequential(paper.make({**cell, "learner_parameters": parameters}), X[rows], y[rows]).error


def orders_for(examples: int, learner: str, *, quick: bool) -> int:
    """As many as the prototype averaged, and five on the large sets."""
    if quick:
        return 5 if examples < 10_000 else 1
    if examples < 2000:
        return 50
    if examples < 10_000:
        return 20
    return 5 if learner == "Perceptron" or examples < 100_000 else 3


def table(learner: str, figures: dict[str, Any], *, quick: bool) -> tuple[list[str], int, int]:
    """Markdown rows, cells compared, cells within the noise."""
    lines = ["| data set | examples | orders | " + " | ".join(proto.ALGORITHMS) + " |", "|---|" + "---|" * 8]
    compared = agreed = 0
    notes: list[str] = []
    for data, (proto_orders, means, errors) in figures.items():
        try:
            loaded = datasets.load(data, data=results_page.data_folder())
        except FileNotFoundError:
            lines.append(f"| {data} | not found |  |" + "  |" * 6)
            continue
        X, y = loaded.X, loaded.y
        orders = orders_for(len(y), learner, quick=quick)
        cells = []
        for algorithm, mean, error in zip(proto.ALGORITHMS, means, errors, strict=True):
            if mean is None and learner != "Perceptron":
                cells.append("")
                continue
            start = time.perf_counter()
            ours = np.array(
                Parallel(n_jobs=-1, max_nbytes=None)(
                    delayed(one_order)(data, X, y, learner, algorithm, k) for k in range(orders)
                )
            )
            spread = float(ours.std(ddof=1)) if orders > 1 else 0.0
            cell = f"{ours.mean():.4f} ± {spread / math.sqrt(orders):.4f}"
            if mean is not None:
                theirs = error if error is not None else spread / math.sqrt(proto_orders)
                noise = math.hypot(spread / math.sqrt(orders), theirs, RESOLUTION)
                z = (ours.mean() - mean) / noise
                compared += 1
                agreed += abs(z) <= 3
                cell += f" ({mean:.4f}, {z:+.1f}{'' if abs(z) <= 3 else ' **!**'})"
            cells.append(cell)
            print(f"{learner} {data} {algorithm}: {cell}  [{time.perf_counter() - start:.1f} s]", flush=True)
        lines.append(f"| {data} | {len(y)} | {orders} | {' | '.join(cells)} |")
        notes += loaded.notes
    return [*lines, "", *(f"- {note}" for note in notes)], compared, agreed


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("Perceptron", "NaiveBayes"), help="one learner, and no page is written")
    parser.add_argument("--quick", action="store_true", help="fewer orders, and no page is written")
    arguments = parser.parse_args()
    quick = arguments.quick
    lines = results_page.header("Errors on the paper's data sets", "python tools/measure_errors.py")
    lines += [
        "Prequential error over random orders, N = 100, γ = 0.1: ours ± standard error (prototype's, difference in",
        "standard errors of the difference). EXP is the paper's halving, expected error. **!** marks a difference of",
        "more than three standard errors.",
        "",
    ]
    for learner, figures in (("Perceptron", proto.PERCEPTRON), ("NaiveBayes", proto.NAIVE_BAYES)):
        if arguments.only not in (None, learner):
            continue
        rows, compared, agreed = table(learner, figures, quick=quick)
        lines += [
            f"## {learner}",
            "",
            *rows,
            "",
            f"{agreed} of {compared} cells agree within three standard errors.",
            "",
        ]
        print(lines[-2])
    if not quick and not arguments.only:
        results_page.write(results_page.ROOT / "docs" / "results" / "errors.md", lines[:-1])


if __name__ == "__main__":
    main()
