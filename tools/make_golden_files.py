"""Write the model files of version 1 that every later version must read: tests/golden/*.ob and predictions.json.

    python tools/make_golden_files.py tests/golden

One file per booster and kind of learner. A file that is there already is kept, whatever has changed since.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
)

LEARNERS = {
    "perceptron": Perceptron(),
    "gradient": OnlineGradient(),
    "bayes-auto": NaiveBayes(),
    "bayes-bernoulli": NaiveBayes(kind="bernoulli"),
    "bayes-gaussian": NaiveBayes(kind="gaussian"),
}
BOOSTERS: dict[str, Any] = {
    "osboost": lambda learner: OSBoostClassifier(learner, 3, fading=8.0, random_state=1),
    "ocp": lambda learner: OSBoostClassifier(learner, 3, vote="ocp", random_state=1),
    "eg": lambda learner: OSBoostClassifier(learner, 3, vote="eg", random_state=1),
    "experts": lambda learner: OSBoostClassifier(learner, 3, vote="experts", random_state=1),
    "ozaboost": lambda learner: OzaBoostClassifier(learner, 3, random_state=1),
    "ogboost": lambda learner: OGBoostClassifier(learner, 2, n_candidates=2, random_state=1),
    "bbm": lambda learner: BBMClassifier(learner, 3, random_state=1),
    "adaboost-ol": lambda learner: AdaBoostOLClassifier(learner, 3, update="sample", random_state=1),
    "defensive": lambda learner: DefensiveClassifier(learner, random_state=1),
    "single": lambda learner: OnlineClassifier(learner, random_state=1),
}


def rows() -> tuple[list[dict[str, float]], list[str]]:
    """Examples with names, some of whose features come late, and labels."""
    rng = np.random.default_rng(7)
    X = rng.integers(-3, 4, size=(24, 4)) / 2.0
    labels = np.where(X[:, 0] - X[:, 1] + rng.normal(size=24) > 0, "yes", "no")
    named = [
        {"price": x[0], "size": x[1], "on": float(x[2] > 0)} | ({"late ☃": x[3]} if k > 9 else {})
        for k, x in enumerate(X)
    ]
    return [{name: float(value) for name, value in row.items()} for row in named], labels.tolist()


def predictions(model: Any) -> list[str]:
    """The probability of "yes" for every example, to the last bit."""
    return [model.predict_proba_one(row)["yes"].hex() for row in rows()[0]]


def main() -> None:
    """Write them all."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    told = folder / "predictions.json"
    expected = json.loads(told.read_text(encoding="ascii")) if told.exists() else {}
    for booster, make in BOOSTERS.items():
        for learner, weak in LEARNERS.items():
            name = f"v1-{booster}-{learner}.ob"
            if name in expected:
                continue
            model = make(weak)
            for x, y in zip(*rows(), strict=True):
                model.learn_one(x, y)
            model.save(folder / name, extra={"position": {"rows": len(rows()[0])}})
            before = predictions(model)
            for x, y in zip(*rows(), strict=True):
                model.learn_one(x, y)
            expected[name] = {"loaded": before, "after another pass": predictions(model)}
    told.write_text(json.dumps(expected, indent=0), encoding="ascii")


if __name__ == "__main__":
    main()
