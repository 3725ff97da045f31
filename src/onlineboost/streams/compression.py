"""Compressed bytes to plain ones, piece by piece: gzip, bzip2, xz and zstd, of any number of members."""

from __future__ import annotations

import bz2
import lzma
import zlib
from typing import Any

from onlineboost.declarations.extras import require
from onlineboost.streams.errors import CompressionError

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".zstd": "zstd"}

_PIECE = 1 << 22  # plain bytes per step at most, however well they were compressed


class _Gzip:
    """zlib's decompressor with the interface that bz2 and lzma have."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail


class _Zstd:
    """zstandard's decompressor with the same interface. It has no limit, so it gets small pieces instead."""

    _STEP = 256

    def __init__(self) -> None:
        zstandard = require("zstandard", "streams", "Reading zstd")
        self._broken = zstandard.ZstdError
        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._left = b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        self._left += data
        made: list[bytes] = []
        size = 0
        at = 0
        while at < len(self._left) and size < max_length and not self._inner.eof:
            try:
                piece = self._inner.decompress(self._left[at : at + self._STEP])
            except self._broken as error:
                raise ValueError(str(error)) from error
            at += self._STEP
            size += len(piece)
            made.append(piece)
        self._left = self._left[at:]
        return b"".join(made)

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._left

    @property
    def needs_input(self) -> bool:
        return not self._left


_MAKERS: dict[str, Any] = {"gzip": _Gzip, "bzip2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor, "zstd": _Zstd}


_BROKEN = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


class Unpacker:
    """One compressed stream. Feed it bytes while it `wants` them; `finish` says whether it ended where it should."""

    def __init__(self, kind: str, name: str) -> None:
        self._kind, self._name = kind, name
        self._member = _MAKERS[kind]()
        self._between = False
        self._left = b""  # compressed bytes behind the end of a member

    @property
    def wants(self) -> bool:
        """Whether nothing more comes out without more bytes going in."""
        return not self._left.strip(b"\0") if self._between else bool(self._member.needs_input)

    def feed(self, data: bytes) -> bytes:
        """Plain bytes, some megabytes at most; call again with nothing while it does not want more."""
        if self._between:
            data = (self._left + data).lstrip(b"\0")  # padding, as tape and xz have it
            self._left = b""
            if not data:
                return b""
            self._member = _MAKERS[self._kind]()
            self._between = False
        try:
            plain: bytes = self._member.decompress(data, _PIECE)
        except _BROKEN as error:
            raise CompressionError(
                f"{self._name} is damaged: its {self._kind} data cannot be read on ({error}). Get a whole copy."
            ) from error
        if self._member.eof:
            self._left = self._member.unused_data
            self._between = True
        return plain

    def finish(self) -> None:
        """The input has ended: raises where the data has not."""
        if not self._between:
            raise CompressionError(
                f"{self._name} ends in the middle of its {self._kind} data: it was cut short. Get a whole copy."
            )
