"""The copies that come with the package: small sets, enough to try everything without files or network.

`tools/embed_datasets.py` makes them, and `data/ATTRIBUTION.md` says whose they are.
"""

from __future__ import annotations

from pathlib import Path

from onlineboost.datasets.readers import Parsed, read_libsvm

FOLDER = Path(__file__).with_name("data")


def path(name: str) -> Path:
    """Where the copy of this name lies."""
    return FOLDER / f"{name}.libsvm.xz"


def read(name: str) -> Parsed:
    """Its rows and labels."""
    return read_libsvm(path(name))
