"""Streams that change, drawn and real, for measure_drift.py."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING, Any

import numpy as np
from river.datasets import synth
from sklearn import datasets
from sklearn.datasets import load_svmlight_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Data = tuple[Any, np.ndarray[Any, Any]]
Table = tuple[Any, np.ndarray[Any, Any], dict[int, int]]  # with the number of values of nominal columns
REAL = ("elec", "sea-50k", "spam-500", "usenet1", "ozone", "bank-marketing", "nomao", "airlines", "spam-corpus")
SPARSE = ("spam-corpus",)  # LIBSVM files
MANY = (  # more than two classes
    "insects-gradual-balanced",
    "keystroke",
    "gas-sensor-8-of-10",
    "outdoor",
    "interchanging-rbf",
    "covtype",
    "poker-lsn",
)
LOADED, SHUFFLED = ("iris", "wine", "digits"), "covtype, shuffled"  # many classes, nothing changes
NOMINAL = {"elec": ["day"], "airlines": ["DayOfWeek"], "poker-lsn": ["s1", "s2", "s3", "s4", "s5"]}  # beside texts
DRAWN = ("RBF, flip at 10,000", "linear, XOR from 20,000", "linear, flip every 5,000", "SEA, four concepts")
MOST = 50_000  # rows of a real stream
FEWER = {"elec": 20_000, "sea-50k": 30_000, DRAWN[1]: 26_000, DRAWN[2]: 20_000}
FEWER |= {"hyperplane that turns": 20_000}  # rows beside slow peers, as these
FEWER |= dict.fromkeys(("nomao", "airlines", "bank-marketing", "covtype", "poker-lsn", SHUFFLED, MANY[4]), 10_000)
RELEVANT, IDLE = [0, 1, 2, 3], [10, 11, 12, 13]  # features of LED


def linear(n: int, seed: int, d: int = 12) -> Data:
    """A linear concept."""
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=d), rng.normal(size=(n, d))
    return X, (X @ u > 0).astype(int)


def taken(generator: Any, n: int) -> Data:
    """Examples of one of river's generators."""
    pairs = list(generator.take(n))
    return np.array([list(x.values()) for x, _ in pairs], float), np.array([int(y) for _, y in pairs])


