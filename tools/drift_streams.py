"""Streams that change, drawn and real, for measure_drift.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from river.datasets import synth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Data = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
Table = tuple[
    np.ndarray[Any, Any], np.ndarray[Any, Any], dict[int, int]
]  # with the number of values of nominal columns
REAL = ("elec", "sea-50k", "spam-500", "usenet1", "ozone", "bank-marketing", "nomao", "airlines")
MANY = (  # more than two classes
    "insects-gradual-balanced",
    "keystroke",
    "gas-sensor-8-of-10",
    "outdoor",
    "interchanging-rbf",
    "covtype",
    "poker-lsn",
)
NOMINAL = {"elec": ["day"], "airlines": ["DayOfWeek"], "poker-lsn": ["s1", "s2", "s3", "s4", "s5"]}  # beside texts
DRAWN = ("RBF, flip at 10,000", "linear, XOR from 20,000", "linear, flip every 5,000", "SEA, four concepts")
MOST = 50_000  # rows of a real stream


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


def rbf(seed: int) -> Data:
    """River's RandomRBF, 50 centroids in 10 dimensions."""
    made = synth.RandomRBF(seed_model=seed, seed_sample=seed + 1, n_classes=2, n_features=10, n_centroids=50)
    return flipped(taken(made, 14_000), 10_000)


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


def hyperplane(seed: int) -> Data:
    """A hyperplane in 10 dimensions that turns by a right angle in 10,000 examples, 5 % noise."""
    rng = np.random.default_rng(seed)
    u, v = np.linalg.qr(rng.normal(size=(10, 2)))[0].T
    turn = np.arange(30_000)[:, None] / 10_000 * np.pi / 2
    X = rng.normal(size=(30_000, 10))
    y = (X * (np.cos(turn) * u + np.sin(turn) * v)).sum(axis=1) > 0
    return X, (y ^ (rng.uniform(size=len(y)) < 0.05)).astype(int)


def led(seed: int) -> Data:
    """River's LED with 17 idle features, 10 % noise: is the digit below 5? Four relevant features swap at 10,000."""
    X, y = taken(synth.LED(seed=seed, noise_percentage=0.1, irrelevant_features=True), 20_000)
    X[10_000:, [0, 1, 2, 3, 10, 11, 12, 13]] = X[10_000:, [10, 11, 12, 13, 0, 1, 2, 3]]
    return X, (y < 5).astype(int)


def sea(concepts: tuple[int, ...], seed: int) -> list[Data]:
    """Concepts of river's SEA, 10 % noise."""
    return [taken(synth.SEA(k, seed=seed + j, noise=0.1), 6000) for j, k in enumerate(concepts)]


def agrawal(functions: tuple[int, ...], seed: int) -> list[Data]:
    """Functions of river's Agrawal."""
    return [taken(synth.Agrawal(k, seed=seed + j), 6000) for j, k in enumerate(functions)]


STREAMS: dict[str, Callable[[int], Data]] = {
    DRAWN[0]: rbf,
    DRAWN[1]: linear_then_xor,
    DRAWN[2]: lambda seed: flipped(linear(55_000, seed), 0, 5000),
    DRAWN[3]: lambda seed: joined(sea((0, 2, 3, 1), seed)),
    "SEA, gradual": lambda seed: blended(sea((0, 2, 3, 1), seed), 3000, seed),
    "Agrawal, functions 0, 3, 6": lambda seed: joined(agrawal((0, 3, 6), seed)),
    "Agrawal, recurring": lambda seed: joined(agrawal((0, 3, 0, 3), seed)),
    "LED, features swap": led,
    "hyperplane that turns": hyperplane,
}


def table(folder: Path, name: str, rows: int = MOST) -> Table:
    """The first rows of a stream from a file; nominal columns are codes."""
    import pandas as pd  # noqa: PLC0415  # only here

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
    rest = np.delete(X, list(nominal), axis=1)
    hot = [X[:, [j]] == np.arange(size) for j, size in nominal.items()]
    return np.hstack([rest, *hot]).astype(float), y if y.max() > 1 else 1 - y


def all_streams(folder: Path | None) -> dict[str, Callable[[int], Data]]:
    """By name; a function of the seed, which real ones do not look at."""
    return STREAMS | ({} if folder is None else real_streams(folder))


def real_streams(folder: Path, names: tuple[str, ...] = REAL) -> dict[str, Callable[[int], Data]]:
    """Real ones alone."""
    return {name: lambda _, name=name: one_hot(table(folder, name)) for name in names}  # type: ignore[misc]
