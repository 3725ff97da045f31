"""Sets of labels: errors of three estimators, and what one walk for all labels is worth: docs/results/multilabel.md.

    python tools/measure_multilabel.py

Errors are of a test-then-train pass. Times are processor time of learning, the least of three runs in this process.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import results_page
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.multioutput import MultiOutputClassifier

from onlineboost import (
    AROW,
    AdaOLMRClassifier,
    MultiLabelClassifier,
    NaiveBayes,
    OnlineBMRClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    prequential,
)

if TYPE_CHECKING:
    from collections.abc import Callable

N = 20
LEARNERS: dict[str, Callable[[], Any]] = {"Perceptron": Perceptron, "NaiveBayes": NaiveBayes, "AROW": AROW}
MODELS: dict[str, Callable[[Any], Any]] = {
    "one learner per label": lambda learner: MultiLabelClassifier(OnlineClassifier(learner, random_state=0)),
    "OSBoost per label": lambda learner: MultiLabelClassifier(OSBoostClassifier(learner, N, random_state=0)),
    "Ada.OLMR": lambda learner: AdaOLMRClassifier(learner, N, random_state=0),
    "OnlineBMR": lambda learner: OnlineBMRClassifier(learner, N, random_state=0),
}


def data() -> dict[str, tuple[Any, Any]]:
    """Rows and indicator matrices by name."""
    X, digit = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    kinds = [digit % 2 == 0, np.isin(digit, [2, 3, 5, 7]), digit >= 5, np.isin(digit, [0, 6, 8, 9]), digit == 0]
    found = {"digits: even, prime, above 4, with a loop, zero": (X[order], np.column_stack(kinds)[order].astype(int))}
    for labels in (8, 20):
        X, Y = make_multilabel_classification(5000, n_features=30, n_classes=labels, n_labels=3, random_state=labels)
        found[f"made up, {labels} labels"] = X, Y
    return found


def least_time(make: Callable[[], Any], learn: Callable[[Any], Any]) -> float:
    """Seconds of the processor, the least of three runs."""
    times = []
    for _ in range(3):
        model = make()
        before = time.process_time()
        learn(model)
        times.append(time.process_time() - before)
    return min(times)


def main() -> None:
    """Measure and write."""
    lines = results_page.header("Sets of labels", "python tools/measure_multilabel.py")
    lines += [
        f"Test-then-train over each set once; boosters have {N} learners. Rank loss is by what the model ranks by:",
        "probabilities per label, or the scores of Ada.OLMR and OnlineBMR. Labels of digits follow from the digit.",
    ]
    for name, (X, Y) in data().items():
        lines += [
            "",
            f"## {name[0].upper()}{name[1:]}",
            f"{len(X):,} rows, {Y.sum(axis=1).mean():.2f} labels each.",
            "",
        ]
        lines += ["| model | learner | Hamming loss | rank loss | exact sets | log-loss |", "|---|---|---|---|---|---|"]
        for model, make in MODELS.items():
            for learner, new in LEARNERS.items():
                r = prequential(make(new()), X, Y)
                told = (r.hamming_loss, r.rank_loss, r.subset_accuracy, r.log_loss)
                lines.append(f"| {model} | {learner} | {' | '.join(f'{one:.4f}' for one in told)} |")
    X, Y = data()["made up, 20 labels"]
    inner = OSBoostClassifier(Perceptron(), N, random_state=0)
    ours = least_time(lambda: MultiLabelClassifier(inner), lambda model: model.partial_fit(X, Y))
    theirs = least_time(
        lambda: MultiOutputClassifier(inner), lambda model: model.partial_fit(X, Y, classes=[[0, 1]] * Y.shape[1])
    )
    lines += ["", "## One walk for all labels"]
    lines += [
        f"{len(X):,} rows, {X.shape[1]} columns, {Y.shape[1]} labels, OSBoost over {N} Perceptrons per label, the"
    ]
    lines += ["same predictions bit for bit:", "", "| | seconds of the processor |", "|---|---|"]
    lines += [f"| `MultiLabelClassifier` | {ours:.3f} |", f"| scikit-learn's `MultiOutputClassifier` | {theirs:.3f} |"]
    (results_page.ROOT / "docs" / "results" / "multilabel.md").write_text("\n".join(lines) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
