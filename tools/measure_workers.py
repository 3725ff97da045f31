"""Two worker processes against one, on every engine that is installed, from Parquet; and an engine on a single shard.

    python tools/measure_workers.py [--copies 10] [--rows N] [--every 50000] [--engines local dask ray spark]

Writes docs/results/workers.md. Covertype is written to Parquet as many times as there are copies, `--rows` of each.
Times are of the clock, so nothing else may run; processor time is of all processes of an engine and says what the clock
would without others. Engines are started, and have trained once on a little, before it runs: their start is in no
figure. Each runs in a process of its own and has `--limit` seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import results_page

from onlineboost import AROW, OSBoostClassifier
from onlineboost.distributed import parquet_shards, train_shards, workers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = dict[str, Any]

MODULES = {"local": "joblib", "dask": "distributed", "ray": "ray", "spark": "pyspark"}
GROUPS, WARM_ROWS = 16, 2000
LABEL, LOOP = "label", "loop"
HERTZ = os.sysconf("SC_CLK_TCK")


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


# ---- engines -------------------------------------------------------------------------------------------------


@contextmanager
def local(workers: int) -> Iterator[Any]:
    """Processes of this machine."""
    with workers_of("local", n_jobs=workers) as found:
        yield found


@contextmanager
def dask(workers: int) -> Iterator[Any]:
    """A cluster of Dask on this machine."""
    from distributed import LocalCluster  # noqa: PLC0415  # may be missing

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        workers_of("dask", cluster.scheduler_address) as found,
    ):
        yield found


@contextmanager
def ray(workers: int) -> Iterator[Any]:
    """A cluster of Ray on this machine."""
    import ray as library  # noqa: PLC0415  # may be missing

    library.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    with workers_of("ray") as found:
        yield found
    library.shutdown()


@contextmanager
def spark(workers: int) -> Iterator[Any]:
    """A cluster of Spark on this machine, with a process per worker."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  # may be missing

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield "spark"
    session.stop()


ENGINES: dict[str, Callable[[int], Any]] = {"local": local, "dask": dask, "ray": ray, "spark": spark}


# ---- one process per engine and number of workers ------------------------------------------------------------


def processor_seconds() -> dict[int, float]:
    """Of this process and all that it has started, by process."""
    found, parents = {}, {}
    for one in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = one.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(one.parent.name)] = int(fields[1])
        found[int(one.parent.name)] = (int(fields[11]) + int(fields[12])) / HERTZ
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    return {pid: found[pid] for pid in own}


def measured(train: Callable[[], Any]) -> Run:
    """A training's seconds: of the clock, of this process, and of all."""
    before, start = processor_seconds(), time.perf_counter()
    model = train()
    clock, after = time.perf_counter() - start, processor_seconds()
    spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    return {
        "clock": clock,
        "driver": spent[os.getpid()],
        "all": sum(spent.values()),
        "examples": model.n_examples_,
        "bytes": hashlib.sha256(model.to_bytes()).hexdigest(),
    }


def loop(path: str, every: int) -> Any:
    """A loop over the file in this process."""
    model, (shard,) = recipe(), parquet_shards(path, LABEL, 1)
    reader = shard.reader()
    for first in range(0, len(shard), every):
        X, y, _ = reader.rows(first, min(first + every, len(shard)))
        model.partial_fit(X, y, classes=[-1, 1])
    return model


def run(name: str, workers: int, path: str, small: str, every: int) -> list[Run]:
    """With two shards, and for one worker with one, too."""
    if name == LOOP:
        loop(small, every)
        return [measured(lambda: loop(path, every))]
    with ENGINES[name](workers) as engine:

        def train(path: str, shards: int) -> Any:
            parts = parquet_shards(path, LABEL, shards)
            with tempfile.TemporaryDirectory() as folder:
                saved = Path(folder) / "model.ob" if name == "spark" else None  # its tasks exchange files there
                return train_shards(recipe(), parts, every=every, engine=engine, checkpoint=saved)

        train(small, 2)
        return [measured(lambda shards=shards: train(path, shards)) for shards in ((2,) if workers > 1 else (2, 1))]


