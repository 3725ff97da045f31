"""CapyMOA's boosting (MOA, in Java) over one stream, prequentially; prints one line of JSON.

Run it with the Python of the ``capymoa`` environment: ``python capymoa_peer.py stream.npz --base perceptron``.

The Java instances are built beforehand, dense, since MOA's Naive Bayes and perceptron read every attribute of every
row. The timed loop calls MOA's own learner, which skips CapyMOA's conversion of votes. The JVM's options are
CapyMOA's own; set CAPYMOA_JVM_ARGS for others.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from capymoa.__about__ import __version__
from capymoa.classifier import OnlineSmoothBoost, OzaBoost
from capymoa.stream import Schema
from com.yahoo.labs.samoa.instances import DenseInstance
from common import arguments_of, dense, read, report
from jpype import JArray, JDouble

BASE_LEARNERS = {
    "hoeffding-tree": "trees.HoeffdingTree",
    "naive-bayes": "bayes.NaiveBayes",
    "perceptron": "functions.Perceptron",
}
BOOSTERS = {"OnlineSmoothBoost": OnlineSmoothBoost, "OzaBoost": OzaBoost}


def schema_of(stream: dict[str, np.ndarray]) -> Schema:
    """A feature is nominal if it is only ever 0 or 1, which MOA learns faster and better, else numeric."""
    names = [f"x{index}" for index in range(int(stream["n_features"]))]
    numeric = np.zeros(len(names), dtype=bool)
    numeric[stream["indices"][~np.isin(stream["data"], (0, 1))]] = True
    categories = {name: ["0", "1"] for name, other in zip(names, numeric, strict=True) if not other}
    return Schema.from_custom([*names, "y"], target="y", categories={**categories, "y": ["-1", "1"]})


def instances_of(stream: dict[str, np.ndarray], schema: Schema) -> list[Any]:
    """The rows as MOA's dense instances, the class (0 or 1) last."""
    header, instances = schema.get_moa_header(), []
    rows = dense(stream, extra=1)
    rows[:, -1] = stream["y"] > 0
    for values in rows:
        instance = DenseInstance(1.0, JArray(JDouble)(values))
        instance.setDataset(header)
        instances.append(instance)
    return instances


def run(learner: Any, instances: list[Any]) -> tuple[float, int]:
    """Predict, then learn: seconds and mistakes."""
    correct, train, right = learner.correctlyClassifies, learner.trainOnInstance, 0
    start = time.perf_counter()
    for instance in instances:
        right += correct(instance)
        train(instance)
    return time.perf_counter() - start, len(instances) - int(right)


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="OnlineSmoothBoost")
    parser.add_argument("--base", choices=BASE_LEARNERS, default="naive-bayes")
    arguments = parser.parse_args()
    stream = read(arguments.stream, arguments.limit)
    schema = schema_of(stream)
    base = BASE_LEARNERS[arguments.base]
    booster = BOOSTERS[arguments.booster](schema, base_learner=base, boosting_iterations=arguments.learners)
    instances = instances_of(stream, schema)
    seconds, mistakes = run(booster.moa_learner, instances)
    config = f"{arguments.booster} × {arguments.learners} {arguments.base}"
    report("CapyMOA", __version__, config, seconds=seconds, examples=len(instances), mistakes=mistakes)


if __name__ == "__main__":
    main()
