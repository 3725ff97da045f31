"""How long it takes to save and to load a model, and how large its file is: prints a table.

    python benchmarks/model_file.py [--repetitions 20]

100 learners on adult, taken from $ONLINEBOOST_DATA; without such a folder on splice, which comes with the package.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onlineboost import NaiveBayes, OnlineGradient, OSBoostClassifier, Perceptron, datasets, load

if TYPE_CHECKING:
    from collections.abc import Callable


def milliseconds(action: Callable[[], object], repetitions: int) -> float:
    """The median."""
    taken = []
    for _ in range(repetitions):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return 1e3 * statistics.median(taken)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20)
    repetitions = parser.parse_args().repetitions
    try:
        data = datasets.load("adult")
    except datasets.DatasetNotFoundError:
        data = datasets.load("splice")
    print(f"{data.name}: {data.X.shape[0]:,} examples, {data.X.shape[1]} features, 100 learners")
    print("| learner | save, ms | load, ms | load the pickle, ms | file, kB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.ob"
        for learner in (Perceptron(), OnlineGradient(), NaiveBayes()):
            model = OSBoostClassifier(learner, 100, random_state=0).fit(data.X, data.y)
            pickled = pickle.dumps(model)
            times = [
                milliseconds(action, repetitions)
                for action in (lambda: model.save(path), lambda: load(path), lambda: pickle.loads(pickled))  # noqa: B023, S301  # at once; our own
            ]
            cells = [type(learner).__name__, *(f"{t:.2f}" for t in times), f"{path.stat().st_size / 1e3:.0f}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
