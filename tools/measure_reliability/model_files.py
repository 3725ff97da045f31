"""Damaged and forged model files: each must be refused with ModelFileError, or load, predict, learn and save.

    python tools/measure_reliability/model_files.py --cases 10000

The cases run in a child process with little memory, so that a crash, a hang or a large allocation is counted too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaBoostOLClassifier,
    AdaBoostOLMClassifier,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    BBMClassifier,
    DefensiveClassifier,
    GradientBoostClassifier,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OGBoostClassifier,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OnlineMBBMClassifier,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    RegressionTree,
    Scaled,
    from_bytes,
)
from onlineboost.machine.features import NAMES
from onlineboost.persistence.container import pack, unpack

MEMORY = 512 * 2**20  # beyond what the process has before the first case
SECONDS = 10  # for one case

LEARNERS = [
    *(Perceptron(), OnlineGradient(), NaiveBayes(), NaiveBayes(kind="bernoulli"), NaiveBayes(kind="gaussian")),
    *(AveragedPerceptron(), AdaGradLogistic(), FTRL(l1=0.1), AROW(), AROW(covariance="full"), SCW()),
    *(SCW(covariance="full", variant="II"), OnlineRidge(), BayesianLogistic(), NaiveBayes(kind="typed", max_values=3)),
    *(Scaled(AROW()), RandomFourier(AdaGradLogistic(), 6), RandomSubsets(AveragedPerceptron(), 0.8, group=2)),
    Scaled(RandomFourier(RandomSubsets(NaiveBayes(kind="typed"), 0.7, group=4), 5), "maxabs"),
    *(HoeffdingTree(grace_period=5, delta=0.5), HoeffdingTree(grace_period=5, delta=0.5, leaf="naive_bayes", bins=3)),
    RegressionTree(grace_period=5, delta=0.5),
]
BOOSTERS: list[Any] = [
    lambda learner: OSBoostClassifier(learner, 9, fading=10, random_state=0),
    lambda learner: OSBoostClassifier(learner, 9, vote="ocp", random_state=0),
    lambda learner: OSBoostClassifier(learner, 9, vote="experts", random_state=0),
    lambda learner: OzaBoostClassifier(learner, 9, random_state=0),
    lambda learner: OGBoostClassifier(learner, 4, n_candidates=2, random_state=0),
    lambda learner: GradientBoostClassifier(learner, 9, random_state=0),
    lambda learner: OSBoostClassifier(learner, 9, vote="eg", random_state=0),
    lambda learner: BBMClassifier(learner, 9, random_state=0),
    lambda learner: AdaBoostOLClassifier(learner, 9, random_state=0),
    lambda learner: DefensiveClassifier(learner, random_state=0),
    lambda learner: OnlineBoostClassifier(
        [("many", OSBoostClassifier(learner, 3)), ("one", OnlineClassifier(Perceptron()), 100)], random_state=0
    ),
    lambda learner: OneVsRest(OSBoostClassifier(learner, 3, random_state=0)),
    lambda learner: AdaBoostOLMClassifier(learner, 3, random_state=0),
    lambda learner: OnlineMBBMClassifier(learner, 3, random_state=0),
    lambda learner: OnlineClassifier(learner, random_state=0),
]
_rng = np.random.default_rng(0)
X = _rng.integers(-2, 3, size=(30, 4)) / 2.0
Y = (X.sum(axis=1) > 0).tolist()
NAMED = [{"a": 1.0, "b": float(x[0]), f"c{k % 5}": float(x[1])} for k, x in enumerate(X)]

NUMBERS = [0.0, -0.0, -1.0, 1.0, 2.0, 1e-300, 5e-324, 1e-30, 1e15, 1e100, -1e100, 1e160, 1e300, -1e300, np.nan, np.inf]
INTEGERS = [0, -1, 1, 2, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -(2**63)]
VALUES: list[Any] = [
    *(None, True, False, "", "x", "uniform", [], {}, [[]], {"a": 1}, 0, 1, -1, 2, 3, 7, 10**6, 10**7, 2**31, 2**64),
    *(10**40, 0.0, 0.5, -0.5, 1e-300, 1e300, "gaussian", "experts", "NaiveBayes", "OnlineClassifier", "columns"),
    "HoeffdingTree",
]


@dataclass
class Counts:
    """What became of the cases."""

    tried: int = 0
    refused: int = 0
    loaded: int = 0
    failed: int = 0
    slowest: float = 0.0
    failures: list[str] | None = None


@cache
def originals() -> list[bytes]:
    """A small file of every kind of model, over columns and over names."""
    files = []
    for learner in LEARNERS:
        for booster in BOOSTERS:
            files.append(booster(learner).partial_fit(X, Y).to_bytes())
            named = booster(learner)
            for x, y in zip(NAMED, Y, strict=True):
                named.learn_one(x, y)
            files.append(named.to_bytes(extra={"position": {"rows": 30}}))
    return files


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes changed, cut out, doubled or lost, anywhere or in the header."""
    raw = bytearray(data)
    reach = len(raw) if rng.random() < 0.5 else 8 + int.from_bytes(raw[:8], "little")
    kind = int(rng.integers(5))
    if kind == 0:
        for _ in range(int(rng.integers(1, 9))):
            raw[int(rng.integers(reach))] = int(rng.integers(256))
    elif kind == 1:
        raw[int(rng.integers(reach))] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        del raw[int(rng.integers(len(raw))) :]
    else:
        start = int(rng.integers(reach))
        part = raw[start : start + int(rng.integers(1, 65))]
        at = int(rng.integers(reach)) if kind == 3 else start
        raw[at : at + (0 if kind == 3 else len(part))] = part if kind == 3 else b""
    return bytes(raw)


