"""From the text of a LIBSVM or CSV file to rows and labels; what is wrong with it gets file, line and column."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from onlineboost.datasets.errors import DatasetFormatError
from onlineboost.datasets.files import ENDINGS, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMATS = ("libsvm", "csv")

_KNOWN_ENDINGS = {".csv": "csv", ".tsv": "csv", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm"}
_LARGEST_INDEX = 2**31 - 1
_CHUNK = 10_000  # rows of a CSV file that are held as text at a time


@dataclass(frozen=True, eq=False)
class Parsed:
    """One file: rows as CSR of float64 without stored zeros, and a label for each, number or text."""

    X: sp.csr_array
    labels: np.ndarray[Any, Any]


def guess_format(path: Path) -> str:
    """By the ending if it is a known one; otherwise LIBSVM, unless the first line has columns and no `index:value`."""
    ending = next((end.lower() for end in reversed(path.suffixes) if end.lower() not in ENDINGS), "")
    if ending in _KNOWN_ENDINGS:
        return _KNOWN_ENDINGS[ending]
    with opened(path) as stream:
        first = next((line for line in stream if line.strip()), b"")
    pairs = b":" in b"".join(first.split()[1:2])
    columns = any(mark in first for mark in (b",", b";", b"\t"))
    return "csv" if columns and not pairs else "libsvm"


# ---- LIBSVM ------------------------------------------------------------------------------------------------------


def read_libsvm(path: Path) -> Parsed:
    """Lines of `label index:value …`; indices count from 1, or from 0 if one of them is 0."""
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415  # a cached file does without

    try:
        with opened(path) as stream:
            X, labels = load_svmlight_file(stream, dtype=np.float64, zero_based="auto")
    except DatasetFormatError:
        raise
    except (ValueError, OverflowError) as error:
        raise DatasetFormatError(_first_fault(path) or f"{path} is not a LIBSVM file: {error}.") from error
    if not labels.size:
        raise DatasetFormatError(f"{path} has no examples.")
    if not (np.isfinite(X.data).all() and np.isfinite(labels).all()):
        raise DatasetFormatError(_first_fault(path) or f"{path} has values that are not finite.")
    X.eliminate_zeros()
    return Parsed(_narrow(X), labels)


def _narrow(X: Any) -> sp.csr_array:
    """With 32-bit indices where they are enough, which is half the memory and what everybody expects."""
    kind = np.int32 if max(X.shape[1], X.nnz) <= np.iinfo(np.int32).max else np.int64
    return sp.csr_array((X.data, X.indices.astype(kind), X.indptr.astype(kind)), shape=X.shape)


def _first_fault(path: Path) -> str | None:
    """Where and what the first thing is that a LIBSVM file must not have."""
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            fault = _fault(line)
            if fault:
                column, what = fault
                return f"{path}, line {number}, column {column}: {what}"
    return None


def _fault(line: bytes) -> tuple[int, str] | None:
    words = list(re.finditer(rb"\S+", line.split(b"#", 1)[0]))
    last = -1
    for place, word in enumerate(words):
        text, column = word.group(), word.start() + 1
        if place == 0:
            if _number(text) is None:
                return column, f"the label {_shown(text)} is not a finite number."
            continue
        if place == 1 and text.startswith(b"qid:"):
            continue
        index, colon, value = text.partition(b":")
        if not colon:
            return column, f"{_shown(text)} is not of the form index:value."
        if not re.fullmatch(rb"\+?\d+", index) or int(index) > _LARGEST_INDEX:
            return column, f"the index {_shown(index)} is not a whole number from 0 to {_LARGEST_INDEX:,}."
        if int(index) <= last:
            return column, f"the index {int(index)} comes after {last}, but indices must increase along a line."
        if _number(value) is None:
            return column + len(index) + 1, f"the value {_shown(value)} is not a finite number."
        last = int(index)
    return None


def _number(text: bytes | str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _shown(text: bytes | str) -> str:
    text = text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text
    return f'"{text[:40]}…"' if len(text) > 40 else f'"{text}"'


# ---- CSV ---------------------------------------------------------------------------------------------------------


def read_csv(path: Path, label: str | int | None = None) -> Parsed:
    """Numbers in columns split by comma, semicolon or tab, with or without a line of names; one column is the label.

    The first line is one of names if none of its cells is a number, or if `label` is a name in it.
    """
    try:
        with opened(path) as stream:
            return _read_table(path, stream, label)
    except UnicodeDecodeError as error:
        raise DatasetFormatError(f"{path}, line {_undecodable_line(path)}: this is not text in UTF-8.") from error


def _read_table(path: Path, stream: IO[bytes], label: str | int | None) -> Parsed:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        rows = _cells(path, text)
        number, first = next(rows, (0, []))
        if not first:
            raise DatasetFormatError(f"{path} has no examples.")
        names = None
        if label in first or not any(_number(cell) is not None for cell in first):
            names, first = first, []
        width = len(names or first)
        if width < 2:
            raise DatasetFormatError(f"{path}, line {number}: one column is not enough for features and a label.")
        table = _Table(path, names, width, _label_column(path, label, names, width))
        if first:
            table.add(number, first)
        for number, cells in rows:
            table.add(number, cells)
        return table.finish()
    finally:
        text.detach()  # the stream is its opener's to close


def _cells(path: Path, text: io.TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
    """(line number, stripped cells) for each line that is not blank."""
    head = text.readline()
    delimiter = max(",;\t", key=head.count)

    reader = csv.reader(itertools.chain([head], text), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise DatasetFormatError(f"{path}, line {start}: {error}.") from error
        if row is None:
            return
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield start, cells


def _label_column(path: Path, label: str | int | None, names: list[str] | None, width: int) -> int:
    if label is None:
        return width - 1
    if isinstance(label, str):
        if names is None or label not in names:
            have = f"its columns are {', '.join(names)}" if names else "it has no line of names"
            raise DatasetFormatError(f'{path} has no column "{label}": {have}.')
        return names.index(label)
    if not -width <= label < width:
        raise DatasetFormatError(f"{path} has {width} columns, so that the label's must be from 0 to {width - 1}.")
    return label % width


class _Table:
    """Takes lines of text one by one and keeps numbers."""

    def __init__(self, path: Path, names: list[str] | None, width: int, label: int) -> None:
        self.path, self.names, self.width, self.label = path, names, width, label
        self.numbers: list[int] = []
        self.lines: list[list[str]] = []
        self.parts: list[Any] = []
        self.labels: list[str] = []

    def add(self, number: int, cells: list[str]) -> None:
        if len(cells) != self.width:
            raise DatasetFormatError(
                f"{self.path}, line {number}: {len(cells)} columns, but the first line has {self.width}."
            )
        label = cells.pop(self.label)
        if not label:
            raise self._fault(number, self.label, "the label is missing.")
        self.labels.append(label)
        self.numbers.append(number)
        self.lines.append(cells)
        if len(self.lines) == _CHUNK:
            self._convert()

    def finish(self) -> Parsed:
        self._convert()
        if not self.labels:
            raise DatasetFormatError(f"{self.path} has no examples.")
        values = [_number(label) for label in self.labels]
        labels = np.array(self.labels) if None in values else np.array(values, dtype=np.float64)
        return Parsed(_narrow(sp.vstack(self.parts, format="csr")), labels)

    def _convert(self) -> None:
        if not self.lines:
            return
        try:
            block = np.array(self.lines, dtype=np.float64)
            good = bool(np.isfinite(block).all())
        except ValueError:
            good = False
        if not good:
            raise self._first_fault()
        self.parts.append(sp.csr_array(block))
        self.numbers, self.lines = [], []

    def _first_fault(self) -> DatasetFormatError:
        number, column, cell = next(
            (number, column, cell)
            for number, cells in zip(self.numbers, self.lines, strict=True)
            for column, cell in enumerate(cells)
            if _number(cell) is None
        )
        what = f"{_shown(cell)} is not a finite number." if cell else "the value is missing."
        return self._fault(number, column + (column >= self.label), what)

    def _fault(self, number: int, column: int, what: str) -> DatasetFormatError:
        name = f" ({self.names[column]})" if self.names else ""
        return DatasetFormatError(f"{self.path}, line {number}, column {column + 1}{name}: {what}")


def _undecodable_line(path: Path) -> int:
    def decodes(line: bytes) -> bool:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    with opened(path) as stream:
        return next(number for number, line in enumerate(stream, start=1) if not decodes(line))
