"""Many classes on scikit-learn's digits and on streams, and what one walk is worth: writes docs/results/classes.md.

    python tools/measure_classes.py --streams FOLDER [--keep FILE] [--before PYTHON] [--quick]

FOLDER has the streams of `drift_streams.MANY` as `NAME.csv.xz`, the label in a column `class`; LightGBM is needed.
FILE is the one of measure_drift_peers.py: it has the errors of CapyMOA's ensembles, and figures on these streams that
it has are not measured again. PYTHON is an interpreter with an earlier version of onlineboost, for a default per class.
Errors are of a test-then-train pass over random orders. Times are the least of several runs in this process; those of
trees and of the default are processor times of one run.
"""

from __future__ import annotations

import argparse
import itertools
import math
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import class_streams
import numpy as np
import results_page
from measure_drift import Figures
from sklearn.datasets import load_digits, make_classification
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier

from onlineboost import (
    AROW,
    AdaBoostOLMClassifier,
    AveragedPerceptron,
    HoeffdingTree,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    _core,
    load,
    prequential,
)

if TYPE_CHECKING:
    from collections.abc import Callable

LEARNERS: dict[str, Callable[[], Any]] = {
    "Perceptron": Perceptron,
    "AveragedPerceptron": AveragedPerceptron,
    "AROW": AROW,
    "NaiveBayes (Gaussian)": lambda: NaiveBayes(kind="gaussian", variance_floor=1e-3),
}
MODELS: dict[str, Callable[[Any, int, int], Any]] = {
    "one learner": lambda learner, _, seed: OneVsRest(OnlineClassifier(learner, random_state=seed)),
    "OneVsRest(OSBoost)": lambda learner, n, seed: OneVsRest(OSBoostClassifier(learner, n, random_state=seed)),
    "Adaboost.OLM": lambda learner, n, seed: AdaBoostOLMClassifier(learner, n, random_state=seed),
    "OnlineMBBM": lambda learner, n, seed: OnlineMBBMClassifier(learner, n, random_state=seed),
}
N = 20


def orders(n_orders: int) -> list[Any]:
    """The rows of digits in random orders, each of which depends on its number alone."""
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    found = []
    for seed in range(n_orders):
        rows = np.random.default_rng(seed).permutation(len(y))
        found.append((X[rows], y[rows]))
    return found


def cell(errors: list[float]) -> str:
    """Mean and standard error."""
    return f"{np.mean(errors):.4f} ± {np.std(errors, ddof=1) / math.sqrt(len(errors)):.4f}"


def peer(model: Any, X: Any, y: Any) -> float:
    """The error of another library's classifier, one row at a time."""
    wrong = 0
    classes = np.unique(y)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        wrong += t == 0 or model.predict(x[np.newaxis])[0] != label
        model.partial_fit(x[np.newaxis], [label], classes=classes)
    return wrong / len(y)


def peers(streams: list[Any]) -> list[str]:
    """Rows of the table of peers."""
    makers: dict[str, Callable[[int], Any]] = {
        "scikit-learn Perceptron": lambda seed: ScikitPerceptron(random_state=seed),
        "scikit-learn SGDClassifier (hinge)": lambda seed: SGDClassifier(random_state=seed),
        "scikit-learn SGDClassifier (log-loss)": lambda seed: SGDClassifier(loss="log_loss", random_state=seed),
    }
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in makers.items():
            lines.append(f"| {name} | {cell([peer(make(k), X, y) for k, (X, y) in enumerate(streams)])} |")
        try:
            from river import linear_model, multiclass, preprocessing  # noqa: PLC0415  # a peer, not a dependency
        except ImportError:
            return lines
        errors = []
        for X, y in streams:
            model = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
            wrong = 0
            for x, label in zip(X, y, strict=True):
                row = dict(enumerate(x.tolist()))
                wrong += model.predict_one(row) != label
                model.learn_one(row, label)
            errors.append(wrong / len(y))
        lines.append(f"| river OneVsRestClassifier(LogisticRegression), scaled | {cell(errors)} |")
    return lines


