"""Write the model files of version 1 that every later version must read: tests/golden/*.ob and predictions.json.

    python tools/make_golden_files.py tests/golden

One file per pair of PAIRS. They are made once and kept when the format changes: a file that exists stays as it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaBoostOLClassifier,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    BBMClassifier,
    DefensiveClassifier,
    GradientBoostClassifier,
    HoeffdingTree,
    NaiveBayes,
    OGBoostClassifier,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    RegressionTree,
    Scaled,
)

LEARNERS = {
    "perceptron": Perceptron(),
    "gradient": OnlineGradient(),
    "bayes-auto": NaiveBayes(),
    "bayes-bernoulli": NaiveBayes(kind="bernoulli"),
    "bayes-gaussian": NaiveBayes(kind="gaussian"),
    "tree": HoeffdingTree(grace_period=5, delta=0.3),
}
MORE = {
    "averaged": AveragedPerceptron(),
    "adagrad": AdaGradLogistic(),
    "ftrl": FTRL(l1=0.1),
    "arow": AROW(),
    "arow-full": AROW(covariance="full"),
    "scw": SCW(),
    "ridge": OnlineRidge(),
    "logistic": BayesianLogistic(),
    "bayes-typed": NaiveBayes(kind="typed", max_values=3),
    "scaled": Scaled(AROW()),
    "fourier": RandomFourier(AdaGradLogistic(), 6),
    "regression-tree": RegressionTree(grace_period=5, delta=0.3),
    "subsets": Scaled(RandomSubsets(AveragedPerceptron(), 0.8, group=2), "maxabs"),
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
    "gradient-boost": lambda learner: GradientBoostClassifier(learner, 3, random_state=1),
    "single": lambda learner: OnlineClassifier(learner, random_state=1),
}
LATER = ("eg", "bbm", "adaboost-ol", "defensive")  # with one learner of each family: files are for good
PAIRS = [(booster, learner) for booster in BOOSTERS if booster not in LATER for learner in LEARNERS]
PAIRS += [(booster, learner) for booster in LATER for learner in ("perceptron", "bayes-auto", "tree", "arow")]
BOOSTERS["mixture"] = lambda learner: OnlineBoostClassifier(
    [("boosted", OSBoostClassifier(learner, 3)), ("single", OnlineClassifier(Perceptron()), 1000)], random_state=1
)
PAIRS += [("mixture", "bayes-typed"), ("mixture", "arow")]  # without and with rate_surprises
PAIRS += [(booster, learner) for booster in ("osboost", "ozaboost") for learner in MORE]
PAIRS += [("gradient-boost", "regression-tree")]


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
    """Write those that are missing."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "predictions.json"
    expected = json.loads(page.read_text(encoding="ascii")) if page.exists() else {}
    for booster, learner in PAIRS:
        name = f"v1-{booster}-{learner}.ob"
        if name in expected and (folder / name).exists():
            continue
        model = BOOSTERS[booster]((LEARNERS | MORE)[learner])
        for x, y in zip(*rows(), strict=True):
            model.learn_one(x, y)
        model.save(folder / name, extra={"position": {"rows": len(rows()[0])}})
        before = predictions(model)
        for x, y in zip(*rows(), strict=True):
            model.learn_one(x, y)
        expected[name] = {"loaded": before, "after another pass": predictions(model)}
    page.write_text(json.dumps(expected, indent=0), encoding="ascii")


if __name__ == "__main__":
    main()
