"""CapyMOA's adaptive ensembles on streams that change, for measure_drift_peers.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from drift_streams import Data

NAMES = ("ARF", "SRP", "LevBag", "SGBT", "HAT", "SAMkNN")
TREES = 30


def make(name: str, schema: Any) -> Any:
    """A peer with 30 trees where it has trees."""
    from capymoa import classifier  # noqa: PLC0415  # starts a virtual machine

    made = {
        "ARF": lambda: classifier.AdaptiveRandomForestClassifier(schema, ensemble_size=TREES),
        "SRP": lambda: classifier.StreamingRandomPatches(schema, ensemble_size=TREES),
        "LevBag": lambda: classifier.LeveragingBagging(schema, ensemble_size=TREES),
        "SGBT": lambda: classifier.StreamingGradientBoostedTrees(schema, boosting_iterations=TREES),
        "HAT": lambda: classifier.HoeffdingAdaptiveTree(schema),
        "SAMkNN": lambda: classifier.SAMkNN(schema),
    }
    return made[name]()


def mistakes(name: str, data: Data) -> np.ndarray[Any, Any]:
    """Of a test-then-train pass."""
    from capymoa.stream import NumpyStream  # noqa: PLC0415

    X, y = data
    stream = NumpyStream(X, y, target_type="categorical")
    learner, wrong = make(name, stream.get_schema()), []
    while stream.has_more_instances():
        instance = stream.next_instance()
        wrong.append(learner.predict(instance) != instance.y_index)
        learner.train(instance)
    return np.array(wrong)