def flipped(data: Data, at: int, every: int | None = None) -> Data:
    """The labels flip at an example, and again after every so many."""
    X, y = data
    t = np.arange(len(y))
    return X, y ^ (t >= at if every is None else (t // every) % 2 == 1)


def rbf(model: int, seed: int, n: int) -> Data:
    """River's RandomRBF, 50 centroids in 10 dimensions."""
    made = synth.RandomRBF(seed_model=model, seed_sample=seed, n_classes=2, n_features=10, n_centroids=50)
    return taken(made, n)


def linear_then_xor(seed: int) -> Data:
    """A line for 20,000 examples, then XOR."""
    X, y = linear(40_000, seed, 2)
    y[20_000:] = X[20_000:, 0] * X[20_000:, 1] > 0
    return X, y


def joined(parts: list[Data]) -> Data:
    """One stream after the other."""
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def blended(parts: list[Data], over: int, seed: int) -> Data:
    """Streams of one length n one after the other: around each change, for `over` examples, drawn from both."""
    rng, n = np.random.default_rng(seed), len(parts[0][1])
    t = np.arange(n * len(parts))
    concept = np.clip((t + (rng.uniform(size=len(t)) - 0.5) * over) // n, 0, len(parts) - 1).astype(int)
    X, y = np.stack([X for X, _ in parts]), np.stack([y for _, y in parts])
    return X[concept, t % n], y[concept, t % n]


def hyperplane(angles: Any, seed: int) -> Data:
    """A hyperplane in 10 dimensions at an angle for each example, 5 % noise."""
    rng = np.random.default_rng(seed)
    u, v = np.linalg.qr(rng.normal(size=(10, 2)))[0].T
    turn, X = np.reshape(angles, (-1, 1)), rng.normal(size=(len(angles), 10))
    y = (X * (np.cos(turn) * u + np.sin(turn) * v)).sum(axis=1) > 0
    return X, (y ^ (rng.uniform(size=len(y)) < 0.05)).astype(int)


def led(swapped: Any, seed: int) -> Data:
    """River's LED with 17 idle features, 10 % noise: is the digit below 5? Four relevant features may be swapped."""
    X, y = taken(synth.LED(seed=seed, noise_percentage=0.1, irrelevant_features=True), len(swapped))
    X[np.ix_(swapped, RELEVANT + IDLE)] = X[np.ix_(swapped, IDLE + RELEVANT)]
    return X, (y < 5).astype(int)


def sea(concepts: tuple[int, ...], seed: int, n: int = 6000) -> list[Data]:
    """Concepts of river's SEA, 10 % noise."""
    return [taken(synth.SEA(k, seed=seed + j, noise=0.1), n) for j, k in enumerate(concepts)]


def agrawal(functions: tuple[int, ...], seed: int, n: int = 6000) -> list[Data]:
    """Functions of river's Agrawal."""
    return [taken(synth.Agrawal(k, seed=seed + j), n) for j, k in enumerate(functions)]


def second(form: str, seed: int) -> np.ndarray[Any, Any]:
    """Which examples are of the second of two concepts."""
    t = np.arange(12_000)
    if form == "gradual":
        return t + (np.random.default_rng(seed).uniform(size=len(t)) - 0.5) * 3000 > 6000
    return t // {"abrupt": 6000, "recurring": 3000}[form] % 2 == 1


def two(parts: list[Data], form: str, seed: int) -> Data:
    """Two concepts in turns."""
    (X, y), (other, labels), here = *parts, second(form, seed)
    return np.where(here[:, None], other, X), np.where(here, labels, y)


STREAMS: dict[str, Callable[[int], Data]] = {
    DRAWN[0]: lambda seed: flipped(rbf(seed, seed + 1, 14_000), 10_000),
    DRAWN[1]: linear_then_xor,
    DRAWN[2]: lambda seed: flipped(linear(55_000, seed), 0, 5000),
    DRAWN[3]: lambda seed: joined(sea((0, 2, 3, 1), seed)),
    "SEA, gradual": lambda seed: blended(sea((0, 2, 3, 1), seed), 3000, seed),
    "SEA, recurring": lambda seed: two(sea((2, 3), seed, 12_000), "recurring", seed),
    "Agrawal, functions 0, 3, 6": lambda seed: joined(agrawal((0, 3, 6), seed)),
    "Agrawal, gradual": lambda seed: two(agrawal((0, 3), seed, 12_000), "gradual", seed),
    "Agrawal, recurring": lambda seed: joined(agrawal((0, 3, 0, 3), seed)),
    "LED, features swap": lambda seed: led(np.arange(20_000) >= 10_000, seed),
    "LED, gradual": lambda seed: led(second("gradual", seed), seed),
    "LED, recurring": lambda seed: led(second("recurring", seed), seed),
    "RBF, gradual": lambda seed: two([rbf(seed + k, seed, 12_000) for k in (0, 1)], "gradual", seed),
    "RBF, recurring": lambda seed: two([rbf(seed + k, seed, 12_000) for k in (0, 1)], "recurring", seed),
    "hyperplane that turns": lambda seed: hyperplane(np.arange(30_000) / 10_000 * np.pi / 2, seed),
    "hyperplane, abrupt": lambda seed: hyperplane(second("abrupt", seed) * np.pi / 2, seed),
    "hyperplane, recurring": lambda seed: hyperplane(second("recurring", seed) * np.pi / 2, seed),
}


def table(folder: Path, name: str, rows: int | None = MOST) -> Table:
    """The first rows of a stream from a file; nominal columns are codes."""
    import pandas as pd  # noqa: PLC0415  # only here

    if name in SPARSE:
        with lzma.open(folder / f"{name}.libsvm.xz") as file:
            X, y = load_svmlight_file(file)
        return X[:rows], pd.factorize(y[:rows])[0], {}
    if name in LOADED:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))[:rows]
        return X[order], y[order], {}
    if name == SHUFFLED:
        X, y, nominal = table(folder, "covtype", None)
        order = np.random.default_rng(0).permutation(len(y))[:rows]
        return X[order], y[order], nominal
    read = pd.read_csv(folder / f"{name}.csv.xz", nrows=rows).drop(columns=["duration", "batch"], errors="ignore")
    y, nominal = pd.factorize(read.pop("class"))[0], {}
    for j, column in enumerate(read.columns):
        if column in NOMINAL.get(name, []) or not pd.api.types.is_numeric_dtype(read[column]):
            read[column], values = pd.factorize(read[column], sort=True)
            nominal[j] = len(values)
    return read.to_numpy(float), y, nominal


def one_hot(given: Table) -> Data:
    """Nominal columns as one column for each value; of two classes, 1 is the one that came first."""
    X, y, nominal = given
    if not nominal:
        return X, y if y.max() > 1 else 1 - y
    rest = np.delete(X, list(nominal), axis=1)
    hot = [X[:, [j]] == np.arange(size) for j, size in nominal.items()]
    return np.hstack([rest, *hot]).astype(float), y if y.max() > 1 else 1 - y


def beside_peers(folder: Path, name: str, rows: int) -> Table:
    """The first rows of any stream, drawn with seed 0 if it is drawn."""
    X, y, nominal = (*STREAMS[name](0), {}) if name in STREAMS else table(folder, name, rows)
    return X[:rows], y[:rows], nominal


def real_streams(folder: Path, names: tuple[str, ...], rows: int = MOST) -> dict[str, Callable[[int], Data]]:
    """By name; a function of the seed, which they do not look at."""
    return {name: lambda _, name=name: one_hot(table(folder, name, rows)) for name in names}  # type: ignore[misc]