def least(run: Callable[[], Any], repeats: int) -> float:
    """Seconds of the quickest run."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def speed(X: Any, y: Any, repeats: int) -> list[str]:
    """One model of ten classes beside ten binary models, batch-wise and one by one."""

    def booster(k: int) -> Any:
        return OSBoostClassifier(Perceptron(), N, random_state=_core.class_seed(0, k))

    def separate(one_by_one: bool) -> None:
        for k in range(10):
            model = booster(k)
            if one_by_one:
                for x, label in zip(X, y == k, strict=True):
                    model.learn_one(x, label)
            else:
                model.partial_fit(X, y == k)

    def together(one_by_one: bool) -> None:
        model = OneVsRest(booster(0))
        if one_by_one:
            for x, label in zip(X, y, strict=True):
                model.learn_one(x, label)
        else:
            model.partial_fit(X, y)

    lines = []
    for name, one_by_one in (("one batch", False), ("`learn_one`", True)):
        apart, joined = (least(lambda r=run, o=one_by_one: r(o), repeats) for run in (separate, together))
        per = [f"{seconds / len(y) * 1e6:.1f}" for seconds in (apart, joined)]
        lines.append(f"| {name} | {per[0]} | {per[1]} | {apart / joined:.2f} |")
    return lines


def blobs(classes: int, n: int) -> tuple[Any, Any]:
    """16 numeric columns, a cluster per class."""
    return make_classification(
        n, 16, n_informative=14, n_classes=classes, n_clusters_per_class=1, class_sep=1.5, random_state=0
    )


def processor_time(model: Any, X: Any, y: Any) -> float:
    """Seconds to learn all rows."""
    start = time.process_time()
    model.partial_fit(X, y)
    return time.process_time() - start


# Learns a part of a file with a default per class; prints the version and the seconds.
BEFORE = """
import sys, time
import numpy as np
import onlineboost
data = np.load(sys.argv[1])
model = onlineboost.OneVsRest(onlineboost.OnlineBoostClassifier(random_state=0))
start = time.process_time()
model.partial_fit(data["X"], data["y"])
print(onlineboost.__version__, time.process_time() - start)
"""


def before(python: Path, X: Any, y: Any, repeats: int = 2) -> list[str]:
    """Rows of the table: a default per class in an earlier version, and the default of this one, in turns."""
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "data.npz", X=X, y=y)
        for _ in range(repeats):
            told = subprocess.run(  # an interpreter that the caller names
                [python, "-c", BEFORE, f"{folder}/data.npz"], check=True, capture_output=True, text=True
            ).stdout.split()
            times.setdefault(f"`OneVsRest(OnlineBoostClassifier())` of version {told[0]}", []).append(float(told[1]))
            ours = processor_time(OnlineBoostClassifier(random_state=0), X, y)
            times.setdefault("`OnlineBoostClassifier()`, in turns with it", []).append(ours)
    return [f"| {name} | {len(y):,} | {len(y) / min(found):,.0f} |" for name, found in times.items()]


def many(n: int, python: Path | None) -> list[str]:
    """What classes cost: trees at ten classes and at two; the default at 26 classes, and a default per class."""
    ten = blobs(10, n)
    streams = {"two classes": blobs(2, n), "the ten as odd and even": (ten[0], ten[1] % 2), "ten classes": ten}
    lines = [
        "",
        f"OSBoost over 100 trees (γ = 0.5), {n:,} rows of `make_classification` with 16 columns; processor time.",
        "",
        "| labels | seconds |",
        "|---|---|",
    ]
    for name, (X, y) in streams.items():
        seconds = processor_time(OSBoostClassifier(HoeffdingTree(), 100, gamma=0.5, random_state=0), X, y)
        lines.append(f"| {name} | {seconds:.2f} |")
        print(lines[-1], flush=True)
    X, y = blobs(26, n)
    few = n // 20
    models = {
        "`OnlineBoostClassifier()`": (OnlineBoostClassifier(random_state=0), n),
        "`OneVsRest(OnlineBoostClassifier())`": (OneVsRest(OnlineBoostClassifier(random_state=0)), few),
    }
    lines += ["", "26 classes of the same kind:", "", "| model | rows | rows per second |", "|---|---|---|"]
    for name, (model, rows) in models.items():
        lines.append(f"| {name} | {rows:,} | {rows / processor_time(model, X[:rows], y[:rows]):,.0f} |")
        print(lines[-1], flush=True)
    return lines + (before(python, X, y) if python else [])


def late_class(n: int) -> str:
    """A class that begins after n examples of 49 others: one batch, and parts with a model file between them."""
    rng, after = np.random.default_rng(0), 1000
    y = np.concatenate([rng.integers(0, 49, n), rng.choice([49, 3], after)])
    X = np.column_stack([np.cos(y), np.sin(y)]) + 0.02 * rng.normal(size=(len(y), 2))
    whole = OnlineClassifier(NaiveBayes(kind="gaussian"), random_state=0).partial_fit(X, y)
    model = OnlineClassifier(NaiveBayes(kind="gaussian"), random_state=0)
    cuts = [0, n // 3, n - 1, n, n + 1, n + after // 2, n + after]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("parts.ob", "whole.ob")]
        for start, stop in itertools.pairwise(cuts):
            model.partial_fit(X[start:stop], y[start:stop]).save(files[0])
            model = load(files[0])
        whole.save(files[1])
        equal = files[0].read_bytes() == files[1].read_bytes()
    late = y[n:] == 49
    found = float(np.mean(model.predict(X[n:])[late] == 49))
    told = "has the same bytes" if equal else "DIFFERS"
    return (
        f"A 50th class after {n:,} examples of 49 others (Gaussian Naive Bayes, two columns): its {late.sum()} rows "
        f"are found at the end with recall {found:.3f}; the model that was learned in {len(cuts) - 1} parts, saved and "
        f"loaded after each, {told}."
    )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two orders, no streams, and no page is written")
    parser.add_argument("--streams", type=Path, help="the folder of the streams; without it no page is written")
    parser.add_argument("--keep", type=Path, help="figures on streams, as measure_drift_peers.py keeps them")
    parser.add_argument("--before", type=Path, help="an interpreter that has an earlier version of onlineboost")
    given = parser.parse_args()
    quick = given.quick or given.streams is None
    streams = orders(2 if quick else 3)
    lines = results_page.header("Many classes", "python tools/measure_classes.py --streams FOLDER")
    if not quick:
        lines += [class_streams.CONDITIONS, "", *class_streams.table(given.streams, Figures(given.keep)), ""]
    lines += [
        f"scikit-learn's digits: {len(streams[0][1])} rows, 64 columns, 10 classes. Prequential error over",
        f"{len(streams)} random orders, mean ± standard error; N = {N}. Default parameters; nothing was tuned.",
        "",
        "| learner | " + " | ".join(MODELS) + " |",
        "|---|" + "---|" * len(MODELS),
    ]
    for name, learner in LEARNERS.items():
        cells = [
            cell([prequential(make(learner(), N, k), X, y).error for k, (X, y) in enumerate(streams)])
            for make in MODELS.values()
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    lines += ["", "| peer | error |", "|---|---|", *peers(streams)]
    lines += [
        "",
        f"Time to learn the first order, OSBoost over {N} Perceptrons, in µs per example: ten binary models beside one",
        "`OneVsRest`. The quickest of several runs.",
        "",
        "| | ten models | OneVsRest | factor |",
        "|---|---|---|---|",
        *speed(*streams[0], 2 if quick else 5),
        *many(1000 if quick else 20_000, given.before),
        "",
        late_class(10_000 if quick else 1_000_000),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if not quick:
        (results_page.ROOT / "docs" / "results" / "classes.md").write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
