"""scikit-learn's single learners with `partial_fit` over streams; prints a line of JSON for each.

Run it with the Python of the ``sklearn`` environment: ``python sklearn_peer.py stream.npz --model SGD --batch 256``.
A batch is predicted, then learned, so that from 2 rows on this is not quite test-then-train. The batches are cut
beforehand: CSR, and dense for single rows, which is faster there.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from common import Timer, arguments_of, dense, read, report
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

MODELS: dict[str, Any] = {
    "SGD": lambda: SGDClassifier(loss="log_loss", random_state=0),
    "perceptron": lambda: SGDClassifier("perceptron", penalty=None, learning_rate="constant", eta0=1.0, random_state=0),
    "naive-bayes": BernoulliNB,
}


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--model", choices=MODELS, default="SGD")
    parser.add_argument("--batch", type=int, default=256)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        y, cuts = stream["y"], range(0, len(stream["y"]), arguments.batch)
        if arguments.batch == 1:
            X: Any = dense(stream)
        else:
            X = sp.csr_matrix(
                (stream["data"], stream["indices"], stream["indptr"]), shape=(len(y), int(stream["n_features"]))
            )
        batches = [(X[k : k + arguments.batch], y[k : k + arguments.batch]) for k in cuts]
        model, classes, mistakes = MODELS[arguments.model](), np.array([-1, 1]), len(batches[0][1])
        with Timer() as timer:
            model.partial_fit(*batches[0], classes)
            for rows, labels in batches[1:]:
                mistakes += int((model.predict(rows) != labels).sum())
                model.partial_fit(rows, labels)
        config = f"one {arguments.model}, {'one at a time' if arguments.batch == 1 else f'{arguments.batch} at a time'}"
        times = {"seconds": timer.wall, "cpu_seconds": timer.cpu}
        report("scikit-learn", sklearn.__version__, config, **times, examples=len(y), mistakes=mistakes)


if __name__ == "__main__":
    main()
