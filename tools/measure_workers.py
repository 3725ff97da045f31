"""Two worker processes against one, on every engine that is installed, from Parquet; and an engine on a single shard.

    python tools/measure_workers.py [--copies 10] [--rows N] [--every 50000] [--repeats 3] [--sizes 20 100]
                                    [--engines local dask ray spark] [--keep FOLDER]

Writes docs/results/workers.md; nothing else should run. Covertype is written to Parquet as many times as there are
copies, `--rows` of each. Each engine is started with one worker and with two, and has trained once on a little, before
anything is timed: its start is in no figure. Then they train in turns, and the fastest of the repeats counts; none
begins after `--seconds`, so large models have fewer. Beside
the clock is processor time, which is that of a machine without other work but for caches: the driver's and that of the
busiest other process, one after the other. The machine itself is measured by loops side by side: of arithmetic alone,
and of `partial_fit`. An engine has `--limit` seconds for its start and for each training. With `--keep`, files and
measurements stay in a folder, and those that are there are not made again: measure an engine at a time, then all.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
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
GROUPS, WARM_ROWS = 16, 20_000
MILLION = 1_000_000
LABEL, LOOP, ARITHMETIC = "label", "loop", "arithmetic"
SPEED_UP = ("one worker", "two workers", "speed-up", "by the processor", "more work", "other work")
OVERHEAD = ("loop", "one worker", "over the loop", "in processor time", "other work")
HERTZ = os.sysconf("SC_CLK_TCK")


def recipe(size: int) -> OSBoostClassifier:
    """What is trained."""
    return OSBoostClassifier(AROW(), size, random_state=0)


def write_file(path: Path, X: Any, y: Any, copies: int, most: int | None = None) -> None:
    """The rows, so many times, in row groups; at most so many."""
    dense = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=np.float64)
    columns = {f"x{j}": dense[:, j] for j in range(dense.shape[1])} | {LABEL: np.asarray(y, dtype=np.int64)}
    table = pa.table(columns)
    whole = pa.concat_tables([table] * copies)[:most]
    pq.write_table(whole, path, row_group_size=-(-whole.num_rows // GROUPS))


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
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
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


def busy_seconds() -> float:
    """Of all processors, by all processes."""
    user, nice, system, _, _, *interrupts = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(map(int, (user, nice, system, *interrupts[:3]))) / HERTZ


def measured(train: Callable[[], Any]) -> Run:
    """A training's seconds: of the clock, of all processes, and of this one and the busiest other in turn."""
    before, busy, start = processor_seconds(), busy_seconds(), time.perf_counter()
    model = train()
    clock, after, busy = time.perf_counter() - start, processor_seconds(), busy_seconds() - busy
    spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    own = spent.pop(os.getpid())
    total = own + sum(spent.values())
    return {
        "clock": clock,
        "path": own + max(spent.values(), default=0.0),
        "all": total,
        "others": max(busy - total, 0.0) / clock,
        "examples": getattr(model, "n_examples_", 0),
        "bytes": hashlib.sha256(model.to_bytes()).hexdigest() if hasattr(model, "to_bytes") else "",
    }


def loop(path: str, every: int, parts: int, size: int) -> Any:
    """A loop of `partial_fit` over the first of so many parts of the file."""
    model, shard = recipe(size), parquet_shards(path, LABEL, parts)[0]
    reader = shard.reader()
    for first in range(0, len(shard), every):
        X, y, _ = reader.rows(first, min(first + every, len(shard)))
        model.partial_fit(X, y, classes=[-1, 1])
    return model


