"""All boosters over Perceptrons and over Naive Bayes learners: writes docs/results/boosters.md.

    python tools/measure_boosters.py

Test-then-train errors in one pass over random orders: ten on the small sets, one on the large ones. 100 learners (one
for *single* and *Defensive*), default parameters, features as in the files. The least error of a column is bold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import results_page
from joblib import Parallel, delayed

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    datasets,
    prequential,
)

SMALL = ("heart", "breast-cancer", "australian", "diabetes", "german", "splice", "mushrooms")
LARGE = {"adult": 48_842, "ijcnn1": 50_000, "cod-rna": 50_000, "covertype": 50_000}
LEARNERS = {"Perceptron": Perceptron, "Naive Bayes": NaiveBayes}
BOOSTERS: dict[str, Any] = {
    "single": OnlineClassifier,
    "OSBoost": OSBoostClassifier,
    'OSBoost, vote="ocp"': lambda learner, **more: OSBoostClassifier(learner, vote="ocp", **more),
    'OSBoost, vote="eg"': lambda learner, **more: OSBoostClassifier(learner, vote="eg", **more),
    'OSBoost, vote="experts"': lambda learner, **more: OSBoostClassifier(learner, vote="experts", **more),
    "OzaBoost": OzaBoostClassifier,
    "OGBoost": OGBoostClassifier,
    "BBM": BBMClassifier,
    'BBM, output="real"': lambda learner, **more: BBMClassifier(learner, output="real", **more),
    "AdaBoost.OL": lambda learner, **more: AdaBoostOLClassifier(learner, update="sample", **more),
    "AdaBoost.OL.W": AdaBoostOLClassifier,
    'AdaBoost.OL.W, output="sign"': lambda learner, **more: AdaBoostOLClassifier(learner, output="sign", **more),
    "Defensive": DefensiveClassifier,
}
FIRST_ORDER = 2000


def measure(data: str, learner: str) -> dict[tuple[str, str, str], list[float]]:
    """Errors of every booster over the orders of one data set."""
    loaded = datasets.load(data, data=results_page.data_folder())
    found: dict[tuple[str, str, str], list[float]] = {}
    for order in range(FIRST_ORDER, FIRST_ORDER + (10 if data in SMALL else 1)):
        rows = np.random.default_rng(order).permutation(len(loaded.y))[: LARGE.get(data)]
        X, y = loaded.X[rows], loaded.y[rows]
        for booster, make in BOOSTERS.items():
            model = make(LEARNERS[learner](), random_state=order)
            found.setdefault((learner, booster, data), []).append(prequential(model, X, y).error)
    return found


def cell(errors: list[float]) -> str:
    """Mean and standard error."""
    mean = f"{np.mean(errors):.4f}"
    return mean if len(errors) == 1 else f"{mean} ± {np.std(errors, ddof=1) / np.sqrt(len(errors)):.4f}"


def table(found: dict[tuple[str, str, str], list[float]], learner: str, names: tuple[str, ...]) -> list[str]:
    """A row per booster."""
    lines = ["| booster | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    least = {data: min(np.mean(found[learner, booster, data]) for booster in BOOSTERS) for data in names}
    for booster in BOOSTERS:
        errors = {data: found[learner, booster, data] for data in names}
        cells = [f"**{cell(e)}**" if np.mean(e) == least[data] else cell(e) for data, e in errors.items()]
        lines.append(f"| {booster} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure and write."""
    tasks = [(data, learner) for data in (*LARGE, *SMALL) for learner in LEARNERS]
    found: dict[tuple[str, str, str], list[float]] = {}
    for part in Parallel(n_jobs=2, return_as="generator_unordered")(delayed(measure)(*task) for task in tasks):
        found.update(part)
        print(*next(iter(part))[::2], flush=True)
    lines = results_page.header("Boosters", "python tools/measure_boosters.py")
    lines += [*(__doc__ or "").split("\n\n")[2].strip().split("\n"), ""]
    lines += [f"Rows of a random order: {', '.join(f'{data} {n:,}' for data, n in LARGE.items())}.", ""]
    for learner in LEARNERS:
        for names in (SMALL, tuple(LARGE)):
            lines += [
                f"## {learner}, {'small' if names == SMALL else 'large'} sets",
                "",
                *table(found, learner, names),
                "",
            ]
    results_page.write(results_page.ROOT / "docs" / "results" / "boosters.md", lines[:-1])


if __name__ == "__main__":
    main()
