"""The mixture and each of its families on data that had no say in how it was made: writes docs/results/mixture.md.

    python tools/measure_mixture.py [--quick]

The data come with scikit-learn and river, or are drawn by scikit-learn's generators; none was looked at before.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import results_page
from river import datasets, forest, linear_model, preprocessing
from river import stream as river_stream
from sklearn import datasets as bundled

from onlineboost import OnlineBoostClassifier, prequential
from onlineboost.boosters.mixture import default_families
from onlineboost.estimators import as_estimator

if TYPE_CHECKING:
    from collections.abc import Callable

ORDERS = 5
Data = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def river_rows(source: Any) -> Data:
    """A data set of river as arrays."""
    pairs = list(source)
    return np.array([list(x.values()) for x, _ in pairs], dtype=float), np.array([y for _, y in pairs])


def parity_of_digits() -> Data:
    """Is the digit even?"""
    X, y = bundled.load_digits(return_X_y=True)
    return X, y % 2 == 0


SETS: dict[str, Callable[[], Data]] = {
    "phishing (river)": lambda: river_rows(datasets.Phishing()),
    "bananas (river)": lambda: river_rows(datasets.Bananas()),
    "breast cancer, Wisconsin diagnostic": lambda: bundled.load_breast_cancer(return_X_y=True),
    "digits, even or odd": parity_of_digits,
    "Hastie's ten Gaussians": lambda: bundled.make_hastie_10_2(12_000, random_state=0),
    "moons with noise 0.3": lambda: bundled.make_moons(5_000, noise=0.3, random_state=0),
    "Gaussian shells": lambda: bundled.make_gaussian_quantiles(
        n_samples=8_000, n_features=8, n_classes=2, random_state=0
    ),
    "hypercube clusters, 5 % noise": lambda: bundled.make_classification(
        20_000, 20, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0
    ),
    "hyperplane, 100 features": lambda: bundled.make_classification(
        5_000, 100, n_informative=20, n_redundant=0, n_clusters_per_class=1, class_sep=0.7, random_state=0
    ),
}


def river_error(model: Any, X: Any, y: Any) -> float:
    """Test, then train, with a model of river."""
    wrong = 0
    for x, label in river_stream.iter_array(X, y):
        wrong += model.predict_one(x) != label
        model.learn_one(x, label)
    return wrong / len(y)


def rivals() -> dict[str, Any]:
    """Models of river."""
    return {
        "river: logistic regression": lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "river: adaptive random forest, 10": lambda: forest.ARFClassifier(n_models=10, seed=0),
    }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short streams, and no page is written")
    quick = parser.parse_args().quick
    names = ["OnlineBoostClassifier()", *(name for name, _, _ in default_families()), *rivals()]
    table: dict[str, list[str]] = {name: [] for name in names}
    ranks = []
    for data, load in SETS.items():
        X, y = load()
        errors = {name: [] for name in names}
        for order in range(2 if quick else ORDERS):
            rows = np.random.default_rng(order).permutation(len(y))[: 500 if quick else None]
            x, label = np.ascontiguousarray(X[rows]), y[rows]
            errors[names[0]].append(prequential(OnlineBoostClassifier(random_state=order), x, label).error)
            for name, family, _ in default_families():
                errors[name].append(prequential(as_estimator(family).set_params(random_state=order), x, label).error)
            if order == 0 or len(y) < 2000:
                for name, make in rivals().items():
                    errors[name].append(river_error(make(), x[:6000], label[:6000]))
        means = {name: float(np.mean(found)) for name, found in errors.items()}
        least = min(means.values())
        for name, found in errors.items():
            spread = f" ± {np.std(found, ddof=1) / math.sqrt(len(found)):.4f}" if len(found) > 1 else ""
            text = f"{means[name]:.4f}{spread}"
            table[name].append(f"**{text}**" if means[name] == least else text)
        ranks.append([1 + sum(other < means[name] for other in means.values()) for name in names])
        print(data, {name: round(value, 4) for name, value in means.items()}, flush=True)
    mean_ranks = np.mean(ranks, axis=0)
    lines = results_page.header("The mixture on data that had no say", "python tools/measure_mixture.py")
    lines += [
        f"Test-then-train errors over {ORDERS} random orders, mean ± standard error, all with default parameters.",
        "River's models have one order, and the first 6,000 examples of it, on sets of more than 2,000: they are slow.",
        "",
        "| data | " + " | ".join(names) + " |",
        "|---|" + "---|" * len(names),
        *(f"| {data} | " + " | ".join(table[name][k] for name in names) + " |" for k, data in enumerate(SETS)),
        "| **mean rank** | " + " | ".join(f"{rank:.2f}" for rank in mean_ranks) + " |",
    ]
    if not quick:
        results_page.write(results_page.ROOT / "docs" / "results" / "mixture.md", lines)


if __name__ == "__main__":
    main()