def arithmetic(parts: int) -> float:
    """The first of so many parts of some work that needs no memory but a cache's."""
    x, total = np.linspace(0.0, 1.0, 4096), 0.0
    for _ in range(200_000 // parts):
        total += float(np.sqrt(x * x + 1.0).sum())
    return total


def serve(name: str, workers: int, size: int, folder: Path, every: int) -> None:
    """Train on the file, and over as many shards, as each line of the input says, and print what it took."""
    with ENGINES[name](workers) if name in ENGINES else nullcontext() as engine:

        def train(file: str, shards: int) -> Any:
            path = str(folder / f"{file}.parquet")
            if name == ARITHMETIC:
                return arithmetic(shards)
            if name == LOOP:
                return loop(path, every, shards, size)
            parts = parquet_shards(path, LABEL, shards)
            with tempfile.TemporaryDirectory() as scratch:
                saved = Path(scratch) / "model.ob" if name == "spark" else None  # its tasks exchange files there
                return train_shards(recipe(size), parts, every=every, engine=engine, checkpoint=saved)

        train("few", 2)
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            file, shards = line.split()
            print(json.dumps(measured(lambda file=file, shards=int(shards): train(file, shards))), flush=True)


# ---- processes of engines, and trainings in turns ------------------------------------------------------------


class TooLongError(RuntimeError):
    """An engine has ended, or taken more than its time."""


class Engine:
    """A process with an engine of so many workers."""

    def __init__(self, name: str, workers: int, size: int, args: argparse.Namespace) -> None:
        call = [sys.executable, __file__, "--every", str(args.every), "--keep", str(args.keep)]
        call += ["--run", name, str(workers), str(size)]
        pipe = subprocess.PIPE
        self._limit = args.limit
        self._process = subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
        self.answer()

    def ask(self, file: str, shards: int) -> None:
        """Ask for a training over so many shards of a file."""
        print(file, shards, file=self._process.stdin, flush=True)

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

    def train(self, file: str, shards: int) -> Run:
        """A training."""
        self.ask(file, shards)
        found: Run = self.answer()
        return found

    def end(self) -> None:
        """End it and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


def best(runs: list[Run]) -> Run:
    """The fastest, with the least processor time of any."""
    fastest = min(runs, key=lambda one: one["clock"])
    return fastest | {name: min(one[name] for one in runs) for name in ("path", "all")}


def turns(args: argparse.Namespace) -> Iterator[int]:
    """The repeats, but none that begins after so many seconds."""
    end = time.monotonic() + args.seconds
    return itertools.takewhile(lambda k: k == 0 or time.monotonic() < end, range(args.repeats))


def side_by_side(name: str, size: int, args: argparse.Namespace) -> dict[str, Run]:
    """A loop over all rows, two loops at once over half of them each, and a loop over the million rows."""
    first, second = Engine(name, 1, size, args), Engine(name, 1, size, args)
    found: dict[str, list[Run]] = {"one": [], "two": [], "million": []}
    for _ in turns(args):
        found["one"].append(first.train("rows", 1))
        for one in (first, second):
            one.ask("rows", 2)
        pair = [one.answer() for one in (first, second)]
        both = {key: max(one[key] for one in pair) for key in ("clock", "path")}
        found["two"].append(pair[0] | both | {"all": sum(one["all"] for one in pair)})
        found["million"].append(first.train("million", 1))
    first.end()
    second.end()
    return {key: best(runs) for key, runs in found.items()}


def in_turns(name: str, size: int, args: argparse.Namespace) -> dict[str, Any] | str:
    """Two shards on one worker and on two, and a million rows in a single shard, in turns."""
    if find_spec(MODULES[name]) is None:
        return "not installed"
    one, two = None, None
    try:
        one, two = Engine(name, 1, size, args), Engine(name, 2, size, args)
        found: dict[str, list[Run]] = {"one": [], "two": [], "million": []}
        for _ in turns(args):
            found["one"].append(one.train("rows", 2))
            found["two"].append(two.train("rows", 2))
            found["million"].append(one.train("million", 1))
    except TooLongError:
        return "failed or not done in time"
    finally:
        for engine in (one, two):
            if engine is not None:
                engine.end()
    runs = found["one"] + found["two"]
    if {one["examples"] for one in runs} != {args.total} or {one["examples"] for one in found["million"]} != {MILLION}:
        raise SystemExit("not every example was learned once")
    return {key: best(runs) for key, runs in found.items()} | {"bytes": sorted({one["bytes"] for one in runs})}


class Kept:
    """Measurements in a file, each made when it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The measurement of this name."""
        if key not in self._found:
            self._found[key] = make()
            self._path.write_text(json.dumps(self._found, indent=1))
            print(key, self._found[key], flush=True)
        return self._found[key]


# ---- the page ------------------------------------------------------------------------------------------------


def table(columns: tuple[str, ...], rows: list[tuple[str, int, list[str]]]) -> list[str]:
    """A table with the engine and the size in front."""
    lines = [f"| engine | N | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 2)]
    for name, size, cells in rows:
        lines.append(f"| {name} | {size} | {' | '.join([*cells, *[''] * (len(columns) - len(cells))])} |")
    return [*lines, ""]


def speed_up(run: dict[str, Any] | str) -> list[str]:
    """Cells of the first table."""
    if isinstance(run, str):
        return [run]
    one, two = run["one"], run["two"]
    return [
        *(f"{one['clock']:.2f} s", f"{two['clock']:.2f} s", f"{one['clock'] / two['clock']:.2f}"),
        *(f"{one['path'] / two['path']:.2f}", f"{two['all'] / one['all'] - 1:+.0%}"),
        f"{one['others']:.2f}, {two['others']:.2f}",
    ]


def overhead(run: dict[str, Any] | str, alone: Run) -> list[str]:
    """Cells of the second table."""
    if isinstance(run, str):
        return [run]
    one = run["million"]
    return [
        *(f"{alone['clock']:.2f} s", f"{one['clock']:.2f} s", f"{one['clock'] / alone['clock'] - 1:+.0%}"),
        *(f"{one['all'] / alone['all'] - 1:+.0%}", f"{one['others']:.2f}"),
    ]


def write_files(args: argparse.Namespace) -> None:
    """The rows that all engines read."""
    X, y = results_page.load("covertype")
    order = np.random.default_rng(0).permutation(len(y))[: args.rows]
    X, y = X[order], y[order]
    write_file(args.keep / "few.parquet", X[:WARM_ROWS], y[:WARM_ROWS], 1)
    write_file(args.keep / "million.parquet", X, y, -(-MILLION // len(y)), MILLION)
    write_file(args.keep / "rows.parquet", X, y, args.copies)


def measure(args: argparse.Namespace) -> list[str]:
    """All that is not there yet; the page."""
    if not (args.keep / "rows.parquet").exists():
        write_files(args)
    args.total = pq.ParquetFile(args.keep / "rows.parquet").metadata.num_rows
    kept = Kept(args.keep / "measured.json")
    machine = kept.get(ARITHMETIC, lambda: side_by_side(ARITHMETIC, 0, args))
    loops = {n: kept.get(f"{LOOP} {n}", lambda n=n: side_by_side(LOOP, n, args)) for n in args.sizes}
    runs = {
        (name, n): kept.get(f"{name} {n}", lambda name=name, n=n: in_turns(name, n, args))
        for name in args.engines
        for n in args.sizes
    }
    for n in args.sizes:
        if len({one for (_, k), run in runs.items() if k == n and isinstance(run, dict) for one in run["bytes"]}) > 1:
            raise SystemExit("the engines gave different models")
    pairs = [("arithmetic", 0, machine), *((f"`partial_fit`, N = {n}", n, loops[n]) for n in args.sizes)]
    return [
        f"OSBoost over AROW with N learners, on {args.total:,} rows of covertype ({args.copies} copies, shuffled)",
        f"from Parquet, merged each {args.every:,} rows of a shard. With N = 20 it is a light job: reading takes a",
        "quarter of the time. A worker reads its own row groups by one thread. The fastest of",
        f"{args.repeats} trainings in turns counts, or of as many as begin within {args.seconds:g} s, without the",
        f"start of an engine, on {os.cpu_count()} processors. Other",
        "work is what all other processes used meanwhile, in processors, beside one worker and beside two: more than 1",
        "beside one, or anything beside two, was taken from the engine or used while it waited, and on such a machine",
        "every message waits for its turn. Processor time hardly depends on it.",
        "",
        "## What the machine has",
        "The same work in one process, and in two side by side with half of it each. Arithmetic needs no memory; the",
        "loop of `partial_fit` reads the file and merges nothing. No engine can do better.",
        "",
        "| loop | one process | two processes | speed-up |",
        "|---|---|---|---|",
        *(
            f"| {what} | {pair['one']['clock']:.2f} s | {pair['two']['clock']:.2f} s | "
            f"{pair['one']['clock'] / pair['two']['clock']:.2f} |"
            for what, _, pair in pairs
        ),
        "",
        "## Two workers against one",
        "Two shards on one worker, and on two. By the processor: the speed-up of the driver's processor time and that",
        "of the busiest other process, one after the other. More work is the processor time of all processes, two",
        "workers against one. All engines gave the same bytes.",
        "",
        *table(SPEED_UP, [(name, n, speed_up(run)) for (name, n), run in runs.items()]),
        "## What an engine costs",
        f"One worker and a single shard of {MILLION:,} rows, against a loop of `partial_fit` over the same file in one",
        "process: by the clock, and in processor time of all processes.",
        "",
        *table(OVERHEAD, [(name, n, overhead(run, loops[n]["million"])) for (name, n), run in runs.items()]),
    ]


def main() -> None:
    """Measure what is installed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rows", type=int, default=None, help="of each copy; all by default")
    parser.add_argument("--every", type=int, default=50_000, help="rows of a shard between two merges")
    parser.add_argument("--repeats", type=int, default=3, help="trainings of each kind, in turns")
    parser.add_argument("--seconds", type=float, default=35, help="after them no repeat begins")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 100], help="learners")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--limit", type=float, default=240, help="seconds for a training, or for a start")
    parser.add_argument("--keep", type=Path, help="a folder for files and measurements")
    parser.add_argument("--page", type=Path, default=results_page.ROOT / "docs" / "results" / "workers.md")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        name, workers, size = args.run
        serve(name, int(workers), int(size), args.keep, args.every)
        return
    with tempfile.TemporaryDirectory() as scratch:
        args.keep = args.keep or Path(scratch)
        args.keep.mkdir(exist_ok=True)
        sizes = " ".join(map(str, args.sizes))
        times = f"--copies {args.copies} --repeats {args.repeats} --every {args.every}"
        command = f"python tools/measure_workers.py {times} --sizes {sizes}"
        lines = results_page.header("Workers", command)
        results_page.write(args.page, lines + measure(args))


if __name__ == "__main__":
    main()
