"""Worker processes, each with shards of its own: of this machine, of Dask and of Ray; Spark has a stage of its own.

A shard stays with its worker, so a round sends the base to each worker and models back, and nothing else. A single
worker merges by itself, and a message brings the model of many rounds. A worker that is lost is replaced: it keeps
nothing of the models, so the same rounds are learned again from the same base.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from joblib import cpu_count

from onlineboost.declarations.extras import require
from onlineboost.distributed.engines import engine
from onlineboost.distributed.learning import Worker
from onlineboost.distributed.process import Process, ProcessLostError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from onlineboost.distributed.learning import Learned, Rules, Turn
    from onlineboost.distributed.shards import Shard

TRIES = 5  # of a round, by workers that are lost in it
LOOK = 2.0  # seconds until it is asked whether a worker of Dask is there still


class Workers(ABC):
    """Processes that learn shards, for one training or for several in turn.

    Parameters
    ----------
    address : str, default=None
        Of a cluster that is there; None starts one on this machine.
    n_jobs : int, default=-1
        At most so many workers; -1 is all.

    """

    def __init__(self, address: str | None = None, n_jobs: int = -1) -> None:
        if n_jobs == 0 or n_jobs < -1:
            raise ValueError(f"n_jobs must be at least 1, or -1 for all, not {n_jobs!r}.")
        self.address, self.n_jobs, self.alone = address, n_jobs, False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Connect or start."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """End what was started."""
        self._stack.close()

    def deal(self, shards: Sequence[Shard], rules: Rules) -> None:
        """Give every worker its shards: shard k to worker k modulo their number."""
        n_workers = min(len(shards), self.most() if self.n_jobs == -1 else min(self.n_jobs, self.most()))
        numbered = dict(enumerate(shards))
        self.alone = n_workers == 1
        self.hold([Worker({k: numbered[k] for k in range(j, len(shards), n_workers)}, rules) for j in range(n_workers)])

    @abstractmethod
    def start(self) -> None:
        """Connect or start, with what ends it on the stack."""

    @abstractmethod
    def most(self) -> int:
        """How many workers there can be."""

    @abstractmethod
    def hold(self, workers: list[Worker]) -> None:
        """Place the workers; those of the training before are let go."""

    @abstractmethod
    def learn(self, base: bytes, start: int, stop: int) -> list[Learned]:
        """A round."""

    @abstractmethod
    def take_turn(self, base: bytes, start: int, end: int, fan: int) -> Turn:
        """Rounds by the only worker, as many as take about a second."""


class LocalWorkers(Workers):
    """Processes of this machine; a single worker is this process itself."""

    def start(self) -> None:
        self._processes: list[Process] = []
        self._stack.callback(self._end)

    def most(self) -> int:
        return int(cpu_count()) if self.n_jobs == -1 else self.n_jobs

    def hold(self, workers: list[Worker]) -> None:
        self._workers = workers
        if len(workers) > 1:
            self._processes += [Process() for _ in workers[len(self._processes) :]]
            for process, worker in zip(self._processes, workers, strict=False):
                process.hold(worker)

    def learn(self, base: bytes, start: int, stop: int) -> list[Learned]:
        for j in range(len(self._workers)):
            self._processes[j].ask(base, start, stop)
        return [one for j in range(len(self._workers)) for one in self._answer(j, base, start, stop)]

    def take_turn(self, base: bytes, start: int, end: int, fan: int) -> Turn:
        return self._workers[0].take_turn(base, start, end, fan)

    def _answer(self, j: int, base: bytes, start: int, stop: int) -> list[Learned]:
        for _ in range(TRIES):
            try:
                return self._processes[j].answer()
            except ProcessLostError:
                self._processes[j].end()
                self._processes[j] = Process()
                self._processes[j].hold(self._workers[j])
                self._processes[j].ask(base, start, stop)
        return self._processes[j].answer()

    def _end(self) -> None:
        for process in self._processes:
            process.end()


class DaskWorkers(Workers):
    """A worker per thread of a Dask cluster."""

    def start(self) -> None:
        self._stack.enter_context(engine("dask", self.address))
        self._client = require("distributed", "dask", "The Dask backend").default_client()
        cores = self._client.ncores()
        self._places = [where for where in sorted(cores) for _ in range(cores[where])]

    def most(self) -> int:
        return len(self._places)

    def hold(self, workers: list[Worker]) -> None:
        self._workers = workers
        self._actors = {j: self._place(j) for j in range(len(workers))}

    def learn(self, base: bytes, start: int, stop: int) -> list[Learned]:
        message = "learn", base, start, stop
        asked = [self._ask(j, message) for j in self._actors]
        return [one for j, call in enumerate(asked) for one in self._answer(j, call, message)]

    def take_turn(self, base: bytes, start: int, end: int, fan: int) -> Turn:
        message = "take_turn", base, start, end, fan
        turn: Turn = self._answer(0, self._ask(0, message), message)
        return turn

    def _place(self, j: int) -> Any:
        """The j-th worker as an actor, where its place is: calls go there straight, not by the scheduler."""
        while True:
            there = sorted(self._client.ncores())
            if there and self._places[j] not in there:
                self._places[j] = there[j % len(there)]
            where = [self._places[j]]
            made = self._client.submit(DaskActor, self._workers[j], actor=True, workers=where, pure=False)
            while there and self._places[j] in self._client.ncores():
                with suppress(TimeoutError):
                    return made.result(timeout=LOOK)
            self._client.wait_for_workers(1)

    def _ask(self, j: int, message: tuple[Any, ...]) -> Any:
        """Send a message; None where the worker is gone."""
        with suppress(*_LOST):
            return self._actors[j].answer(*message)

    def _answer(self, j: int, call: Any, message: tuple[Any, ...]) -> Any:
        """The answer to a message; a worker that is gone is replaced, and asked again."""
        found: Any = ProcessLostError()
        for _ in range(TRIES):
            with suppress(*_LOST):
                if call is not None:
                    found = call.result()
                    break
            with suppress(*_LOST):
                self._actors[j] = self._place(j)
            call = self._ask(j, message)
        if isinstance(found, Exception):
            raise found
        return found


_LOST = OSError, RuntimeError  # what Dask says of an actor whose process is gone


class DaskActor:
    """A worker of Dask: errors are its answer, so one that is raised is Dask's."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def answer(self, what: str, *message: Any) -> Any:
        """A round, or a turn."""
        try:
            return getattr(self._worker, what)(*message)
        except Exception as error:  # noqa: BLE001  # the driver raises it
            return error


