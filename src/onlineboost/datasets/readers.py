"""LIBSVM and CSV files as rows and labels, read by the streams' parsers; the first fault is an error."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from onlineboost import streams
from onlineboost.datasets.errors import DatasetFormatError
from onlineboost.datasets.files import opened

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("libsvm", "csv")

_DELIMITERS = ",;\t"
_BATCH_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Parsed:
    """One file: rows as CSR of float64 without stored zeros, and a label for each, number or text."""

    X: sp.csr_array
    labels: np.ndarray[Any, Any]


def guess_format(path: Path) -> str:
    """By the ending if it is a known one; otherwise LIBSVM, unless the first line has columns and no `index:value`."""
    try:
        kind = streams.guess_format(path.name)
    except streams.FormatError:
        with opened(path) as source:
            first = _first_line(source)
        pairs = ":" in "".join(first.split()[1:2])
        return "csv" if any(mark in first for mark in _DELIMITERS) and not pairs else "libsvm"
    return "csv" if kind == "tsv" else kind


def read_libsvm(path: Path) -> Parsed:
    """Lines of `label index:value …`; indices count from 1, or from 0 if one of them is 0."""
    with opened(path) as source:
        batches = _batches(source, "libsvm", None)
    first = min((int(batch.cells.indices.min()) for batch in batches if len(batch.cells.indices)), default=0)
    return Parsed(_stack(batches, shift=min(first, 1)), _labels(batches))


def read_csv(path: Path, label: str | int | None = None) -> Parsed:
    """Numbers in columns split by comma, semicolon or tab, with or without a line of names; one column is the label.

    The first line is one of names if none of its cells is a number, or if `label` is a name in it.
    """
    with opened(path) as source:
        first = _first_line(source)
        if not first:
            raise DatasetFormatError(f"{path} has no examples.")
        delimiter = max(_DELIMITERS, key=first.count)
        cells = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter))]
        if len(cells) < 2:
            raise DatasetFormatError(f"{path}: one column is not enough for features and a label.")
        header = label in cells or not any(_is_number(cell) for cell in cells)
        names = (
            [cell or f"column {k + 1}" for k, cell in enumerate(cells)] if header else list(map(str, range(len(cells))))
        )
        chosen = _label_column(path, label, names, header=header)
        features = dict.fromkeys((name for name in names if name != chosen), "number")
        schema = streams.Schema(label=chosen, columns=features, missing=(), header=header, separator=delimiter)
        batches = _batches(source, "csv", schema)
    labels = _labels(batches)
    if "" in labels:
        line = np.concatenate([batch.lines for batch in batches])[labels == ""][0]
        raise DatasetFormatError(f"{path}, line {line}, column {chosen}: the label is missing.")
    place = {name: k for k, name in enumerate(features)}
    columns = np.array([place[name] for name in batches[-1].names or ()], dtype=np.int64)
    return Parsed(_stack(batches, columns=columns, width=len(features)), labels)


def _first_line(source: streams.Source) -> str:
    """The first line that is not blank, without moving on."""
    size = 1 << 16
    while len(head := source.peek(size)) == size and b"\n" not in head.strip():
        size *= 2
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    return next((line for line in lines if line.strip()), "")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _label_column(path: Path, label: str | int | None, names: list[str], *, header: bool) -> str:
    if label is None:
        return names[-1]
    if isinstance(label, str):
        if not header or label not in names:
            have = f"its columns are {', '.join(names)}" if header else "it has no line of names"
            raise DatasetFormatError(f'{path} has no column "{label}": {have}.')
        return label
    width = len(names)
    if not -width <= label < width:
        raise DatasetFormatError(f"{path} has {width} columns, so the label's must be from 0 to {width - 1}.")
    return names[label]


def _batches(source: streams.Source, kind: str, schema: streams.Schema | None) -> list[streams.Batch]:
    try:
        stream = streams.open_stream(source, kind, schema, batch_rows=_BATCH_ROWS, strict=True)
        batches = list(stream)
    except streams.FormatError as error:
        raise DatasetFormatError(str(error)) from error
    if not stream.position.rows:
        raise DatasetFormatError(f"{source.name} has no examples.")
    return batches


def _labels(batches: list[streams.Batch]) -> np.ndarray[Any, Any]:
    """All labels as float64, or as text if some are no numbers."""
    parts = [batch.y for batch in batches if batch.y is not None]
    if all(part.dtype.kind in "if" for part in parts):
        return np.concatenate(parts).astype(np.float64)
    return np.array([str(label) for part in parts for label in part.tolist()])


def _stack(
    batches: list[streams.Batch], *, shift: int = 0, columns: Any = None, width: int | None = None
) -> sp.csr_array:
    """The rows of all batches as one array. Index k is column k - `shift`, or `columns[k]`.

    Indices have 32 bits where these are enough, which is half the memory and what everybody expects.
    """
    cells = [batch.cells for batch in batches]
    data = np.concatenate([part.data for part in cells])
    indices = np.concatenate([part.indices for part in cells])
    indices = indices - shift if columns is None else columns[indices]
    starts = np.concatenate([[0], *(np.diff(part.indptr) for part in cells)]).cumsum()
    width = int(indices.max(initial=-1)) + 1 if width is None else width
    kind = np.int32 if max(width, len(data)) <= np.iinfo(np.int32).max else np.int64
    X = sp.csr_array((data, indices.astype(kind), starts.astype(kind)), shape=(len(starts) - 1, width))
    X.eliminate_zeros()
    X.sort_indices()
    return X
