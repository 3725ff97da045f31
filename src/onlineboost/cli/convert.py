"""`onlineboost convert`: a stream in another format, as the features that a model would see."""

from __future__ import annotations

import contextlib
import csv
import json
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from onlineboost import files
from onlineboost.cli import options
from onlineboost.cli.commands import FORMATS
from onlineboost.cli.inputs import Inputs
from onlineboost.cli.output import Console, output, plural, protect
from onlineboost.streams import guess_format
from onlineboost.streams.columnar import pyarrow

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from onlineboost.streams import Batch

    Line = Callable[[Any, float, list[tuple[Any, float]], "_Reading"], str]
    _Matrices = Iterator[tuple[Any, Any]]

MOST_COLUMNS = 10_000


def run(arguments: argparse.Namespace) -> int:
    """Convert."""
    if arguments.to is None and arguments.output == "-":
        formats = ", ".join(FORMATS)
        raise ValueError(f"Standard output has no ending that tells its format: give --to ({formats}).")
    kind = arguments.to or guess_format(arguments.output)
    if arguments.output.endswith((".gz", ".bz2", ".xz", ".zst", ".zstd")):
        raise ValueError("convert writes plain files: write to - and compress behind a pipe.")
    protect(arguments.input, arguments.output, arguments.names)
    if arguments.names and kind != "libsvm":
        raise ValueError("--names is for libsvm: the other formats keep the names.")
    if arguments.label_separator:
        raise ValueError("convert writes one label per example: leave --label-separator out.")
    source = _Reading(arguments)
    if kind in _LINES:
        source.write_lines(arguments.output, _LINES[kind])
        if arguments.names:
            with output(arguments.names) as write:
                write("".join(f"{k + 1}\t{name}\n" for k, name in enumerate(source.names or ())))
    else:
        source.write_table(arguments.output, kind)
    source.console.summary(source.bad)
    if arguments.output != "-":
        source.console.say(f"wrote {plural(source.rows, 'example')} to {arguments.output}")
    return 0


class _Reading:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.path: str = arguments.input[0]
        self.format = options.format_of(arguments)
        self.schema = options.schema_of(arguments)
        self.console = Console()
        self.names: list[str] | None = None
        self.rows = self.bad = 0
        self._arguments = arguments

    def batches(self, *, quiet: bool = False) -> Iterator[Batch]:
        inputs = Inputs(self._arguments, self.format, self.schema, None if quiet else self.console.problem)
        for batch in inputs:
            self.names = batch.names
            if len(batch):
                yield batch
        self.bad = inputs.bad

    def write_lines(self, path: str, line: Line) -> None:
        with output(path) as write:
            for batch in self.batches():
                starts = batch.cells.indptr.tolist()
                cells = list(zip(batch.cells.indices.tolist(), batch.cells.data.tolist(), strict=True))
                weights = [1.0] * len(batch) if batch.weight is None else batch.weight.tolist()
                labels = [] if batch.y is None else batch.y.tolist()
                lines = (
                    line(label, weight, cells[starts[k] : starts[k + 1]], self)
                    for k, (label, weight) in enumerate(zip(labels, weights, strict=True))
                )
                write("".join(lines))
                self.rows += len(batch)

    def write_table(self, path: str, kind: str) -> None:
        if self.path == "-" or path == "-":
            raise ValueError(
                f"{kind} has a column for each feature, so it goes from a file to a file, not through a pipe."
            )
        width, first, weighted = 0, 1, False  # columns of libsvm begin with 1, or with 0 where it occurs
        for batch in self.batches(quiet=True):
            weighted |= batch.weight is not None
            width = len(batch.names) if batch.names is not None else max(width, batch.cells.width)
            if batch.names is not None or not batch.cells.indices.all():
                first = 0
        if width > MOST_COLUMNS:
            raise ValueError(
                f"The input has {width:,} features, and a table at most {MOST_COLUMNS:,} columns: use jsonl."
            )
        columns = [str(k) for k in range(first, width)] if self.names is None else self.names
        extra = [self.schema.label, *([self.schema.weight or "weight"] if weighted else [])]
        twice = set(columns) & set(extra)
        if twice:
            raise ValueError(f"A feature is called {min(twice)!r}, which is also a column of the table: rename it.")
        write = _write_delimited if kind in {"csv", "tsv"} else _write_arrow
        write(self._matrices(len(columns), first, int(weighted)), path, kind, [*extra, *columns])

    def _matrices(self, width: int, first: int, weighted: int) -> _Matrices:
        """Labels, and a matrix of all other columns: the weight, if there are weights, and the features."""
        for batch in self.batches():
            table = np.zeros((len(batch), weighted + width))
            rows = np.repeat(np.arange(len(batch)), np.diff(batch.cells.indptr))
            np.add.at(table, (rows, batch.cells.indices.astype(np.int64) + (weighted - first)), batch.cells.data)
            if weighted:
                table[:, 0] = 1.0 if batch.weight is None else batch.weight
            self.rows += len(batch)
            yield batch.y, table


