"""river's boosting, or one of its linear models, over one stream, prequentially; prints one line of JSON.

Run it with the Python of the ``river`` environment: ``python river_peer.py stream.npz --booster AdaBoostClassifier``.
The dicts are built beforehand, without zeros, which is the fastest form that river takes.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import river
from common import arguments_of, read, report
from river import ensemble, linear_model, naive_bayes

BASES: dict[str, Any] = {
    "perceptron": linear_model.Perceptron,
    "logistic-regression": linear_model.LogisticRegression,
    "naive-bayes": naive_bayes.BernoulliNB,
}
BOOSTERS = ("AdaBoostClassifier", "ADWINBoostingClassifier", "none")


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="AdaBoostClassifier")
    parser.add_argument("--base", choices=BASES, default="perceptron")
    arguments = parser.parse_args()
    stream = read(arguments.stream, arguments.limit)
    data, indices, indptr = (stream[key].tolist() for key in ("data", "indices", "indptr"))
    rows = [dict(zip(indices[a:b], data[a:b], strict=True)) for a, b in pairwise(indptr)]
    labels = (stream["y"] > 0).tolist()
    model, config = BASES[arguments.base](), f"one {arguments.base}"
    if arguments.booster != "none":
        model = getattr(ensemble, arguments.booster)(model, n_models=arguments.learners, seed=0)
        config = f"{arguments.booster} × {arguments.learners} {arguments.base}"
    mistakes = 0
    start = time.perf_counter()
    for x, y in zip(rows, labels, strict=True):
        mistakes += model.predict_one(x) != y
        model.learn_one(x, y)
    seconds = time.perf_counter() - start
    report("river", river.__version__, config, seconds=seconds, examples=len(rows), mistakes=mistakes)


if __name__ == "__main__":
    main()
