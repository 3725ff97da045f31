"""What an advantage of 2γ on margins asks of weak learners as classes grow: writes docs/results/advantage.md.

python tools/measure_advantage.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import results_page
from sklearn.datasets import load_digits

from onlineboost import AdaGradLogistic, AveragedPerceptron, HoeffdingTree, NaiveBayes, OSBoostClassifier, Scaled

if TYPE_CHECKING:
    from onlineboost.learners import Learner
    from onlineboost.theory.certificate import Certificate

N, GAMMA, DRAWS, ROWS, COLUMNS, BAYES = 20, 0.1, 5, 20_000, 10, 0.2
CLASSES = (2, 3, 5, 10, 20, 50)
SCALES = (1, 10, 100)
LEARNERS: dict[str, Learner] = {
    "HoeffdingTree": HoeffdingTree(),
    "NaiveBayes": NaiveBayes(kind="gaussian"),
    "Scaled(AdaGradLogistic)": Scaled(AdaGradLogistic()),
    "AveragedPerceptron": AveragedPerceptron(),
}
INTRODUCTION = f"""\
OSBoost for many classes runs the paper's recursion on the margins m_i = s_i(y) - max_{{{{k≠y}}}} s_i(k) of
distributions ([classes.md](../classes.md#osboost-for-many-classes)), and Theorem 1 asks learners for Σ w m ≥ 2γ Σ w.
What that asks depends on what a learner says:

- *It names a class.* Then m is 1 or -1, and the mean margin is 1 - 2e with e its weighted error: it asks for
  e ≤ 1/2 - γ, however many classes there are, where guessing errs on 1 - 1/K.
- *It spreads its doubt.* A learner that knows nothing has m = 0 for any K. One that gives the true class 1/K + ε, and
  the others equal parts of what is left, has m = ε K/(K - 1), at least ε, even if it would name the class rarely. But
  one that is nearly always right by little has little: shares of K binary learners, (1 + h)/Σ (1 + h), differ by about
  1/K.
- *Between the two*: `margin_scale` multiplies how far each class is behind the one in front, up to 1. At 1 these are
  the distributions, and far above it names.

Measured over {N} learners of OSBoost, γ = {GAMMA}, so 2γ = {2 * GAMMA:g}. The first, whose weights are 1, tells the
mean margin of distributions and that of names, 1 - 2e. *Kept by*: how many of the {N} have 2γ under their own weights.
*Certified*: the least W_(i+1)/T, a bound on the mistakes of the first i learners; 1 says nothing. Means over draws or
orders; the standard errors of errors and margins are at most {{largest:.3f}}."""
FOUND = """\
Seen in both tables: of trees, which are weak and spread their doubt, distributions ask for less from 10 classes on, and
larger scales cost accuracy with any number of classes. Of Naive Bayes and linear learners names ask for less, the more
so the more classes there are: with many classes, `margin_scale` of 10 or 100 is what certifies them, and the ensemble
errs no more by it."""
CLUSTERS = f"""\
{ROWS:,} rows of K normal clusters in {COLUMNS} dimensions, whose centres lie in random directions, so far out that the
best classifier errs on {BAYES:.0%} of rows for every K: only the number of classes differs. {DRAWS} draws."""
DIGITS = f"""\
scikit-learn's digits, the rows of the labels 0 to K - 1, in {DRAWS} random orders."""


def clusters(n_classes: int, rng: Any) -> tuple[Any, Any]:
    """Rows and labels of clusters that the best classifier mistakes for one another at a rate of BAYES."""
    centres = rng.normal(size=(n_classes, COLUMNS))
    centres -= centres.mean(axis=0)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    y = rng.integers(n_classes, size=ROWS)
    noise = rng.normal(size=(ROWS, COLUMNS))
    low, high = 0.0, 50.0
    for _ in range(30):
        middle = (low + high) / 2
        X = middle * centres[y] + noise
        error = np.mean((X @ centres.T).argmax(axis=1) != y)  # all centres are equally far out
        low, high = (middle, high) if error > BAYES else (low, middle)
    return high * centres[y] + noise, y


def digits(n_classes: int, rng: Any) -> tuple[Any, Any]:
    """The rows of the first labels in a random order."""
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(np.flatnonzero(y < n_classes))
    return X[order], y[order]


def certificate(learner: Learner, scale: float, X: Any, y: Any, seed: int) -> Certificate:
    """After one pass."""
    model = OSBoostClassifier(learner, N, gamma=GAMMA, margin_scale=scale, random_state=seed).partial_fit(X, y)
    return model.certificate()


def figures(learner: Learner, X: Any, y: Any, seed: int) -> list[float]:
    """Of one draw: of the first learner, then of all by each scale."""
    found = [certificate(learner, scale, X, y, seed) for scale in SCALES]
    error = found[0].observed_error[0]
    all_of = [(c.observed_error[-1], c.keeps_advantage.sum(), c.certified_error.min()) for c in found]
    return [error, found[0].advantage[0], 1.0 - 2.0 * error, *(value for row in all_of for value in row)]


def table(streams: Any, classes: tuple[int, ...], spreads: list[float]) -> list[str]:
    """A row per learner and number of classes; the largest standard error of errors and margins goes to `spreads`."""
    heads = ["learner", "classes", "one errs", "margin, distributions", "margin, names"]
    heads += [f"{head}, {scale}" for scale in SCALES for head in (f"{N} err", "kept by", "certified")]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, learner in LEARNERS.items():
        for K in classes:
            drawn = [streams(K, np.random.default_rng(seed)) for seed in range(DRAWS)]
            rows = np.array([figures(learner, X, y, seed) for seed, (X, y) in enumerate(drawn)])
            counts = [k % 3 == 1 and k > 3 for k in range(rows.shape[1])]
            spreads.append(float((rows.std(axis=0, ddof=1) / DRAWS**0.5)[np.logical_not(counts)].max()))
            cells = [
                f"{mean:.0f}" if count else f"{mean:.3f}" for mean, count in zip(rows.mean(axis=0), counts, strict=True)
            ]
            lines.append(f"| {' | '.join([name, str(K), *cells])} |")
    return lines


def main() -> int:
    """Write the page."""
    spreads: list[float] = []
    of_clusters, of_digits = table(clusters, CLASSES, spreads), table(digits, CLASSES[:4], spreads)
    lines = results_page.header("What an advantage asks for as classes grow", "python tools/measure_advantage.py")
    lines += [INTRODUCTION.format(largest=max(spreads)), "", FOUND, ""]
    lines += ["## Clusters", CLUSTERS, "", *of_clusters, "", "## Digits", DIGITS, "", *of_digits]
    results_page.write(results_page.ROOT / "docs" / "results" / "advantage.md", lines)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
