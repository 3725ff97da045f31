"""CapyMOA's OnlineSmoothBoost (MOA, in Java) over one stream, prequentially; prints one line of JSON.

Run it with the Python of the ``capymoa`` environment: ``python capymoa_peer.py stream.npz --seconds 30``.
The stream holds the rows in the order to be learned: data, indices, indptr, n_features, y in {-1, 1}.

The Java instances are built beforehand, dense, since MOA's Naive Bayes and perceptron read every
attribute of every row. The timed loop calls MOA's own learner, which skips CapyMOA's conversion of votes.
The JVM's options are CapyMOA's own; set CAPYMOA_JVM_ARGS for others.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from capymoa.__about__ import __version__
from capymoa.classifier import OnlineSmoothBoost
from capymoa.stream import Schema
from com.yahoo.labs.samoa.instances import DenseInstance
from jpype import JArray, JDouble
from memory import peak_mb

BASE_LEARNERS = {
    "naive-bayes": "bayes.NaiveBayes",
    "perceptron": "functions.Perceptron",
    "hoeffding-tree": "trees.HoeffdingTree",
}


def schema_of(stream: dict[str, np.ndarray]) -> Schema:
    """A feature is nominal if it is only ever 0 or 1, which MOA learns faster and better, else numeric."""
    names = [f"x{index}" for index in range(int(stream["n_features"]))]
    numeric = np.zeros(len(names), dtype=bool)
    numeric[stream["indices"][~np.isin(stream["data"], (0, 1))]] = True
    categories = {name: ["0", "1"] for name, other in zip(names, numeric, strict=True) if not other}
    return Schema.from_custom([*names, "y"], target="y", categories={**categories, "y": ["-1", "1"]})


def instances_of(stream: dict[str, np.ndarray], schema: Schema, limit: int | None) -> list[Any]:
    """The rows as MOA's dense instances, the class (0 or 1) last."""
    header, n_features = schema.get_moa_header(), int(stream["n_features"])
    data, indices, indptr = stream["data"], stream["indices"], stream["indptr"].tolist()
    instances = []
    for row, label in enumerate(stream["y"][:limit].tolist()):
        values = np.zeros(n_features + 1)
        values[indices[indptr[row] : indptr[row + 1]]] = data[indptr[row] : indptr[row + 1]]
        values[-1] = label > 0
        instance = DenseInstance(1.0, JArray(JDouble)(values))
        instance.setDataset(header)
        instances.append(instance)
    return instances


def run(learner: Any, instances: list[Any], limit_seconds: float) -> tuple[float, int, int]:
    """Predict, then learn, until the rows or the time are used up: seconds, examples, mistakes."""
    correct, train, clock = learner.correctlyClassifies, learner.trainOnInstance, time.perf_counter
    done = right = 0
    start = clock()
    end = start + limit_seconds
    for instance in instances:
        right += correct(instance)
        train(instance)
        done += 1
        if clock() > end:
            break
    return clock() - start, done, done - int(right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stream", type=Path, help="the .npz file")
    parser.add_argument("--base", choices=tuple(BASE_LEARNERS), default="naive-bayes")
    parser.add_argument("--learners", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop learning after this time")
    parser.add_argument("--limit", type=int, help="take this many examples only")
    arguments = parser.parse_args()

    with np.load(arguments.stream) as file:
        stream = dict(file)
    schema = schema_of(stream)
    booster = OnlineSmoothBoost(
        schema, base_learner=BASE_LEARNERS[arguments.base], boosting_iterations=arguments.learners
    )
    instances = instances_of(stream, schema, arguments.limit)
    seconds, examples, mistakes = run(booster.moa_learner, instances, arguments.seconds)
    report = {
        "system": "CapyMOA",
        "version": __version__,
        "config": f"OnlineSmoothBoost {arguments.base} {arguments.learners}",
        "examples": examples,
        "seconds": round(seconds, 4),
        "examples_per_second": round(examples / seconds, 1),
        "error": round(mistakes / examples, 6),
        "peak_rss_mb": round(peak_mb(), 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
