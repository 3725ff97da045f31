"""onlineboost over one stream, prequentially; prints one line of JSON.

A pass is short: fresh models learn the stream again and again for half a second, and the median pass counts.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import scipy.sparse as sp
from common import arguments_of, read, report

import onlineboost
from onlineboost import NaiveBayes, OGBoostClassifier, OSBoostClassifier, OzaBoostClassifier, Perceptron, prequential

LEARNERS = {"perceptron": Perceptron, "naive-bayes": NaiveBayes}
BOOSTERS: dict[str, Any] = {
    "uniform": OSBoostClassifier,
    "ocp": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="ocp", **more),
    "experts": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="experts", **more),
    "ozaboost": OzaBoostClassifier,
    "ogboost": OGBoostClassifier,
}
AT_LEAST = 0.5  # seconds


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="uniform")
    parser.add_argument("--learner", choices=LEARNERS, default="perceptron")
    arguments = parser.parse_args()
    stream = read(arguments.stream, arguments.limit)
    y = stream["y"]
    X = sp.csr_array((stream["data"], stream["indices"], stream["indptr"]), shape=(len(y), int(stream["n_features"])))
    passes: list[float] = []
    while sum(passes) < AT_LEAST:
        model = BOOSTERS[arguments.booster](LEARNERS[arguments.learner](), arguments.learners, random_state=0)
        start = time.perf_counter()
        result = prequential(model, X, y)
        passes.append(time.perf_counter() - start)
    config = f"{arguments.booster} × {arguments.learners} {arguments.learner}"
    report(
        "onlineboost",
        onlineboost.__version__,
        config,
        seconds=statistics.median(passes),
        examples=len(y),
        mistakes=result.error * len(y),
    )


if __name__ == "__main__":
    main()
