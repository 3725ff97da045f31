"""Attacks on living models: no memory left, failing allocations, many threads, forks, the end of the interpreter.

Each runs in a process of its own, which prints how much it tried, one line per failure, and a note.

    python tools/measure_reliability/attacks.py threads 1000
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
from measure_reliability import damage, forged, injected, soak, subjects
from measure_reliability.trial import Result

import onlineboost
from onlineboost import OSBoostClassifier, Perceptron, _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Outcome = tuple[int, list[str], str]
THREADS = 8
MOST_ALLOCATIONS = 20_000


def threads(operations: int) -> Outcome:
    """All verbs from eight threads at once on one model; it must stay whole and savable, and nobody may hang."""
    failures: list[str] = []
    done = 0
    kinds = subjects.subjects()
    _core.set_split_threshold(1)  # where n_jobs is 2, small sweeps are split, too
    for name, make in kinds.items():
        model = make()
        model.partial_fit(*subjects.rows(model, 0))
        verbs = _verbs(model, in_python=name.endswith(subjects.IN_PYTHON))
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
        deadline = time.monotonic() + 600
        for one in crew:
            one.join(max(0.0, deadline - time.monotonic()))
        if any(one.is_alive() for one in crew):
            failures.append(f"{name}: a thread hangs")
            break
        done += share * THREADS
        if not np.isfinite(model.predict_proba(subjects.rows(model, 1)[0])).all():
            failures.append(f"{name}: a probability is not finite")
    return done, failures, f"{len(kinds)} models; nothing hung, every model stayed whole and could be saved"


def _verbs(model: Any, *, in_python: bool) -> list[Callable[[], Any]]:
    """All that a model is asked to do, reading and writing."""
    X, y = subjects.rows(model, 1)
    verbs: list[Callable[[], Any]] = [
        lambda: model.partial_fit(X, y),
        lambda: model.learn_one(X[0], int(y[0])),
        lambda: model.predict_proba(X),
        lambda: model.predict(X),
        lambda: model.margin(X) if not subjects.takes_many_classes(model) else model.decision_function(X),
        lambda: model.predict_one(X[0]),
        lambda: model.predict_proba_one(X[0]),
        lambda: onlineboost.prequential(model, X[:5], y[:5]),
        lambda: model.n_examples_ + len(model.classes_),
        lambda: pickle.loads(pickle.dumps(model)).predict(X),  # noqa: S301  # our own
    ]
    if not in_python:
        verbs.append(lambda: onlineboost.from_bytes(model.to_bytes()).predict(X))
    return verbs


def memory(cases: int) -> Outcome:
    """New features until memory runs out; with memory again, the model goes on like a twin that learned as much."""
    failures: list[str] = []
    kinds = {name: make for name, make in subjects.subjects().items() if not name.endswith(subjects.IN_PYTHON)}
    tried = ran_out = 0
    for name, make in list(kinds.items()) * max(1, cases // len(kinds)):
        model, twin = make(), make()

        def example(k: int) -> tuple[dict[int, float], int]:
            return {20 * k + j: 1.0 + j for j in range(20)}, k % 2

        for k in range(2):
            model.learn_one(*example(k))
        try:
            with subjects.little_memory((1 + tried % 5) * 2**18):
                for k in range(2, 1500):
                    model.learn_one(*example(k))
        except MemoryError:
            ran_out += 1
        except ValueError:
            pass  # it takes no more features
        for k in range(model.n_examples_):
            twin.learn_one(*example(k))
        tried += 1
        if subjects.content(model) != subjects.content(twin) or model.to_bytes() != twin.to_bytes():
            failures.append(f"{name}: another model than its twin after {model.n_examples_} examples")
    return (
        tried,
        failures,
        f"{ran_out} ran out of it: one MemoryError each; then the bytes of a twin that learned as much",
    )


def allocations(rows: int) -> Outcome:
    """The n-th allocation fails, n = 1, 2, 3, …, in every verb: a row is learned whole or not at all."""
    fail = getattr(_core, "fail_allocation", None)
    if fail is None:
        return 0, [], "not tried: the build has no hook (--sanitized PYTHON, or -DONLINEBOOST_FAIL_ALLOCATIONS=ON)"
    failures: list[str] = []
    tried = 0

    def attempts(action: Callable[[], Any]) -> Iterator[None]:
        nonlocal tried
        for n in range(1, MOST_ALLOCATIONS):
            fail(n)
            try:
                action()
            except MemoryError:
                fail(0)
                tried += 1
                yield
            else:
                fail(0)
                return

    kinds = {name: make for name, make in subjects.subjects().items() if not name.endswith(subjects.IN_PYTHON)}
    for name, make in kinds.items():
        model, twin = make(), make()
        X, y = subjects.rows(model, 2, 12 + rows)
        X[:12, 3:] = 0.0  # features that come late
        for one in (model, twin):
            one.partial_fit(X[:12], y[:12])
        for x, label in zip(X[12:], y[12:].tolist(), strict=True):
            before = subjects.content(model)
            for _ in attempts(lambda model=model, x=x, label=label: model.learn_one(x, label)):
                whole = subjects.content(model) == before
                failures += [] if whole else [f"{name}: a row was learned in part"]
            twin.learn_one(x, label)
        data = model.to_bytes()
        for what, action in {
            "predict": lambda model=model, X=X: model.predict_proba(X),
            "save": model.to_bytes,
            "load": lambda data=data: onlineboost.from_bytes(data),
        }.items():
            for _ in attempts(action):
                whole = subjects.content(model) == subjects.content(twin)
                failures += [] if whole else [f"{name}, {what}: the model changed"]
        if subjects.content(model) != subjects.content(twin):
            failures.append(f"{name}: another model than its twin")
    return (
        tried,
        failures,
        f"{len(kinds)} models, learning, predicting, saving and loading: one MemoryError each, the model as before",
    )


def forks(cases: int) -> Outcome:
    """Fork while another thread is in the engine: the child works, or gets one sentence."""
    failures: list[str] = []
    told = 0
    for k in range(cases):
        model = OSBoostClassifier(Perceptron(), 50, random_state=0)
        model.partial_fit(*subjects.rows(model, 0))
        X, y = subjects.rows(model, 1, 2000)
        stop = threading.Event()
        busy = (lambda: model.partial_fit(X, y)) if k % 2 else (lambda: model.predict(X))  # noqa: B023  # ends in the loop

        def work(stop: Any = stop, busy: Any = busy) -> None:
            while not stop.is_set():
                busy()

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
                    code = 2 if "load or copy it anew in the child" in str(error) else 1
            os._exit(code)
        code = _exit_code(child, 20.0)
        told += code == 2
        if code not in {0, 2}:
            failures.append("a child hangs, or failed without a sentence")
        stop.set()
        other.join(20)
    return (
        cases,
        failures,
        f"{cases - told} children worked on, {told} were told in one sentence to load the model anew",
    )


def _exit_code(child: int, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -9


_AT_EXIT = """
import threading, time, numpy as np
from onlineboost import OSBoostClassifier, Perceptron
model = OSBoostClassifier(Perceptron(), 50, random_state=0, n_jobs={jobs})
X = np.random.default_rng(0).normal(size=(5000, 6)); y = (X[:, 0] > 0).astype(int)
model.partial_fit(X[:10], y[:10])
def work():
    while True:
        {verb}
