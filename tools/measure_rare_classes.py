"""Rare classes and weights: writes docs/results/rare-classes.md.

    python tools/measure_rare_classes.py

1 % positives, drawn by scikit-learn's `make_classification`. Models learn half of the rows without weights, and with
99 times the weight for a positive; average precision and balanced accuracy are those of the other half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import results_page
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score

from onlineboost import OnlineBoostClassifier

DRAWS, ROWS = 5, 40_000
COLUMNS = ("average precision", "balanced accuracy", "F1")
TABLE: list[tuple[str, Any, bool]] = [
    ("OnlineBoostClassifier()", lambda k: OnlineBoostClassifier(random_state=k), False),
    ("… weights 1 : 99", lambda k: OnlineBoostClassifier(random_state=k), True),
    ('… weights 1 : 99, weights="repeats"', lambda k: OnlineBoostClassifier(weights="repeats", random_state=k), True),
    ('… class_weight="balanced"', lambda k: OnlineBoostClassifier(class_weight="balanced", random_state=k), False),
    ('… metric="f1"', lambda k: OnlineBoostClassifier(metric="f1", random_state=k), False),
    (
        '… metric="balanced_accuracy"',
        lambda k: OnlineBoostClassifier(metric="balanced_accuracy", random_state=k),
        False,
    ),
    ("HistGradientBoosting", lambda k: HistGradientBoostingClassifier(random_state=k), False),
    ("… weights 1 : 99", lambda k: HistGradientBoostingClassifier(random_state=k), True),
]


def draw(k: int) -> tuple[Any, Any]:
    """Rows and labels."""
    return make_classification(
        ROWS, 20, n_informative=8, n_clusters_per_class=3, weights=[0.99], flip_y=0.002, class_sep=1.2, random_state=k
    )


def measure(make: Any, *, weighted: bool) -> np.ndarray[Any, Any]:
    """A row per draw, a column per metric."""
    found = []
    for k in range(DRAWS):
        X, y = draw(k)
        half = ROWS // 2
        weights = np.where(y == 1, 99.0, 1.0)[:half] if weighted else None
        model = make(k).fit(X[:half], y[:half], sample_weight=weights)
        scores, said, true = model.predict_proba(X[half:])[:, 1], model.predict(X[half:]), y[half:]
        found.append((average_precision_score(true, scores), balanced_accuracy_score(true, said), f1_score(true, said)))
    return np.array(found)


def main() -> None:
    """Measure, and write the page."""
    lines = results_page.header("Rare classes", "python tools/measure_rare_classes.py")
    lines += [
        f"1 % positives of {ROWS:,} rows with 20 features (`make_classification`), {DRAWS} draws: mean ± standard",
        "error on the second half after learning the first. HistGradientBoosting learns from all of that half at once.",
        "",
        "| | " + " | ".join(COLUMNS) + " |",
        "|---" * (1 + len(COLUMNS)) + "|",
    ]
    for name, make, weighted in TABLE:
        found = measure(make, weighted=weighted)
        cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(found.mean(0), found.std(0, ddof=1) / DRAWS**0.5, strict=True)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    results_page.write(results_page.ROOT / "docs" / "results" / "rare-classes.md", lines)


if __name__ == "__main__":
    main()
