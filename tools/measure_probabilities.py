"""How good the probabilities are on adult: writes docs/results/probabilities.md.

    python tools/measure_probabilities.py

Prequential log-loss and expected calibration error (20 bins) of `predict_proba`, against (1 + f) / 2, the margin read
as a probability. Means and standard errors over five random orders.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import results_page

from onlineboost import (
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

ORDERS = 5

MODELS: dict[str, Any] = {
    "OSBoost × Perceptron": lambda seed: OSBoostClassifier(Perceptron(), random_state=seed),
    "OSBoost.OCP × Perceptron": lambda seed: OSBoostClassifier(Perceptron(), vote="ocp", random_state=seed),
    "OSBoost.EXP × Perceptron": lambda seed: OSBoostClassifier(Perceptron(), vote="experts", random_state=seed),
    "OSBoost × NaiveBayes": lambda seed: OSBoostClassifier(NaiveBayes(), random_state=seed),
    "OSBoost × OnlineGradient": lambda seed: OSBoostClassifier(OnlineGradient(), random_state=seed),
    "OzaBoost × Perceptron": lambda seed: OzaBoostClassifier(Perceptron(), random_state=seed),
    "OGBoost × NaiveBayes": lambda seed: OGBoostClassifier(NaiveBayes(), random_state=seed),
    "NaiveBayes alone": lambda seed: OnlineClassifier(NaiveBayes(), random_state=seed),
}


def main() -> None:
    """Measure and write."""
    X, y = results_page.load("adult")
    lines = results_page.header("Probabilities on adult", "python tools/measure_probabilities.py")
    lines += [
        f"Mean ± standard error over {ORDERS} random orders; raw is (1 + f) / 2.",
        "",
        "| model | log-loss | raw | calibration error | raw |",
        "|---|---|---|---|---|",
    ]
    for name, make in MODELS.items():
        figures = []
        for order in range(ORDERS):
            rows = np.random.default_rng(order).permutation(len(y))
            result = prequential(make(order), X[rows], y[rows])
            raw = replace(result, probabilities=(1.0 + result.margins) / 2.0)
            figures.append([result.log_loss, raw.log_loss, result.calibration_error(), raw.calibration_error()])
        table = np.array(figures)
        errors = table.std(axis=0, ddof=1) / np.sqrt(ORDERS)
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(table.mean(axis=0), errors, strict=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    results_page.write(results_page.ROOT / "docs" / "results" / "probabilities.md", lines)


if __name__ == "__main__":
    main()
