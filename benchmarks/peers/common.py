"""What every peer's script shares: the stream as it is stored, and the line of JSON that it prints.

The scripts run in environments of their own, so that this needs nothing but NumPy.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Self

import numpy as np


def arguments_of(description: str) -> argparse.ArgumentParser:
    """A parser of the arguments that all scripts take."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0], allow_abbrev=False)
    words = "an .npz file: data, indices, indptr, n_features, y in {-1, 1}, and if there is one the number of its order"
    parser.add_argument("streams", nargs="+", type=Path, help=f"{words}; each gets a fresh model and a line")
    parser.add_argument("--limit", type=int, help="take this many examples only")
    parser.add_argument("--learners", type=int, default=100)
    return parser


def read(path: Path, limit: int | None = None) -> dict[str, np.ndarray]:
    """The rows in the order to be learned, as the arrays of a CSR matrix, and their labels."""
    with np.load(path) as file:
        stream = dict(file)
    if limit is not None and limit < len(stream["y"]):
        end = stream["indptr"][limit]
        stream["indptr"], stream["y"] = stream["indptr"][: limit + 1], stream["y"][:limit]
        stream["data"], stream["indices"] = stream["data"][:end], stream["indices"][:end]
    return stream


def seed_of(stream: dict[str, np.ndarray]) -> int:
    """The number of the stream's order is the seed of whoever learns it."""
    return int(stream.get("order", 0))


def dense(stream: dict[str, np.ndarray], extra: int = 0) -> np.ndarray:
    """The rows as a matrix, with `extra` columns of zeros behind."""
    matrix = np.zeros((len(stream["y"]), int(stream["n_features"]) + extra))
    rows = np.repeat(np.arange(len(stream["y"])), np.diff(stream["indptr"]))
    matrix[rows, stream["indices"]] = stream["data"]
    return matrix


def peak_mb() -> float:
    """Peak memory of this process since its own program started (what a fork inherited does not count), in MiB."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf8").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


class Timer:
    """Seconds on the clock and on the processor, of all threads, of what runs under `with`; they add up."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> Self:
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter() - self._began[0]
        self.cpu += time.process_time() - self._began[1]


LEAST, BINS = 1e-6, 20


def forecast_scores(P: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Log-loss, probabilities below 10⁻⁶ counted as that, and calibration error: the mean gap between probability and
    frequency over 20 bins of equal width, the mean over classes. P has a column per class, y their numbers.
    """
    n, classes = P.shape
    hit = y[:, None] == np.arange(classes)
    bins = np.minimum((P * BINS).astype(np.intp), BINS - 1) + BINS * np.arange(classes)
    gaps = np.bincount(bins.ravel(), (P - hit).ravel(), BINS * classes).reshape(classes, BINS)
    if classes == 2:
        gaps = gaps[1:]
    log_loss = -np.log(np.maximum(P[np.arange(n), y], LEAST)).mean()
    return {"log_loss": float(log_loss), "calibration_error": float(np.abs(gaps).sum(axis=1).mean() / n)}


def report(
    system: str,
    version: str,
    config: str,
    *,
    seconds: float,
    cpu_seconds: float,
    examples: int,
    mistakes: float,
    **more: float,
) -> None:
    """Print the result, at once, since more may follow."""
    line = {
        "system": system,
        "version": version,
        "config": config,
        "examples": examples,
        "seconds": seconds,
        "examples_per_second": examples / seconds,
        "examples_per_cpu_second": examples / cpu_seconds,
        "error": mistakes / examples,
        "peak_mb": peak_mb(),
        **more,
    }
    print(json.dumps(line), flush=True)
