"""Write the model files that every later version must read: tests/golden/*.ob and predictions.json.

    python tools/make_golden_files.py tests/golden

One file per name of `makers`, which follows the tests' table. They are made once and kept when the format changes: a
file that exists stays as it is.
"""

from __future__ import annotations

import functools
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import (
    AdaBoostOLMClassifier,
    AdaOLMRClassifier,
    MultiLabelClassifier,
    OneVsRest,
    OnlineBMRClassifier,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    WindowBoostClassifier,
    cli,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import table  # noqa: E402  # the tests' table is beside the tests

UNDER = ("osboost", "ozaboost")  # every native learner is kept under these,
OVER = ("perceptron", "bayes-auto", "tree", "arow")  # and every booster over these
EXTRA = {"position": {"rows": 24}}
TRAINED = "v1-train-csv.ob"  # by the command line, halfway through tests/golden/train.csv
UNFITTED = "v1-unfitted.ob"


def mixture(learner: Any) -> OnlineBoostClassifier:
    """Two families, one of which is switched off above 1000 features."""
    families = [("boosted", OSBoostClassifier(learner, 3)), ("single", OnlineClassifier(Perceptron()), 1000)]
    return OnlineBoostClassifier(families, random_state=1)


MANY_CLASSES: dict[str, Callable[[Any], Any]] = {
    "one-vs-rest": lambda learner: OneVsRest(OSBoostClassifier(learner, 3, random_state=1)),
    "adaboost-olm": lambda learner: AdaBoostOLMClassifier(learner, 3, random_state=1),
    "mbbm": lambda learner: OnlineMBBMClassifier(learner, 3, random_state=1),
}


LABEL_SETS: dict[str, Callable[[Any], Any]] = {
    "ada-olmr": lambda learner: AdaOLMRClassifier(learner, 3, random_state=1),
    "bmr": lambda learner: OnlineBMRClassifier(learner, 3, random_state=1),
    "relevance": lambda learner: MultiLabelClassifier(OSBoostClassifier(learner, 3, random_state=1)),
}


def named(model: str) -> str:
    """The file of a model: that of the version in which it was first kept."""
    kept = (f"v{version}-{model}.ob" for version in (1, 2))
    return next((name for name in kept if (ROOT / "tests" / "golden" / name).exists()), f"v3-{model}.ob")


def makers() -> dict[str, Callable[[], Any]]:
    """How each file's model is made, by the file's name."""
    pairs = [
        (booster, learner)
        for booster in table.BOOSTERS
        for learner in table.NATIVE
        if booster in UNDER or learner in OVER
    ]
    pairs += [("gradient-boost", "regression-tree")]
    found: dict[str, Callable[[], Any]] = {
        named(f"{booster}-{learner}"): functools.partial(table.make, booster, learner, 3, random_state=1)
        for booster, learner in pairs
    }
    for learner in ("bayes-typed", "arow"):  # without and with rate_surprises
        found[named(f"mixture-{learner}")] = functools.partial(mixture, table.NATIVE[learner])
    for kind, make in MANY_CLASSES.items():
        for learner in OVER:
            found[named(f"classes-{kind}-{learner}")] = functools.partial(make, table.NATIVE[learner])
    for kind, make in LABEL_SETS.items():
        for learner in OVER:
            found[named(f"labels-{kind}-{learner}")] = functools.partial(make, table.NATIVE[learner])
    found[named("window-boost")] = functools.partial(WindowBoostClassifier, 20, 3, 4, max_leaves=4, random_state=1)
    found[named("classes-window-boost")] = functools.partial(
        WindowBoostClassifier, 16, 3, 4, max_leaves=4, least_curvature=0.1, random_state=1
    )
    found[named("classes-one-vs-rest-mixture")] = lambda: OneVsRest(mixture(Perceptron()))
    for learner in OVER:  # boosters that meet their third class on the way
        found[named(f"classes-osboost-{learner}")] = functools.partial(
            table.make, "osboost", learner, 3, random_state=1
        )
    found[named("gradient-boost-lines")] = functools.partial(
        table.make, "gradient-boost", "regression-tree", 3, random_state=1
    )
    found[named("classes-gradient-boost")] = functools.partial(
        table.make, "gradient-boost", "regression-tree", 3, random_state=1
    )
    found[named("default")] = functools.partial(OnlineBoostClassifier, random_state=1)
    found[named("classes-default")] = functools.partial(OnlineBoostClassifier, random_state=1)
    found[named("classes-weighed")] = functools.partial(
        OnlineBoostClassifier, effort="low", class_weight="balanced", metric="f1", random_state=1
    )
    found[named("crowd-default")] = functools.partial(OnlineBoostClassifier, random_state=1)
    found[named("osboost-adwin")] = functools.partial(table.make, "osboost", "tree", 3, random_state=1, drift="adwin")
    return found


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


def labels_for(name: str) -> list[Any]:
    """The labels of `rows`; of many classes a third one from the eighth row on, of a crowd ten; and of label sets."""
    examples, labels = rows()
    if "-labels-" in name:
        sets: list[set[str]] = [{label} if k % 5 < 4 else set() for k, label in enumerate(labels)]
        return [
            one | {"maybe"} if k > 6 and x["on"] else one for k, (x, one) in enumerate(zip(examples, sets, strict=True))
        ]
    if "-crowd-" in name:
        return [f"{label} {k % 5}" for k, label in enumerate(labels)]
    if "-classes-" not in name:
        return labels
    return ["maybe" if k > 6 and x["on"] else label for k, (x, label) in enumerate(zip(examples, labels, strict=True))]


def learn(model: Any, name: str) -> Any:
    """One pass over the rows."""
    for x, y in zip(rows()[0], labels_for(name), strict=True):
        model.learn_one(x, y)
    return model


def predictions(model: Any) -> list[Any]:
    """The probability of "yes" for every example, to the last bit; of many classes, that of every label."""
    found = [model.predict_proba_one(row) for row in rows()[0]]
    if len(found[0]) > 2:
        return [{label: chance.hex() for label, chance in one.items()} for one in found]
    return [one["yes"].hex() for one in found]


def table_text(n_rows: int) -> str:
    """A CSV file whose columns are numbers, categories and words."""
    rng = np.random.default_rng(11)
    lines = ["price,colour,body,label"]
    for _ in range(n_rows):
        price, colour = float(rng.integers(-8, 9)) / 4, ["red", "green", "blue"][rng.integers(3)]
        words = " ".join(rng.choice(["free", "money", "lunch", "now"], 2))
        lines.append(f"{price},{colour},{words},{'spam' if price + rng.normal() > 0 else 'ham'}")
    return "\n".join(lines) + "\n"


TRAIN_OPTIONS = ("--n-learners", "3", "--text", "body:4", "--checkpoint", "20")


def train(folder: Path, n_rows: int) -> Path:
    """`onlineboost train`, going on if the folder has a checkpoint; gives the model's path."""
    source, model = folder / "train.csv", folder / TRAINED
    source.write_text(table_text(n_rows), encoding="ascii")
    command = ["train", str(source), "--model", str(model), *TRAIN_OPTIONS]
    if cli.main([*command, "--resume"]) != 0:
        raise RuntimeError("onlineboost train failed")
    return model


def table_predictions(path: Path, folder: Path) -> list[str]:
    """What `onlineboost predict` writes for the rows of the CSV file."""
    source, out = folder / "new.csv", folder / "predictions.csv"
    source.write_text(table_text(30), encoding="ascii")
    if cli.main(["predict", str(path), str(source), "--output", "margin,probability", "--out", str(out)]) != 0:
        raise RuntimeError("onlineboost predict failed")
    return out.read_text(encoding="ascii").splitlines()


def _write_trained(folder: Path, expected: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        path = train(work, 60)
        (folder / TRAINED).write_bytes(path.read_bytes())
        before = table_predictions(path, work)
        expected[TRAINED] = {"loaded": before, "after another pass": table_predictions(train(work, 90), work)}


def main() -> None:
    """Write those that are missing."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "predictions.json"
    expected = json.loads(page.read_text(encoding="ascii")) if page.exists() else {}
    for name, make in makers().items():
        if name in expected and (folder / name).exists():
            continue
        model = learn(make(), name)
        model.save(folder / name, extra=EXTRA)
        before = predictions(model)
        expected[name] = {"loaded": before, "after another pass": predictions(learn(model, name))}
    if TRAINED not in expected:
        _write_trained(folder, expected)
    if UNFITTED not in expected:
        model = table.make("ozaboost", "bayes-auto", 3, random_state=1)
        model.save(folder / UNFITTED)
        expected[UNFITTED] = {"loaded": [], "after another pass": predictions(learn(model, UNFITTED))}
    page.write_text(json.dumps(expected, indent=0), encoding="ascii")


if __name__ == "__main__":
    main()
