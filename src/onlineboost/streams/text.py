"""Streams of text: LIBSVM, VW, CSV, TSV and JSON lines. The native reader gets the bytes as they arrive."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from typing import TYPE_CHECKING

from onlineboost import _core
from onlineboost.machine.schema import UNDECIDED, near
from onlineboost.streams.errors import FormatError, StreamError
from onlineboost.streams.stream import ANY_NUMBER, Options, Stream

if TYPE_CHECKING:
    from onlineboost.streams.schema import Schema
    from onlineboost.streams.source import Source

LONGEST_LINE = 1 << 24
_TRIM = 1 << 20
_LOOK_ROWS, _LOOK_BYTES = 1000, 1 << 24


def check_columns(source: str, schema: Schema, names: list[str], *, required: bool) -> None:
    """What the schema asks for must be among the columns of a table."""
    known = set(names)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    if len(known) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise FormatError(f"{source} has two columns called {twice!r}: rename one.")
    for role, column in (("label", schema.label), ("weight", schema.weight)):
        if required and column is not None and column not in known:
            hint = near(column, names)
            raise FormatError(f"{source} has no column {column!r} for the {role}: its columns are {shown}.{hint}")
    lacking = next((name for name in (*schema.columns, *schema.ignore) if name not in known), None)
    if lacking is not None and not schema.decided:
        raise FormatError(
            f"The schema declares column {lacking!r}, but the columns of {source} are {shown}.{near(lacking, names)}"
        )
    lacking = next((name for name in schema.columns if name not in known), None)
    if lacking is not None and schema.decided and known.isdisjoint(schema.columns):
        raise FormatError(f"{source} has no column in common with the model: its columns are {shown}.")
    if lacking is not None and schema.closed:
        raise FormatError(
            f"{source} has no column {lacking!r}, which the model has learned from: add it, or give --missing-columns "
            f"ignore.{near(lacking, names)}"
        )
    if schema.decided and schema.closed:
        special = {schema.label, schema.weight, *schema.columns, *schema.ignore}
        if extra := [name for name in names if name not in special]:
            some = ", ".join(map(repr, extra[:5])) + (" …" if len(extra) > 5 else "")
            warnings.warn(
                f"The input has columns that the model does not know and ignores: {some}.", UserWarning, stacklevel=2
            )


class TextStream(Stream):
    """A stream over text. Whole lines are read as they come; what is left of a block waits for the next one."""

    def __init__(
        self, source: Source, reader: _core.Reader, schema: Schema, options: Options, *, longest_line: int
    ) -> None:
        super().__init__(source, reader, schema, options)
        self._longest = longest_line
        self._buffer = bytearray()
        self._done = 0  # bytes of the buffer that are done with
        self._ended = False
        self._source_failure: StreamError | None = None
        self._fresh = True  # whether the reader might find a record in the buffer

    def _advance(self, deadline: float | None) -> None:
        if not self._ready and not self._prepare(deadline):
            return
        while True:
            if self._fresh:
                self._done += self._parse(self._done, len(self._buffer), self._options.batch_rows, self._most_bad)
                if self._reader.stopped:
                    return
                self._fresh = False
            if self._ended:
                self._failure = self._source_failure
                self._over = True
                return
            if not self._more(deadline):
                return

    def _parse(self, offset: int, stop: int, most_rows: int, most_bad: int) -> int:
        last = self._ended and self._source_failure is None and stop == len(self._buffer)
        return int(self._reader.parse(self._buffer, offset, stop, last, most_rows, most_bad))

    def _more(self, deadline: float | None) -> bool:
        """Wait for bytes; False if none came in time. At the end, or if the source fails, `_ended` is set."""
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            data = self.source.read(left)
        except StreamError as error:  # the lines before it are whole
            self._source_failure, data = error, b""
        if data is None:
            return False
        if self._ready and (self._done > _TRIM or self._done == len(self._buffer)):
            del self._buffer[: self._done]
            self._done = 0
        self._buffer += data
        self._ended = not data
        self._fresh |= b"\n" in data or self._ended or len(self._buffer) - self._done > self._longest
        return True

    # ---- before the first row --------------------------------------------------------------------------------

    def _prepare(self, deadline: float | None) -> bool:
        """Header, columns, start position, and a look at the first rows. False if their bytes have not come yet."""
        reader = self._reader
        if isinstance(reader, _core.DelimitedReader) and not reader.columns and not self._read_header(deadline):
            return False
        if self.position.bytes > 0 and reader.place[0] != self.position.bytes:
            self._go_to_start()
        if isinstance(reader, _core.TableReader) and not self._schema.decided and not self._look(deadline):
            return False
        self._ready = True
        self._fresh = True
        return True

    def _read_header(self, deadline: float | None) -> bool:
        reader = self._reader
        assert isinstance(reader, _core.DelimitedReader)  # noqa: S101  # for the type checker
        while True:
            self._done += self._parse(self._done, len(self._buffer), 1, 1)
            if reader.place[3]:
                (*_, problems) = reader.take()
                raise FormatError(
                    f"{self.source.name}, line {problems[0][0]}: {problems[0][2]} It should be the header."
                )
            if reader.has_header:
                break
            if self._ended:
                if self._source_failure:
                    raise self._source_failure
                return True
            if not self._more(deadline):
                return False
        names = [name or f"column {k + 1}" for k, name in enumerate(reader.header)]
        required = self._options.labels == "required"
        check_columns(self.source.name, self._schema, names, required=required)
        reader.columns = [self._schema.native(name, required=required) for name in names]
        reader.settle()
        return True

    def _go_to_start(self) -> None:
        start, reader = self.position, self._reader
        if isinstance(reader, _core.TableReader) and not self._schema.decided:
            raise FormatError("Resuming at a position needs the schema that the stream had there: save stream.schema.")
        if start.bytes < reader.place[0]:
            raise FormatError(f"Byte {start.bytes:,} of {self.source.name} lies in its header: it is another input.")
        first = self.source.offset - len(self._buffer)
        if start.bytes <= self.source.offset:
            self._done = start.bytes - first
        else:
            self._buffer.clear()
            self._done = 0
            self.source.skip_to(start.bytes)
        reader.rewind((start.bytes, start.lines, start.rows, start.bad))

    _look_from: tuple[int, int, int, int] | None = None
    _looked = 0

    def _look(self, deadline: float | None) -> bool:
        """Let the first rows decide what the columns hold; how the input was cut must not matter."""
        reader = self._reader
        assert isinstance(reader, _core.TableReader)  # noqa: S101  # for the type checker
        if self._look_from is None:
            if all(kind != UNDECIDED for _, kind, _ in reader.columns) and isinstance(reader, _core.DelimitedReader):
                return True
            self._look_from, self._looked = reader.place, self._done
            reader.look()
        while True:
            stop = min(len(self._buffer), self._done + _LOOK_BYTES)
            self._looked += self._parse(self._looked, stop, _LOOK_ROWS, ANY_NUMBER)
            if reader.stopped or self._ended or len(self._buffer) >= self._done + _LOOK_BYTES:
                break
            if not self._more(deadline):
                return False
        reader.decide(self._look_from)
        return True
