"""Frames with strings against one-hot matrices: error and speed; the same bits from frame, dicts, CSV and Parquet; ids.

    python tools/measure_data.py [--rows N] [--seeds N] [--before PYTHON] [--out FILE]

Writes docs/results/data.md. `--rows` measures prefixes of the streams; `--before` is the interpreter of an environment
with another version of the package, whose `train` on CSV is timed in turns with this one. The streams are files
NAME.csv.xz with the label in column `class`, in the folder $ONLINEBOOST_STREAMS or shared/streams beside the checkout.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import results_page
import scipy.sparse as sp
from sklearn.preprocessing import OneHotEncoder

from onlineboost import (
    AROW,
    HoeffdingTree,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    WindowBoostClassifier,
    prequential,
)
from onlineboost.streams import Feed, Schema, open_stream

ROOT = Path(__file__).resolve().parents[1]
STREAMS: dict[str, tuple[int | None, list[str], list[str]]] = {  # rows, categories that look like numbers, dropped
    "bank-marketing": (None, [], ["duration"]),
    "elec": (None, ["day"], []),
    "airlines": (100_000, ["DayOfWeek"], []),
}
TURNS = 5
EQUAL_ROWS = 3000
IDS, BATCH, BUCKETS = 1_000_000, 20_000, 2**16


def read(name: str, most: int | None = None) -> tuple[pd.DataFrame, np.ndarray[Any, Any], list[str]]:
    """A stream as a frame with strings, its labels, and the categories among its columns."""
    rows, nominal, dropped = STREAMS[name]
    folder = Path(os.environ.get("ONLINEBOOST_STREAMS", ROOT.parent / "shared" / "streams"))
    table = pd.read_csv(folder / f"{name}.csv.xz", nrows=rows if most is None else most).drop(columns=dropped)
    return table.drop(columns="class"), table["class"].to_numpy(), nominal


def one_hot(X: pd.DataFrame, nominal: list[str]) -> Any:
    """The same as CSR: a column per category."""
    texts = [name for name in X if name in nominal or not pd.api.types.is_numeric_dtype(X[name])]
    parts = [sp.csr_array(X[[name for name in X if name not in texts]].to_numpy(float))]
    if texts:
        parts.append(sp.csr_array(OneHotEncoder().fit_transform(X[texts].astype(str))))
    return sp.hstack(parts, format="csr")


def seconds_of(kind: Any, X: Any, y: Any, **parameters: Any) -> tuple[float, float]:
    """The error of a pass, and its processor seconds."""
    start = time.process_time()
    error = prequential(kind(**parameters), X, y).error
    return error, time.process_time() - start


def in_turns(kind: Any, ways: list[tuple[Any, dict[str, Any]]], y: Any, seeds: int) -> tuple[Any, list[float], float]:
    """Errors by way and seed, least seconds of each way, and the median of the first way's speed over the second's."""
    errors: list[list[float]] = [[] for _ in ways]
    seconds: list[list[float]] = [[] for _ in ways]
    for seed in range(seeds):
        for k, (X, parameters) in enumerate(ways):
            error, spent = seconds_of(kind, X, y, random_state=seed, **parameters)
            errors[k].append(error)
            seconds[k].append(spent)
    ratio = statistics.median(two / one for one, two in zip(*seconds, strict=True))
    return errors, [min(one) for one in seconds], ratio


def told(errors: list[float]) -> str:
    """Mean and standard error."""
    if len(errors) == 1:
        return f"{errors[0]:.4f}"
    return f"{np.mean(errors):.4f} ± {np.std(errors, ddof=1) / len(errors) ** 0.5:.4f}"


def same_bits(X: pd.DataFrame, y: Any, schema: dict[str, str]) -> str:
    """Which ways to the model give the bits of the frame."""
    X, y = X[:EQUAL_ROWS], y[:EQUAL_ROWS]

    def fresh() -> Any:
        return OSBoostClassifier(Perceptron(), 10, random_state=0, schema=schema or None)

    wanted = fresh().fit(X, y).margin(X)
    one = fresh()
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        one.learn_one(row, label)
    equal = {"dicts": np.array_equal(one.margin(X), wanted)}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "parquet"):
            path, table = Path(folder) / f"t.{kind}", X.assign(label=y)
            table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
            model = fresh()
            feed = Feed(model)
            for batch in open_stream(path, schema=Schema(columns=schema)):
                feed.learn(batch)
            equal[kind] = np.array_equal(model.margin(X), wanted)
    return ", ".join(f"{name} {'equal' if good else 'DIFFERENT'}" for name, good in equal.items())


def streams(rows: int | None, seeds: int) -> list[str]:
    """The table of streams."""
    lines = ["| stream | rows | model | error, frame | error, CSR | rows/s, frame | rows/s, CSR | ratio | bits |"]
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    for name in STREAMS:
        X, y, nominal = read(name, rows)
        schema = dict.fromkeys(nominal, "category")
        ways = [(X, {"schema": schema or None}), (one_hot(X, nominal), {})]
        bits = same_bits(X, y, schema)
        for word, kind, turns in (
            ("default", OnlineBoostClassifier, seeds),
            ("one AROW", lambda **p: OnlineClassifier(AROW(), **p), max(seeds, TURNS)),
        ):
            (framed, sparse), seconds, ratio = in_turns(kind, ways, y, turns)
            lines.append(
                f"| {name} | {len(y):,} | {word} | {told(framed)} | {told(sparse)} | {len(y) / seconds[0]:,.0f} | "
                f"{len(y) / seconds[1]:,.0f} | {ratio:.2f} | {bits} |"
            )
            print(lines[-1], flush=True)
    return lines


def train_seconds(python: str, path: Path, folder: Path) -> float:
    """Processor seconds of `onlineboost train` on a CSV file, without those of a file of few rows."""

    def run(file: Path) -> float:
        model, before = folder / "m.ob", resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [python, "-m", "onlineboost", "train", file, "--model", model, "--learner", "perceptron"]
        compiled = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
        subprocess.run([*map(str, command), "--label", "class"], check=True, capture_output=True, env=compiled)  # ours
        model.unlink()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    small = folder / "small.csv"
    small.write_text("".join(path.read_text().splitlines(keepends=True)[:200]))
    run(small)  # its modules are compiled now
    return run(path) - run(small)


def commands(rows: int | None, before: str | None) -> list[str]:
    """The table of `train` on CSV."""
    heads = ["this version", *(["the other version", "ratio"] if before else [])]
    lines = ["| stream | rows | " + " | ".join(heads) + " |", "|---" * (2 + len(heads)) + "|"]
    with tempfile.TemporaryDirectory() as made:
        for name in STREAMS:
            X, y, _ = read(name, rows)
            path = Path(made) / f"{name}.csv"
            X.assign(**{"class": y}).to_csv(path, index=False)
            pythons = [sys.executable, *([before] if before else [])]
            seconds = [[train_seconds(python, path, Path(made)) for python in pythons] for _ in range(TURNS)]
            cells = [f"{min(one) * 1e3:,.0f} ms" for one in zip(*seconds, strict=True)]
            if before:
                cells.append(f"{statistics.median(one[0] / one[1] for one in seconds):.2f}")
            lines.append(f"| {name} | {len(y):,} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def ids() -> list[str]:
    """Distinct ids through a bounded model."""
    model = OSBoostClassifier(Perceptron(), 10, random_state=0, max_features=BUCKETS)
    names = [f"user-{k}" for k in range(IDS)]
    y = np.arange(BATCH) % 2
    model.partial_fit(pd.DataFrame({"id": names[:BATCH]}), y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for start in range(BATCH, IDS, BATCH):
        model.partial_fit(pd.DataFrame({"id": names[start : start + BATCH]}), y)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    held, bound = model.memory_ / 2**20, (model.machine.memory_bound or 0) / 2**20
    sentence = (
        f"{IDS:,} distinct ids, `max_features={BUCKETS:,}`, Perceptron, N = 10: {model.machine.n_features:,} features; "
        f"`memory_` {held:.1f} MiB, bound {bound:.1f} MiB; the peak of the process grew by {grown:.1f} MiB after the "
        f"first {BATCH:,}."
    )
    return [*textwrap.wrap(sentence, 118), ""]


MODELS: dict[str, tuple[Any, int, bool]] = {  # the model, rows in thousands, whether it has ids
    "one AROW": (lambda: OnlineClassifier(AROW()), 150, True),
    "OSBoost over Perceptron, N = 100": (lambda: OSBoostClassifier(Perceptron(), 100), 150, True),
    "OSBoost over AROW, N = 20, `max_features=32,768`": (
        lambda: OSBoostClassifier(AROW(), 20, max_features=2**15),
        150,
        True,
    ),
    "OSBoost over HoeffdingTree, N = 20": (lambda: OSBoostClassifier(HoeffdingTree(), 20), 100, False),
    "WindowBoostClassifier": (WindowBoostClassifier, 50, False),
    "default": (OnlineBoostClassifier, 25, False),
}


def grown(name: str) -> None:
    """Print the features, `memory_` and the growth of a process that learns a model, in MiB."""
    make, thousands, ids_too = MODELS[name]
    random = np.random.default_rng(0)

    def batch(n: int) -> tuple[pd.DataFrame, Any]:
        columns: dict[str, Any] = {"x": random.normal(size=n)}
        if ids_too:
            columns["id"] = [f"u{k}" for k in random.integers(0, 200_000, n)]
        else:
            columns |= {"z": random.normal(size=n), "c": random.integers(0, 50, n).astype(str)}
        X = pd.DataFrame(columns)
        return X, (X["x"] * X.get("z", 1.0) > 0).to_numpy().astype(int)

    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    make().partial_fit(*batch(2000), classes=[0, 1])  # what is loaded when first needed
    before, model = resident(), make()
    for _ in range(thousands // 5):
        model.partial_fit(*batch(5000), classes=[0, 1])
    print(model.machine.n_features, model.memory_ / 2**20, (resident() - before) / 2**20)


def memory() -> list[str]:
    """The table of what models hold."""
    lines = ["| model | rows | features | `memory_`, MiB | growth of the process, MiB | share |", "|---" * 6 + "|"]
    for name, (_, thousands, _) in MODELS.items():
        command = [sys.executable, __file__, "--grown", name]
        told_ = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()  # ours
        features, held, growth = int(told_[0]), float(told_[1]), float(told_[2])
        lines.append(f"| {name} | {thousands},000 | {features:,} | {held:.1f} | {growth:.1f} | {held / growth:.2f} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--before")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "data.md")
    parser.add_argument("--grown", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.grown:
        return grown(asked.grown)
    bounded = ids()  # first: the peak of the process is still low
    lines = results_page.header("Data as they come", "python tools/measure_data.py")
    lines += [
        f"Test, then train, in the order of the stream; means and standard errors of {asked.seeds} seeds of the",
        f"default, and one AROW, {max(asked.seeds, TURNS)} times. CSR is one-hot, encoded beforehand; the frame is",
        "encoded on the way, within the time: processor time, frame and CSR in turns; the ratio is the median of the",
        "turns. Features are numbered in another order in the two, so random learners draw other numbers, and families",
        "with a limit on features retire at other times.",
        "",
    ]
    lines += ["## Frames with strings", "", *streams(asked.rows, asked.seeds), ""]
    lines += ["## `onlineboost train` on CSV", ""]
    lines += ["OSBoost over Perceptron, N = 100; processor time, less that of a file of 200 lines.", ""]
    lines += [*commands(asked.rows, asked.before), "", "## Ids", "", *bounded]
    lines += [
        "## Memory",
        "",
        "Two or three columns, one of ids or of 50 categories; each model in a process of its own.",
        "",
    ]
    lines += [*memory(), ""]
    asked.out.write_text("\n".join(lines), encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
