"""Our speed beside the peers', on one stream in one run, one thread each: writes docs/results/speed.md.

    python benchmarks/speed.py [--repetitions 3] [--cache .venvs]

Systems take turns, so that a slow minute of the machine hits all of them. Each runs in a process of its own; only
learning is timed, not reading the data (the peers' examples are built beforehand). The peers' virtual environments
are made on the first run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import environments
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import results_page  # noqa: E402  # from the tools folder

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def save_stream(data: str, path: Path) -> int:
    """A random order of the data set in the form that every peer reads; gives the number of examples."""
    X, y = results_page.load(data)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, n_features=X.shape[1], y=y)
    return len(y)


def run(python: str | Path, script: str, *arguments: str) -> dict[str, Any]:
    """One process; its last line is the result."""
    command = [str(python), str(HERE / "peers" / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD})
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def import_milliseconds() -> float:
    """Median time that importing the package adds to scikit-learn's, in fresh processes."""
    code = "import sklearn, time; t = time.perf_counter(); import onlineboost; print((time.perf_counter() - t) * 1e3)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    return statistics.median(float(done.stdout) for done in runs)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=environments.DEFAULT_CACHE)
    arguments = parser.parse_args()
    vw = environments.python_of("vw", arguments.cache)
    capymoa = environments.python_of("capymoa", arguments.cache)
    with tempfile.TemporaryDirectory() as folder:
        stream = str(Path(folder) / "adult.npz")
        save_stream("adult", Path(stream))
        jobs: dict[str, tuple[Any, ...]] = {
            "Perceptron": (sys.executable, "ours.py", stream),
            "VW": (vw, "vw.py", stream),
            "Naive Bayes": (sys.executable, "ours.py", stream, "--learner", "naive-bayes"),
            "CapyMOA": (capymoa, "capymoa_peer.py", stream, "--base", "naive-bayes", "--seconds", "30"),
            "VFDT": (sys.executable, "ours.py", stream, "--learner", "vfdt"),
            "trees": (sys.executable, "ours.py", stream, "--learner", "hoeffding-tree"),
            "CapyMOA trees": (capymoa, "capymoa_peer.py", stream, "--base", "hoeffding-tree", "--seconds", "30"),
            "Perceptron OCP": (sys.executable, "ours.py", stream, "--vote", "ocp"),
            "Perceptron EXP": (sys.executable, "ours.py", stream, "--vote", "experts"),
            "Perceptron 1000": (sys.executable, "ours.py", stream, "--learners", "1000"),
        }
        seen: dict[str, list[dict[str, Any]]] = {name: [] for name in jobs}
        for k in range(arguments.repetitions):
            for name, job in jobs.items():
                start = time.perf_counter()
                seen[name].append(run(*job))
                print(f"{k + 1}: {name}: {seen[name][-1]} [{time.perf_counter() - start:.0f} s]", flush=True)

    speed = {name: statistics.median(r["examples_per_second"] for r in runs) for name, runs in seen.items()}
    lines = results_page.header("Speed beside the peers", "python benchmarks/speed.py")
    lines += [
        "adult (48,842 examples, 123 features, 14 non-zeros each), test then train, one thread, median (least to",
        f"most) of {arguments.repetitions} interleaved repetitions; N = 100 unless named.",
        "",
        "| system | configuration | examples/s | error | peak memory MB |",
        "|---|---|---|---|---|",
    ]
    for name, runs in seen.items():
        rates = [r["examples_per_second"] for r in runs]
        last = runs[-1]
        lines.append(
            f"| {last['system']} {last['version']} | {last['config']} | {speed[name]:,.0f} "
            f"({min(rates):,.0f} to {max(rates):,.0f}) | {last['error']:.4f} | {last['peak_rss_mb']:.0f} |"
        )
    grown = seen["Perceptron 1000"][-1]["grown_mb"]
    claims = [
        (
            "Perceptrons: ratio to VW `--boosting 100 --alg BBM`",
            f"{speed['Perceptron'] / speed['VW']:.1f} ×",
            "≥ 10 ×",
        ),
        (
            "Naive Bayes: ratio to CapyMOA OnlineSmoothBoost + Naive Bayes",
            f"{speed['Naive Bayes'] / speed['CapyMOA']:.0f} ×",
            "≥ 50 ×",
        ),
        (
            "Hoeffding trees of the same constants: ratio to CapyMOA OnlineSmoothBoost + HoeffdingTree",
            f"{speed['VFDT'] / speed['CapyMOA trees']:.0f} ×",
            "≥ 50 ×",
        ),
        ("cost of N = 1000 over N = 100", f"{speed['Perceptron'] / speed['Perceptron 1000']:.1f} ×", "≤ 12 ×"),
        (
            "memory added by the pass at N = 1000",
            f"{grown:.1f} MB (weights 1.0, outputs 1.9, the input would be 10.8)",
            "no copy of the input",
        ),
        ("`import onlineboost` after `import sklearn`", f"{import_milliseconds():.0f} ms", "< 50 ms"),
    ]
    lines += ["", "| what | measured | asked |", "|---|---|---|"]
    lines += [f"| {what} | {measured} | {asked} |" for what, measured, asked in claims]
    results_page.write(results_page.ROOT / "docs" / "results" / "speed.md", lines)


if __name__ == "__main__":
    main()
