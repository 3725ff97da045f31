"""All rounds over shards in one barrier stage of Spark: workers hand their models to each other, not to the driver.

    task 1: learn ─┐            ┌─ merge ─ learn ─┐            ┌─ merge
    task 2: learn ─┴─ exchange ─┴─ merge ─ learn ─┴─ exchange ─┴─ merge ── the model, to the driver

Every task merges all models, to the same bits. Spark runs no such stage again, so one that loses a process is begun
anew here, from the checkpoint where there is one. Errors of tasks are handed round as data.

Spark's own exchange, `allGather`, takes a second whatever the size. Where there is a checkpoint, all tasks reach its
folder, and they exchange files there in some milliseconds.
"""

from __future__ import annotations

import base64
import pickle
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

from onlineboost.distributed.checkpoint import Checkpoint
from onlineboost.distributed.learning import Learned, Worker
from onlineboost.distributed.rounds import run_rounds, run_turns
from onlineboost.distributed.workers import TRIES
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from onlineboost.distributed.learning import Rules
    from onlineboost.distributed.shards import Shard
    from onlineboost.estimators import OnlineEstimator

    Exchange = Callable[[bytes], list[bytes]]

LOOK = 0.0005  # seconds between looks for the files of others


def train_in_a_stage(
    base: OnlineEstimator,
    first: int,
    shards: Sequence[Shard],
    rules: Rules,
    saved: Checkpoint,
    tell: Callable[[Sequence[Learned]], None],
    n_jobs: int,
    fan: int,
) -> OnlineEstimator:
    """The model after the rounds from the row `first` on, learned by tasks of the active session side by side."""
    session = SparkSession.getActiveSession()
    if session is None:
        raise ValueError('engine="spark" needs an active Spark session: make one with SparkSession.builder.')
    context = session.sparkContext
    scala = context._jsc.sc()
    profile = scala.resourceProfileManager().defaultResourceProfile()
    if not scala.maxNumConcurrentTasks(profile):
        context.parallelize([0], 1).count()  # waits for the first executor of a cluster that has just been started
    slots = scala.maxNumConcurrentTasks(profile)
    n_tasks = min(len(shards), slots if n_jobs == -1 else min(n_jobs, slots))
    numbered = dict(enumerate(shards))
    data = base.to_bytes()

    def stage(folder: str | None) -> dict[str, Any]:
        def run(numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
            (number,) = numbers
            worker = Worker({k: numbered[k] for k in range(number, len(numbered), n_tasks)}, rules)
            task = BarrierTaskContext.get()
            exchange: Exchange | None = None
            if n_tasks > 1:
                exchange = _gather(task) if folder is None else _Files(Path(folder), number, n_tasks)
            mine = Checkpoint(saved.path, saved.about, writes=number == 0)
            yield _run(exchange, worker, *(mine.load() or (from_bytes(data), first)), mine, fan)

        found: dict[str, Any] = context.parallelize(range(n_tasks), n_tasks).barrier().mapPartitions(run).collect()[0]
        return found

    found: dict[str, Any] = {}
    for left in reversed(range(TRIES)):
        folder = None if saved.path is None else tempfile.mkdtemp(dir=saved.path.parent)
        try:
            found = stage(folder)
            break
        except Py4JJavaError:
            if not left:
                raise
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
    if "error" in found:
        raise found["error"]
    tell(found["bad"])
    return from_bytes(found["model"])


def _run(
    exchange: Exchange | None,
    worker: Worker,
    base: OnlineEstimator,
    first: int,
    saved: Checkpoint,
    fan: int,
) -> dict[str, Any]:
    """What a task does; errors are handed round, so that all tasks end with the same. One alone exchanges nothing."""
    bad: list[Learned] = []
    stops = worker.rules.stops
    try:
        if exchange is None:
            model = run_turns(base, first, stops, worker.take_turn, bad.extend, saved, fan)
        else:
            model = run_rounds(base, first, stops, _learner(worker, exchange), bad.extend, saved, fan)
    except Exception as error:  # noqa: BLE001  # the driver raises it
        return {"error": error}
    told = [Learned(one.shard, b"", one.bad) for one in bad if one.bad]
    return {"bad": told, "model": model.to_bytes()}


def _learner(worker: Worker, exchange: Exchange) -> Callable[[bytes, int, int], list[Learned]]:
    """A round: the models of all tasks."""

    def learn(data: bytes, start: int, stop: int) -> list[Learned]:
        found: tuple[list[Learned], Exception | None]
        try:
            found = worker.learn(data, start, stop), None
        except Exception as problem:  # noqa: BLE001  # as above
            found = [], problem
        gathered = [pickle.loads(one) for one in exchange(pickle.dumps(found))]  # noqa: S301  # from our own tasks
        error = next((error for _, error in gathered if error is not None), None)
        if error is not None:
            raise error
        return [one for learned, _ in gathered for one in learned]

    return learn


def _gather(task: Any) -> Exchange:
    """An exchange by Spark."""

    def exchange(data: bytes) -> list[bytes]:
        return [base64.b64decode(one) for one in task.allGather(base64.b64encode(data).decode())]

    return exchange


class _Files:
    """An exchange by files in a folder that all tasks reach."""

    def __init__(self, folder: Path, number: int, n_tasks: int) -> None:
        self._folder, self._number, self._n_tasks, self._count = folder, number, n_tasks, 0

    def _path(self, count: int, number: int) -> Path:
        return self._folder / f"{count}.{number}"

    def __call__(self, data: bytes) -> list[bytes]:
        """What all tasks have given, in their order."""
        self._count += 1
        unfinished = self._folder / f"unfinished.{self._number}"
        unfinished.write_bytes(data)
        unfinished.rename(self._path(self._count, self._number))
        found = []
        for k in range(self._n_tasks):
            while not self._path(self._count, k).exists():
                if not self._folder.exists():
                    raise RuntimeError("The driver has given this stage up.")
                time.sleep(LOOK)
            found.append(self._path(self._count, k).read_bytes())
        self._path(self._count - 1, self._number).unlink(missing_ok=True)  # all are behind that round
        return found
