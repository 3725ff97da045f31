"""Two labels of any type, and the engine's +1 and -1.

Inside, the first label that is learned is +1. Whether the other one is known at that time, declared in advance
or yet to come then makes no difference. Outside, `classes_` is sorted and a positive margin means `classes_[1]`.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost._scikit import check_classification_targets, column_or_1d

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAIN = frozenset({bool, int, float, str})


def _sorted(labels: list[Any]) -> NDArray[Any]:
    try:
        return np.array(sorted(labels))
    except TypeError:
        raise ValueError(f"The labels {labels!r} cannot be sorted: use labels of one type.") from None


def _usable(label: Any) -> bool:
    """Whether a label is a string, a bool or a finite number: not None, NaN, NA, a list or an array."""
    if isinstance(label, (float, np.floating)):
        return math.isfinite(label)
    return isinstance(label, (str, np.bool_, numbers.Real))


def _tidy(name: str, y: NDArray[Any]) -> NDArray[Any]:
    """The labels, all of them usable and of one type; objects become the type that they hold."""
    if y.dtype.kind == "O":
        labels = y.tolist()
        usable = np.fromiter(map(_usable, labels), bool, len(labels))
    else:
        usable = np.isfinite(y) if y.dtype.kind == "f" else np.ones(len(y), bool)
    if not usable.all():
        row = int(np.argmin(usable))
        raise ValueError(f"{name}[{row}] is {y[row]}: a label is a string, a bool or a finite number.")
    if y.dtype.kind == "O":
        _sorted(list(dict.fromkeys(labels)))
        return np.array(labels)
    return y


def read_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """One usable label per row."""
    labels = _tidy("y", column_or_1d(y, warn=True))
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(labels)} labels.")
    return labels


def read_label(label: Any) -> Any:
    """One usable label, as a plain object."""
    if isinstance(label, np.generic):
        label = label.item()
    if not _usable(label):
        raise ValueError(f"The label is {label!r}: a label is a string, a bool or a finite number.")
    return label


class Labels:
    """The labels met or declared so far: at most two."""

    def __init__(self) -> None:
        self.known: list[Any] = []
        self.plus: Any = None  # the label that is +1 inside
        self.learned = False  # whether `plus` is settled

    def declare(self, labels: Any) -> None:
        """Make labels known, or say which one is too many."""
        merged = list(self.known)
        for label in labels:
            if label not in merged:
                merged.append(label)
        self._refuse_too_many(merged)
        _sorted(merged)
        self.known = merged

    def _refuse_too_many(self, labels: list[Any]) -> None:
        if len(labels) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: the labels are "
                f"{sorted(labels, key=str)!r}. Wrap the model in onlineboost.OneVsRest or in "
                "sklearn.multiclass.OneVsRestClassifier, or map the labels to two."
            )

    def declare_classes(self, classes: Any) -> None:
        """The `classes` argument of partial_fit: all labels there will ever be."""
        wanted = np.unique(_tidy("classes", np.asarray(classes).ravel())).tolist()
        foreign = [label for label in self.known if label not in wanted]
        if foreign:
            raise ValueError(f"classes={wanted!r} lacks {foreign[0]!r}, which the model has learned already.")
        self.declare(wanted)

    @property
    def classes(self) -> NDArray[Any]:
        """Sorted."""
        return _sorted(self.known)

    @property
    def orientation(self) -> float:
        """+1 if the engine's +1 is the larger label (or the only one), else -1."""
        if len(self.known) == 2 and self.plus == min(self.known):
            return -1.0
        return 1.0

    def encode(self, y: Any, n_rows: int, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Labels as +1.0 and -1.0, in the engine's orientation; new ones become known."""
        y = read_labels(y, n_rows)
        if len(self.known) < 2 or not np.isin(y, self.classes).all():
            check_classification_targets(y)
            self.declare(sorted(set(y.tolist())))
        if not self.learned:
            first = 0 if weights is None else int(np.argmax(weights > 0))
            self.learned = weights is None or bool(weights[first] > 0)
            if not self.learned:
                first = len(y) - 1  # as one by one: until something is learned, the latest label
            self.plus = y[first].item() if isinstance(y[first], np.generic) else y[first]
        return np.where(y == self.plus, 1.0, -1.0)

    def code_of(self, label: Any) -> float | None:
        """The code of a plain label that is known and settled, else None: no more than three comparisons."""
        if isinstance(label, np.generic):
            label = label.item()
        if not self.learned or type(label) not in PLAIN or label not in self.known:
            return None
        return 1.0 if label == self.plus else -1.0

    def encode_one(self, label: Any, weight: float) -> float:
        """One label; the fast path of `encode`."""
        if (code := self.code_of(label)) is not None:
            return code
        label = read_label(label)
        if label not in self.known:
            self.declare([label])
        if not self.learned:
            self.plus = label
            self.learned = weight > 0
        return 1.0 if label == self.plus else -1.0
