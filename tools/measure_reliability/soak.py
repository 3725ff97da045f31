"""Mixed work on every kind of model, with faults injected.

Each model has a twin that learns the same rows undisturbed. After every fault both must hold the same numbers, and the
resident memory of the process must stay flat. The process has little memory to spare from the start.

    python tools/measure_reliability/attacks.py soak 3600
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import resource
import signal
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from measure_reliability import subjects

import onlineboost
from onlineboost import _core

SPARE = 512 * 2**20  # bytes of address space beyond the start: what leaks would fill
YOUNG = 3000  # examples after which a pair is made anew: memory is compared between equals
GROWTH = 24 * 2**20
SEED = 0


class Pair:
    """A model and its undisturbed twin."""

    def __init__(self, name: str, make: Any) -> None:
        self.name, self.make = name, make
        self.model, self.twin = make(), make()
        for one in (self.model, self.twin):
            one.partial_fit(*subjects.rows(one, SEED, 30))
        self.in_python = name.endswith(subjects.IN_PYTHON)

    def rows(self, seed: int, count: int) -> tuple[Any, Any]:
        """The next rows."""
        return subjects.rows(self.model, seed, count)

    def follow(self, X: Any, y: Any, before: int) -> None:
        """The twin learns as many of the rows as the model did."""
        learned = self.model.n_examples_ - before
        if learned:
            self.twin.partial_fit(X[:learned], y[:learned])

    def equal(self) -> bool:
        """Whether both hold the same."""
        return bool(subjects.content(self.model) == subjects.content(self.twin))


def undisturbed(pair: Pair, X: Any, y: Any, _: Path) -> None:
    pair.model.partial_fit(X, y)
    pair.twin.partial_fit(X, y)


def bad_rows(pair: Pair, X: Any, y: Any, _: Path) -> None:
    strange = np.array([f"{subjects.COLUMNS}?"] * len(y))
    for bad in ((X * np.inf, y), (-X * np.inf, y), (X, strange), (X[:, :2], y)):
        try:
            pair.model.partial_fit(*bad)
        except ValueError:
            continue
        raise AssertionError("bad rows were learned")


def full_disk(pair: Pair, _X: Any, _y: Any, path: Path) -> None:
    if pair.in_python:
        return
    pair.model.save(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        pair.model.save(path)
    except OSError:
        pass
    else:
        raise AssertionError("a full disk was not noticed")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    pair.model = onlineboost.load(path)


def little_memory(pair: Pair, X: Any, y: Any, _: Path) -> None:
    before = pair.model.n_examples_
    with contextlib.suppress(MemoryError), subjects.little_memory(2**12):
        pair.model.partial_fit(X, y)
    pair.follow(X, y, before)


def failing_allocation(pair: Pair, X: Any, y: Any, _: Path) -> None:
    before = pair.model.n_examples_
    _core.fail_allocation(1 + before % 97)
    try:
        with contextlib.suppress(MemoryError):
            pair.model.partial_fit(X, y)
        with contextlib.suppress(MemoryError):
            _core.fail_allocation(1 + before % 13)
            pair.model.predict_proba(X)
    finally:
        _core.fail_allocation(0)
    pair.follow(X, y, before)


def kill(pair: Pair, _X: Any, _y: Any, path: Path) -> None:
    if pair.in_python:
        return
    pair.model.save(path)
    child = os.fork()
    if child == 0:
        while True:
            pair.model.save(path)
    time.sleep(0.004)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pair.model = onlineboost.load(path)


def interrupt(pair: Pair, X: Any, y: Any, _: Path) -> None:
    """Ctrl-C in the middle of a longer batch."""
    X, y = np.tile(X, (20, 1)), np.tile(y, 20)
    before = pair.model.n_examples_

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0002 * (1 + before % 20))
        pair.model.partial_fit(X, y)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    pair.follow(X, y, before)


def poison(pair: Pair, X: Any, y: Any, _: Path) -> None:
    """A bank in Python raises after some of its learners were taught."""
    if not pair.in_python:
        return
    bad = X[:1].copy()
    bad[0, 0] = subjects.FragileBank.POISON
    for learn in (lambda: pair.model.learn_one(bad[0], int(y[0])), lambda: pair.model.partial_fit(bad, y[:1])):
        before = pair.model.n_examples_
        with contextlib.suppress(ZeroDivisionError):
            learn()  # OzaBoost may draw 0 repetitions for the learner that raises
        pair.follow(bad, y[:1], before)


def copies(pair: Pair, _X: Any, _y: Any, _: Path) -> None:
    pair.model = pickle.loads(pickle.dumps(pair.model))  # noqa: S301  # our own


def reload(pair: Pair, _X: Any, _y: Any, path: Path) -> None:
    if not pair.in_python:
        pair.model.save(path)
        pair.model = onlineboost.load(path)


def one_by_one(pair: Pair, X: Any, y: Any, _: Path) -> None:
    for x, label in zip(X, y.tolist(), strict=True):
        pair.model.learn_one(x, label)
    pair.twin.partial_fit(X, y)


def readers(pair: Pair, X: Any, y: Any, _: Path) -> None:
    """Others predict and save while it learns."""
    wrong: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(5):
                pair.model.predict_proba(X)
                pair.model.predict_one(X[0])
                pickle.dumps(pair.model)
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is a failure
            wrong.append(error)

    crew = [threading.Thread(target=read) for _ in range(3)]
    for one in crew:
        one.start()
    pair.model.partial_fit(X, y)
    for one in crew:
        one.join()
    pair.twin.partial_fit(X, y)
    if wrong:
        raise wrong[0]


FAULTS = {
    "undisturbed": undisturbed,
    "bad rows": bad_rows,
    "full disks": full_disk,
    "little memory": little_memory,
    "kills": kill,
    "Ctrl-C": interrupt,
    "banks that raise": poison,
    "copies": copies,
    "reloads": reload,
    "one by one": one_by_one,
    "readers": readers,
}
if hasattr(_core, "fail_allocation"):
    FAULTS["failing allocations"] = failing_allocation


def soak(seconds: int) -> tuple[int, list[str], str]:
    """Mixed work with faults injected: answers equal to those of an undisturbed twin, and resident memory flat."""
    failures: list[str] = []
    draw = random.Random(SEED)  # noqa: S311  # what comes next, not a secret
    made = subjects.subjects()
    pairs = {name: Pair(name, make) for name, make in made.items()}
    count: Counter[str] = Counter()
    resident: list[tuple[float, int]] = []
    _core.set_slice_seconds(0.001)
    _core.set_split_threshold(1)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, subjects.little_memory(SPARE):
        path = Path(folder) / "model.ob"
        while (now := time.monotonic() - began) < seconds:
            pair, fault = pairs[draw.choice(list(pairs))], draw.choice(list(FAULTS))
            X, y = pair.rows(sum(count.values()) + 1, draw.choice([1, 5, 50]))
            try:
                FAULTS[fault](pair, X, y, path)
                same = pair.equal() and bool((pair.model.predict_proba(X) == pair.twin.predict_proba(X)).all())
                if not same:
                    failures.append(f"{pair.name}, {fault}: another model than its twin")
            except Exception as error:  # noqa: BLE001  # whatever it is, it is a failure
                failures.append(f"{pair.name}, {fault}: {error!r:.200}")
                same = False
            if not same or pair.twin.n_examples_ > YOUNG:
                pairs[pair.name] = Pair(pair.name, pair.make)
            count[fault] += 1
            if not resident or now - resident[-1][0] > seconds / 100:
                resident.append((now, _resident()))
    first, last = _median(resident, seconds * 0.25, seconds * 0.5), _median(resident, seconds * 0.75, seconds)
    if last - first > GROWTH:
        failures.append(f"resident memory grew from {first / 2**20:.0f} to {last / 2**20:.0f} MB")
    done = ", ".join(f"{number:,} {fault}" for fault, number in sorted(count.items()))
    note = (
        f"{seconds:,} seconds, {len(pairs)} models: {done}; after each, answers and numbers equal to those of an "
        f"undisturbed twin; resident memory {first / 2**20:.0f} MB in the second quarter, {last / 2**20:.0f} MB in the "
        "last"
    )
    return sum(count.values()), failures, note


def _median(resident: list[tuple[float, int]], start: float, stop: float) -> float:
    return float(np.median([size for at, size in resident if start <= at <= stop] or [0]))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
