"""Draw the README's picture, prequential error over time on adult: writes docs/images/adult.png.

    python tools/draw_learning_curve.py

Mean over ten random orders, band of two standard errors.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import results_page

from onlineboost import (
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

ORDERS = 10

# Okabe and Ito's palette, which colour-blind readers can tell apart.
MODELS: dict[str, tuple[str, Any]] = {
    "OGBoost × 100 Perceptrons": ("#CC79A7", lambda s: OGBoostClassifier(Perceptron(), random_state=s)),
    "one Perceptron": ("#999999", lambda s: OnlineClassifier(Perceptron(), random_state=s)),
    "OzaBoost × 100 Perceptrons": ("#E69F00", lambda s: OzaBoostClassifier(Perceptron(), random_state=s)),
    "OSBoost × 100 Perceptrons": ("#0072B2", lambda s: OSBoostClassifier(Perceptron(), random_state=s)),
    "OSBoost × 100 Naive Bayes": ("#009E73", lambda s: OSBoostClassifier(NaiveBayes(), random_state=s)),
}


def main() -> None:
    """Run and draw."""
    X, y = results_page.load("adult")
    plt.rcParams.update({"font.size": 12, "axes.spines.top": False, "axes.spines.right": False})
    _, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
    ends = []
    for name, (colour, make) in MODELS.items():
        curves = []
        for order in range(ORDERS):
            rows = np.random.default_rng(order).permutation(len(y))
            t, curve = prequential(make(order), X[rows], y[rows]).curve(400)
            curves.append(curve)
        mean = np.mean(curves, axis=0)
        error = np.std(curves, axis=0, ddof=1) / np.sqrt(ORDERS)
        ax.plot(t, mean, color=colour, linewidth=2)
        ax.fill_between(t, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, linewidth=0)
        ends.append((float(mean[-1]), name, colour))
    place = 0.0
    for value, name, colour in sorted(ends):
        place = max(value, place + 0.0042)  # names must not touch
        text = f"{name}  {value:.3f}"
        ax.annotate(text, (t[-1], place), (8, 0), textcoords="offset points", color=colour, va="center")
    ax.set(xlim=(0, len(y)), ylim=(0.15, 0.25), xlabel="examples seen", ylabel="error so far")
    ax.set_title("adult: each example is predicted, then learned, once", loc="left", fontsize=12)
    ax.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    ax.grid(axis="y", alpha=0.3)
    path = results_page.ROOT / "docs" / "images" / "adult.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=110)
    print(f"wrote {path.relative_to(results_page.ROOT)}")


if __name__ == "__main__":
    main()
