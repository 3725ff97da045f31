"""`open_stream`: the format decides which reader gets the bytes."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING

from onlineboost import _core
from onlineboost.streams.columnar import ColumnarStream
from onlineboost.streams.compression import ENDINGS
from onlineboost.streams.errors import FormatError
from onlineboost.streams.schema import Schema
from onlineboost.streams.source import Source, open_source
from onlineboost.streams.stream import LABEL_MODES, LabelMode, Options, Stream
from onlineboost.streams.text import LONGEST_LINE, TextStream

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from onlineboost.streams.batch import Position, Problem

_ENDINGS = {
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "vw": (".vw",),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet",),
    "arrow": (".arrow", ".arrows", ".feather", ".ipc"),
}
FORMATS = tuple(_ENDINGS)
_MOST_ROWS = 1_000_000
MOST_FEATURES = 1 << 18


def guess_format(name: str) -> str:
    """The format that a file's ending stands for; an ending for compression is ignored."""
    endings = [ending.lower() for ending in PurePath(name).suffixes]
    if endings and endings[-1] in ENDINGS:
        endings.pop()
    for kind, known in _ENDINGS.items():
        if endings and endings[-1] in known:
            return kind
    raise FormatError(f"The format of {name} cannot be told by its name: say which it is ({', '.join(FORMATS)}).")


def open_stream(
    source: Source | str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  # the word that everybody uses
    schema: Schema | None = None,
    *,
    start: Position | None = None,
    batch_rows: int = 10_000,
    strict: bool = False,
    max_bad: int | None = None,
    labels: LabelMode = "required",
    tick: float | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    longest_line: int = LONGEST_LINE,
    most_features: int = MOST_FEATURES,
    buckets: int = 0,
    forgiving: bool = False,
) -> Stream:
    """Open a stream of batches.

    Parameters
    ----------
    source : Source, or what `open_source` takes
        Where the bytes come from.
    format : str, default=None
        "libsvm", "vw", "csv", "tsv", "jsonl", "parquet" or "arrow"; None goes by the ending of the file.
    schema : Schema, default=None
        How columns become features; None is `Schema()`.
    start : Position, default=None
        Where to resume: the `position` of a batch of the same input. Tables need the schema of that time with it.
    batch_rows : int, default=10_000
        Rows in a batch at most. What is read does not depend on it.
    strict : bool, default=False
        Whether a malformed line is an error. Otherwise it is counted, reported and skipped.
    max_bad : int, default=None
        More malformed lines than this are an error. The rows before it are given first.
    labels : {"required", "optional", "ignored"}, default="required"
        Whether a line without a label is malformed; is given with the label None; or labels are not read at all.
    tick : float, default=None
        Give what is there after so many seconds, be it an empty batch, so a slow pipe does not block the caller.
    on_problem : callable, default=None
        Called with each `Problem`.
    longest_line : int, default=2**24
        A line of more bytes is malformed.
    most_features : int, default=2**18
        A line or row with more features is malformed: a small compressed file can hold rows that fill the memory.
    buckets : int, default=0
        If not 0, names are hashed to so many features (a model's `max_features`).
    forgiving : bool, default=False
        Whether a cell that does not fit its column is reported and taken as missing; otherwise its line is malformed.

    """
    if labels not in LABEL_MODES:
        raise FormatError(f"labels must be required, optional or ignored, not {labels!r}.")
    if not isinstance(batch_rows, int) or not 1 <= batch_rows <= _MOST_ROWS:
        raise FormatError(f"batch_rows must be from 1 to {_MOST_ROWS:,}, not {batch_rows!r}.")
    if max_bad is not None and (not isinstance(max_bad, int) or max_bad < 0):
        raise FormatError(f"max_bad must be a whole number that is not negative, not {max_bad!r}.")
    if tick is not None and not (isinstance(tick, (int, float)) and math.isfinite(tick) and tick >= 0):
        raise FormatError(f"tick must be a number of seconds, not {tick!r}.")
    for name, limit in (("longest_line", longest_line), ("most_features", most_features)):
        if not isinstance(limit, int) or not 1 <= limit < 2**63:
            raise FormatError(f"{name} must be a whole number of at least 1, not {limit!r}.")
    schema = Schema() if schema is None else schema
    kind = guess_format(source.name if isinstance(source, Source) else str(source)) if format is None else format
    if kind not in FORMATS:
        raise FormatError(f"There is no format {kind!r}: it is one of {', '.join(FORMATS)}.")
    if kind in {"libsvm", "vw"} and (schema.columns or schema.ignore or schema.weight is not None):
        raise FormatError(f"The {kind} format has no columns: leave columns, ignore and weight out of the schema.")
    opened = source if isinstance(source, Source) else open_source(source)
    options = Options(start, batch_rows, strict, max_bad, labels, tick, on_problem)
    sets = schema.label_separator is not None and labels != "ignored"
    if sets and kind == "vw":
        raise FormatError("The vw format has one label per line: leave the label separator out.")
    if sets and kind == "libsvm" and schema.label_separator == " ":
        raise FormatError("In the libsvm format a blank ends the label: give another label separator, such as a comma.")
    code = LABEL_MODES.index("optional" if sets else labels)  # no label is an empty set
    if kind in {"parquet", "arrow"}:
        columnar = _core.ColumnsReader(code, list(schema.missing))
        _settle(columnar, schema, most_features, buckets, forgiving=forgiving)
        return ColumnarStream(opened, columnar, schema, options, kind=kind)
    reader = _text_reader(kind, schema, code, longest_line, required=labels == "required")
    _settle(reader, schema, most_features, buckets, forgiving=forgiving)
    return TextStream(opened, reader, schema, options, longest_line=longest_line)


def _settle(reader: _core.Reader, schema: Schema, most_features: int, buckets: int, *, forgiving: bool) -> None:
    reader.most_features, reader.buckets = most_features, buckets
    if schema.label_separator is not None:
        reader.label_separator = schema.label_separator
    if isinstance(reader, _core.TableReader):
        reader.gaps, reader.forgiving = schema.gaps, forgiving


def _text_reader(kind: str, schema: Schema, labels: int, longest_line: int, *, required: bool) -> _core.Reader:
    if kind == "libsvm":
        return _core.LibsvmReader(labels, longest_line)
    if kind == "vw":
        return _core.VwReader(labels, longest_line)
    if kind == "jsonl":
        reader = _core.JsonReader(labels, longest_line, list(schema.missing))
        special = [schema.label, *([] if schema.weight is None else [schema.weight]), *schema.ignore, *schema.columns]
        reader.columns = [schema.native(name, required=required) for name in special]
        return reader
    separator = schema.separator or ("," if kind == "csv" else "\t")
    return _core.DelimitedReader(labels, longest_line, separator, schema.header, list(schema.missing))
