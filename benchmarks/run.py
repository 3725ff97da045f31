"""Jobs as processes that take turns, so that a slow minute of the machine hits all of them."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import environments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.jobs import Job
    from benchmarks.streams import Stream

PEERS = Path(__file__).resolve().parent / "peers"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Result:
    """What the repetitions of a job gave."""

    runs: tuple[dict[str, Any], ...]

    @property
    def rates(self) -> list[float]:
        """Examples per second, of each repetition."""
        return [run["examples_per_second"] for run in self.runs]

    @property
    def rate(self) -> float:
        """Their median."""
        return statistics.median(self.rates)

    def __getitem__(self, name: str) -> Any:
        return self.runs[-1][name]


@contextmanager
def one_core() -> Iterator[None]:
    """Hold this process, and those that it starts meanwhile, to one core, where the system can do so.

    A thread more is a thread more: a Java machine compiles and collects garbage in threads of its own.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def each(python: str | Path, script: str | Path, *arguments: str, **environment: str) -> Iterator[dict[str, Any]]:
    """One process; its lines are results, and are given as they come."""
    command = [str(python), str(PEERS / script), *arguments]
    variables = {**os.environ, **ONE_THREAD, **environment}
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True, env=variables) as started,
    ):
        for line in started.stdout or ():
            if line.startswith("{"):
                yield dict(json.loads(line))
        if started.wait():
            complaints.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed:\n{complaints.read()[-2000:]}")


def process(python: str | Path, script: str | Path, *arguments: str, held: bool = True) -> dict[str, Any]:
    """One process, held to one core unless told otherwise; its last line is the result."""
    with one_core() if held else nullcontext():
        return list(each(python, script, *arguments))[-1]


def pythons(peers: set[str], cache: Path) -> dict[str, str]:
    """The Python of each peer; environments are made on the first run."""
    found = {"ours": sys.executable}
    for peer in sorted(peers - {"ours"}):
        print(f"environment of {peer} …", flush=True)
        found[peer] = str(environments.python_of(peer, cache))
    return found


def interleaved(
    jobs: Sequence[Job], streams: Mapping[str, Stream], python: Mapping[str, str], repetitions: int
) -> dict[str, Result]:
    """All jobs, one after the other, as often as told."""
    seen: dict[str, list[dict[str, Any]]] = {job.name: [] for job in jobs}
    for k in range(repetitions):
        for job in jobs:
            start = time.perf_counter()
            run = process(python[job.peer], job.script, str(streams[job.stream].path), *job.command, held=job.one_core)
            seen[job.name].append(run)
            took = time.perf_counter() - start
            print(f"{k + 1}/{repetitions} {job.name}: {run['examples_per_second']:,.0f}/s [{took:.0f} s]", flush=True)
    return {name: Result(tuple(runs)) for name, runs in seen.items()}
