"""Sets of labels as a user gives them, and the codec that numbers their labels.

A row's labels are given as a row of an indicator matrix, as a set (or tuple) of labels, or as a dict from labels to
True and False. The model remembers the form that it was given first, and answers in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost.machine.labels import NEGLIGIBLE, PLAIN, LabelCodec, read_label, shown, sorted_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = ("matrix", "sets", "dicts")
_MEMBERS = (AbstractSet, Mapping, tuple)
_NOT_SETS = (
    "y is an indicator matrix of 0 and 1 with a column per label, or has a set of labels (or a dict from labels to "
    "True and False) for each row"
)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The labels of a batch.

    Attributes
    ----------
    labels : sorted.
    has : a row per example and a column per label.
    form : how they were given.

    """

    labels: list[Any]
    has: NDArray[np.bool_]
    form: str

    def __len__(self) -> int:
        return len(self.has)

    def __getitem__(self, rows: Any) -> LabelSets:
        return LabelSets(self.labels, self.has[rows], self.form)


def read_label_sets(y: Any) -> LabelSets:
    """The label sets of a batch, checked; a sparse matrix must be dense by now."""
    if not hasattr(y, "dtype") or getattr(y, "ndim", 2) == 1:
        rows = list(y) if hasattr(y, "__iter__") and not isinstance(y, str | Mapping | AbstractSet) else [y]
        named = any(isinstance(row, list) and any(isinstance(label, str) for label in row) for row in rows)
        sets = [isinstance(row, (*_MEMBERS, list) if named else _MEMBERS) for row in rows]
        if sets and all(sets):
            return _of_sets(rows)
        if any(sets):
            raise ValueError(f"y[{sets.index(False)}] is {shown(rows[sets.index(False)]):.80}: {_NOT_SETS}.")
    return _of_matrix(y)


def _of_matrix(y: Any) -> LabelSets:
    try:
        matrix = np.asarray(y)
    except ValueError:
        raise ValueError(f"The rows of y differ in length: {_NOT_SETS}.") from None
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(f"y has the shape {matrix.shape}: {_NOT_SETS}.")
    good = matrix.dtype.kind in "biuf" or (matrix.dtype.kind == "O" and all(map(_is_flag, matrix.flat)))
    wrong = np.zeros(matrix.shape, bool) if matrix.dtype.kind == "b" else (matrix != 0) & (matrix != 1)
    if not good or wrong.any():
        first = tuple(int(one) for one in np.argwhere(wrong)[0]) if wrong.any() else (0, 0)
        raise ValueError(f"y[{first[0]}, {first[1]}] is {shown(matrix[first])}: {_NOT_SETS}.")
    return LabelSets(list(range(matrix.shape[1])), matrix.astype(bool), "matrix")


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.number)


def _of_sets(rows: list[Any]) -> LabelSets:
    members = [_members(row) for row in rows]
    found = dict.fromkeys(label for row in members for label in row)
    labels = sorted_labels(list(found)).tolist() if found else []
    place = {label: k for k, label in enumerate(labels)}
    has = np.zeros((len(rows), len(labels)), bool)
    for r, row in enumerate(members):
        has[r, [place[label] for label, there in row.items() if there]] = True
    return LabelSets(labels, has, "dicts" if any(isinstance(row, Mapping) for row in rows) else "sets")


def _members(row: Any) -> dict[Any, bool]:
    """The labels of one row, and of a dict whether they are there."""
    if not isinstance(row, Mapping):
        return {read_label(label): True for label in row}
    for label, there in row.items():
        if not _is_flag(there) or there not in {0, 1}:
            raise ValueError(f"y[{shown(label)}] is {shown(there)}: a label is there (True) or not (False).")
    return {read_label(label): bool(there) for label, there in row.items()}


class SetCodec(LabelCodec):
    """The labels of sets seen or declared so far, and the form in which they are given.

    Attributes
    ----------
    form : how labels were given first; None before.

    """

    form: str | None = None

    def take(self, y: LabelSets) -> None:
        """Make the labels of a batch known, in the order of its columns; ValueError if they do not fit."""
        if y.form == "matrix" and self.form not in {None, "matrix"}:
            raise ValueError("This model has learned sets of labels: give it sets, not an indicator matrix.")
        if self.form == "matrix" and (strange := [label for label in y.labels if label not in self.known]):
            raise ValueError(f"y has the label {strange[0]!r}, and the model has {len(self.known)} columns of labels.")
        if self.form == y.form == "matrix" and len(y.labels) != len(self.known):
            raise ValueError(f"y has {len(y.labels)} columns, and the model has {len(self.known)} columns of labels.")
        if any(label not in self.known for label in y.labels):
            self.declare(y.labels)
        if y.form == "matrix" and self.known != y.labels:
            raise ValueError(f"classes={self.known!r} are not the {len(y.labels)} columns of y: leave them out.")
        self.form = self.form or y.form

    def encode(self, y: Any, weights: NDArray[np.float64] | None) -> NDArray[Any]:
        """A row of 0 and 1 per example, by the numbers of the labels that have begun."""
        self.take(y)
        learned = y.has if weights is None else y.has[weights >= NEGLIGIBLE]
        if learned.size:
            seen = learned.any(axis=0)
            first = learned.argmax(axis=0)
            order = sorted((int(first[k]), k) for k in np.flatnonzero(seen))
            if fresh := [y.labels[k] for _, k in order if y.labels[k] not in self.begun]:
                self.begin(fresh)
        codes = np.zeros((len(y), len(self.begun)), np.uint8)
        for k, label in enumerate(y.labels):
            if (number := self.begun.get(label)) is not None:
                codes[:, number] = y.has[:, k]
        return codes

    def encode_first(self, y: Any, weights: NDArray[np.float64] | None, count: int) -> Self:
        """As of one label per row; labels that no set has shown by then are not known."""
        learned = np.arange(len(y)) if weights is None else np.flatnonzero(weights >= NEGLIGIBLE)
        part = y[: int(learned[count - 1]) + 1]
        if part.form == "sets":
            shown_by_then = part.has.any(axis=0)
            labels = [label for label, there in zip(part.labels, shown_by_then, strict=True) if there]
            part = LabelSets(labels, part.has[:, shown_by_then], part.form)
        self.encode(part, None if weights is None else weights[: len(part)])
        return self

    def places(self, y: Any) -> NDArray[Any]:
        """Which of the sorted labels each row has."""
        found = np.zeros((len(y), len(self.known)), bool)
        found[:, [self.known.index(label) for label in y.labels]] = y.has
        return found

    def number_of(self, label: Any) -> Any:
        """The numbers of the plain labels of one row if all have begun, else None."""
        if type(label) not in {set, frozenset, tuple} or self.form is None:
            return None
        found = [self.begun.get(one) if type(one) in PLAIN else None for one in label]
        return None if None in found else found

    def encode_one(self, label: Any, weight: float) -> Any:
        """The numbers of the labels of one row; new ones become known."""
        y = read_label_sets([label])
        return np.flatnonzero(self.encode(y, np.array([weight], np.float64))[0]).tolist()
