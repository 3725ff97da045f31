"""Two worker processes against one, on every engine that is installed, from Parquet; and an engine on a single shard.

    python tools/measure_workers.py [--copies 10] [--rows N] [--every 50000] [--repeats 3]
                                    [--engines local dask ray spark]

Writes docs/results/workers.md; nothing else should run. Covertype is written to Parquet as many times as there are
copies, `--rows` of each. Each engine is started with one worker and with two, and has trained once on a little, before
anything is timed: its start is in no figure. Then they train in turns, and the fastest of the repeats counts. Beside
the clock is processor time, which is that of a machine without other work but for caches: the driver's and that of the
busiest other process, one after the other. The machine itself is measured by two loops of `partial_fit` side by side.
An engine has `--limit` seconds for its start and for each training.
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
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
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
COLUMNS = (
    *("one worker, 2 shards", "two workers", "speed-up", "by the processor", "more work"),
    *("one worker, 1 shard", "over the loop", "in processor time"),
)
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

    library.init(address="local", num_cpus=workers, include_dashboard=False, log_to_driver=False)
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
    """A training's seconds: of the clock, of all processes, and of this one and the busiest other in turn."""
    before, start = processor_seconds(), time.perf_counter()
    model = train()
    clock, after = time.perf_counter() - start, processor_seconds()
    spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    own = spent.pop(os.getpid())
    return {
        "clock": clock,
        "path": own + max(spent.values(), default=0.0),
        "all": own + sum(spent.values()),
        "examples": model.n_examples_,
        "bytes": hashlib.sha256(model.to_bytes()).hexdigest(),
    }


def loop(path: str, every: int, parts: int) -> Any:
    """A loop of `partial_fit` over the first of so many parts of the file."""
    model, shard = recipe(), parquet_shards(path, LABEL, parts)[0]
    reader = shard.reader()
    for first in range(0, len(shard), every):
        X, y, _ = reader.rows(first, min(first + every, len(shard)))
        model.partial_fit(X, y, classes=[-1, 1])
    return model


def serve(name: str, workers: int, path: str, small: str, every: int) -> None:
    """Train over as many shards as each line of the input says, and print what it took."""
    with ENGINES[name](workers) if name != LOOP else nullcontext() as engine:

        def train(path: str, shards: int) -> Any:
            if name == LOOP:
                return loop(path, every, shards)
            parts = parquet_shards(path, LABEL, shards)
            with tempfile.TemporaryDirectory() as folder:
                saved = Path(folder) / "model.ob" if name == "spark" else None  # its tasks exchange files there
                return train_shards(recipe(), parts, every=every, engine=engine, checkpoint=saved)

        train(small, 1 if name == LOOP else 2)
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            print(json.dumps(measured(lambda shards=int(line): train(path, shards))), flush=True)


# ---- processes of engines, and trainings in turns ------------------------------------------------------------


class TooLongError(RuntimeError):
    """An engine has ended, or taken more than its time."""


