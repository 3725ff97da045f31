"""Training that is killed: workers and drivers by SIGKILL at random times, then the same bits as undisturbed.

    python tools/measure_kills.py [KILLS]

Writes docs/results/kills.md. A driver trains shards on two worker processes with a checkpoint after every round. Kills
hit workers and the driver in turn: a driver replaces a worker, and is itself started again until it has ended. The
model must have learned every example once and have the bytes of an undisturbed run. Then a model per key, on disk, is
killed as often while it learns and saves: all keys must have the bytes of an undisturbed run.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import measure_keys
import numpy as np
import results_page

from onlineboost import AROW, KeyedClassifier, OnlineClassifier, OSBoostClassifier, load
from onlineboost.distributed import array_shards, train_shards

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, SHARDS, EVERY = 6_000, 2, 100
KEYED_ROWS, IN_MEMORY, SAVED = 500_000, 20_000, 10_000


def run(path: Path | None, n_jobs: int) -> bytes:
    """Train, and give the model's bytes."""
    X = np.random.default_rng(0).normal(size=(ROWS, 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = OSBoostClassifier(AROW(), 20, random_state=0)
    found = train_shards(model, array_shards(X, y, SHARDS), every=EVERY, n_jobs=n_jobs, checkpoint=path)
    learned: bytes = found.to_bytes()
    return learned


def started(work: Callable[[], object]) -> int:
    """A driver, as a process that begins with all that is loaded here."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except Exception:  # noqa: BLE001  # nothing behind `_exit` tells of it
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(pid: int) -> int | None:
    """How a driver has ended; None if it has not."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def wait_for_a_round(pid: int, path: Path) -> int | None:
    """Until the driver has written its checkpoint again, or has ended."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    while (code := ended(pid)) is None and (not path.exists() or path.stat().st_mtime_ns == before):
        time.sleep(0.002)
    return code


def workers_of(pid: int) -> list[int]:
    """The processes that learn for a driver."""
    found = []
    for one in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = one.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and b"distributed.process" in (one.parent / "cmdline").read_bytes():
                found.append(int(one.parent.name))
        except OSError:
            continue
    return found


def kill_shards(kills: int, rng: random.Random) -> list[str]:
    """Workers and drivers of a training over shards; the line of the table."""
    expected = run(None, 1)
    done = {"worker": 0, "driver": 0}
    starts = finished = failed = 0
    while sum(done.values()) < kills:
        with tempfile.TemporaryDirectory() as folder:
            path, code = Path(folder) / "model.ob", None
            while code != 0:
                driver, code = started(lambda path=path: run(path, 2)), None
                starts += 1
                for what in ("worker", "driver"):  # both in the life of a driver, if it lives so long
                    code = wait_for_a_round(driver, path) if code is None else code
                    time.sleep(rng.uniform(0, 0.05))
                    code = ended(driver) if code is None else code
                    target = rng.choice(workers_of(driver) or [0]) if what == "worker" else driver
                    if code is None and target and sum(done.values()) < kills:
                        os.kill(target, signal.SIGKILL)
                        done[what] += 1
                code = end_of(driver) if code is None else code
            finished += 1
            model = load(path)
            failed += model.to_bytes() != expected or model.n_examples_ != ROWS
            print(done, starts, finished, failed, flush=True)
    return [f"| {done['worker']} | {done['driver']} | {starts} | {finished} | {failed} |"]


def end_of(driver: int) -> int:
    """How a driver ends; one that fails of itself is no part of this."""
    while (code := ended(driver)) is None:
        time.sleep(0.002)
    if code > 0:
        raise SystemExit("A driver has failed of itself, not by a kill.")
    return code


def learn_keys(path: Path, in_memory: int, saved: int) -> None:
    """Learn the rows from where the store ends, and save after so many."""
    model = KeyedClassifier(OnlineClassifier(AROW(), random_state=0), max_models=in_memory, store=path)
    position = int(len(model.keys_) and model.position_)
    while position < KEYED_ROWS:
        X, y = measure_keys.batch(position // measure_keys.BATCH)
        at = slice(position % measure_keys.BATCH, position % measure_keys.BATCH + saved)
        model.partial_fit(X[at], y[at], classes=[False, True])
        position += saved
        model.save(position)
    model.close()


def contents(path: Path) -> tuple[int, str]:
    """How many keys a store has, and a hash of all that it holds."""
    with sqlite3.connect(path) as store:
        keys = store.execute("SELECT count(*) FROM models").fetchone()[0]
        found = hashlib.sha256()
        for table in ("SELECT key, data FROM models ORDER BY key", "SELECT name, value FROM notes ORDER BY name"):
            for name, data in store.execute(table):
                found.update(f"{name} {len(data)} ".encode() + data)
    return keys, found.hexdigest()


def kill_keys(kills: int, rng: random.Random) -> list[str]:
    """A process that learns a model per key; the line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "undisturbed.db"
        learn_keys(path, measure_keys.KEYS, measure_keys.BATCH)
        keys, expected = contents(path)
    done = starts = finished = failed = 0
    while done < kills:
        with tempfile.TemporaryDirectory() as folder:
            path, code = Path(folder) / "models.db", None
            while code != 0:
                driver = started(lambda path=path: learn_keys(path, IN_MEMORY, SAVED))
                starts += 1
                time.sleep(rng.uniform(0.1, 2.0))
                code = ended(driver)
                if code is None and done < kills:
                    os.kill(driver, signal.SIGKILL)
                    done += 1
                code = end_of(driver) if code is None else code
            finished += 1
            failed += contents(path) != (keys, expected)
            print(done, starts, finished, failed, flush=True)
    return [f"| {keys:,} | {done} | {starts} | {finished} | {failed} |"]


def main() -> None:
    """Kill, restart, compare, and write the page."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = random.Random(0)  # noqa: S311  # of times
    lines = results_page.header("Kills", "python tools/measure_kills.py")
    lines += [
        "## Shards",
        f"{ROWS:,} examples in {SHARDS} shards on two worker processes, merged each {EVERY:,} rows of a shard, with a",
        "checkpoint. Killed by SIGKILL at random times after a round: a worker, which the driver replaces, then the",
        "driver, which is started again until its training has ended. A training must end with the bytes of an",
        "undisturbed one in a single process, and have counted every example once.",
        "",
        "| workers killed | drivers killed | starts of a driver | trainings ended | with other bits or counts |",
        "|---|---|---|---|---|",
        *kill_shards(kills, rng),
        "",
        "## Keys",
        f"{KEYED_ROWS:,} examples of keys drawn uniformly, a `KeyedClassifier` with {IN_MEMORY:,} models in memory and",
        f"the others on disk, saved each {SAVED:,} rows. Killed by SIGKILL at random times, in the middle of learning,",
        "of writing and of saving, and started again until all is learned. The store must end with the bytes of an",
        f"undisturbed one that had all models in memory and saved each {measure_keys.BATCH:,} rows: every key's model,",
        "the parent and the position.",
        "",
        "| keys | kills | starts | trainings ended | with other bytes |",
        "|---|---|---|---|---|",
        *kill_keys(kills, rng),
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "kills.md", lines)


if __name__ == "__main__":
    main()
