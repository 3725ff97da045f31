"""Time and memory by learners, features, examples and threads; writes docs/results/scale.md and its figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from benchmarks import page
from benchmarks.scale import draw, words

if TYPE_CHECKING:
    import argparse


def measure(part: str, *arguments: object) -> Any:
    """Run one of the modules beside this one in a process of its own; its last line is the result."""
    command = [sys.executable, "-m", f"benchmarks.scale.{part}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=page.ROOT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    print(f"{part} {' '.join(map(str, arguments))}", flush=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


LEARNERS = ("Perceptron", "NaiveBayes")
FEATURES_MET = {"Perceptron": 10**6, "NaiveBayes": 10**5}  # an example costs Naive Bayes a look at all of them


def main(arguments: argparse.Namespace) -> None:
    """Measure, draw and write."""
    quick = arguments.quick
    cost = {learner: measure("cost", learner, 0.1 if quick else 1.0) for learner in LEARNERS}
    seen = [(10**6, 10**k) for k in range(3, 5 if quick else 7)]
    declared = [(10**k, 10**4) for k in range(4, 9)]
    features = {
        learner: {
            pair: measure("features", learner, *pair) for pair in dict.fromkeys(seen + declared) if pair[1] <= most
        }
        for learner, most in FEATURES_MET.items()
    }
    endless = {learner: measure("endless", learner, 10**5 if quick else 10**7) for learner in LEARNERS}
    repetitions, cores = 1 if quick else arguments.repetitions, min(os.cpu_count() or 1, 4)
    threads = measure("threads", repetitions, cores)
    split = measure("split", repetitions, cores)
    lines = page.header("Scale", "python -m benchmarks scale")
    lines += [
        *words.of_cost(cost),
        *words.of_features(features, seen, declared),
        *words.of_endless(endless),
        *words.of_threads(threads),
        *words.of_split(split),
    ]
    if not quick:
        folder = page.ROOT / "docs" / "images"
        draw.cost(cost, folder / "scale-cost.png")
        draw.features(features, seen, declared, folder / "scale-features.png")
        draw.endless(endless, folder / "scale-examples.png")
    page.write("scale.md", lines, keep=not quick)