def forge(data: bytes, rng: np.random.Generator) -> bytes:
    """A well-formed file that says something else: a field of the description, or numbers in an array."""
    document, arrays = unpack(data)
    arrays = {name: array.copy() for name, array in arrays.items()}
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            _change_field(document, rng)
        else:
            _change_array(arrays, rng)
    return pack(document, arrays)


def _change_field(document: dict[str, Any], rng: np.random.Generator) -> None:
    place: Any = document
    while True:
        name = list(place)[int(rng.integers(len(place)))]
        if not isinstance(place[name], dict) or not place[name] or rng.random() < 0.1:
            break
        place = place[name]
    if rng.random() < 0.1:
        del place[name]
    else:
        place[name] = VALUES[int(rng.integers(len(VALUES)))]


def _change_array(arrays: dict[str, np.ndarray[Any, Any]], rng: np.random.Generator) -> None:
    if not arrays:
        return
    name = sorted(arrays)[int(rng.integers(len(arrays)))]
    array, kind = arrays[name], rng.random()
    if kind < 0.7 and array.size:
        pool = NUMBERS if array.dtype == np.float64 else INTEGERS if array.dtype == np.int64 else range(256)
        many = slice(None) if rng.random() < 0.2 else int(rng.integers(array.size))
        array.reshape(-1)[many] = pool[int(rng.integers(len(pool)))]
    elif kind < 0.8:
        arrays[name] = np.concatenate([array, array])
    elif kind < 0.9:
        arrays[name] = array[: len(array) // 2]
    elif kind < 0.95:
        del arrays[name]
    else:
        with np.errstate(invalid="ignore"):
            arrays[name] = array.astype(np.int64 if array.dtype == np.float64 else np.float64)


def case(seed: int) -> bytes:
    """The bytes of a case, a function of its number."""
    rng = np.random.default_rng(seed)
    files = originals()
    data = files[int(rng.integers(len(files)))]
    return damage(data, rng) if rng.random() < 0.4 else forge(data, rng)


def attempt(data: bytes) -> bool:
    """Whether the bytes load. A model that loads is used for what models are for; whatever it raises is a failure."""
    try:
        model = from_bytes(data)
    except ModelFileError:
        return False
    if not model.__sklearn_is_fitted__():
        return True
    rows: Any = X if model.__dict__.get("n_features_in_") == X.shape[1] else NAMED
    if rows is NAMED and model.machine.features.kind != NAMES:
        rows = [{0: 1.0, 3: -0.5}] * 5
    labels = model.classes_.tolist()
    for _ in range(2):
        if rows is X:
            found = model.predict_proba(X)
            if not np.isfinite(found).all() or not np.isfinite(model.decision_function(X)).all():
                raise AssertionError("a prediction is not finite")
            model.partial_fit(X[:5], [labels[k % len(labels)] for k in range(5)])
        else:
            for k, x in enumerate(rows[:5]):
                if not all(map(np.isfinite, model.predict_proba_one(x).values())):
                    raise AssertionError("a prediction is not finite")
                model.learn_one(x, labels[k % len(labels)])
    if hasattr(model, "certificate"):
        model.certificate().summary()
    from_bytes(model.to_bytes())
    return True


def run(first: int, last: int) -> Counts:
    """The cases of these numbers, in this process."""
    counts = Counts(failures=[])
    for seed in range(first, last):
        print(seed, flush=True)
        data = case(seed)
        start = time.perf_counter()
        signal.alarm(SECONDS)
        counts.tried += 1
        try:
            if attempt(data):
                counts.loaded += 1
            else:
                counts.refused += 1
        except Exception as error:  # noqa: BLE001  # whatever else comes out is what is looked for
            counts.failed += 1
            counts.failures.append(f"case {seed}: {type(error).__name__}: {str(error)[:200]}")
        signal.alarm(0)
        counts.slowest = max(counts.slowest, time.perf_counter() - start)
    return counts


def measure(cases: int, first: int = 0) -> Counts:
    """As many cases, in child processes; one that dies has failed at its last case, and the next goes on after it."""
    total, at = Counts(failures=[]), first
    while at < first + cases:
        command = [sys.executable, "-W", "error", __file__, "--child", str(at), str(first + cases)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        *seeds, last = done.stdout.splitlines() or [""]
        if done.returncode == 0:
            part = Counts(**json.loads(last))
            at = first + cases
        else:
            died = int([*seeds, last][-1] or at)
            part = Counts(
                died - at + 1, failed=1, failures=[f"case {died}: exit {done.returncode}: {done.stderr[-300:]}"]
            )
            at = died + 1
        for name in ("tried", "refused", "loaded", "failed"):
            setattr(total, name, getattr(total, name) + getattr(part, name))
        total.slowest = max(total.slowest, part.slowest)
        total.failures = [*(total.failures or []), *(part.failures or [])]
    return total


def _limit_memory() -> None:
    if "libasan" in os.environ.get("LD_PRELOAD", ""):  # which reserves terabytes of addresses
        return
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  # one line of the kernel
        limit = int(file.read().split()[0]) * resource.getpagesize() + MEMORY
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Print the counts; exit with 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--child", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        originals()
        _limit_memory()
        print(json.dumps(asdict(run(*arguments.child))))
        return
    counts = measure(arguments.cases)
    print(json.dumps(asdict(counts), indent=1))
    sys.exit(counts.failed > 0)


if __name__ == "__main__":
    main()