threading.Thread(target=work, daemon=True).start()
time.sleep({wait})
"""


def exits(cases: int) -> Outcome:
    """The interpreter ends while a daemon thread is in the engine."""
    failures = []
    verbs = ("model.partial_fit(X, y)", "model.predict(X)", "model.to_bytes()", "model.predict_one(X[0])")
    for k in range(cases):
        code = _AT_EXIT.format(jobs=1 + k % 2, wait=0.02 * (1 + k % 5), verb=verbs[k % len(verbs)])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0 or done.stderr:
            failures.append(f"exit {done.returncode}: {done.stderr[-150:]}")
    return cases, failures, "exit code 0, nothing on standard error"


ATTACKS: dict[str, tuple[str, Callable[[int], Outcome]]] = {
    "threads": ("eight threads, every public verb, on every kind of model", threads),
    "memory": ("memory runs out while new features come (RLIMIT_AS)", memory),
    "allocations": ("the n-th allocation fails, n = 1, 2, 3, …", allocations),
    "forks": ("a fork while another thread is in the engine", forks),
    "exits": ("the interpreter ends while a daemon thread is in the engine", exits),
    "forged": ("forged files that declare more than they hold, by memory", forged.forged),
    "injected": ("injected strings in labels, names, keys and file names", injected.injected),
    "soak": ("operations of a soak with faults injected", soak.soak),
}


def in_a_process(attack: str, size: int, python: str | None = None, *, races: bool = False) -> Result:
    """Run an attack in a process of its own, which may die of it.

    `python` has a sanitized build: with `races`, one of ThreadSanitizer, which ends the process at the first race.
    """
    result = Result(ATTACKS[attack][0] + (", under ThreadSanitizer" if races else ""), size)
    extra = {} if python is None else damage.sanitizers(threads=races)
    order = [python or sys.executable, "-W", "ignore", __file__, attack, str(size)]
    done = subprocess.run(order, capture_output=True, text=True, check=False, env={**os.environ, **extra})
    if done.returncode != 0:
        result.failures.append(f"the process ended with {done.returncode}: {done.stderr[-300:]}")
        return result
    result.tried, result.failures, result.note = json.loads(done.stdout.splitlines()[-1])
    return result


if __name__ == "__main__":
    print(json.dumps(ATTACKS[sys.argv[1]][1](int(sys.argv[2]))))
    sys.stdout.flush()
    os._exit(0)  # a thread that hangs was counted
