"""Files as they lie on a disk: found under any usual compression, opened by content, written all or nothing."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import lzma
import os
import secrets
import stat
import zlib
from typing import IO, TYPE_CHECKING, Any

from onlineboost.datasets.errors import DatasetFormatError, DatasetNotFoundError, DatasetReadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDINGS = ("", ".xz", ".bz2", ".gz")
"""Endings under which a file is looked for."""

_MAGIC: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

_BROKEN = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


def find(folder: Path, name: str) -> Path | None:
    """The file of this name in the folder or its subfolder `libsvm`, plain or compressed."""
    for place in (folder, folder / "libsvm"):
        for ending in ENDINGS:
            path = place / (name + ending)
            if path.is_file():
                return path
    return None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The uncompressed content, as a stream of bytes. What the file is made of decides, not its ending.

    Anything that the disk or the compression does wrong while the stream is being read becomes one sentence.
    """
    packed = False
    try:
        with path.open("rb") as raw:
            start = raw.read(6)
            raw.seek(0)
            unpack = next((opener for magic, opener in _MAGIC.items() if start.startswith(magic)), None)
            packed = unpack is not None
            if unpack is None:
                yield raw
            else:
                with unpack(raw, "rb") as stream:
                    yield stream
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except _BROKEN as error:
        raise DatasetFormatError(f"{path} is damaged or cut off, so that it cannot be uncompressed.") from error
    except OSError as error:
        if packed and error.errno is None:  # this is how bz2 says that a file is damaged
            raise DatasetFormatError(f"{path} is damaged, so that it cannot be uncompressed.") from error
        raise DatasetReadError(f"{path} cannot be read: {reason(error)}.") from error


def reason(error: OSError) -> str:
    """What the operating system says, without number and path."""
    return error.strerror or str(error)


def sha256(path: Path) -> str:
    """Of the file as it lies there."""
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
    with opened(path) as stream:
        while block := stream.read(1 << 20):
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


@contextlib.contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that appears under its name when all of it is written, and leaves nothing behind otherwise."""
    with unfinished(path) as part:
        with part.open("r+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A new, empty file next to `path` that is gone at the end, unless it was renamed."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    part.open("xb").close()
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)