def in_time(call: list[str], limit: float) -> list[Run] | str:
    """What a process prints; or why it did not."""
    process = subprocess.Popen(
        [sys.executable, __file__, *call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        told, problems = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"not done in {limit:.0f} s"
    if process.returncode:
        print(problems, file=sys.stderr)
        return "failed"
    found: list[Run] = json.loads(told.splitlines()[-1])
    return found


# ---- the page ------------------------------------------------------------------------------------------------


def row(name: str, one: list[Run] | str, two: list[Run] | str, alone: Run) -> str:
    """A line of the table."""
    if isinstance(one, str) or isinstance(two, str):
        return f"| {name} | {one if isinstance(one, str) else two} | | | | | | |"
    (two_shards, single), (both,) = one, two
    return (
        f"| {name} | {two_shards['clock']:.1f} s | {both['clock']:.1f} s | {two_shards['clock'] / both['clock']:.2f} | "
        f"{both['all'] / two_shards['all'] - 1:+.0%} | {both['driver']:.1f} s | {single['clock']:.1f} s | "
        f"{single['clock'] / alone['clock'] - 1:+.0%} |"
    )


def main() -> None:
    """Measure what is installed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rows", type=int, default=None, help="of each copy; all by default")
    parser.add_argument("--every", type=int, default=50_000, help="rows of a shard between two merges")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--limit", type=float, default=90, help="seconds for an engine and number of workers")
    parser.add_argument("--page", default=str(results_page.ROOT / "docs" / "results" / "workers.md"))
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        name, workers, path, small = args.run
        print(json.dumps(run(name, int(workers), path, small, args.every)), flush=True)
        return
    load = os.getloadavg()[0]
    X, y = results_page.load("covertype")
    order = np.random.default_rng(0).permutation(len(y))[: args.rows]
    command = "python tools/measure_workers.py " + " ".join(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        path, small = str(Path(folder) / "rows.parquet"), str(Path(folder) / "few.parquet")
        total = write_file(path, X[order], y[order], args.copies)
        write_file(small, X[order[:WARM_ROWS]], y[order[:WARM_ROWS]], 1)
        del X, y

        def found(name: str, workers: int) -> list[Run] | str:
            if name != LOOP and find_spec(MODULES[name]) is None:
                return "not installed"
            return in_time(["--every", str(args.every), "--run", name, str(workers), path, small], args.limit)

        alone = found(LOOP, 1)
        if isinstance(alone, str):
            raise SystemExit(f"the loop: {alone}")
        pairs = {}
        for name in args.engines:
            pairs[name] = found(name, 1), found(name, 2)
            print(row(name, *pairs[name], alone[0]), flush=True)
    runs = [one for pair in pairs.values() for part in pair if not isinstance(part, str) for one in part]
    if any(one["examples"] != total for one in runs):
        raise SystemExit("not every example was learned once")
    of_two = {part[0]["bytes"] for pair in pairs.values() for part in pair if not isinstance(part, str)}
    if len(of_two) > 1:
        raise SystemExit("the engines gave different models")
    lines = results_page.header("Workers", command.strip())
    lines += [
        f"OSBoost over AROW, N = 20, on {total:,} rows of covertype ({args.copies} copies, shuffled) from Parquet,",
        f"merged each {args.every:,} rows of a shard. Seconds of the clock, without the start of an engine;",
        f"{os.cpu_count()} processors, of which other work had {load:.1f} before the first training. A loop of",
        f"`partial_fit` over the same file in one process takes {alone[0]['clock']:.1f} s, {alone[0]['all']:.1f} s of",
        "processor time. More work is the processor time of all processes with two workers against that with one; the",
        "last column is over the loop. All trainings over two shards gave the same bytes.",
        "",
        "| engine | one worker, 2 shards | two workers | speed-up | more work | driver | one worker, 1 shard | more |",
        "|---|---|---|---|---|---|---|---|",
        *(row(name, *pair, alone[0]) for name, pair in pairs.items()),
    ]
    results_page.write(Path(args.page), lines)


if __name__ == "__main__":
    main()
