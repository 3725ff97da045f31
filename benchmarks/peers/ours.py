"""onlineboost on a prepared stream: one JSON line, as the other peers print it.

python benchmarks/peers/ours.py stream.npz [--learner perceptron|naive-bayes|hoeffding-tree|vfdt]
    [--vote uniform|ocp|experts]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from memory import peak_mb

import onlineboost
from onlineboost import HoeffdingTree, NaiveBayes, OSBoostClassifier, Perceptron, prequential

# MOA's HoeffdingTree has the constants of "vfdt".
VFDT = {
    "rule": "hoeffding",
    "criterion": "gain",
    "delta": 1e-7,
    "grace_period": 200,
    "max_features": None,
    "resample": None,
}
LEARNERS = {
    "perceptron": Perceptron,
    "naive-bayes": NaiveBayes,
    "hoeffding-tree": HoeffdingTree,
    "vfdt": lambda: HoeffdingTree(**VFDT),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path)
    parser.add_argument("--learner", choices=LEARNERS, default="perceptron")
    parser.add_argument("--vote", choices=("uniform", "ocp", "experts"), default="uniform")
    parser.add_argument("--learners", type=int, default=100)
    arguments = parser.parse_args()
    with np.load(arguments.stream) as stream:
        parts = (stream["data"], stream["indices"], stream["indptr"])
        X = sp.csr_array(parts, shape=(len(stream["indptr"]) - 1, int(stream["n_features"])))
        y = stream["y"]
    model = OSBoostClassifier(LEARNERS[arguments.learner](), arguments.learners, vote=arguments.vote, random_state=0)
    before = peak_mb()
    start = time.perf_counter()
    result = prequential(model, X, y)
    seconds = time.perf_counter() - start
    peak = peak_mb()
    print(
        json.dumps(
            {
                "system": "onlineboost",
                "version": onlineboost.__version__,
                "config": f"OSBoost {arguments.vote} × {arguments.learners} {arguments.learner}",
                "examples": len(result),
                "seconds": round(seconds, 4),
                "examples_per_second": round(len(result) / seconds, 1),
                "error": round(result.error, 6),
                "peak_rss_mb": round(peak, 1),
                "grown_mb": round(peak - before, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
