"""Frames with strings against one-hot matrices: error and speed; the same bits from frame, dicts, CSV and Parquet; ids.

    python tools/measure_data.py

Writes docs/results/data.md. The streams are files NAME.csv.xz with the label in column `class`, in the folder
$ONLINEBOOST_STREAMS or shared/streams beside the checkout.
"""

from __future__ import annotations

import os
import resource
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

from onlineboost import AROW, OnlineBoostClassifier, OnlineClassifier, OSBoostClassifier, Perceptron, prequential
from onlineboost.streams import Feed, Schema, open_stream

ROOT = Path(__file__).resolve().parents[1]
STREAMS: dict[str, tuple[int | None, list[str], list[str]]] = {  # rows, categories that look like numbers, dropped
    "bank-marketing": (None, [], ["duration"]),
    "elec": (None, ["day"], []),
    "airlines": (100_000, ["DayOfWeek"], []),
}
SEEDS = (0, 1, 2)
EQUAL_ROWS = 3000
IDS, BATCH, BUCKETS = 1_000_000, 20_000, 2**16


def read(name: str) -> tuple[pd.DataFrame, np.ndarray[Any, Any], list[str]]:
    """A stream as a frame with strings, its labels, and the categories among its columns."""
    rows, nominal, dropped = STREAMS[name]
    folder = Path(os.environ.get("ONLINEBOOST_STREAMS", ROOT.parent / "shared" / "streams"))
    table = pd.read_csv(folder / f"{name}.csv.xz", nrows=rows).drop(columns=dropped)
    return table.drop(columns="class"), table["class"].to_numpy(), nominal


def one_hot(X: pd.DataFrame, nominal: list[str]) -> Any:
    """The same as CSR: a column per category."""
    texts = [name for name in X if name in nominal or not pd.api.types.is_numeric_dtype(X[name])]
    parts = [sp.csr_array(X[[name for name in X if name not in texts]].to_numpy(float))]
    if texts:
        parts.append(sp.csr_array(OneHotEncoder().fit_transform(X[texts].astype(str))))
    return sp.hstack(parts, format="csr")


def timed(kind: Any, X: Any, y: Any, **parameters: Any) -> tuple[list[float], float]:
    """Errors of a pass for each seed, and the least processor seconds of one."""
    errors, seconds = [], []
    for seed in SEEDS:
        start = time.process_time()
        errors.append(prequential(kind(random_state=seed, **parameters), X, y).error)
        seconds.append(time.process_time() - start)
    return errors, min(seconds)


def told(errors: list[float]) -> str:
    """Mean and standard error."""
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


def streams() -> list[str]:
    """The table of streams."""
    lines = ["| stream | rows | model | error, frame | error, CSR | rows/s, frame | rows/s, CSR | ratio | bits |"]
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    for name in STREAMS:
        X, y, nominal = read(name)
        schema = dict.fromkeys(nominal, "category")
        matrix = one_hot(X, nominal)
        bits = same_bits(X, y, schema)
        for word, kind in (("default", OnlineBoostClassifier), ("one AROW", lambda **p: OnlineClassifier(AROW(), **p))):
            framed = timed(kind, X, y, schema=schema or None)
            sparse = timed(kind, matrix, y)
            speed = [len(y) / seconds for _, seconds in (framed, sparse)]
            lines.append(
                f"| {name} | {len(y):,} | {word} | {told(framed[0])} | {told(sparse[0])} | {speed[0]:,.0f} | "
                f"{speed[1]:,.0f} | {speed[0] / speed[1]:.2f} | {bits} |"
            )
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


def main() -> None:
    """Measure and write the page."""
    bounded = ids()  # first: the peak of the process is still low
    lines = results_page.header("Data as they come", "python tools/measure_data.py")
    lines += [
        "Test, then train, in the order of the stream; means and standard errors of 3 seeds, the default's and one",
        "AROW's. CSR is one-hot, encoded beforehand; the frame is encoded on the way, within the time: the least",
        "processor time of the seeds. Features are numbered in another order in the two, so random learners draw",
        "other numbers, and families with a limit on features retire at other times.",
        "",
    ]
    lines += ["## Frames with strings", "", *streams(), "", "## Ids", "", *bounded]
    (ROOT / "docs" / "results" / "data.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
