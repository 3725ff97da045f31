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
from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    HoeffdingTree,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

# MOA's HoeffdingTree has the constants of "vfdt".
VFDT: dict[str, Any] = {
    "rule": "hoeffding",
    "criterion": "gain",
    "delta": 1e-7,
    "grace_period": 200,
    "max_features": None,
    "resample": None,
}
LEARNERS: dict[str, Any] = {
    "perceptron": Perceptron,
    "naive-bayes": NaiveBayes,
    "hoeffding-tree": HoeffdingTree,
    "vfdt": lambda: HoeffdingTree(**VFDT),
}
BOOSTERS: dict[str, Any] = {
    "OSBoost": OSBoostClassifier,
    "OSBoost.OCP": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="ocp", **more),
    "OSBoost.EG": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="eg", **more),
    "OSBoost.EXP": lambda learner, n, **more: OSBoostClassifier(learner, n, vote="experts", **more),
    "OzaBoost": OzaBoostClassifier,
    "OGBoost": OGBoostClassifier,
    "BBM": BBMClassifier,
    "AdaBoost.OL": lambda learner, n, **more: AdaBoostOLClassifier(learner, n, update="sample", **more),
    "AdaBoost.OL.W": AdaBoostOLClassifier,
    "Defensive": lambda learner, _, **more: DefensiveClassifier(learner, **more),
    "one": lambda learner, _, **more: OnlineClassifier(learner, **more),
}
AT_LEAST = 0.5  # seconds


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="OSBoost")
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
    boosted = "" if arguments.booster in {"one", "Defensive"} else f"× {arguments.learners} "
    config = f"{arguments.booster} {boosted}{arguments.learner}"
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
