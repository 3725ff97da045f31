"""Training that is killed: workers and drivers by SIGKILL at random times, then the same bits as undisturbed.

    python tools/measure_kills.py [KILLS]

Writes docs/results/kills.md. A driver trains shards on two worker processes with a checkpoint after every round. Kills
hit workers and the driver in turn: a driver replaces a worker, and is itself started again until it has ended. The
model must have learned every example once and have the bytes of an undisturbed run.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import results_page

from onlineboost import AROW, OSBoostClassifier, load
from onlineboost.distributed import array_shards, train_shards

ROWS, SHARDS, EVERY = 6_000, 2, 100


def run(path: Path | None, n_jobs: int) -> bytes:
    """Train, and give the model's bytes."""
    X = np.random.default_rng(0).normal(size=(ROWS, 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = OSBoostClassifier(AROW(), 20, random_state=0)
    found = train_shards(model, array_shards(X, y, SHARDS), every=EVERY, n_jobs=n_jobs, checkpoint=path)
    learned: bytes = found.to_bytes()
    return learned


def started(path: Path) -> int:
    """A driver, as a process that begins with all that is loaded here."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        run(path, 2)
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


def main() -> None:
    """Kill, restart, compare, and write the page."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    expected = run(None, 1)
    rng = random.Random(0)  # noqa: S311  # of times
    done = {"worker": 0, "driver": 0}
    starts = finished = failed = 0
    began = time.perf_counter()
    while sum(done.values()) < kills:
        with tempfile.TemporaryDirectory() as folder:
            path, code = Path(folder) / "model.ob", None
            while code != 0:
                driver, code = started(path), None
                starts += 1
                for what in ("worker", "driver"):  # both in the life of a driver, if it lives so long
                    code = wait_for_a_round(driver, path) if code is None else code
                    time.sleep(rng.uniform(0, 0.05))
                    code = ended(driver) if code is None else code
                    target = rng.choice(workers_of(driver) or [0]) if what == "worker" else driver
                    if code is None and target and sum(done.values()) < kills:
                        os.kill(target, signal.SIGKILL)
                        done[what] += 1
                while code is None:
                    time.sleep(0.002)
                    code = ended(driver)
                if code > 0:
                    raise SystemExit("A driver has failed of itself, not by a kill.")
            finished += 1
            model = load(path)
            failed += model.to_bytes() != expected or model.n_examples_ != ROWS
            print(f"{time.perf_counter() - began:.0f} s", done, starts, finished, failed, flush=True)
    lines = results_page.header("Kills", "python tools/measure_kills.py")
    lines += [
        f"{ROWS:,} examples in {SHARDS} shards on two worker processes, merged each {EVERY:,} rows of a shard, with a",
        "checkpoint. Killed by SIGKILL at random times after a round: a worker, which the driver replaces, then the",
        "driver, which is started again until its training has ended. A training must end with the bytes of an",
        "undisturbed one in a single process, and have counted every example once.",
        "",
        "| workers killed | drivers killed | starts of a driver | trainings ended | with other bits or counts |",
        "|---|---|---|---|---|",
        f"| {done['worker']} | {done['driver']} | {starts} | {finished} | {failed} |",
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "kills.md", lines)


if __name__ == "__main__":
    main()
