"""The default beside a batch booster that is retrained on everything, on streams of many classes."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn import datasets

from onlineboost import OnlineBoostClassifier, prequential

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Name, file, rows at most, columns that are dropped, columns that are categories.
STREAMS: tuple[tuple[str, str, int, tuple[str, ...], tuple[str, ...]], ...] = (
    ("covtype", "covtype", 50_000, (), ()),
    ("poker-lsn", "poker-lsn", 50_000, (), ("s1", "s2", "s3", "s4", "s5")),
    ("insects", "insects-gradual-balanced", 50_000, (), ()),
    ("outdoor", "outdoor", 50_000, (), ()),
    ("gas-sensor", "gas-sensor-8-of-10", 50_000, ("batch",), ()),
    ("keystroke", "keystroke", 50_000, (), ()),
    ("interchanging-rbf", "interchanging-rbf", 50_000, (), ()),
)
SHUFFLED = 30_000
GROWTH, FIRST = 1.25, 30

CONDITIONS = f"""\
`OnlineBoostClassifier()` beside LightGBM retrained on all rows so far whenever they have grown by 25 %, from {FIRST}
rows on (200 trees of 31 leaves, rate 0.1, else its defaults), which predicts in between. Streams in their own order,
their first rows where there are more; covtype also {SHUFFLED:,} rows in the order of `default_rng(0).permutation`, as
scikit-learn's three. Categories are one column per value for both. No change: the label before. Prequential error, and
processor seconds on one core, of the default for predicting and learning, of LightGBM for fitting and predicting."""


def read(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    """Name, rows and labels of each data set."""
    for name in ("iris", "wine", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))
        yield name, X[order], y[order]
    for name, file, most, dropped, nominal in reversed(STREAMS):
        yield name, *_table(folder / f"{file}.csv.xz", most, dropped, nominal)
    X, y = _table(folder / "covtype.csv.xz", None, (), ())
    order = np.random.default_rng(0).permutation(len(y))[:SHUFFLED]
    yield "covtype, shuffled", X[order], y[order]


def _table(path: Path, most: int | None, dropped: tuple[str, ...], nominal: tuple[str, ...]) -> tuple[Any, Any]:
    found = pd.read_csv(path, nrows=most).drop(columns=list(dropped))
    y = pd.factorize(found.pop("class"))[0]
    return pd.get_dummies(found, columns=list(nominal)).to_numpy(float), y


def retrained(X: Any, y: Any) -> float:
    """The error of LightGBM, retrained each time that the rows have grown by a quarter."""
    import lightgbm  # noqa: PLC0415  # a peer, not a dependency

    said, start = np.full(len(y), -1), FIRST
    while start < len(y):
        stop = min(len(y), int(np.ceil(GROWTH * start)))
        if (y[:start] == y[0]).all():
            said[start:stop] = y[0]
        else:
            model = lightgbm.LGBMClassifier(n_estimators=200, n_jobs=1, verbose=-1, random_state=0)
            said[start:stop] = model.fit(X[:start], y[:start]).predict(X[start:stop])
        start = stop
    return float(np.mean(said != y))


def _timed(run: Any) -> tuple[float, float]:
    start = time.process_time()
    return run(), time.process_time() - start


def table(folder: Path, peers: dict[str, dict[str, float]]) -> list[str]:
    """The rows of the table, with how many sets the default wins at the end; `peers` has other errors by data set."""
    others = list(dict.fromkeys(name for errors in peers.values() for name in errors))
    heads = ["data set", "rows", "columns", "classes", "default", "LightGBM retrained", *others]
    heads += ["no change", "default, s", "LightGBM, s"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    wins, sets = dict.fromkeys(("LightGBM", *others), 0), dict.fromkeys(("LightGBM", *others), 0)
    for name, X, y in read(folder):
        own, seconds = _timed(lambda X=X, y=y: prequential(OnlineBoostClassifier(random_state=0), X, y).error)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer, peer_seconds = _timed(lambda X=X, y=y: retrained(X, y))
        same = np.mean(y[1:] != y[:-1])
        found = {"LightGBM": peer, **peers.get(name, {})}
        cells = [f"{found[other]:.4f}" if other in found else "–" for other in ("LightGBM", *others)]
        lines.append(
            f"| {name} | {len(y):,} | {X.shape[1]} | {len(np.unique(y))} | {own:.4f} | {' | '.join(cells)} | "
            f"{same:.4f} | {seconds:.1f} | {peer_seconds:.1f} |"
        )
        print(lines[-1], flush=True)
        for other, error in found.items():
            wins[other], sets[other] = wins[other] + (own <= error), sets[other] + 1
    told = ", ".join(f"{other} on {wins[other]} of {sets[other]}" for other in wins)
    return [*lines, "", f"The default is at or below {told}."]