class RayWorkers(Workers):
    """Actors of a Ray cluster."""

    def start(self) -> None:
        self._stack.enter_context(engine("ray", self.address))
        self._ray = require("ray", "ray", "The Ray backend")
        self._actors: list[Any] = []
        self._stack.callback(self._end)

    def most(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def hold(self, workers: list[Worker]) -> None:
        make = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=TRIES)(Actor).remote
        self._actors += [make() for _ in workers[len(self._actors) :]]
        self._workers = [self._ray.put(one) for one in workers]

    def learn(self, base: bytes, start: int, stop: int) -> list[Learned]:
        return [one for learned in self._answers("learn", base, start, stop) for one in learned]

    def take_turn(self, base: bytes, start: int, end: int, fan: int) -> Turn:
        turn: Turn = self._answers("take_turn", base, start, end, fan)[0]
        return turn

    def _answers(self, *message: Any) -> list[Any]:
        pairs = zip(self._actors, self._workers, strict=False)
        calls = [actor.answer.remote([worker], *message) for actor, worker in pairs]
        try:
            found: list[Any] = self._ray.get(calls)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None  # the worker's own
        return found

    def _end(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)


class Actor:
    """A process of Ray: it fetches a worker when it first learns for it, after a restart too."""

    def __init__(self) -> None:
        self._key: Any = None
        self._worker: Worker | None = None

    def answer(self, worker: list[Any], what: str, *message: Any) -> Any:
        """A round, or a turn; the worker is given as a reference, in a list so that Ray leaves it one."""
        if self._worker is None or worker[0] != self._key:
            self._key, self._worker = worker[0], require("ray", "ray", "A worker of Ray").get(worker[0])
        return getattr(self._worker, what)(*message)


ENGINES: dict[str, type[Workers]] = {"local": LocalWorkers, "dask": DaskWorkers, "ray": RayWorkers}


def workers_of(name: str, address: str | None = None, n_jobs: int = -1) -> Workers:
    """Workers to train with again and again: they start with `with`, and read and learn faster than new ones.

    Parameters
    ----------
    name : {"local", "dask", "ray"}
        The engine.
    address : str, default=None
        Of a cluster that is there; None starts one on this machine.
    n_jobs : int, default=-1
        At most so many workers; -1 is all.

    """
    if name not in ENGINES:
        raise ValueError(f"The engine must be one of {', '.join(ENGINES)} or spark, not {name!r}.")
    return ENGINES[name](address, n_jobs)
