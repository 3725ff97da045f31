"""river's ensembles, or one of its linear models, over streams, prequentially; prints a line of JSON for each.

Run it with the Python of the ``river`` environment: ``python river_peer.py stream.npz --booster AdaBoostClassifier``.
The dicts are built beforehand, without zeros, which is the fastest form that river takes; with ``--dense`` they have
zeros, which river's scaler and its trees need, since to them a feature that is not there is not 0 but unknown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import river
from common import Timer, arguments_of, dense, read, report, seed_of
from river import ensemble, forest, linear_model, naive_bayes, preprocessing

if TYPE_CHECKING:
    import argparse

    import numpy as np

BASES: dict[str, Any] = {
    "perceptron": linear_model.Perceptron,
    "logistic-regression": linear_model.LogisticRegression,
    "scaled-logistic-regression": lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "naive-bayes": naive_bayes.BernoulliNB,
}
BOOSTERS = ("AdaBoostClassifier", "ADWINBoostingClassifier", "ARFClassifier", "none")


def model_of(arguments: argparse.Namespace, seed: int) -> tuple[Any, str]:
    """A fresh model, and its name."""
    if arguments.booster == "ARFClassifier":
        return forest.ARFClassifier(n_models=arguments.learners, seed=seed), f"ARFClassifier × {arguments.learners}"
    base = BASES[arguments.base]()
    if arguments.booster == "none":
        return base, f"one {arguments.base}"
    model = getattr(ensemble, arguments.booster)(base, n_models=arguments.learners, seed=seed)
    return model, f"{arguments.booster} × {arguments.learners} {arguments.base}"


def dicts_of(stream: dict[str, np.ndarray], *, zeros: bool) -> list[dict[int, float]]:
    """The rows."""
    if zeros:
        return [dict(enumerate(row)) for row in dense(stream).tolist()]
    data, indices, indptr = (stream[key].tolist() for key in ("data", "indices", "indptr"))
    return [dict(zip(indices[a:b], data[a:b], strict=True)) for a, b in pairwise(indptr)]


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="AdaBoostClassifier")
    parser.add_argument("--base", choices=BASES, default="perceptron")
    parser.add_argument("--dense", action="store_true")
    arguments = parser.parse_args()
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        rows, labels = dicts_of(stream, zeros=arguments.dense), (stream["y"] > 0).tolist()
        model, config = model_of(arguments, seed_of(stream))
        mistakes = 0
        with Timer() as timer:
            for x, y in zip(rows, labels, strict=True):
                mistakes += model.predict_one(x) != y
                model.learn_one(x, y)
        times = {"seconds": timer.wall, "cpu_seconds": timer.cpu}
        report("river", river.__version__, config, **times, examples=len(rows), mistakes=mistakes)


if __name__ == "__main__":
    main()
