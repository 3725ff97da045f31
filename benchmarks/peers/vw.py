"""Vowpal Wabbit's online boosting over one stream, prequentially; prints one line of JSON.

Run it with the Python of the ``vw`` environment: ``python vw.py stream.npz --alg BBM``.
The stream holds the rows in the order to be learned: data, indices, indptr, n_features, y in {-1, 1}.
Options that are not listed here (``--sgd``, ``-b 20``) go to Vowpal Wabbit as they are.

--mode api (the default) times the calls of ``learn`` on examples parsed beforehand, on one thread.
VW's learn leaves on the example the prediction from before the update, so this is predict, then learn.
--mode cli times what the ``vw`` command does, as the package ships it (``python -m vowpalwabbit``):
text file in, predictions out, without a cache; so the parsing of the text is in its time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pylibvw
from memory import peak_mb
from vowpalwabbit import Workspace
from vowpalwabbit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 256  # examples parsed ahead: as fast as any, and VW takes some 30 KB for each


def lines_of(stream: dict[str, np.ndarray], limit: int | None) -> Iterator[str]:
    """The rows in VW's text format; a name that is a number is the feature's index, without hashing."""
    data, indices, indptr = (stream[key].tolist() for key in ("data", "indices", "indptr"))
    for row, label in enumerate(stream["y"][:limit].tolist()):
        span = range(indptr[row], indptr[row + 1])
        yield f"{int(label)} | " + " ".join(f"{indices[k]}:{data[k]:.9g}" for k in span)


def run_api(options: list[str], lines: Iterator[str]) -> tuple[float, np.ndarray]:
    workspace = Workspace(arg_list=["--quiet", *options])
    learn = pylibvw.vw.learn  # what Workspace.learn calls, without its checks of the argument's type
    seconds, predictions = 0.0, []
    while batch := [workspace.parse(line) for line in islice(lines, BATCH)]:
        start = time.perf_counter()
        for example in batch:
            learn(workspace, example)
        seconds += time.perf_counter() - start
        for example in batch:
            predictions.append(example.get_simplelabel_prediction())
            workspace.finish_example(example)
    workspace.finish()
    return seconds, np.array(predictions)


def run_cli(options: list[str], lines: Iterator[str]) -> tuple[float, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        text, predicted = Path(folder, "stream.vw"), Path(folder, "predictions.txt")
        with text.open("w") as file:
            file.writelines(line + "\n" for line in lines)
        start = time.perf_counter()
        Workspace(arg_list=["--quiet", "-d", str(text), "-p", str(predicted), *options]).finish()
        seconds = time.perf_counter() - start
        return seconds, np.loadtxt(predicted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("stream", type=Path, help="the .npz file")
    parser.add_argument("--mode", choices=("api", "cli"), default="api")
    parser.add_argument("--learners", type=int, default=100, help="0: one learner, no boosting")
    parser.add_argument("--alg", choices=("BBM", "logistic", "adaptive"), default="BBM")
    parser.add_argument("--limit", type=int, help="take this many examples only")
    arguments, options = parser.parse_known_args()

    if arguments.learners:
        options = ["--boosting", str(arguments.learners), "--alg", arguments.alg, *options]
    with np.load(arguments.stream) as file:
        stream = dict(file)
    run = run_api if arguments.mode == "api" else run_cli
    seconds, predictions = run(options, lines_of(stream, arguments.limit))
    examples = len(predictions)
    report = {
        "system": "Vowpal Wabbit",
        "version": __version__,
        "config": " ".join([arguments.mode, *options]),
        "examples": examples,
        "seconds": round(seconds, 4),
        "examples_per_second": round(examples / seconds, 1),
        "error": round(float(np.mean(predictions * stream["y"][:examples] <= 0)), 6),
        "peak_rss_mb": round(peak_mb(), 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
