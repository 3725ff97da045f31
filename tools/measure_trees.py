"""Boosted and bagged Hoeffding trees on the paper's data sets: writes docs/results/trees.md.

    python tools/measure_trees.py [--quick] [--cells FILE] [--streams DIR]

Constants were chosen on diabetes, splice, ijcnn1 and a part of adult, with a look at 60,000 examples of cod-rna and
covertype; the other sets check them. With --cells, what was measured is kept in a file of JSON, so that an interruption
loses one cell.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import drift_streams
import numpy as np
import results_page

from onlineboost import HoeffdingTree, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier, prequential

VFDT = {
    "rule": "hoeffding",
    "criterion": "gain",
    "delta": 1e-7,
    "grace_period": 200,
    "max_features": None,
    "resample": None,
}
# As adaptive random forests have them, but for drift (Gomes et al., Machine Learning 106, 2017).
FOREST = {"rule": "hoeffding", "criterion": "gain", "delta": 0.01, "max_features": "sqrt"}
BAGGING = 1e-6  # a γ so small that all weights are 1 to six places

MODELS: dict[str, Any] = {
    "one VFDT": lambda seed: OnlineClassifier(HoeffdingTree(**VFDT), random_state=seed),
    "forest, 30": lambda seed: OSBoostClassifier(HoeffdingTree(**FOREST), 30, gamma=BAGGING, random_state=seed),
    "bagged, 30": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=BAGGING, random_state=seed),
    "OSBoost, 30": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5, random_state=seed),
    "OCP, 30": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5, vote="ocp", random_state=seed),
    "experts, 30": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5, vote="experts", random_state=seed),
    "OzaBoost, 30": lambda seed: OzaBoostClassifier(HoeffdingTree(resample=None), 30, random_state=seed),
    "stumps, 100": lambda seed: OSBoostClassifier(HoeffdingTree(max_depth=1), 100, random_state=seed),
    "OSBoost, 100": lambda seed: OSBoostClassifier(HoeffdingTree(), 100, gamma=0.5, random_state=seed),
}
MODELS_OF_30 = ("one VFDT", *(name for name in MODELS if name.endswith("30")))
CHOSEN_ON = ("diabetes", "splice", "ijcnn1", "adult")
# Name, examples of each random order (None: all), orders, models (None: all).
SETS: list[tuple[str, int | None, int, tuple[str, ...] | None]] = [
    ("heart", None, 20, None),
    ("breast-cancer", None, 20, None),
    ("australian", None, 20, None),
    ("diabetes", None, 20, None),
    ("german", None, 20, None),
    ("splice", None, 10, None),
    ("mushrooms", None, 5, None),
    ("adult", None, 3, None),
    ("ijcnn1", None, 3, (*MODELS_OF_30, "OSBoost, 100")),
    ("cod-rna", None, 1, ("bagged, 30", "OSBoost, 30")),
    ("covertype", 100_000, 1, ("forest, 30", "bagged, 30", "OSBoost, 30")),
    ("covertype", None, 1, ("OSBoost, 30",)),
]


def one_order(X: Any, y: Any, model: str, order: int, limit: int | None) -> float:
    """The error over one random order, which depends on nothing but its number."""
    rows = np.random.default_rng(order).permutation(len(y))[:limit]
    return prequential(MODELS[model](order), X[rows], y[rows]).error


def table(*, quick: bool, path: Path | None) -> list[str]:
    """Markdown rows."""
    known: dict[str, str] = json.loads(path.read_text(encoding="utf8")) if path and path.exists() else {}
    lines = ["| data set | examples | orders | " + " | ".join(MODELS) + " |", "|---|" + "---|" * (len(MODELS) + 2)]
    for name, limit, orders, chosen in SETS:
        X, y = results_page.load(name)
        taken = min(limit or len(y), 3000) if quick else limit
        repeats = min(orders, 2) if quick else orders
        cells = []
        for model in MODELS:
            if chosen and model not in chosen:
                cells.append("")
                continue
            key = f"{name} {taken} {repeats} {model}"
            if key in known:
                cells.append(known[key])
                continue
            start = time.process_time()
            errors = np.array([one_order(X, y, model, k, taken) for k in range(repeats)])
            spread = f" ± {errors.std(ddof=1) / math.sqrt(repeats):.4f}" if repeats > 1 else ""
            cells.append(f"{errors.mean():.4f}{spread}")
            known[key] = cells[-1]
            if path:
                path.write_text(json.dumps(known, indent=1), encoding="utf8")
            print(f"{name} {model}: {cells[-1]}  [{time.process_time() - start:.1f} s]", flush=True)
        mark = "*" if name in CHOSEN_ON else ""
        lines.append(f"| {name}{mark} | {taken or len(y)} | {repeats} | {' | '.join(cells)} |")
    return lines


# Splits that are re-examined: sets in one order, drawn streams that change, and real ones.
REEXAMINED: dict[str, Any] = {
    f"OSBoost, 30, {words}": lambda seed, every=every: OSBoostClassifier(
        HoeffdingTree(reexamine=every), 30, gamma=0.5, random_state=seed
    )
    for words, every in (("never", None), ("every 1000", 1000.0), ("every 10,000", 10_000.0))
}
SHUFFLED = [("splice", None), ("adult", None), ("ijcnn1", 60_000), ("cod-rna", 60_000), ("covertype", 60_000)]
CHANGING = (*drift_streams.DRAWN, "SEA, gradual")
REAL = ("elec", "sea-50k", "airlines", "bank-marketing")


def streams_to_reexamine(folder: Path | None) -> Any:
    """Name, X and y of each."""
    for name, limit in SHUFFLED:
        X, y = results_page.load(name)
        rows = np.random.default_rng(0).permutation(len(y))[:limit]
        yield name, X[rows], y[rows]
    for name in CHANGING:
        yield name, *drift_streams.STREAMS[name](0)
    if folder is not None:
        for name, stream in drift_streams.real_streams(folder, REAL).items():
            yield name, *stream(0)


def table_of_reexamined(*, quick: bool, path: Path | None, folder: Path | None) -> list[str]:
    """Markdown rows."""
    known: dict[str, str] = json.loads(path.read_text(encoding="utf8")) if path and path.exists() else {}
    lines = ["| stream | examples | " + " | ".join(REEXAMINED) + " |", "|---|" + "---|" * (len(REEXAMINED) + 1)]
    for name, X, y in streams_to_reexamine(folder):
        count, cells = min(len(y), 3000) if quick else len(y), []
        for model, make in REEXAMINED.items():
            key = f"{name} {count} {model}"
            if key not in known:
                start = time.process_time()
                error = prequential(make(0), X[:count], y[:count]).error
                known[key] = f"{error:.4f} ({1e6 * (time.process_time() - start) / count:.0f} µs)"
                print(f"{key}: {known[key]}", flush=True)
                if path:
                    path.write_text(json.dumps(known, indent=1), encoding="utf8")
            cells.append(known[key])
        lines.append(f"| {name} | {count} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short streams, and no page is written")
    parser.add_argument("--cells", type=Path, help="keep what was measured in this file")
    parser.add_argument("--streams", type=Path, help="the folder of real streams")
    arguments = parser.parse_args()
    lines = results_page.header("Hoeffding trees", "python tools/measure_trees.py --streams DIR")
    lines += [
        "Prequential error over random orders, mean ± standard error. Constants were chosen on the sets marked *, with",
        "a look at 60,000 examples of cod-rna and covertype. Empty cells were not measured.",
        "",
        *table(quick=arguments.quick, path=arguments.cells),
        "",
        "- one VFDT: Domingos and Hulten's tree with adaptive leaves, on its own.",
        "- forest: the trees of an adaptive random forest, bagged (OSBoost with γ = 10⁻⁶, so that all weights are 1).",
        "- bagged, OSBoost, OCP, experts: `HoeffdingTree()` as it is by default; γ = 10⁻⁶ for bagged, else γ = 0.5.",
        "- OzaBoost draws Poisson numbers itself, so its trees do not. Stumps: `max_depth=1`, γ = 0.1.",
        "",
        "## Splits that are re-examined",
        "`HoeffdingTree(reexamine=…)`: prequential error, and processor time per example, on data sets in one order,",
        "drawn streams that change, and real ones in their own order.",
        "",
        *table_of_reexamined(quick=arguments.quick, path=arguments.cells, folder=arguments.streams),
    ]
    if not arguments.quick:
        results_page.write(results_page.ROOT / "docs" / "results" / "trees.md", lines)


if __name__ == "__main__":
    main()
