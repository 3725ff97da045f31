"""The time of `predict_one` + `learn_one` for each example of a stream; prints one line of JSON, in microseconds.

Fourteen numbers per example, labels of a noisy hyperplane, the same rows for every model. What a model is warmed up
with is not counted; nothing else is left out, so that the collector's pauses are in the tail.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

FEATURES = 14
WARM_UP = 500


def ours(learner: str) -> Any:
    import onlineboost  # noqa: PLC0415  # only in its own environment

    return onlineboost.OSBoostClassifier(getattr(onlineboost, learner)(), 100, random_state=0)


def river(model: str) -> Any:
    from river import ensemble, linear_model  # noqa: PLC0415  # only in its own environment

    if model == "AdaBoost":
        return ensemble.AdaBoostClassifier(linear_model.Perceptron(), n_models=100, seed=0)
    return getattr(linear_model, model)()


MODELS: dict[str, Callable[[str], Any]] = {"ours": ours, "river": river}


def stream(examples: int, form: str) -> tuple[list[Any], list[bool]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, FEATURES))
    labels = (X @ rng.normal(size=FEATURES) + rng.normal(size=examples) > 0).tolist()
    if form == "arrays":
        return list(X), labels
    names = [f"feature {j}" for j in range(FEATURES)]
    return [dict(zip(names, row.tolist(), strict=True)) for row in X], labels


def main() -> None:
    system, name, form, examples = sys.argv[1:]
    model = MODELS[system](name)
    rows, labels = stream(WARM_UP + int(examples), form)
    clock, predicting, learning = time.perf_counter_ns, [], []
    for x, y in zip(rows, labels, strict=True):
        start = clock()
        model.predict_one(x)
        middle = clock()
        model.learn_one(x, y)
        learning.append(clock() - middle)
        predicting.append(middle - start)
    both = (np.array(predicting) + np.array(learning))[WARM_UP:] / 1e3
    report = {
        "p50": float(np.median(both)),
        "p99": float(np.quantile(both, 0.99)),
        "predict": float(np.median(predicting[WARM_UP:])) / 1e3,
        "learn": float(np.median(learning[WARM_UP:])) / 1e3,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
