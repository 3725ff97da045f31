"""Training that is killed: workers and drivers by SIGKILL at random times, then the same bits as undisturbed.

    python tools/measure_kills.py [KILLS]

Writes docs/results/kills.md. A driver trains shards on two worker processes with a checkpoint after every round. Half
of the kills hit a worker, half the driver; the driver is started again until it has ended. Its model must have learned
every example once and have the bytes of an undisturbed run.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import results_page

from onlineboost import AROW, OSBoostClassifier, load
from onlineboost.distributed import array_shards, train_shards

ROWS, SHARDS, EVERY = 12_000, 2, 100
DRIVER = "import sys; sys.path.insert(0, {tools!r}); import measure_kills; measure_kills.drive({path!r})"


def run(path: Path | None, n_jobs: int) -> bytes:
    """Train, and give the model's bytes."""
    import numpy as np  # noqa: PLC0415  # in the driver, too

    X = np.random.default_rng(0).normal(size=(ROWS, 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = OSBoostClassifier(AROW(), 20, random_state=0)
    found = train_shards(model, array_shards(X, y, SHARDS), every=EVERY, n_jobs=n_jobs, checkpoint=path)
    learned: bytes = found.to_bytes()
    return learned


def drive(path: str) -> None:
    """What a driver does."""
    run(Path(path), 2)


def workers_of(pid: int) -> list[int]:
    """The processes that learn for a driver."""
    found = []
    for one in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = one.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and b"popen_loky" in (one.parent / "cmdline").read_bytes():
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
    script = DRIVER.format(tools=str(Path(__file__).parent), path="{path}")
    while sum(done.values()) < kills:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.ob"
            while True:
                started = path.stat().st_mtime_ns if path.exists() else 0
                driver = subprocess.Popen([sys.executable, "-c", script.format(path=path)], stderr=subprocess.DEVNULL)
                starts += 1
                what = ("worker", "driver")[sum(done.values()) % 2]
                while driver.poll() is None and (not path.exists() or path.stat().st_mtime_ns == started):
                    time.sleep(0.01)  # until it has finished a round
                time.sleep(rng.uniform(0, 0.5))
                target = rng.choice(workers_of(driver.pid) or [0]) if what == "worker" else driver.pid
                if driver.poll() is None and target and sum(done.values()) < kills:
                    os.kill(target, signal.SIGKILL)
                    done[what] += 1
                if driver.wait() == 0:
                    break
            finished += 1
            model = load(path)
            failed += model.to_bytes() != expected or model.n_examples_ != ROWS
            print(done, starts, finished, failed, flush=True)
    lines = results_page.header("Kills", "python tools/measure_kills.py")
    lines += [
        f"{ROWS:,} examples in {SHARDS} shards on two worker processes, merged each {EVERY:,} rows of a shard, with a",
        "checkpoint. Killed by SIGKILL at random times after a round, then started again.",
        "",
        "| workers killed | drivers killed | starts of a driver | trainings ended | with other bits or counts |",
        "|---|---|---|---|---|",
        f"| {done['worker']} | {done['driver']} | {starts} | {finished} | {failed} |",
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "kills.md", lines)


if __name__ == "__main__":
    main()
