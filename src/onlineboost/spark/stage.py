"""All rounds over shards in one barrier stage of Spark: workers hand their models to each other, not to the driver.

    task 1: learn ─┐             ┌─ merge ─ learn ─┐             ┌─ merge
    task 2: learn ─┴─ allGather ─┴─ merge ─ learn ─┴─ allGather ─┴─ merge ── the model, to the driver

Every task merges all models, to the same bits. Spark runs no such stage again, so one that loses a process is begun
anew here, from the checkpoint where there is one. Errors of tasks are handed round as data.
"""

from __future__ import annotations

import base64
import pickle
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

from onlineboost.distributed.checkpoint import Checkpoint
from onlineboost.distributed.learning import Learned, Worker
from onlineboost.distributed.rounds import run_rounds
from onlineboost.distributed.workers import TRIES
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from onlineboost.distributed.learning import Rules
    from onlineboost.distributed.shards import Shard
    from onlineboost.estimators import OnlineEstimator


def train_in_a_stage(
    base: OnlineEstimator,
    shards: Sequence[Shard],
    rules: Rules,
    stops: Sequence[int],
    saved: Checkpoint,
    tell: Callable[[Sequence[Learned]], None],
    n_jobs: int,
    fan: int,
) -> OnlineEstimator:
    """The model after all rounds, learned by tasks of the active session that run side by side."""
    session = SparkSession.getActiveSession()
    if session is None:
        raise ValueError('engine="spark" needs an active Spark session: make one with SparkSession.builder.')
    context = session.sparkContext
    scala = context._jsc.sc()
    slots = scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile())
    n_tasks = min(len(shards), slots if n_jobs == -1 else min(n_jobs, slots))
    numbered = dict(enumerate(shards))
    data = base.to_bytes()

    def run(numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
        (number,) = numbers
        worker = Worker({k: numbered[k] for k in range(number, len(numbered), n_tasks)}, rules)
        yield _run(BarrierTaskContext.get(), worker, from_bytes(data), stops, saved, fan, number)

    found: dict[str, Any] = {}
    for left in reversed(range(TRIES)):
        try:
            found = context.parallelize(range(n_tasks), n_tasks).barrier().mapPartitions(run).collect()[0]
            break
        except Py4JJavaError:
            if not left:
                raise
    if "error" in found:
        raise found["error"]
    tell(found["bad"])
    return from_bytes(found["model"])


def _run(
    task: Any, worker: Worker, base: OnlineEstimator, stops: Sequence[int], saved: Checkpoint, fan: int, number: int
) -> dict[str, Any]:
    """What a task does; errors about rows are handed round, so that all tasks end with the same."""
    bad: list[Learned] = []

    def learn(data: bytes, start: int, stop: int) -> list[Learned]:
        found: tuple[list[Learned], Exception | None]
        try:
            found = worker.learn(data, start, stop), None
        except Exception as problem:  # noqa: BLE001  # the driver raises it
            found = [], problem
        texts = task.allGather(base64.b64encode(pickle.dumps(found)).decode())
        gathered = [pickle.loads(base64.b64decode(one)) for one in texts]  # noqa: S301  # from our own tasks
        error = next((error for _, error in gathered if error is not None), None)
        if error is not None:
            raise error
        return [one for learned, _ in gathered for one in learned]

    mine = Checkpoint(saved.path, saved.about, writes=number == 0)
    try:
        model = run_rounds(base, stops, learn, bad.extend, mine, fan)
    except Exception as error:  # noqa: BLE001  # as above
        return {"error": error}
    told = [Learned(one.shard, b"", one.bad) for one in bad if one.bad]
    return {"bad": told, "model": model.to_bytes()}
