"""Batch boosters that keep all rows and are retrained as they grow; prints a line of JSON for each stream.

Run it with the Python of the ``batch`` environment: ``python batch_peer.py stream.npz --model lightgbm``. From 30 rows
on a model is trained on everything seen so far whenever this has grown by 25 %, and predicts in between; before, and
while there is one label only, the labels' frequencies do. 200 trees of rate 0.1 with 31 leaves, 255 above 100,000
rows, else the library's defaults, one thread.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import Timer, arguments_of, dense, forecast_scores, read, report, seed_of

FIRST, GROWTH, TREES, RATE = 30, 1.25, 200, 0.1
MANY_ROWS = 100_000


def lightgbm(leaves: int, seed: int) -> Any:
    from lightgbm import LGBMClassifier  # noqa: PLC0415  # one of the libraries

    return LGBMClassifier(
        n_estimators=TREES, num_leaves=leaves, learning_rate=RATE, n_jobs=1, random_state=seed, verbose=-1
    )


def xgboost(leaves: int, seed: int) -> Any:
    from xgboost import XGBClassifier  # noqa: PLC0415  # one of the libraries

    grown = {"max_leaves": leaves, "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist"}
    return XGBClassifier(n_estimators=TREES, learning_rate=RATE, n_jobs=1, random_state=seed, **grown)


def catboost(leaves: int, seed: int) -> Any:
    """Its trees are balanced: depth 5 has 32 leaves, depth 8 has 256."""
    from catboost import CatBoostClassifier  # noqa: PLC0415  # one of the libraries

    options = {"thread_count": 1, "random_seed": seed, "verbose": False, "allow_writing_files": False}
    return CatBoostClassifier(iterations=TREES, depth=leaves.bit_length(), learning_rate=RATE, **options)


def sklearn(leaves: int, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415  # one of the libraries

    options = {"early_stopping": False, "random_state": seed}
    return HistGradientBoostingClassifier(max_iter=TREES, max_leaf_nodes=leaves, learning_rate=RATE, **options)


MODELS = {model.__name__: model for model in (lightgbm, xgboost, catboost, sklearn)}


def forecasts_of(X: Any, y: np.ndarray, name: str, seed: int) -> np.ndarray:
    """A row of class probabilities per example: test on the rows up to the next training, then train on all so far."""
    classes, seen, model = int(y.max()) + 1, 0, None
    P, known = np.zeros((len(y), classes)), np.arange(classes)
    while seen < len(y):
        end = min(len(y), FIRST if seen == 0 else max(seen + 1, int(seen * GROWTH)))
        if model is not None:
            P[seen:end, known] = model.predict_proba(X[seen:end])
        else:
            before = np.cumsum(y[:end, None] == np.arange(classes), axis=0) - (y[:end, None] == np.arange(classes))
            P[seen:end] = ((before + 1 / classes) / (np.arange(end)[:, None] + 1))[seen:]
        seen = end
        if seen < len(y) and y[:seen].min() < y[:seen].max():
            known, labels = np.unique(y[:seen], return_inverse=True)
            model = MODELS[name](255 if seen > MANY_ROWS else 31, seed)
            model.fit(X[:seen], labels)
    return P


def main() -> None:
    parser = arguments_of(__doc__ or "")
    parser.add_argument("--model", choices=MODELS, default="lightgbm")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    version = importlib.import_module(arguments.model).__version__
    for path in arguments.streams:
        stream = read(path, arguments.limit)
        y, shape = np.unique(stream["y"], return_inverse=True)[1], (len(stream["y"]), int(stream["n_features"]))
        if arguments.model == "lightgbm":  # which reads zeros of sparse rows as zeros
            X: Any = sp.csr_matrix((stream["data"], stream["indices"], stream["indptr"]), shape=shape)
        else:
            X = dense(stream).astype(np.float32)
        with Timer() as timer:
            P = forecasts_of(X, y, arguments.model, seed_of(stream))
        times, mistakes = {"seconds": timer.wall, "cpu_seconds": timer.cpu}, int((P.argmax(axis=1) != y).sum())
        scores = forecast_scores(P, y)
        report(arguments.model, version, "retrained", **times, examples=len(y), mistakes=mistakes, **scores)


if __name__ == "__main__":
    main()
