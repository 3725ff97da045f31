"""Gradient boosted regression trees beside boosted Hoeffding trees: writes docs/results/gradient-boost.md.

    python tools/measure_gradient_boost.py [--quick] [--cells FILE]

Constants were chosen on 40,000 to 70,000 examples of adult and ijcnn1; the other sets check them. With --cells, what
was measured is kept in a file of JSON, so that an interruption loses one cell.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import results_page

from onlineboost import GradientBoostClassifier, HoeffdingTree, OSBoostClassifier, RegressionTree, prequential

MODELS: dict[str, Any] = {
    "OSBoost, 30 Hoeffding": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5, random_state=seed),
    "gradient, 30": lambda seed: GradientBoostClassifier(RegressionTree(), 30, learning_rate=0.2, random_state=seed),
    "means, 30": lambda seed: GradientBoostClassifier(
        RegressionTree(leaf="mean"), 30, learning_rate=0.2, random_state=seed
    ),
    "gradient, 100": lambda seed: GradientBoostClassifier(RegressionTree(), 100, random_state=seed),
    "means, 100": lambda seed: GradientBoostClassifier(RegressionTree(leaf="mean"), 100, random_state=seed),
    "first order, 30": lambda seed: GradientBoostClassifier(
        RegressionTree(), 30, learning_rate=0.2, order="first", random_state=seed
    ),
}
CHOSEN_ON = ("adult", "ijcnn1")
# Name, examples of each random order (None: all), orders.
SETS: list[tuple[str, int | None, int]] = [
    ("splice", None, 3),
    ("adult", None, 2),
    ("cod-rna", 100_000, 1),
    ("covertype", 100_000, 1),
    ("ijcnn1", None, 1),
]


def one_order(X: Any, y: Any, model: str, order: int, limit: int | None) -> tuple[float, float]:
    """The error over one random order, which depends on nothing but its number, and examples per second."""
    rows = np.random.default_rng(order).permutation(len(y))[:limit]
    made, X, y = MODELS[model](order), X[rows], y[rows]
    start = time.process_time()
    error = prequential(made, X, y).error
    return error, len(y) / (time.process_time() - start)


def table(*, quick: bool, path: Path | None) -> list[str]:
    """Markdown rows."""
    known: dict[str, str] = json.loads(path.read_text(encoding="utf8")) if path and path.exists() else {}
    lines = ["| data set | examples | orders | " + " | ".join(MODELS) + " |", "|---|" + "---|" * (len(MODELS) + 2)]
    for name, limit, orders in SETS:
        X, y = results_page.load(name)
        taken = min(limit or len(y), 3000) if quick else limit
        repeats = min(orders, 2) if quick else orders
        cells = []
        for model in MODELS:
            key = f"{name} {taken} {repeats} {model}"
            if key not in known:
                runs = np.array([one_order(X, y, model, k, taken) for k in range(repeats)])
                spread = f" ± {runs[:, 0].std(ddof=1) / math.sqrt(repeats):.4f}" if repeats > 1 else ""
                known[key] = f"{runs[:, 0].mean():.4f}{spread} ({runs[:, 1].max():,.0f}/s)"
                print(f"{key}: {known[key]}", flush=True)
                if path:
                    path.write_text(json.dumps(known, indent=1), encoding="utf8")
            cells.append(known[key])
        mark = "*" if name in CHOSEN_ON else ""
        lines.append(f"| {name}{mark} | {taken or len(y)} | {repeats} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short streams, and no page is written")
    parser.add_argument("--cells", type=Path, help="keep what was measured in this file")
    arguments = parser.parse_args()
    lines = results_page.header("Gradient boosted trees", "python tools/measure_gradient_boost.py")
    lines += [
        "Prequential error over random orders, mean ± standard error, and examples per second of processor time, best",
        "order (one thread, a shared machine). Constants were chosen on parts of the sets marked *.",
        "",
        *table(quick=arguments.quick, path=arguments.cells),
        "",
        "- OSBoost: `OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5)`, the setting that docs/trees.md starts from.",
        "- gradient: `GradientBoostClassifier(RegressionTree(), N)`; with 30 trees the learning rate is 0.2.",
        '- means: the same with `leaf="mean"`, trees without lines in their leaves (chosen on orders 10 and 11).',
        '- first order: the same with 30 trees and `order="first"`.',
    ]
    if not arguments.quick:
        results_page.write(results_page.ROOT / "docs" / "results" / "gradient-boost.md", lines)


if __name__ == "__main__":
    main()
