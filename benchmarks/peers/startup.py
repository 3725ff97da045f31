"""How long one system takes from nothing to its first prediction, in a fresh process; prints one line of JSON.

Milliseconds from the first line of this script on, so that Python's own start is not in them.
"""

from __future__ import annotations

import time

START = time.perf_counter()

import json  # noqa: E402  # the clock starts first
import sys  # noqa: E402  # as above
from typing import TYPE_CHECKING, Any  # noqa: E402  # as above

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = [[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]]
DICTS = [{"a": 1.0, "c": 0.5}, {"b": 1.0, "c": -0.5}]


def ours() -> Callable[[], Any]:
    from onlineboost import OSBoostClassifier, Perceptron  # noqa: PLC0415  # timed

    return lambda: OSBoostClassifier(Perceptron(), 100).partial_fit(ROWS, [0, 1]).predict(ROWS)


def vw() -> Callable[[], Any]:
    from vowpalwabbit import Workspace  # noqa: PLC0415  # timed

    def first() -> Any:
        workspace = Workspace(arg_list=["--quiet", "--boosting", "100", "--alg", "BBM"])
        workspace.learn("1 | a:1 c:0.5")
        workspace.learn("-1 | b:1 c:-0.5")
        return workspace.predict("| a:1")

    return first


def capymoa() -> Callable[[], Any]:
    from capymoa.classifier import OnlineSmoothBoost  # noqa: PLC0415  # timed
    from capymoa.core import Instance, LabeledInstance  # noqa: PLC0415
    from capymoa.stream import Schema  # noqa: PLC0415

    def first() -> Any:
        import numpy as np  # noqa: PLC0415  # CapyMOA has it loaded

        schema = Schema.from_custom(["a", "b", "c", "y"], target="y", categories={"y": ["0", "1"]})
        booster = OnlineSmoothBoost(schema, base_learner="functions.Perceptron", boosting_iterations=100)
        for k, row in enumerate(ROWS):
            booster.train(LabeledInstance.from_array(schema, np.array(row), k))
        return booster.predict(Instance.from_array(schema, np.array(ROWS[0])))

    return first


def river() -> Callable[[], Any]:
    from river import ensemble, linear_model  # noqa: PLC0415  # timed

    def first() -> Any:
        model = ensemble.AdaBoostClassifier(linear_model.Perceptron(), n_models=100)
        for x, y in zip(DICTS, (True, False), strict=True):
            model.learn_one(x, y)
        return model.predict_one(DICTS[0])

    return first


def sklearn() -> Callable[[], Any]:
    from sklearn.linear_model import SGDClassifier  # noqa: PLC0415  # timed

    return lambda: SGDClassifier().partial_fit(ROWS, [0, 1], [0, 1]).predict(ROWS)


def main() -> None:
    first = {"ours": ours, "vw": vw, "capymoa": capymoa, "river": river, "sklearn": sklearn}[sys.argv[1]]()
    imported = time.perf_counter()
    first()
    done = time.perf_counter()
    print(json.dumps({"import_ms": (imported - START) * 1e3, "first_ms": (done - START) * 1e3}))


if __name__ == "__main__":
    main()
