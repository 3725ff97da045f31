"""Attacks on a living model: no memory left, many threads, forks, the end of the interpreter; and an hour of all.

Each runs in a process of its own, which prints how much it tried and one line per failure.

    python tools/measure_reliability/attacks.py threads 1000
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import onlineboost
from onlineboost import (
    AdaBoostOLMClassifier,
    BlackBox,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
)
from onlineboost.learners import Learner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 8
FAULTS = ("none", "bad rows", "full disk", "little memory", "kill", "copy", "reload", "one by one")
COLUMNS = 6


def models() -> dict[str, Callable[[], Any]]:
    """One model of every kind of engine, and one over every native learner."""
    made: dict[str, Callable[[], Any]] = {
        f"osboost over {name}": lambda kind=kind: OSBoostClassifier(kind(), 5, random_state=0)
        for name, kind in Learner.declared.items()
    }
    return made | {
        "ozaboost": lambda: OzaBoostClassifier(Perceptron(), 5, random_state=0),
        "mixture": lambda: OnlineBoostClassifier(random_state=0),
        "one against the rest": lambda: OneVsRest(OSBoostClassifier(Perceptron(), 5, random_state=0)),
        "olm": lambda: AdaBoostOLMClassifier(Perceptron(), 5, random_state=0),
        "mbbm": lambda: OnlineMBBMClassifier(Perceptron(), 5, random_state=0),
        "n_jobs": lambda: OSBoostClassifier(Perceptron(), 5, random_state=0, n_jobs=2),
        "a bank in Python": lambda: OSBoostClassifier(BlackBox(), 3, random_state=0),
    }


def rows(seed: int, count: int = 20) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows and labels that can be learned."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, COLUMNS)).round(3)
    return X, (X[:, 0] + 0.3 * rng.normal(size=count) > 0).astype(int)


def threads(operations: int) -> tuple[int, list[str]]:
    """All verbs from eight threads at once on one model; it must stay whole and savable, and nobody may hang."""
    failures: list[str] = []
    done = 0
    kinds = models()
    for name, make in kinds.items():
        model = make().partial_fit(*rows(0))
        X, y = rows(1)
        verbs: list[Callable[[], Any]] = [
            lambda model=model, X=X, y=y: model.partial_fit(X, y),
            lambda model=model, X=X, y=y: model.learn_one(X[0], int(y[0])),
            lambda model=model, X=X: model.predict_proba(X),
            lambda model=model, X=X: model.predict_one(X[0]),
            lambda model=model: model.n_examples_ + len(model.classes_),
            lambda model=model: pickle.dumps(model),
            lambda model=model, name=name: None if "Python" in name else onlineboost.from_bytes(model.to_bytes()),
        ]
        share = max(1, operations // len(kinds) // THREADS)

        def work(seed: int, share: int = share, verbs: Any = verbs, name: str = name) -> None:
            draw = random.Random(seed)  # noqa: S311  # what comes next, not a secret
            for _ in range(share):
                try:
                    draw.choice(verbs)()
                except Exception as error:  # noqa: BLE001  # whatever it is, it is a failure
                    failures.append(f"{name}: {error!r:.200}")

        crew = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(THREADS)]
        for one in crew:
            one.start()
        for one in crew:
            one.join(120)
        if any(one.is_alive() for one in crew):
            failures.append(f"{name}: a thread hangs")
            break
        done += share * THREADS
        if not np.isfinite(model.predict_proba(X)).all():
            failures.append(f"{name}: a probability is not finite")
    return done, failures


@contextlib.contextmanager
def little_memory(extra: int) -> Iterator[None]:
    """At most so many bytes beyond what the process has."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def memory(cases: int) -> tuple[int, list[str]]:
    """New features until memory runs out; with memory again, the model goes on like a twin that learned as much."""
    failures: list[str] = []
    kinds = {name: make for name, make in models().items() if "Python" not in name and name != "n_jobs"}
    tried = 0
    for name, make in list(kinds.items()) * max(1, cases // len(kinds)):
        model, twin = make(), make()
        learned = 0

        def example(k: int) -> tuple[dict[int, float], int]:
            return {20 * k + j: 1.0 + j for j in range(20)}, k % 2

        for k in range(2):
            model.learn_one(*example(k))
        with contextlib.suppress(MemoryError), little_memory((16 + 16 * (tried % 5)) * 2**20):
            for k in range(2, 3000):
                model.learn_one(*example(k))
                learned = k
        for k in range(max(learned, 1) + 1):
            twin.learn_one(*example(k))
        tried += 1
        probe = example(max(learned, 1))[0]
        if model.predict_proba_one(probe) != twin.predict_proba_one(probe) or model.to_bytes() != twin.to_bytes():
            failures.append(f"{name}: another model than its twin after {learned} examples")
    return tried, failures


def forks(cases: int) -> tuple[int, list[str]]:
    """Fork while another thread is in the engine: the child predicts, or gets one sentence."""
    failures: list[str] = []
    for k in range(cases):
        model = OSBoostClassifier(Perceptron(), 50, random_state=0).partial_fit(*rows(0))
        X, y = rows(1, 2000)
        stop = threading.Event()

        def work(model: Any = model, X: Any = X, y: Any = y, stop: Any = stop) -> None:
            while not stop.is_set():
                model.partial_fit(X, y)

        other = threading.Thread(target=work, daemon=True)
        other.start()
        time.sleep(0.02 + 0.01 * (k % 3))
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                try:
                    model.predict_proba(X[:3])
                    model.partial_fit(X[:3], y[:3])
                    code = 0
                except RuntimeError as error:
                    code = 0 if "fork" in str(error) else 1
            os._exit(code)
        if not _ended_well(child, 20.0):
            failures.append("a child hangs, or failed without a sentence")
        stop.set()
        other.join(20)
    return cases, failures


def _ended_well(child: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


_AT_EXIT = """
import threading, time, numpy as np
from onlineboost import OSBoostClassifier, Perceptron
model = OSBoostClassifier(Perceptron(), 50, random_state=0, n_jobs={jobs})
X = np.random.default_rng(0).normal(size=(5000, 6)); y = (X[:, 0] > 0).astype(int)
model.partial_fit(X[:10], y[:10])
def work():
    while True:
        model.partial_fit(X, y)
threading.Thread(target=work, daemon=True).start()
time.sleep({wait})
"""


def exits(cases: int) -> tuple[int, list[str]]:
    """The interpreter ends while a daemon thread is in the engine."""
    failures = []
    for k in range(cases):
        code = _AT_EXIT.format(jobs=1 + k % 2, wait=0.02 * (1 + k % 5))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0 or done.stderr:
            failures.append(f"exit {done.returncode}: {done.stderr[-150:]}")
    return cases, failures


def soak(seconds: int) -> tuple[int, list[str]]:
    """Mixed work with faults injected: answers equal to those of an undisturbed twin, and resident memory flat."""
    failures: list[str] = []
    draw = random.Random(0)  # noqa: S311  # as above
    kinds = {name: make for name, make in models().items() if "Python" not in name}
    pairs = {name: [make(), make()] for name, make in kinds.items()}
    for pair in pairs.values():
        for model in pair:
            model.partial_fit(*rows(0))
    done, seed, resident = 0, 1, 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.ob"
        while time.monotonic() - began < seconds:
            name = draw.choice(list(pairs))
            pair = pairs[name]
            X, y = rows(seed, draw.choice([1, 5, 50]))
            seed += 1
            fault = draw.choice(
                ["none", "bad rows", "full disk", "little memory", "kill", "copy", "reload", "one by one"]
            )
            try:
                _disturb(pair, fault, X, y, path)
            except MemoryError:
                pass  # nothing was learned: the batch comes again below
            except Exception as error:  # noqa: BLE001  # whatever it is, it is a failure
                failures.append(f"{name}, {fault}: {error!r:.200}")
            pair[0].partial_fit(X, y)
            pair[1].partial_fit(X, y)
            if pair[0].to_bytes() != pair[1].to_bytes():
                failures.append(f"{name}, {fault}: another model than its twin")
                pair[0] = onlineboost.from_bytes(pair[1].to_bytes())
            if pair[1].n_examples_ > 5000:  # young again: memory is compared between equals
                pairs[name] = [kinds[name]().partial_fit(*rows(0)) for _ in range(2)]
            done += 1
            if done == 500 or (resident == 0 and time.monotonic() - began > seconds / 4):
                resident = _resident()
    grown = _resident() - resident
    if resident and grown > 64 * 2**20:
        failures.append(f"resident memory grew by {grown / 2**20:.0f} MB")
    return done, failures


def _disturb(pair: list[Any], fault: str, X: Any, y: Any, path: Path) -> None:
    """Do something to the first model of a pair that must leave it as it is; or the same to both."""
    model = pair[0]
    if fault == "bad rows":
        for bad in ((X * np.nan, y), (X, np.array(["?"] * len(y))), (X[:, :2], y)):
            try:
                model.partial_fit(*bad)
            except ValueError:
                continue
            raise AssertionError("bad rows were learned")
    elif fault == "full disk":
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            with contextlib.suppress(OSError):
                model.save(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    elif fault == "little memory":
        with little_memory(2**16):
            model.predict_proba(X)
    elif fault == "kill":
        model.save(path)
        child = os.fork()
        if child == 0:
            while True:
                model.save(path)
        time.sleep(0.005)
        os.kill(child, 9)
        os.waitpid(child, 0)
        pair[0] = onlineboost.load(path)
    elif fault == "copy":
        pair[0] = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own
    elif fault == "reload":
        model.save(path)
        pair[0] = onlineboost.load(path)
    elif fault == "one by one":
        for x, label in zip(X, y.tolist(), strict=True):
            model.learn_one(x, label)
        pair[1].partial_fit(X, y)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


ATTACKS = {"threads": threads, "memory": memory, "forks": forks, "exits": exits, "soak": soak}


def in_a_process(attack: str, size: int) -> tuple[int, list[str]]:
    """Run an attack in a process of its own, which may die of it."""
    code = [sys.executable, "-W", "ignore", __file__, attack, str(size)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return size, [f"the process ended with {done.returncode}: {done.stderr[-200:]}"]
    tried, failures = json.loads(done.stdout.splitlines()[-1])
    return tried, failures


if __name__ == "__main__":
    print(json.dumps(ATTACKS[sys.argv[1]](int(sys.argv[2]))))
