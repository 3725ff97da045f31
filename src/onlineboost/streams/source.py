"""Where the bytes come from: a file or standard input, plain or compressed."""

from __future__ import annotations

import contextlib
import os
import select
import stat
import sys
import time
from pathlib import Path
from typing import Self

from onlineboost.streams.compression import ENDINGS, MAGIC, Unpacker
from onlineboost.streams.errors import CompressionError, FormatError, SourceError

_BLOCK = 1 << 18
_LONGEST_MAGIC = max(map(len, MAGIC))


class Source:
    """The decompressed bytes of a file or pipe, from front to back. Made by `open_source`.

    `head` has its first bytes, as far as they were read and are to be remembered.
    """

    def __init__(self, fd: int, name: str, *, path: Path | None = None, block: int = _BLOCK, remember: int = 0) -> None:
        self.name = name
        self.path = path
        self._fd = fd
        self._owned = path is not None
        self._block = block
        try:
            mode = os.fstat(fd).st_mode
        except OSError as error:
            raise SourceError(f"{name} is not open: {error.strerror}.") from None
        self._regular = stat.S_ISREG(mode)
        self._base = os.lseek(fd, 0, os.SEEK_CUR) if self._regular else 0  # a shell may hand over a file half read
        self._sniffed = False
        self._raw_head = b""  # the first raw bytes, which told the compression
        self._raw_ended = False
        self._unpacker: Unpacker | None = None
        self._ahead = b""  # decompressed, not given yet
        self._at = 0
        self._remember = remember
        self.head = self.peek(remember) if self._regular else b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # whatever is left of a module that is being unloaded
            self.close()

    def close(self) -> None:
        """Close the file; standard input and other descriptors that were handed over stay open."""
        if self._owned and self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    @property
    def offset(self) -> int:
        """Bytes given so far."""
        return self._at

    @property
    def plain(self) -> bool:
        """Whether this is a file as it stands, without compression."""
        self._sniff(None)
        return self._regular and self._unpacker is None

    def read(self, timeout: float | None = None) -> bytes | None:
        """The next bytes, as many as are there, some megabytes at most; b"" at the end.

        None if nothing has arrived within `timeout` seconds (of a pipe: a file always has its bytes).
        """
        if self._ahead:
            data, self._ahead = self._ahead, b""
        else:
            found = self._next(timeout)
            if found is None:
                return None
            data = found
        if self._at == len(self.head) < self._remember:
            self.head += data[: self._remember - self._at]
        self._at += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, fewer if the source ends before, without moving on."""
        while len(self._ahead) < size:
            more = self._next(None)
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def skip_to(self, offset: int) -> None:
        """Move forward to an offset of the decompressed bytes: at once in a plain file, by reading elsewhere."""
        if offset < self._at:
            raise FormatError(f"{self.name} was read beyond byte {offset:,} already.")
        self._sniff(None)
        if self._regular and self._unpacker is None:
            size = os.fstat(self._fd).st_size - self._base
            if offset > size:
                raise FormatError(self._short(offset, size))
            os.lseek(self._fd, self._base + offset, os.SEEK_SET)
            self._ahead = self._raw_head = b""
            self._at = offset
        while self._at < offset:
            data = self.read()
            if not data:
                raise FormatError(self._short(offset, self._at))
            if self._at > offset:
                self._ahead = data[offset - self._at :]
                self._at = offset

    def _short(self, offset: int, size: int) -> str:
        return f"{self.name} has {size:,} bytes, but reading is to go on at byte {offset:,}: it is another input."

    def _next(self, timeout: float | None) -> bytes | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        if not self._sniff(deadline):
            return None
        if self._unpacker is None:
            if self._raw_head:
                data, self._raw_head = self._raw_head, b""
                return data
            return self._raw(deadline)
        while True:
            raw = b""
            if self._raw_head:
                raw, self._raw_head = self._raw_head, b""
            elif self._unpacker.wants:
                arrived = self._raw(deadline)
                if arrived is None:
                    return None
                if not arrived:
                    self._unpacker.finish()
                    return b""
                raw = arrived
            plain = self._unpacker.feed(raw)
            if plain:
                return plain

    def _sniff(self, deadline: float | None) -> bool:
        """Learn the compression from the first bytes; False if they have not arrived in time."""
        if self._sniffed:
            return True
        while len(self._raw_head) < _LONGEST_MAGIC and not self._raw_ended:
            raw = self._raw(deadline)
            if raw is None:
                return False
            self._raw_head += raw
        head = self._raw_head
        kind = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)
        ending = ENDINGS.get(self.path.suffix.lower()) if self.path else None
        if ending and kind is None:
            raise CompressionError(f"{self.name} is not {ending} data, as its ending says: it is damaged or misnamed.")
        if kind:
            self._unpacker = Unpacker(kind, self.name)
        self._sniffed = True
        return True

    def _raw(self, deadline: float | None) -> bytes | None:
        if self._fd < 0:
            raise SourceError(f"{self.name} is closed.")
        try:
            if deadline is not None and not self._regular:
                poll = select.poll()
                poll.register(self._fd, select.POLLIN)
                if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    return None
            data = os.read(self._fd, self._block)
        except OSError as error:
            raise SourceError(f"{self.name} cannot be read: {error.strerror}.") from error
        self._raw_ended = not data
        return data


def open_source(path: str | os.PathLike[str] | int, *, block: int = _BLOCK, remember: int = 0) -> Source:
    """Open a file, or standard input for "-"; a number is the descriptor of an open file or pipe.

    gzip, bzip2, xz and zstd are recognised by their first bytes and decompressed. `remember` is how many of the first
    decompressed bytes the source keeps in its `head`.
    """
    if isinstance(path, int):
        return Source(path, f"file descriptor {path}", block=block, remember=remember)
    if os.fspath(path) == "-":
        try:
            fd = sys.stdin.fileno()
        except (AttributeError, OSError, ValueError):
            raise SourceError("Standard input is not open.") from None
        return Source(fd, "standard input", block=block, remember=remember)
    file = Path(path)
    try:
        if file.is_dir():
            raise SourceError(f"{file} is a folder, not a file.")
        fd = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        raise SourceError(f"There is no file {file}.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return Source(fd, str(file), path=file, block=block, remember=remember)
