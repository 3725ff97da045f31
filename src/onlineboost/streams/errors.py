"""What can go wrong with a stream, each in one sentence that says what to do about it."""

from __future__ import annotations


class StreamError(Exception):
    """Base of everything that this package raises about streams."""


class SourceError(StreamError, OSError):
    """The bytes cannot be read: no such file, no right to read it, damaged or cut compression."""


class CompressionError(SourceError):
    """Compressed data is damaged or cut short, or is not what the ending of the file says."""


class FormatError(StreamError, ValueError):
    """The bytes are there, but the stream as a whole cannot be understood; or a setting does not fit it."""


class MalformedLineError(FormatError):
    """A malformed line where none is allowed, or one more than allowed. `line` is its number."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line

    def __reduce__(self) -> tuple[type[MalformedLineError], tuple[str, int]]:
        return type(self), (str(self), self.line)
