"""The paper's twelve data sets, read from a folder of LIBSVM files (`NAME.xz` or plain).

The folder is $ONLINEBOOST_DATA, else `shared/data` next to this checkout; `available()` tells what is there.
"""

from __future__ import annotations

import io
import lzma
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file


@dataclass(frozen=True)
class DataSet:
    """Files in order, features, copies of the whole, and what the paper's stream has that this lacks."""

    files: tuple[str, ...]
    features: int
    copies: int = 1
    lacks: str = ""


DATA_SETS = {
    "heart": DataSet(("heart_scale",), 13),
    "breast-cancer": DataSet(("breast-cancer_scale",), 10),
    "australian": DataSet(("australian_scale",), 14),
    "diabetes": DataSet(("diabetes_scale",), 8),
    "german": DataSet(("german.numer_scale",), 24),
    "splice": DataSet(("splice", "splice.t"), 60),
    "mushrooms": DataSet(("mushrooms",), 112),
    "adult": DataSet(("a9a", "a9a.t"), 123),
    "ijcnn1": DataSet(("ijcnn1", "ijcnn1.t"), 22),
    "web page": DataSet(("w8a",), 300, copies=8, lacks="8 × w8a.t"),
    "cod-rna": DataSet(("cod-rna", "cod-rna.t"), 8, lacks="cod-rna.r"),
    "covertype": DataSet(("covtype.libsvm.binary.scale",), 54),
}


def folder() -> Path:
    """Where the files are looked for."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ONLINEBOOST_DATA", default))


def _find(name: str) -> Path | None:
    candidates = (base / (name + ending) for base in (folder() / "libsvm", folder()) for ending in (".xz", ""))
    return next((path for path in candidates if path.is_file()), None)


def available(name: str) -> bool:
    """Whether all files of the data set are there."""
    return all(_find(file) is not None for file in DATA_SETS[name].files)


def load(name: str) -> tuple[Any, np.ndarray[Any, Any]]:
    """(X, y): CSR float64 and labels in {-1, +1}, the larger label being +1."""
    data = DATA_SETS[name]
    parts = []
    for file in data.files:
        path = _find(file)
        if path is None:
            raise FileNotFoundError(f"{file} is not in {folder()}; set ONLINEBOOST_DATA to the folder that has it.")
        text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        parts.append(load_svmlight_file(io.BytesIO(text), n_features=data.features))
    X = sp.csr_array(sp.vstack([X for X, _ in parts] * data.copies, format="csr"))
    y = np.concatenate([y for _, y in parts] * data.copies)
    return X, np.where(y == y.max(), 1, -1)