def _write_delimited(matrices: _Matrices, path: str, kind: str, columns: list[str]) -> None:
    with output(path) as write:
        writer = csv.writer(SimpleNamespace(write=write), delimiter="," if kind == "csv" else "\t", lineterminator="\n")
        writer.writerow(columns)
        for labels, table in matrices:
            writer.writerows([label, *map(_number, row)] for label, row in zip(labels, table.tolist(), strict=True))


def _write_arrow(matrices: _Matrices, path: str, kind: str, columns: list[str]) -> None:
    pa = pyarrow()
    with files.whole(path) as file, contextlib.ExitStack() as stack:
        made = None
        for labels, table in matrices:
            batch = pa.record_batch([pa.array(labels), *map(pa.array, table.T)], names=columns)
            if made is None:
                made = stack.enter_context(_arrow_writer(pa, kind, file, batch.schema))
            made.write_batch(batch)
        if made is None:
            raise ValueError("The input has no examples: there is nothing to write.")


def _arrow_writer(pa: Any, kind: str, file: IO[bytes], schema: Any) -> Any:
    if kind == "arrow":
        return pa.ipc.new_file(file, schema)
    import pyarrow.parquet as pq  # noqa: PLC0415  # an extra

    return pq.ParquetWriter(file, schema)


# ---- one line of text ----------------------------------------------------------------------------------------------

_ESCAPED = {ord(c): f"%{ord(c):02x}" for c in " \t\n\r\v\f|:%"}


def _number(value: float) -> str:
    text = repr(value)
    return text.removesuffix(".0")


def _numeric(label: Any, reading: _Reading) -> str:
    if isinstance(label, str):
        raise ValueError(  # noqa: TRY004  # a label of the user's, not an argument
            f"The labels of {reading.path} are texts such as {label!r}: say with --positive which of them becomes 1."
        )
    return _number(label)


def _libsvm(label: Any, weight: float, cells: list[tuple[Any, float]], reading: _Reading) -> str:
    if weight != 1.0:
        raise ValueError("libsvm has no weights: leave --weight out, or convert to vw or jsonl.")
    shift = 0 if reading.names is None else 1
    features = (f" {index + shift}:{_number(value)}" for index, value in sorted(cells))
    return f"{_numeric(label, reading)}{''.join(features)}\n"


def _vw(label: Any, weight: float, cells: list[tuple[Any, float]], reading: _Reading) -> str:
    if reading.schema.positive is not None:
        label = 1 if label else -1
    names = reading.names
    features = (
        f" {index if names is None else names[index].translate(_ESCAPED)}{'' if value == 1.0 else ':' + _number(value)}"
        for index, value in cells
    )
    weighed = "" if weight == 1.0 else f" {_number(weight)}"
    return f"{_numeric(label, reading)}{weighed} |{''.join(features)}\n"


def _jsonl(label: Any, weight: float, cells: list[tuple[Any, float]], reading: _Reading) -> str:
    names = reading.names
    record: dict[str, Any] = {reading.schema.label: label}
    if weight != 1.0:
        record[reading.schema.weight or "weight"] = weight
    for index, value in cells:
        record[str(index) if names is None else names[index]] = int(value) if value.is_integer() else value
    return json.dumps(record, ensure_ascii=False) + "\n"


_LINES = {"libsvm": _libsvm, "vw": _vw, "jsonl": _jsonl}
