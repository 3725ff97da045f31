"""Every variant of Naive Bayes that was tried against the paper's Tables 2 and 4: writes docs/results/nb-variants.md.

    python tools/measure_nb_variants.py

The tables of docs/results/paper.md use the first: Bernoulli for data of zeros and ones, else Gaussian on unit-norm
rows, with the moments that the single learner's column shows. The other rows show how far a choice made by the count
could move it; none of them was made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import results_page
from joblib import Parallel, delayed

from onlineboost import NaiveBayes, OGBoostClassifier, datasets, prequential
from onlineboost.experiments import paper, statistics

SMALL = ("heart", "breast-cancer", "australian", "diabetes", "german")
LARGE = ("splice", "ijcnn1", "covertype")
VARIANTS: dict[str, dict[str, Any]] = {
    "paper (the rule of the tables)": {"kind": "gaussian", "estimates": "paper"},
    "gaussian": {"kind": "gaussian"},
    "gaussian, floor 1e-6": {"kind": "gaussian", "variance_floor": 1e-6},
    "gaussian, floor 1e-3": {"kind": "gaussian", "variance_floor": 1e-3},
    "gaussian, no intercept": {"kind": "gaussian", "intercept": False},
    "gaussian, raw rows": {"kind": "gaussian", "unit_norm": False, "intercept": False},
    "auto (the library's default)": {"kind": "auto"},
    "auto, floor 1e-3": {"kind": "auto", "variance_floor": 1e-3},
    "auto, no intercept": {"kind": "auto", "intercept": False},
    "auto, raw rows": {"kind": "auto", "unit_norm": False},
}
ON_LARGE = (
    "paper (the rule of the tables)",
    "gaussian",
    "gaussian, floor 1e-6",
    *(name for name in VARIANTS if "auto" in name),
)
FLOORS = (0.0, 1e-16, 1e-12)


def agrees(errors: list[float], printed: float) -> bool:
    """The rule of the tables."""
    z = statistics.difference_in_errors(errors, printed, paper.TRIALS)
    return abs(float(np.mean(errors)) - printed) <= 0.03 * printed or abs(z) <= 3


def one(data: str, algorithm: str, parameters: dict[str, Any], floor: float, trial: int) -> float:
    """The error over one random order."""
    loaded = datasets.load(data, data=results_page.data_folder())
    order = np.random.default_rng(trial).permutation(len(loaded.y))
    if floor > 0:
        model: Any = OGBoostClassifier(NaiveBayes(**parameters), smallest_weight=floor, random_state=trial)
    else:
        cell = {"learner": "NaiveBayes", "learner_parameters": parameters, "algorithm": algorithm}
        model = paper.make({**cell, "n_learners": paper.N_LEARNERS, "gamma": paper.GAMMA, "trial": trial})
    return prequential(model, loaded.X[order], loaded.y[order]).error


def count(
    sets: tuple[str, ...], algorithms: tuple[str, ...], parameters: dict[str, Any], orders: int, floor: float = 0.0
) -> str:
    """'agreeing of all', and the mean error of each cell."""
    agreed, cells = 0, []
    for data in sets:
        for algorithm in algorithms:
            jobs = (delayed(one)(data, algorithm, parameters, floor, trial) for trial in range(orders))
            errors = list(Parallel(n_jobs=-1)(jobs))
            good = agrees(errors, paper.FIGURES[data, "NaiveBayes", algorithm])
            agreed += good
            cells.append(f"{data} {algorithm} {np.mean(errors):.4f}{'' if good else ' !'}")
    return f"{agreed} of {len(cells)} | {'; '.join(cells)}"


def main() -> None:
    """Measure and write."""
    lines = results_page.header("Naive Bayes: every variant tried", "python tools/measure_nb_variants.py")
    lines += [*(__doc__ or "").split("\n\n")[2].strip().split("\n"), ""]
    lines += ["## Small sets, all six algorithms, 5 orders", "", "| variant | agree | cells |", "|---|---|---|"]
    for name, parameters in VARIANTS.items():
        lines.append(f"| {name} | {count(SMALL, paper.ALGORITHMS, parameters, 5)} |")
        print(lines[-1][:90], flush=True)
    lines += [
        "",
        "## Larger sets, without OzaBoost and OGBoost, 2 orders",
        "",
        "| variant | agree | cells |",
        "|---|---|---|",
    ]
    for name in ON_LARGE:
        parameters = VARIANTS[name]
        lines.append(f"| {name} | {count(LARGE, ('single', *paper.ALGORITHMS[3:]), parameters, 2)} |")
        print(lines[-1][:90], flush=True)
    lines += ["", "## OGBoost's smallest weight, over auto, 5 orders", "", "| floor | agree | cells |", "|---|---|---|"]
    for floor in FLOORS:
        cells = count((*SMALL, "splice", "mushrooms"), ("OGBoost",), {"kind": "auto"}, 5, floor)
        lines.append(f"| {floor:g} | {cells} |")
    results_page.write(results_page.ROOT / "docs" / "results" / "nb-variants.md", lines)


if __name__ == "__main__":
    main()
