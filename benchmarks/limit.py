"""How near the engine is to what the hardware allows: writes docs/results/limits.md.

    python benchmarks/limit.py [--repetitions 15] [--build folder]

The native program (benchmarks/native/limit.cpp) runs the engine, the bare loops and loads and stores alone by turns in
one process and gives the best time of each; docs/limits.md says what the bare loops are. It stops if the bare loops'
margins are not the engine's, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import results_page  # noqa: E402  # from the tools folder

ASKED = {"perceptron": 0.5, "bernoulli": 0.4}
NAMES = {"perceptron": "Perceptron", "bernoulli": "Naive Bayes, binary"}
RUNS = (
    ("adult", "perceptron", 100),
    ("adult", "perceptron", 1000),
    ("covertype", "perceptron", 100),
    ("covertype", "perceptron", 1000),
    ("adult", "bernoulli", 100),
    ("adult", "bernoulli", 1000),
)
MOST_ROWS = 50_000


def run(*command: str) -> str:
    """What the command printed; an error says what it printed too."""
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def write_stream(name: str, path: Path) -> None:
    """A random order of the data set, as native/stream.hpp reads it."""
    X, y = results_page.load(name)
    order = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    X, y = X[order].tocsr(), np.asarray(y)[order]
    X.sort_indices()
    with path.open("wb") as file:
        np.array([len(y), X.shape[1], X.nnz], dtype=np.int64).tofile(file)
        X.data.astype(np.float64).tofile(file)
        np.where(y == y[0], 1.0, -1.0).tofile(file)
        X.indices.astype(np.int32).tofile(file)
        X.indptr.astype(np.int32).tofile(file)


def kilobytes(found: dict[str, Any]) -> float:
    """Bytes of learned state that one example reads or writes, in kB."""
    row = 8 * ((found["learners"] + 7) // 8 * 8)
    # The rows of its features and the intercept to score; again, read and written, where learners move.
    if found["learner"] == "perceptron":
        return float((found["nonzeros"] + 1) * row * (1 + 2 * found["moving"]) / 1000)
    # The counts of its features in both classes to score; of all features in one class, and its own written, to update.
    return float((2 * found["nonzeros"] + found["features"] + 2 * found["nonzeros"]) * row / 1000)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--build", type=Path, help="a folder that keeps the build")
    arguments = parser.parse_args()
    found: list[tuple[str, dict[str, Any]]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.build or Path(temporary) / "build"
        run("cmake", "-S", str(HERE / "native"), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", str(folder), "--target", "limit", "--parallel")
        for data, learner, learners in RUNS:
            stream = Path(temporary) / f"{data}.stream"
            if not stream.is_file():
                write_stream(data, stream)
            printed = run(str(folder / "limit"), str(stream), learner, str(learners), str(arguments.repetitions))
            found.append((data, json.loads(printed)))
            print(data, printed, end="", flush=True)

    lines = results_page.header("How near to the limit", "python benchmarks/limit.py")
    lines += [
        "OSBoost with the uniform vote, test then train, one thread, the best of",
        f"{arguments.repetitions} repetitions by turns in one process, at most {MOST_ROWS:,} examples.",
        "What the columns mean: [limits.md](../limits.md).",
        "",
        "| data | learner | N | state touched kB | engine ns | bare loops ns | engine / limit | asked | GB/s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for data, one in found:
        touched = kilobytes(one)
        lines.append(
            f"| {data} | {NAMES[one['learner']]} | {one['learners']:,} | {touched:,.1f} | {one['engine']:,.0f} | "
            f"{one['bare']:,.0f} | {one['bare'] / one['engine']:.0%} | ≥ {ASKED[one['learner']]:.0%} | "
            f"{1000 * touched / one['engine']:.0f} |"
        )
    lines += [
        "",
        "Perceptrons: how many groups of eight learners an example moves, and the time of its loads and",
        "stores alone, one addition each, with the state in float64 and in float32.",
        "",
        "| data | N | groups that move | float64 ns | float32 ns | saved by float32, of the engine's time, at most |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {data} | {one['learners']:,} | {one['moving']:.0%} | {one['doubles']:,.0f} | {one['floats']:,.0f} | "
        f"{(one['doubles'] - one['floats']) / one['engine']:.0%} |"
        for data, one in found
        if one["learner"] == "perceptron"
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "limits.md", lines)


if __name__ == "__main__":
    main()
