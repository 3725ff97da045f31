"""onlineboost over streams, prequentially; prints a line of JSON for each.

A pass is short: fresh models learn a stream again and again for half a second, and the median pass counts.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from common import Timer, arguments_of, forecast_scores, read, report, seed_of

import onlineboost
from onlineboost import (
    AROW,
    AdaBoostOLClassifier,
    AdaGradLogistic,
    BBMClassifier,
    DefensiveClassifier,
    HoeffdingTree,
    NaiveBayes,
    OGBoostClassifier,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    Scaled,
    prequential,
)

if TYPE_CHECKING:
    import argparse

    from onlineboost import PrequentialResult

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
    "adagrad": lambda: Scaled(AdaGradLogistic(rate=0.5)),
    "arow": lambda: AROW(covariance="full"),
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
    "default": lambda *_, **more: OnlineBoostClassifier(**more),
    "low": lambda *_, **more: OnlineBoostClassifier(effort="low", **more),
}
AT_LEAST = 0.5  # seconds


def config_of(arguments: argparse.Namespace) -> str:
    """The configuration in words."""
    if arguments.booster in {"default", "low"}:
        return "OnlineBoostClassifier()" if arguments.booster == "default" else 'OnlineBoostClassifier(effort="low")'
    boosted = "" if arguments.booster in {"one", "Defensive"} else f"× {arguments.learners} "
    return f"{arguments.booster} {boosted}{arguments.learner}"


def forecasts_of(result: PrequentialResult) -> tuple[np.ndarray, np.ndarray]:
    """A column of probabilities per class, and the classes' numbers."""
    if result.probabilities.ndim == 1:
        return np.column_stack([1 - result.probabilities, result.probabilities]), result.positive.astype(np.intp)
    return result.probabilities, result.true


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--booster", choices=BOOSTERS, default="OSBoost")
    parser.add_argument("--learner", choices=LEARNERS, default="perceptron")
    parser.add_argument("--gamma", type=float, help="of the OSBoosts; 0.1 if it is not given")
    arguments = parser.parse_args()
    more = {} if arguments.gamma is None else {"gamma": arguments.gamma}
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        y, shape = stream["y"], (len(stream["y"]), int(stream["n_features"]))
        X = sp.csr_array((stream["data"], stream["indices"], stream["indptr"]), shape=shape)
        passes: list[Timer] = []
        while sum(timer.wall for timer in passes) < AT_LEAST:
            learner = LEARNERS[arguments.learner]()
            model = BOOSTERS[arguments.booster](learner, arguments.learners, random_state=seed_of(stream), **more)
            with Timer() as timer:
                result = prequential(model, X, y)
            passes.append(timer)
        report(
            "onlineboost",
            onlineboost.__version__,
            config_of(arguments),
            seconds=statistics.median(timer.wall for timer in passes),
            cpu_seconds=statistics.median(timer.cpu for timer in passes),
            examples=len(y),
            mistakes=result.error * len(y),
            **(forecast_scores(*forecasts_of(result)) if arguments.booster == "default" else {}),
        )


if __name__ == "__main__":
    main()
