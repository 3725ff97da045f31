"""CapyMOA's ensembles (MOA, in Java) over streams, prequentially; prints a line of JSON for each.

Run it with the Python of the ``capymoa`` environment: ``python capymoa_peer.py stream.npz --base perceptron``.

The Java instances are built beforehand, dense, since MOA's Naive Bayes and perceptron read every attribute of every
row. The timed loop calls MOA's own learner, which skips CapyMOA's conversion of votes. The JVM's options are
CapyMOA's own; set CAPYMOA_JVM_ARGS for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from capymoa.__about__ import __version__
from capymoa.classifier import (
    AdaptiveRandomForestClassifier,
    OnlineSmoothBoost,
    OzaBoost,
    StreamingGradientBoostedTrees,
    StreamingRandomPatches,
)
from capymoa.stream import Schema
from com.yahoo.labs.samoa.instances import DenseInstance
from common import Timer, arguments_of, dense, read, report, seed_of
from jpype import JArray, JClass, JDouble
from moa.core import Utils

if TYPE_CHECKING:
    import argparse

BASE_LEARNERS = {
    "hoeffding-tree": "trees.HoeffdingTree",
    "naive-bayes": "bayes.NaiveBayes",
    "perceptron": "functions.Perceptron",
}
BOOSTERS = {"OnlineSmoothBoost": OnlineSmoothBoost, "OzaBoost": OzaBoost}
# Ensembles with trees of their own, and what they call their number.
FORESTS: dict[str, Any] = {
    "ARF": (AdaptiveRandomForestClassifier, "ensemble_size"),
    "SRP": (StreamingRandomPatches, "ensemble_size"),
    "SGBT": (StreamingGradientBoostedTrees, "boosting_iterations"),
}


def model_of(arguments: argparse.Namespace, schema: Schema, seed: int) -> tuple[Any, str]:
    """A fresh model, and its name."""
    if arguments.booster in FORESTS:
        kind, number = FORESTS[arguments.booster]
        model = kind(schema, random_seed=seed, **{number: arguments.learners})
        return model, f"{arguments.booster} × {arguments.learners}"
    base = BASE_LEARNERS[arguments.base]
    booster = BOOSTERS[arguments.booster]
    model = booster(schema, base_learner=base, boosting_iterations=arguments.learners, random_seed=seed)
    return model, f"{arguments.booster} × {arguments.learners} {arguments.base}"


def schema_of(stream: dict[str, np.ndarray], letters: np.ndarray | None = None) -> Schema:
    """A feature is nominal if it is only ever 0 or 1, which MOA learns faster and better, else numeric.

    With `letters`, all features are nominal with these values.
    """
    names = [f"x{index}" for index in range(int(stream["n_features"]))]
    numeric = np.zeros(len(names), dtype=bool)
    numeric[stream["indices"][~np.isin(stream["data"], (0, 1))]] = letters is None
    values = ["0", "1"] if letters is None else [str(k) for k in range(len(letters))]
    categories = {name: values for name, other in zip(names, numeric, strict=True) if not other}
    return Schema.from_custom([*names, "y"], target="y", categories={**categories, "y": ["-1", "1"]})


def instances_of(stream: dict[str, np.ndarray], schema: Schema, letters: np.ndarray | None = None) -> list[Any]:
    """The rows as MOA's dense instances, the class (0 or 1) last; a letter is its place among the letters."""
    header, instances = schema.get_moa_header(), []
    rows = dense(stream, extra=1)
    if letters is not None:
        rows = np.searchsorted(letters, rows).astype(float)
    rows[:, -1] = stream["y"] > 0
    for values in rows:
        instance = DenseInstance(1.0, JArray(JDouble)(values))
        instance.setDataset(header)
        instances.append(instance)
    return instances


def run(learner: Any, instances: list[Any]) -> tuple[Timer, int]:
    """Predict, then learn: times and mistakes."""
    correct, train, right = learner.correctlyClassifies, learner.trainOnInstance, 0
    if isinstance(learner, JClass("moa.classifiers.meta.StreamingGradientBoostedTrees")):

        def correct(instance: Any) -> bool:  # its own raises a NullPointerException
            return Utils.maxIndex(learner.getVotesForInstance(instance)) == instance.classValue()

    with Timer() as timer:
        for instance in instances:
            right += correct(instance)
            train(instance)
    return timer, len(instances) - int(right)


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=(*BOOSTERS, *FORESTS), default="OnlineSmoothBoost")
    parser.add_argument("--base", choices=BASE_LEARNERS, default="naive-bayes")
    parser.add_argument("--nominal", action="store_true", help="the features are letters: each value is a category")
    arguments = parser.parse_args()
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        letters = np.unique(dense(stream)) if arguments.nominal else None
        schema = schema_of(stream, letters)
        model, config = model_of(arguments, schema, seed_of(stream))
        instances = instances_of(stream, schema, letters)
        timer, mistakes = run(model.moa_learner, instances)
        times = {"seconds": timer.wall, "cpu_seconds": timer.cpu}
        report("CapyMOA", __version__, config, **times, examples=len(instances), mistakes=mistakes)


if __name__ == "__main__":
    main()