class Engine:
    """A process with an engine of so many workers."""

    def __init__(self, name: str, workers: int, args: argparse.Namespace, path: str, small: str) -> None:
        call = [sys.executable, __file__, "--every", str(args.every), "--run", name, str(workers), path, small]
        pipe = subprocess.PIPE
        self._limit = args.limit
        self._process = subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
        self.answer()

    def ask(self, shards: int) -> None:
        """Ask for a training over so many shards."""
        print(shards, file=self._process.stdin, flush=True)

    def answer(self) -> Any:
        """What it took."""
        timer = threading.Timer(self._limit, self.end)
        timer.start()
        for line in self._process.stdout or ():
            if line.startswith(("{", '"')):
                timer.cancel()
                return json.loads(line)
        timer.cancel()
        raise TooLongError

    def train(self, shards: int) -> Run:
        """A training."""
        self.ask(shards)
        found: Run = self.answer()
        return found

    def end(self) -> None:
        """End it and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


def best(runs: list[Run]) -> Run:
    """The least of each figure."""
    return runs[0] | {name: min(one[name] for one in runs) for name in ("clock", "path", "all")}


def side_by_side(make: Callable[[str, int], Engine], repeats: int) -> tuple[Run, Run]:
    """One loop over all rows, and two loops at once over half of them each."""
    first, second = make(LOOP, 1), make(LOOP, 1)
    alone, both = [], []
    for _ in range(repeats):
        alone.append(first.train(1))
        for one in (first, second):
            one.ask(2)
        pair = [one.answer() for one in (first, second)]
        both.append(pair[0] | {name: max(one[name] for one in pair) for name in ("clock", "path")})
        both[-1]["all"] = sum(one["all"] for one in pair)
    first.end()
    second.end()
    return best(alone), best(both)


def in_turns(name: str, make: Callable[[str, int], Engine], repeats: int) -> dict[str, list[Run]] | str:
    """One worker with two shards, two workers, and one worker with one shard, in turns."""
    if find_spec(MODULES[name]) is None:
        return "not installed"
    one, two = None, None
    try:
        one, two = make(name, 1), make(name, 2)
        found: dict[str, list[Run]] = {"one": [], "two": [], "single": []}
        for _ in range(repeats):
            found["one"].append(one.train(2))
            found["two"].append(two.train(2))
            found["single"].append(one.train(1))
    except TooLongError:
        return "failed or not done in time"
    else:
        return found
    finally:
        for engine in (one, two):
            if engine is not None:
                engine.end()


# ---- the page ------------------------------------------------------------------------------------------------


def row(name: str, found: dict[str, list[Run]] | str, alone: Run) -> str:
    """A line of the table."""
    if isinstance(found, str):
        return f"| {name} | {found} | | | | | | | |"
    one, two, single = (best(found[which]) for which in ("one", "two", "single"))
    return (
        f"| {name} | {one['clock']:.1f} s | {two['clock']:.1f} s | {one['clock'] / two['clock']:.2f} | "
        f"{one['path'] / two['path']:.2f} | {two['all'] / one['all'] - 1:+.0%} | {single['clock']:.1f} s | "
        f"{single['clock'] / alone['clock'] - 1:+.0%} | {single['all'] / alone['all'] - 1:+.0%} |"
    )


def main() -> None:
    """Measure what is installed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rows", type=int, default=None, help="of each copy; all by default")
    parser.add_argument("--every", type=int, default=50_000, help="rows of a shard between two merges")
    parser.add_argument("--repeats", type=int, default=3, help="trainings of each kind, in turns")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--limit", type=float, default=240, help="seconds for a training, or for a start")
    parser.add_argument("--page", default=str(results_page.ROOT / "docs" / "results" / "workers.md"))
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        name, workers, path, small = args.run
        serve(name, int(workers), path, small, args.every)
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

        def make(name: str, workers: int) -> Engine:
            return Engine(name, workers, args, path, small)

        alone, pair = side_by_side(make, args.repeats)
        found = {}
        for name in args.engines:
            found[name] = in_turns(name, make, args.repeats)
            print(row(name, found[name], alone), flush=True)
    runs = {name: one for name, one in found.items() if not isinstance(one, str)}
    if any(run["examples"] != total for one in runs.values() for kind in one.values() for run in kind):
        raise SystemExit("not every example was learned once")
    if len({run["bytes"] for one in runs.values() for kind in ("one", "two") for run in one[kind]}) > 1:
        raise SystemExit("the engines gave different models")
    lines = results_page.header("Workers", command.strip())
    lines += [
        f"OSBoost over AROW, N = 20, on {total:,} rows of covertype ({args.copies} copies, shuffled) from Parquet,",
        f"merged each {args.every:,} rows of a shard: a light job, where reading and learning take about as long. The",
        f"least of {args.repeats} trainings in turns, without the start of an engine; {os.cpu_count()} processors, of",
        f"which other work had {load:.1f} before the first training.",
        "",
        "A loop of `partial_fit` over the same file in one process takes",
        f"{alone['clock']:.1f} s, {alone['all']:.1f} s of processor time; two loops side by side over half of it each",
        f"take {pair['clock']:.1f} s, and {pair['all']:.1f} s of processor time together: a speed-up of",
        f"{alone['clock'] / pair['clock']:.2f} is what the machine has.",
        "",
        "By the processor: the speed-up of the driver's processor time and that of the busiest other process, one",
        "after the other. More work is the processor time of all processes, two workers against one. The last",
        "columns are one shard against the loop, by the clock and in processor time of all processes. All trainings",
        "over two shards gave the same bytes.",
        "",
        f"| engine | {' | '.join(COLUMNS)} |",
        "|---|---|---|---|---|---|---|---|---|",
        *(row(name, one, alone) for name, one in found.items()),
    ]
    results_page.write(Path(args.page), lines)


if __name__ == "__main__":
    main()
