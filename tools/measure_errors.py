"""Errors of every booster on the paper's data sets against an independent prototype: writes docs/results/errors.md.

    python tools/measure_errors.py [--quick]

A difference counts as noise within three standard errors. The standard error of the prototype, where it was not
recorded, is taken from our own spread over orders and the number of orders that it averaged.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
import paper_data
import prototype_figures as proto
import results_page
from joblib import Parallel, delayed

from onlineboost import (
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

RESOLUTION = 0.0001  # figures are given to four places


def make(algorithm: str, learner: Any, seed: int) -> Any:
    """The paper's configuration."""
    if algorithm == "single":
        return OnlineClassifier(learner, random_state=seed)
    if algorithm == "OzaBoost":
        return OzaBoostClassifier(learner, random_state=seed)
    if algorithm == "OGBoost":
        return OGBoostClassifier(learner, random_state=seed)
    vote = {"OSBoost": "uniform", "OSBoost.OCP": "ocp", "OSBoost.EXP": "experts"}[algorithm]
    return OSBoostClassifier(learner, vote=vote, expert_rate="paper", expert_mode="expected", random_state=seed)


def learner_for(name: str, data: str) -> Any:
    """Naive Bayes by the paper's rule: Bernoulli for data of zeros and ones, else Gaussian."""
    if name == "Perceptron":
        return Perceptron()
    return NaiveBayes(kind="bernoulli" if data in {"mushrooms", "adult", "web page"} else "gaussian")


def one_order(data: str, X: Any, y: Any, learner: str, algorithm: str, order: int) -> float:
    """The error over one random order; the order depends on nothing but its number."""
    rows = np.random.default_rng(order).permutation(len(y))
    return prequential(make(algorithm, learner_for(learner, data), order), X[rows], y[rows]).error


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
    for data, (proto_orders, means, errors) in figures.items():
        if not paper_data.available(data):
            lines.append(f"| {data} | not found |  |" + "  |" * 6)
            continue
        X, y = paper_data.load(data)
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
        lacks = paper_data.DATA_SETS[data].lacks
        lines.append(f"| {data}{f' (without {lacks})' if lacks else ''} | {len(y)} | {orders} | {' | '.join(cells)} |")
    return lines, compared, agreed


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer orders, and no page is written")
    quick = parser.parse_args().quick
    lines = results_page.header("Errors on the paper's data sets", "python tools/measure_errors.py")
    lines += [
        "Prequential error over random orders, N = 100, γ = 0.1: ours ± standard error (prototype's, difference in",
        "standard errors of the difference). EXP is the paper's halving, expected error. **!** marks a difference of",
        "more than three standard errors.",
        "",
    ]
    for learner, figures in (("Perceptron", proto.PERCEPTRON), ("NaiveBayes", proto.NAIVE_BAYES)):
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
    if not quick:
        results_page.write(results_page.ROOT / "docs" / "results" / "errors.md", lines[:-1])


if __name__ == "__main__":
    main()
