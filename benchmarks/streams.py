"""The streams that every system learns: a data set in one random order, or rows of its shape where it is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from tools import results_page

from onlineboost import datasets

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Shape:
    """What a data set looks like: `dense` columns that are never 0, and one 1 in each of the groups of columns."""

    examples: int
    dense: int
    groups: tuple[int, ...]


SHAPES = {
    "adult": Shape(48_842, 0, (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 3, 3, 3, 41)),
    "covertype": Shape(100_000, 10, (4, 40)),
}


@dataclass(frozen=True)
class Stream:
    """A stored stream, and the sentence that says what it is."""

    path: Path
    examples: int
    words: str


def synthetic(shape: Shape, seed: int = 0) -> tuple[Any, Any]:
    """Rows of the shape and labels of a noisy hyperplane."""
    rng = np.random.default_rng(seed)
    blocks = [sp.csr_array(rng.random((shape.examples, shape.dense)))] if shape.dense else []
    for width in shape.groups:
        at = np.minimum(rng.geometric(0.3, shape.examples) - 1, width - 1)
        ones = (np.ones(shape.examples), at, np.arange(shape.examples + 1))
        blocks.append(sp.csr_array(ones, shape=(shape.examples, width)))
    X = sp.csr_array(sp.hstack(blocks))
    score = X @ rng.normal(size=X.shape[1])
    y = np.where(score + rng.normal(0, score.std(), len(score)) > np.median(score), 1, -1)
    return X, y


def store(name: str, folder: Path, data: str | None, limit: int | None = None) -> Stream:
    """Write the stream in the form that every peer reads."""
    shape = SHAPES[name]
    if data is None:
        X, y = synthetic(shape)
        words = "made-up rows of its shape, since the data set was not there"
    else:
        whole = datasets.load(name, data=data)
        order = np.random.default_rng(0).permutation(len(whole.y))[: shape.examples]
        X, y = whole.X[order], whole.y[order]
        words = "in a random order" if len(y) == len(whole.y) else f"the first {len(y):,} of a random order"
    X, y = X[:limit], y[:limit]
    path = folder / f"{name}.npz"
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, n_features=X.shape[1], y=y)
    per_row = X.nnz / len(y)
    return Stream(path, len(y), f"{words}; {len(y):,} examples, {X.shape[1]} features, {per_row:.1f} of them not 0")


def data_folder(given: Path | None) -> str | None:
    """The folder of the data sets, or None where there is none."""
    return str(given) if given is not None else results_page.data_folder()
