"""Vowpal Wabbit's online boosting over streams, prequentially; prints a line of JSON for each.

Run it with the Python of the ``vw`` environment: ``python vw.py stream.npz --alg BBM``.
Options that are not listed here (``--sgd``, ``-b 20``) go to Vowpal Wabbit as they are.

Only calls of ``learn`` are timed, on examples parsed beforehand, on one thread. VW's learn leaves on the example
the prediction from before the update, so this is predict, then learn.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pylibvw
from common import Timer, arguments_of, read, report
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


def run(options: list[str], lines: Iterator[str]) -> tuple[Timer, np.ndarray]:
    """Times, and the predictions."""
    workspace = Workspace(arg_list=["--quiet", *options])
    learn = pylibvw.vw.learn  # what Workspace.learn calls, without its checks of the argument's type
    timer, predictions = Timer(), []
    while batch := [workspace.parse(line) for line in islice(lines, BATCH)]:
        with timer:
            for example in batch:
                learn(workspace, example)
        for example in batch:
            predictions.append(example.get_simplelabel_prediction())
            workspace.finish_example(example)
    workspace.finish()
    return timer, np.array(predictions)


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--alg", choices=("BBM", "logistic", "adaptive"), default="BBM")
    arguments, options = parser.parse_known_args()  # --learners 0: one learner, no boosting
    if arguments.learners:
        options = ["--boosting", str(arguments.learners), "--alg", arguments.alg, *options]
    config = " ".join(options) or "one learner, its defaults"
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        timer, predictions = run(options, lines_of(stream))
        report(
            "Vowpal Wabbit",
            __version__,
            config,
            seconds=timer.wall,
            cpu_seconds=timer.cpu,
            examples=len(predictions),
            mistakes=int((predictions * stream["y"] <= 0).sum()),
        )


if __name__ == "__main__":
    main()
