"""Batch SmoothBoost against online OSBoost on the same data: fills the first tables of docs/batch-and-online.md.

    python tools/compare_batch_online.py

Embedded data sets, five folds, five random divisions; about two minutes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import page_blocks
import results_page
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as BatchPerceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import normalize
from sklearn.tree import DecisionTreeClassifier

from onlineboost import NaiveBayes, OSBoostClassifier, Perceptron, datasets
from onlineboost.theory.smoothboost import SmoothBoostClassifier

DIVISIONS, FOLDS, N, GAMMA, KAPPA = 5, 5, 100, 0.1, 0.1
DATA = ("diabetes", "german")
PAGE = results_page.ROOT / "docs" / "batch-and-online.md"
ROWS_AS_THEY_ARE = {"intercept": False, "unit_norm": False}
ONLINE = {
    "Naive Bayes": NaiveBayes(kind="gaussian", **ROWS_AS_THEY_ARE),
    "Perceptron": Perceptron(**ROWS_AS_THEY_ARE),
}
BATCH = {
    "Naive Bayes": GaussianNB(),
    "Perceptron": BatchPerceptron(fit_intercept=False, max_iter=20, tol=None),
    "decision stump": DecisionTreeClassifier(max_depth=1),
    "tree of depth 6": DecisionTreeClassifier(max_depth=6),
}


def load(name: str) -> tuple[Any, Any]:
    """The rows as the paper's learners see them, with a constant feature and of length 1."""
    data = datasets.load(name)
    X = data.X.toarray()
    return normalize(np.hstack([X, np.ones((len(X), 1))])), data.y


def online(name: str, passes: int) -> Any:
    """OSBoost with N learners."""
    return OSBoostClassifier(ONLINE[name], N, gamma=GAMMA, n_passes=passes, random_state=0)


def batch(name: str) -> Any:
    """SmoothBoost with at most N learners."""
    return SmoothBoostClassifier(BATCH[name], gamma=GAMMA, kappa=KAPPA, max_learners=N, random_state=0)


def held_out(model: Any, X: Any, y: Any) -> tuple[list[float], list[Any]]:
    """The error on rows that were not learned, once per division, and the fitted models.

    The rows of a training part stand in random order, which is the order of the stream for online models.
    """
    errors, models = [], []
    for division in range(DIVISIONS):
        wrong = 0
        for learned, asked in StratifiedKFold(FOLDS, shuffle=True, random_state=division).split(X, y):
            order = np.random.default_rng(division).permutation(learned)
            models.append(clone(model).fit(X[order], y[order]))
            wrong += int(np.sum(models[-1].predict(X[asked]) != y[asked]))
        errors.append(wrong / len(y))
    return errors, models


def main() -> None:
    """Fit, fill."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # the tables say which runs did not stop
    compared, guaranteed = [], []
    for data in DATA:
        X, y = load(data)
        fitted = {name: held_out(batch(name), X, y) for name in BATCH}
        for name in ONLINE:
            cells = [
                held_out(BATCH[name], X, y)[0],
                fitted[name][0],
                held_out(online(name, 1), X, y)[0],
                held_out(online(name, 20), X, y)[0],
            ]
            compared.append([f"{data}, {name}", *map(page_blocks.mean, cells)])
        for name, (errors, models) in fitted.items():
            records = [model.guarantee_ for model in models]
            broken = [record.broken for record in records if record.broken]
            guaranteed.append(
                [
                    f"{data}, {name}",
                    f"{sum(record.stopped for record in records)} of {len(records)}",
                    page_blocks.mean([record.n_stages for record in records], 1),
                    page_blocks.mean([len(record.failed_stages) for record in records], 1),
                    page_blocks.mean([float(record.peaks.max()) for record in records], 2),
                    page_blocks.mean([record.certified_error for record in records]),
                    page_blocks.mean([record.margin_error for record in records]),
                    page_blocks.mean([record.training_error for record in records]),
                    page_blocks.mean(errors),
                    f"{len(broken)}",
                ]
            )
    columns = ["data, weak learner", "one, batch", "SmoothBoost", "OSBoost, one pass", "OSBoost, 20 passes"]
    page_blocks.fill(PAGE, "compared", page_blocks.table(columns, compared))
    columns = ["data, weak learner", "stopped", "stages", "of these below 2γ", "largest weight"]
    columns += ["certified", "margin ≤ θ", "training error", "held-out error", "broken"]
    page_blocks.fill(PAGE, "guaranteed", page_blocks.table(columns, guaranteed))
    settings = f"γ = {GAMMA:g}, κ = {KAPPA:g}, at most {N} learners; {DIVISIONS} divisions into {FOLDS} folds."
    source = results_page.header("", "python tools/compare_batch_online.py")[2:4]
    page_blocks.fill(PAGE, "compared source", [settings, *source])


if __name__ == "__main__":
    main()
