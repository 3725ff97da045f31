"""Streams of typed columns: Parquet files, Arrow IPC files and Arrow IPC streams, through pyarrow."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.declarations.extras import require
from onlineboost.machine.frames import arrow_floats, arrow_view
from onlineboost.machine.schema import FLAG, IGNORED, LABEL, NUMBER, TIME, UNDECIDED, WEIGHT, kind_code
from onlineboost.streams.errors import FormatError, SourceError, StreamError
from onlineboost.streams.stream import Options, Stream
from onlineboost.streams.text import check_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onlineboost.streams.schema import Schema
    from onlineboost.streams.source import Source

_MICROSECONDS = 1e6
_NUMBERS = {NUMBER, FLAG, TIME, WEIGHT}
_ARROW_FILE = b"ARROW1"


def pyarrow() -> Any:
    """The library, or one sentence."""
    return require("pyarrow", "streams", "Reading Parquet and Arrow (other formats need nothing)")


class _Pipe(io.RawIOBase):
    """A source as the file that pyarrow wants. Closing it does nothing: the source has an owner."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._left or self._source.read() or b""
        size = min(len(buffer), len(data))
        buffer[:size], self._left = data[:size], data[size:]
        return size


class ColumnarStream(Stream):
    """A stream over record batches. A position counts rows; row groups before it are not read again."""

    def __init__(
        self, source: Source, reader: _core.ColumnsReader, schema: Schema, options: Options, *, kind: str
    ) -> None:
        self._arrow = pyarrow()
        super().__init__(source, reader, schema, options)
        self._kind = kind
        self._parts: Iterator[Any] | None = None
        self._codes: list[int] = []  # the kinds of the columns
        self._views: list[Any] = []
        self._from = self._to = 0

    def _advance(self, deadline: float | None) -> None:
        reader = self._reader
        assert isinstance(reader, _core.ColumnsReader)  # noqa: S101  # for the type checker
        while True:
            if self._from < self._to:
                self._from = reader.append(self._views, self._from, self._to, self._options.batch_rows, self._most_bad)
                if reader.stopped:
                    return
            if not self._next_part():
                return

    def _next_part(self) -> bool:
        """Turn to the next record batch; False at the end, or if it cannot be read."""
        try:
            if self._parts is None:
                self._parts = self._open()
                self._ready = True
            part = next(self._parts, None)
            if part is None:
                self._over = True
                return False
            part.validate(full=True)
            self._views = [self._view(part.column(k), k) for k in range(part.num_columns)]
            self._from, self._to = 0, part.num_rows
        except StreamError as error:
            self._failure = error
        except (self._arrow.ArrowException, OSError, EOFError, UnicodeDecodeError, MemoryError) as error:
            text = " ".join(str(error).split()).rstrip(".")
            self._failure = FormatError(
                f"{self.source.name} cannot be read as {self._kind.capitalize()} behind row "
                f"{self._reader.place[1]:,}: {text or type(error).__name__}."
            )
            self._failure.__cause__ = error
        return self._failure is None

    # ---- the file --------------------------------------------------------------------------------------------

    def _open(self) -> Iterator[Any]:
        pa, start = self._arrow, self.position
        self._reader.rewind((0, start.lines, start.rows, start.bad))
        if self._kind == "parquet":
            import pyarrow.parquet as pq  # noqa: PLC0415  # as pyarrow

            file = pq.ParquetFile(self._path("Parquet"))
            self._set_columns(file.schema_arrow)
            return self._row_groups(file, start.lines)
        head = self.source.peek(len(_ARROW_FILE))
        if not head:
            return iter(())
        if head == _ARROW_FILE:
            opened = pa.ipc.open_file(pa.memory_map(str(self._path("Arrow's file format"))))
            parts = (opened.get_batch(k) for k in range(opened.num_record_batches))
        else:
            opened = pa.ipc.open_stream(pa.PythonFile(io.BufferedReader(_Pipe(self.source)), mode="r"))
            parts = iter(opened)
        self._set_columns(opened.schema)
        return self._behind(parts, start.lines)

    def _path(self, what: str) -> Any:
        if self.source.path is None or not self.source.plain:
            raise SourceError(f"{what} is read back and forth, so it needs a plain file, not {self.source.name}.")
        return self.source.path

    def _row_groups(self, file: Any, skip: int) -> Iterator[Any]:
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if skip >= rows > 0:
                skip -= rows
                continue
            left = rows
            for part in file.iter_batches(batch_size=self._options.batch_rows, row_groups=[group]):
                left -= part.num_rows
                if left < 0:
                    break
                if skip < part.num_rows:
                    yield part.slice(skip)
                skip = max(0, skip - part.num_rows)
            if left != 0:
                raise FormatError(f"{self.source.name} is damaged: a row group has not the rows that it says.")
        if skip:
            raise FormatError(self._short(skip))

    def _behind(self, parts: Iterator[Any], skip: int) -> Iterator[Any]:
        for part in parts:
            if skip >= part.num_rows:
                skip -= part.num_rows
                continue
            yield part.slice(skip)
            skip = 0
        if skip:
            raise FormatError(self._short(skip))

    def _short(self, lacking: int) -> str:
        return f"{self.source.name} has {lacking:,} rows fewer than were read before: it is another input."

    # ---- its columns -----------------------------------------------------------------------------------------

    def _set_columns(self, schema: Any) -> None:
        required = self._options.labels == "required"
        names = [name or f"column {k + 1}" for k, name in enumerate(schema.names)]
        check_columns(self.source.name, self._schema, names, required=required)
        columns = []
        for name, kind in zip(names, schema.types, strict=True):
            _, code, bits = self._schema.native(name, required=required)
            if code == LABEL and self._options.labels == "ignored":
                code = IGNORED
            if code == UNDECIDED and (found := self._kind_of(kind)):
                code, bits = kind_code(name, found)
            if code != IGNORED:
                self._check_type(name, kind)
            columns.append((name, code, bits))
        assert isinstance(self._reader, _core.TableReader)  # noqa: S101  # for the type checker
        self._reader.columns = columns
        self._codes = [code for _, code, _ in columns]

    def _value_type(self, kind: Any) -> Any:
        return kind.value_type if self._arrow.types.is_dictionary(kind) else kind

    def _numeric(self, kind: Any) -> bool:
        types = self._arrow.types
        tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
        return any(test(kind) for test in tests)

    def _kind_of(self, kind: Any) -> str | None:
        """The kind of column that a type stands for; None if the first value decides."""
        types = self._arrow.types
        if types.is_dictionary(kind) or types.is_time(kind):
            return "category"
        if types.is_boolean(kind):
            return "flag"
        if self._numeric(kind) or types.is_duration(kind):
            return "number"
        return "time" if types.is_timestamp(kind) or types.is_date(kind) else None

    def _check_type(self, name: str, kind: Any) -> None:
        types, inner = self._arrow.types, self._value_type(kind)
        texts = (
            types.is_string,
            types.is_large_string,
            getattr(types, "is_string_view", types.is_string),
            types.is_null,
        )
        if not (self._kind_of(inner) or any(test(inner) for test in texts)):
            raise FormatError(
                f"Column {name!r} of {self.source.name} has the type {kind}: a column holds numbers, texts, flags or "
                "times. Convert it, or ignore it in the schema."
            )

    def _view(self, column: Any, place: int) -> Any:
        """The column as the native reader wants it."""
        pa = self._arrow
        types, code = pa.types, self._codes[place]
        if code == IGNORED or (code == LABEL and types.is_null(column.type)):
            return None
        if types.is_null(column.type):
            return np.full(len(column), np.nan)
        if types.is_dictionary(column.type) and code in {LABEL, *_NUMBERS}:
            column = column.dictionary_decode()
        kind = column.type
        if code == LABEL:
            return arrow_view(pa, column.cast(pa.string()))
        if code == TIME and (types.is_timestamp(kind) or types.is_date(kind)):
            zone = kind.tz if types.is_timestamp(kind) else None
            return arrow_floats(pa, column.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64()))
        if types.is_duration(kind):
            return arrow_floats(pa, column.cast(pa.duration("us"), safe=False).cast(pa.int64())) / _MICROSECONDS
        if self._numeric(kind) if code in _NUMBERS else types.is_floating(kind) or types.is_decimal(kind):
            return arrow_floats(pa, column) * (_MICROSECONDS if code == TIME else 1.0)
        return arrow_view(pa, column)
