"""Data files on a disk: found under any usual compression, opened by content, and their checksums."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from typing import TYPE_CHECKING

from onlineboost import streams
from onlineboost.datasets.errors import DatasetFormatError, DatasetNotFoundError, DatasetReadError
from onlineboost.streams.compression import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def find(folder: Path, name: str) -> Path | None:
    """The file of this name in the folder or its subfolder `libsvm`, plain or compressed."""
    for place in (folder, folder / "libsvm"):
        for ending in ("", *ENDINGS):
            path = place / (name + ending)
            if path.is_file():
                return path
    return None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[streams.Source]:
    """The uncompressed content; whatever goes wrong with the file while it is read becomes one sentence."""
    try:
        with streams.open_source(path) as source:
            yield source
    except streams.CompressionError as error:
        raise DatasetFormatError(str(error)) from error
    except streams.SourceError as error:
        kind = DatasetReadError if path.exists() else DatasetNotFoundError
        raise kind(str(error)) from error


def reason(error: OSError) -> str:
    """What the operating system says, without number and path."""
    return error.strerror or str(error)


def sha256(path: Path) -> str:
    """Of the file as it is stored."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise DatasetReadError(f"{path} cannot be read: {reason(error)}.") from error


def sha256_unpacked(path: Path) -> tuple[str, int]:
    """(sha256, number of lines) of the uncompressed content."""
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with opened(path) as source:
        while block := source.read():
            digest.update(block)
            lines += block.count(b"\n")
            last = block[-1:]
    return digest.hexdigest(), lines + (last != b"\n")


def may_write(folder: Path) -> bool:
    """Whether files may be added. A folder marked read-only is left alone, even where root could write to it."""
    try:
        return bool(folder.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)) and os.access(folder, os.W_OK)
    except OSError:
        return False
