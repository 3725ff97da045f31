"""CapyMOA's adaptive ensembles on streams that change, for measure_drift_peers.py."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from drift_streams import Table

NAMES = ("ARF", "SRP", "LevBag", "SGBT", "HAT", "SAMkNN")
TREES = 30
VERSION = "0.15.1"  # of CapyMOA, as the page has it


def make(name: str, schema: Any) -> Any:
    """A peer with 30 trees where it has trees."""
    from capymoa import __version__, classifier  # noqa: PLC0415  # starts a virtual machine

    if __version__ != VERSION:
        raise RuntimeError(f"The page is about CapyMOA {VERSION}, and this is {__version__}.")
    made = {
        "ARF": lambda: classifier.AdaptiveRandomForestClassifier(schema, ensemble_size=TREES),
        "SRP": lambda: classifier.StreamingRandomPatches(schema, ensemble_size=TREES),
        "LevBag": lambda: classifier.LeveragingBagging(schema, ensemble_size=TREES),
        "SGBT": lambda: classifier.StreamingGradientBoostedTrees(schema, boosting_iterations=TREES),
        "HAT": lambda: classifier.HoeffdingAdaptiveTree(schema),
        "SAMkNN": lambda: classifier.SAMkNN(schema),
    }
    return made[name]()


def mistakes(name: str, table: Table, minutes: float = np.inf) -> np.ndarray[Any, Any]:
    """Of a test-then-train pass, or of its first rows if it takes more processor time; nominal columns are nominal."""
    from capymoa.core import LabeledInstance  # noqa: PLC0415
    from capymoa.stream import Schema  # noqa: PLC0415

    X, y, nominal = table
    columns = [f"x{j}" for j in range(X.shape[1])]
    values = {columns[j]: [f"v{k}" for k in range(size)] for j, size in nominal.items()}
    values["class"] = [f"c{k}" for k in range(int(y.max()) + 1)]
    schema = Schema.from_custom([*columns, "class"], "class", values)
    learner, wrong = make(name, schema), np.zeros(len(y), bool)
    stop = time.process_time() + 60 * minutes
    for i, label in enumerate(y):
        if time.process_time() > stop:
            return wrong[:i]
        instance = LabeledInstance.from_array(schema, X[i], int(label))
        wrong[i] = learner.predict(instance) != label
        learner.train(instance)
    return wrong
