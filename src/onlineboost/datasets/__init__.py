"""The paper's data sets by name, and files of your own through the same door.

    from onlineboost import datasets

    diabetes = datasets.load("diabetes")                        # in the package
    adult = datasets.load("adult", data="folder/of/files")      # LIBSVM files that you have
    adult = datasets.load("adult", download=True)               # or from the LIBSVM page
    clicks = datasets.load_file("clicks.csv.gz", label="clicked")

`docs/datasets.md` tells where the data come from and under which licence, and how files are found and cached.
"""

from onlineboost.datasets.catalog import LIBSVM_URL, DataFile, DatasetInfo, EmbeddedCopy, info, names
from onlineboost.datasets.download import fetch
from onlineboost.datasets.errors import (
    DatasetError,
    DatasetFormatError,
    DatasetNotFoundError,
    DatasetReadError,
    DownloadError,
    UnknownDatasetError,
)
from onlineboost.datasets.loading import Dataset, DatasetStatus, load, load_file, status
from onlineboost.declarations.extras import MissingExtraError

__all__ = [
    "LIBSVM_URL",
    "DataFile",
    "Dataset",
    "DatasetError",
    "DatasetFormatError",
    "DatasetInfo",
    "DatasetNotFoundError",
    "DatasetReadError",
    "DatasetStatus",
    "DownloadError",
    "EmbeddedCopy",
    "MissingExtraError",
    "UnknownDatasetError",
    "fetch",
    "info",
    "load",
    "load_file",
    "names",
    "status",
]
