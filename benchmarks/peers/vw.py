"""Vowpal Wabbit's online boosting over one stream, prequentially; prints one line of JSON.

Run it with the Python of the ``vw`` environment: ``python vw.py stream.npz --alg BBM``.
Options that are not listed here (``--sgd``, ``-b 20``) go to Vowpal Wabbit as they are.

Only calls of ``learn`` are timed, on examples parsed beforehand, on one thread. VW's learn leaves on the example
the prediction from before the update, so this is predict, then learn.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pylibvw
from common import arguments_of, read, report
from vowpalwabbit import Workspace
from vowpalwabbit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 256  # examples parsed ahead: as fast as any, and VW takes some 30 KB for each


def lines_of(stream: dict[str, np.ndarray]) -> Iterator[str]:
    """The rows in VW's text format; a name that is a number is the feature's index, without hashing."""
    data, indices, indptr = (stream[key].tolist() for key in ("data", "indices", "indptr"))
    for row, label in enumerate(stream["y"].tolist()):
        span = range(indptr[row], indptr[row + 1])
        yield f"{int(label)} | " + " ".join(f"{indices[k]}:{data[k]:.9g}" for k in span)


def run(options: list[str], lines: Iterator[str]) -> tuple[float, np.ndarray]:
    """Seconds, and the predictions."""
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


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--alg", choices=("BBM", "logistic", "adaptive"), default="BBM")
    arguments, options = parser.parse_known_args()  # --learners 0: one learner, no boosting
    if arguments.learners:
        options = ["--boosting", str(arguments.learners), "--alg", arguments.alg, *options]
    stream = read(arguments.stream, arguments.limit)
    seconds, predictions = run(options, lines_of(stream))
    mistakes = int((predictions * stream["y"] <= 0).sum())
    config = " ".join(options) or "one learner, its defaults"
    report("Vowpal Wabbit", __version__, config, seconds=seconds, examples=len(predictions), mistakes=mistakes)


if __name__ == "__main__":
    main()
