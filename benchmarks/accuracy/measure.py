"""The cells as processes, each kept in a file as soon as it is there."""

from __future__ import annotations

import datetime as dt
import functools
import json
import time
from typing import TYPE_CHECKING, Any

from tools import results_page

from benchmarks import run
from benchmarks.accuracy import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.accuracy.rows import Streams

KEPT = ("version", "examples", "error", "examples_per_second", "examples_per_cpu_second", "peak_mb")
SCORES = ("log_loss", "calibration_error")  # of those who give probabilities
JVM = {"CAPYMOA_JVM_ARGS": "-Xmx8g -Xss10M -XX:+UseSerialGC"}
DUEL_ROWS = 20_000
DUEL = tuple(plan.Cell(name, "covertype", 0, DUEL_ROWS) for name in (plan.DEFAULT, plan.ARF))


class Cells:
    """What was measured, by the keys of the cells; `duels` are repetitions of two systems in turns."""

    def __init__(self, path: Path | None = None) -> None:
        stored = json.loads(path.read_text(encoding="utf8")) if path is not None and path.is_file() else {}
        self.path = path
        self.found: dict[str, dict[str, Any]] = stored.get("cells", {})
        self.duels: list[dict[str, Any]] = stored.get("duels", [])

    def __getitem__(self, cell: plan.Cell) -> dict[str, Any]:
        return self.found[cell.key]

    def __contains__(self, cell: plan.Cell) -> bool:
        return cell.key in self.found

    def write(self) -> None:
        """A line per cell; the old file is there until the new one is whole."""
        if self.path is None:
            return
        lines = [f"  {json.dumps(key)}: {json.dumps(at)}" for key, at in sorted(self.found.items())]
        duels = [f"  {json.dumps(at)}" for at in self.duels]
        parts = ("{", '"cells": {', ",\n".join(lines), "},", '"duels": [', ",\n".join(duels), "]", "}")
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text("\n".join(part for part in parts if part) + "\n", encoding="utf8")
        fresh.replace(self.path)


@functools.cache
def _commit() -> str:
    return results_page.commit()


def results(
    task: list[plan.Cell], streams: Streams, python: Mapping[str, str]
) -> Iterator[tuple[plan.Cell, dict[str, Any]]]:
    """One process over the orders of a task, with what is kept of each."""
    system = plan.BY_NAME[task[0].system]
    paths = [str(streams.path(cell)) for cell in task]
    found = run.each(python[system.peer], system.script, *paths, *plan.options(task[0]), **JVM)
    for cell, at in zip(task, found, strict=True):
        now = dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")
        yield (
            cell,
            {
                **{name: at[name] for name in (*KEPT, *SCORES) if name in at or name in KEPT},
                "commit": _commit(),
                "time": now,
            },
        )


def measure(
    wanted: list[plan.Cell], cells: Cells, streams: Streams, python: Mapping[str, str], until: float = float("inf")
) -> None:
    """What is wanted and not there yet; no process is begun after `until`."""
    for task in plan.tasks([cell for cell in wanted if cell not in cells]):
        if time.monotonic() > until:
            print("the time is up; run the command again to go on")
            return
        start = time.perf_counter()
        for cell, at in results(task, streams, python):
            cells.found[cell.key] = at
            cells.write()
            rate, took = at["examples_per_cpu_second"], time.perf_counter() - start
            print(f"{cell.key}: {at['error']:.4f}, {rate:,.0f} per CPU s [{took:.0f} s]", flush=True)


def duel(cells: Cells, streams: Streams, python: Mapping[str, str], repetitions: int) -> None:
    """Our default and CapyMOA's adaptive random forest in turns, on one core."""
    with run.one_core():
        for _ in range(len(cells.duels), repetitions):
            seen = {cell.system: next(results([cell], streams, python))[1] for cell in DUEL}
            cells.duels.append(seen)
            cells.write()
            print("duel: " + ", ".join(f"{k} {at['examples_per_second']:,.0f}/s" for k, at in seen.items()), flush=True)
