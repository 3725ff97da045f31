"""Atomic writing: a file appears under its name when all of it is written; a failure leaves what was there before.

The content goes to a new file in the same folder, is flushed to the disk, and then takes the name in one step.
"""

from __future__ import annotations

import contextlib
import glob
import io
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AnyPath = str | os.PathLike[str]


def write(path: AnyPath, content: bytes | str, *, before: Callable[[], object] | None = None) -> None:
    """Write bytes, or text as UTF-8; the other arguments are those of `whole`."""
    with whole(path, before=before) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def whole(path: AnyPath, *, before: Callable[[], object] | None = None) -> Iterator[IO[bytes]]:
    """A binary stream whose content replaces the file at the end of the `with` block, unless that raises.

    A link stays a link: the file that it points to is replaced, and keeps its permissions. What is no file (/dev/null,
    a pipe) is written to as it is. `before` is called when all is on the disk, just before the file is replaced.
    """
    named = Path(path)  # not resolved: that of /dev/stdout may be the name of a pipe, which is no path
    if named.exists() and not named.is_file():
        with named.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    with unfinished(target) as part:
        with part.open("r+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(OSError):  # there is no file yet, or it is another user's
            part.chmod(target.stat().st_mode)
        if before is not None:
            before()
        part.replace(target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def whole_text(path: AnyPath) -> Iterator[IO[str]]:
    """The same for text, in UTF-8, with line ends as they are written."""
    with whole(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.detach()


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A new, empty file next to `path` that is removed at the end, unless it was renamed."""
    part = path.with_name(f".{path.name[:200]}.{os.urandom(8).hex()}.part")
    try:
        part.open("xb").close()
        yield part
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def remove_unfinished(path: Path) -> None:
    """Remove what a killed process left next to `path`."""
    with contextlib.suppress(OSError):
        for part in path.parent.glob(f".{glob.escape(path.name[:200])}.{'[0-9a-f]' * 16}.part"):
            part.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name durable too, where folders can be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
