"""Parsed files, kept as .npz so text is read once.

A file's cache lies next to it, as `NAME.onlineboost.npz`, or in our cache folder if that place takes no files. It
carries a key made of the file's sha256, how it was parsed, and the version of this layout. A cache with another key,
or one that is damaged, counts as absent and is written anew; without a cache the text
is parsed every time.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from onlineboost.datasets import files
from onlineboost.datasets.readers import Parsed
from onlineboost.files import whole

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 2


def folder() -> Path:
    """Where downloads go, and parsed files that cannot stay next to their text.

    $ONLINEBOOST_CACHE, else the platform's cache folder as pooch knows it, else what XDG says.
    """
    if own := os.environ.get("ONLINEBOOST_CACHE"):
        return Path(own).expanduser()
    try:
        platformdirs = importlib.import_module("platformdirs")  # what pooch.os_cache asks, without loading pooch
    except ImportError:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        return Path(base).expanduser() / "onlineboost"
    return Path(platformdirs.user_cache_dir("onlineboost"))


def parsed(path: Path, how: str, parse: Callable[[], Parsed]) -> Parsed:
    """The file's rows and labels from a cache, or from `parse`, which is then remembered. `how` names the parsing."""
    content = files.sha256(path)
    key = hashlib.sha256(f"{VERSION}\n{content}\n{how}".encode()).hexdigest()
    beside = path.with_name(f"{path.name}.onlineboost.npz")
    apart = folder() / "parsed" / f"{path.name}-{key[:16]}.npz"
    for place in (beside, apart):
        found = _read(place, key)
        if found is not None:
            return found
    fresh = parse()
    if not (files.may_write(path.parent) and _write(beside, key, fresh)):
        _write(apart, key, fresh)
    return fresh


def _read(place: Path, key: str) -> Parsed | None:
    try:
        with place.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            if str(stored["key"]) != key:
                return None
            X = sp.csr_array((stored["data"], stored["indices"], stored["indptr"]), shape=tuple(stored["shape"]))
            X.check_format(full_check=True)
            labels = stored["labels"]
    except (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile, zlib.error):
        return None
    return Parsed(X, labels) if labels.shape == X.shape[:1] and X.dtype == np.float64 else None


def _write(place: Path, key: str, fresh: Parsed) -> bool:
    """Whether it was stored. A full disk or a read-only home makes the next time slower, and nothing else."""
    fields: dict[str, Any] = {"key": np.array(key), "labels": fresh.labels, "shape": np.array(fresh.X.shape)}
    fields |= {name: getattr(fresh.X, name) for name in ("data", "indices", "indptr")}
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole(place) as stream:
            np.savez(stream, **fields)
    except OSError:
        return False
    return True
