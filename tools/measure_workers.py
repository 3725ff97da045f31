"""Two worker processes against one, on every engine that is installed, from Parquet; and an engine on a single shard.

    python tools/measure_workers.py [--copies 10] [--rows N] [--every 50000] [--engines local dask ray spark]

Writes docs/results/workers.md. Covertype is written to Parquet as many times as there are copies, `--rows` of each.
Times are of the clock, so nothing else may run; engines are started, and have trained once on a little, before it does.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import results_page

from onlineboost import AROW, OSBoostClassifier
from onlineboost.distributed import parquet_shards, train_shards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Train = Callable[[str, int, int], Any]  # a file, its shards, rows between merges

MODULES = {"local": "joblib", "dask": "distributed", "ray": "ray", "spark": "pyspark"}
GROUPS, WARM_ROWS = 16, 2000
LABEL = "label"


def recipe() -> OSBoostClassifier:
    """What is trained."""
    return OSBoostClassifier(AROW(), 20, random_state=0)


def write_file(path: str, X: Any, y: Any, copies: int) -> int:
    """The rows, so many times, in row groups; how many there are."""
    dense = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=np.float64)
    columns = {f"x{j}": dense[:, j] for j in range(dense.shape[1])} | {LABEL: np.asarray(y, dtype=np.int64)}
    table = pa.table(columns)
    size = -(-table.num_rows * copies // GROUPS)
    whole = pa.concat_tables([table] * copies)
    pq.write_table(whole, path, row_group_size=size)
    return int(whole.num_rows)


@contextmanager
def local(workers: int) -> Iterator[Train]:
    """Processes of joblib."""

    def train(path: str, shards: int, every: int) -> Any:
        return train_shards(recipe(), parquet_shards(path, LABEL, shards), every=every, n_jobs=workers)

    yield train


@contextmanager
def dask(workers: int) -> Iterator[Train]:
    """A cluster of Dask on this machine."""
    from distributed import LocalCluster  # noqa: PLC0415  # may be missing

    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:

        def train(path: str, shards: int, every: int) -> Any:
            parts = parquet_shards(path, LABEL, shards)
            return train_shards(recipe(), parts, every=every, engine="dask", address=cluster.scheduler_address)

        yield train


@contextmanager
def ray(workers: int) -> Iterator[Train]:
    """A cluster of Ray on this machine."""
    import ray as library  # noqa: PLC0415  # may be missing

    library.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    with ExitStack() as stack:
        stack.callback(library.shutdown)

        def train(path: str, shards: int, every: int) -> Any:
            return train_shards(
                recipe(), parquet_shards(path, LABEL, shards), every=every, engine="ray", n_jobs=workers
            )

        yield train


@contextmanager
def spark(workers: int) -> Iterator[Train]:
    """A cluster of Spark on this machine, with a process per worker."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  # may be missing

    from onlineboost.spark import SparkBoostClassifier  # noqa: PLC0415  # as above

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master(f"local-cluster[{workers},1,2048]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    with ExitStack() as stack:
        stack.callback(session.stop)

        def train(path: str, shards: int, every: int) -> Any:
            frame = session.read.parquet(path).repartition(shards)
            columns = [name for name in frame.columns if name != LABEL]
            classifier = SparkBoostClassifier(
                estimator=recipe(), inputCols=columns, labelCol=LABEL, every=every, badRows="stop"
            )
            return classifier.fit(frame).model

        yield train


ENGINES: dict[str, Callable[[int], Any]] = {"local": local, "dask": dask, "ray": ray, "spark": spark}


def seconds(path: str, small: str, make: Callable[[int], Any], workers: int, shards: int, args: Any) -> float:
    """Of the clock, for a training on an engine that is at work already."""
    with make(workers) as train:
        train(small, shards, args.every)
        start = time.perf_counter()
        model = train(path, shards, args.every)
        spent = time.perf_counter() - start
    if model.n_examples_ != args.total:
        raise SystemExit(f"{model.n_examples_} examples were learned, not {args.total}")
    return spent


def alone(path: str, every: int) -> float:
    """Of the clock, for a loop over the file in this process."""
    model, (shard,) = recipe(), parquet_shards(path, LABEL, 1)
    start = time.perf_counter()
    for first in range(0, len(shard), every):
        X, y, _ = shard.rows(first, min(first + every, len(shard)))
        model.partial_fit(X, y, classes=[-1, 1])
    return time.perf_counter() - start


def main() -> None:
    """Measure what is installed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rows", type=int, default=None, help="of each copy; all by default")
    parser.add_argument("--every", type=int, default=50_000, help="rows of a shard between two merges")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--page", default=str(results_page.ROOT / "docs" / "results" / "workers.md"))
    args = parser.parse_args()
    load = os.getloadavg()[0]
    X, y = results_page.load("covertype")
    order = np.random.default_rng(0).permutation(len(y))[: args.rows]
    command = "python tools/measure_workers.py " + " ".join(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        path, small = str(Path(folder) / "rows.parquet"), str(Path(folder) / "few.parquet")
        args.total = write_file(path, X[order], y[order], args.copies)
        write_file(small, X[order[:WARM_ROWS]], y[order[:WARM_ROWS]], 1)
        plain = alone(path, args.every)
        lines = results_page.header("Workers", command.strip())
        lines += [
            f"OSBoost over AROW, N = 20, on {args.total:,} rows of covertype ({args.copies} copies, shuffled) from",
            f"Parquet, merged each {args.every:,} rows of a shard. Seconds of the clock with engines at work already;",
            f"{os.cpu_count()} processors, of which other work had {load:.1f} before the first training. A loop of",
            f"`partial_fit` over the same file in one process takes {plain:.1f} s.",
            "",
            "| engine | one worker, 2 shards | two workers | speed-up | one worker, 1 shard | over the loop |",
            "|---|---|---|---|---|---|",
        ]
        for name in args.engines:
            if find_spec(MODULES[name]) is None:
                lines.append(f"| {name} | not installed | | | | |")
                continue
            one, two, single = (
                seconds(path, small, ENGINES[name], workers, shards, args)
                for workers, shards in ((1, 2), (2, 2), (1, 1))
            )
            lines.append(
                f"| {name} | {one:.1f} s | {two:.1f} s | {one / two:.2f} | {single:.1f} s | {single / plain - 1:+.0%} |"
            )
            print(lines[-1], flush=True)
    results_page.write(Path(args.page), lines)


if __name__ == "__main__":
    main()
