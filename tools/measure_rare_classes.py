"""Rare classes and weights: writes docs/results/rare-classes.md.

    python tools/measure_rare_classes.py

Rows are drawn by scikit-learn's `make_classification`, with 1 % positives, and with five classes of which the rarest
has 1 %. Models learn half of them, with and without weights, costs and metrics; figures are those of the other half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import results_page
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, log_loss
from sklearn.preprocessing import label_binarize

from onlineboost import OnlineBoostClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

Make = tuple[str, Any, dict[str, Any], Any]  # name, model, parameters, weights by class

DRAWS, ROWS_2, ROWS_5 = 5, 40_000, 20_000
SHARES = (0.6, 0.3, 0.07, 0.02, 0.01)
# A row per true class: each step too far down costs ten times as much as one too far up.
COST = [[float(max(j - i, 10 * (i - j))) for j in range(5)] for i in range(5)]
BATCH = "scikit-learn's batch booster learns from all of that half at once."
OURS, THEIRS = OnlineBoostClassifier, HistGradientBoostingClassifier
TWO: list[Make] = [
    ("OnlineBoostClassifier()", OURS, {}, None),
    ("… weights 1 : 99", OURS, {}, (1, 99)),
    ('… weights 1 : 99, weights="repeats"', OURS, {"weights": "repeats"}, (1, 99)),
    ('… class_weight="balanced"', OURS, {"class_weight": "balanced"}, None),
    ('… metric="f1"', OURS, {"metric": "f1"}, None),
    ('… metric="balanced_accuracy"', OURS, {"metric": "balanced_accuracy"}, None),
    ("HistGradientBoosting", THEIRS, {}, None),
    ("… weights 1 : 99", THEIRS, {}, (1, 99)),
]
INVERSE = tuple(1 / share for share in SHARES)
FIVE: list[Make] = [
    ("OnlineBoostClassifier()", OURS, {}, None),
    ("… weights 1 / share", OURS, {}, INVERSE),
    ('… weights 1 / share, weights="repeats"', OURS, {"weights": "repeats"}, INVERSE),
    ('… class_weight="balanced"', OURS, {"class_weight": "balanced"}, None),
    ('… metric="f1"', OURS, {"metric": "f1"}, None),
    ('… metric="balanced_accuracy"', OURS, {"metric": "balanced_accuracy"}, None),
    ("… cost=matrix", OURS, {"cost": COST}, None),
    ("HistGradientBoosting", THEIRS, {}, None),
    ('… class_weight="balanced"', THEIRS, {"class_weight": "balanced"}, None),
]


def draw_two(k: int) -> tuple[Any, Any]:
    """Rows and labels."""
    return make_classification(
        ROWS_2,
        20,
        n_informative=8,
        n_clusters_per_class=3,
        weights=[0.99],
        flip_y=0.002,
        class_sep=1.2,
        random_state=k,
    )


def draw_five(k: int) -> tuple[Any, Any]:
    """The same of five classes."""
    return make_classification(
        ROWS_5,
        20,
        n_informative=8,
        n_classes=5,
        n_clusters_per_class=2,
        weights=list(SHARES),
        flip_y=0.002,
        class_sep=1.2,
        random_state=k,
    )


def of_two(P: Any, said: Any, y: Any) -> dict[str, float]:
    """Figures of two classes."""
    return {
        "average precision": average_precision_score(y, P[:, 1]),
        "balanced accuracy": balanced_accuracy_score(y, said),
        "F1": f1_score(y, said),
    }


def of_five(P: Any, said: Any, y: Any) -> dict[str, float]:
    """Figures of five."""
    return {
        "average precision": average_precision_score(label_binarize(y, classes=range(5)), P, average="macro"),
        "balanced accuracy": balanced_accuracy_score(y, said),
        "macro F1": f1_score(y, said, average="macro"),
        "log-loss": log_loss(y, P),
        "cost": float(np.array(COST)[y, said].mean()),
    }


def measure(
    one: Make, draw: Callable[[int], tuple[Any, Any]], figures: Callable[..., dict[str, float]]
) -> dict[str, list[float]]:
    """Each figure, draw by draw."""
    _, model, parameters, weights = one
    found: dict[str, list[float]] = {}
    for k in range(DRAWS):
        X, y = draw(k)
        half = len(y) // 2
        given = None if weights is None else np.array(weights, float)[y[:half]]
        fitted = model(random_state=k, **parameters).fit(X[:half], y[:half], sample_weight=given)
        for name, value in figures(fitted.predict_proba(X[half:]), fitted.predict(X[half:]), y[half:]).items():
            found.setdefault(name, []).append(value)
    return found


def table(makes: list[Make], draw: Any, figures: Any) -> list[str]:
    """A row per model."""
    lines: list[str] = []
    for one in makes:
        found = measure(one, draw, figures)
        if not lines:
            lines = ["| | " + " | ".join(found) + " |", "|---" * (1 + len(found)) + "|"]
        cells = [f"{np.mean(each):.3f} ± {np.std(each, ddof=1) / DRAWS**0.5:.3f}" for each in found.values()]
        lines.append(f"| {one[0]} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure, and write the page."""
    shares = ", ".join(f"{100 * share:.0f}" for share in SHARES)
    lines = results_page.header("Rare classes", "python tools/measure_rare_classes.py")
    lines += [
        f"1 % positives of {ROWS_2:,} rows with 20 features (`make_classification`), {DRAWS} draws: mean ± standard",
        f"error on the second half after learning the first. {BATCH}",
        "",
        *table(TWO, draw_two, of_two),
        "",
        f"Five classes with {shares} % of {ROWS_5:,} rows, in the same way. The average precision is the",
        "mean over classes, each against the rest by its probability: of more than two classes weights move this order",
        "a little. The log-loss is that of the stream as it is, which is not what weights and balancing ask for. To",
        "predict a class that is d steps more common than the true one costs 10 d, one that is rarer d.",
        "",
        *table(FIVE, draw_five, of_five),
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "rare-classes.md", lines)


if __name__ == "__main__":
    main()
