"""Labels of any type, for any number of classes, and the engine's numbers of classes.

Inside, classes are numbered in the order of their first example; of two, the first is +1 and the other -1. Which labels
were declared in advance, and which others a batch holds, then makes no difference. Outside, `classes` is sorted.
"""

from __future__ import annotations

import copy
import math
import numbers
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEGLIGIBLE = 1e-100  # as in the engine: a smaller weight teaches nothing
PLAIN = frozenset({bool, int, float, str})
A_LABEL = "a label is a string, a bool or a finite number"


def sorted_labels(labels: list[Any]) -> NDArray[Any]:
    """The labels in ascending order, as an array."""
    try:
        array = np.array(sorted(labels))
    except TypeError:
        raise ValueError(f"The labels {labels!r} cannot be sorted: use labels of one type.") from None
    if array.dtype.kind == "f" and len(np.unique(array)) < len(labels):
        raise ValueError(f"The labels {labels!r} are equal as floats: use strings, or integers alone.")
    return array


def is_label(label: Any) -> bool:
    """Whether a label is a string, a bool or a finite number: not None, NaN, NA, a date, a list or an array."""
    if isinstance(label, (float, np.floating)):
        return math.isfinite(label)
    if isinstance(label, str):
        return not label.endswith("\0")  # NumPy drops it: "a\0" and "a" would be one label
    return isinstance(label, (np.bool_, numbers.Real)) and not isinstance(label, np.timedelta64)


def shown(label: Any) -> str:
    """A label in a message."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _rule(label: Any) -> str:
    return f"{A_LABEL}, and a string must not end with NUL" if isinstance(label, str) else A_LABEL


def tidy_labels(name: str, y: NDArray[Any]) -> NDArray[Any]:
    """The labels, all of them usable and of one type; objects become the type that they hold."""
    if y.dtype.kind in "mM":
        raise ValueError(f"{name} holds dates or times: {A_LABEL}; convert them, e.g. with .astype(str).")
    if y.dtype.kind == "O":
        labels = y.tolist()
        plain = PLAIN.issuperset(map(type, labels))
        if plain and all(map(is_label, set(labels))):
            usable = np.ones(1, bool)  # all that differ are, and they are few
        else:
            usable = np.fromiter(map(is_label, labels), bool, len(labels))
    else:
        usable = np.isfinite(y) if y.dtype.kind in "fc" else np.ones(len(y), bool)
    if not usable.all():
        row = int(np.argmin(usable))
        raise ValueError(f"{name}[{row}] is {shown(y[row])}: {_rule(y[row])}.")
    if y.dtype.kind == "O":
        sorted_labels(list(dict.fromkeys(labels)))
        return np.array(labels)
    return y


def as_array(y: Any, name: str = "y") -> NDArray[Any]:
    """Labels as an array of one dimension; a list of strings keeps what NumPy would drop, to be refused."""
    if isinstance(y, (list, tuple)) and any(isinstance(label, str) for label in y):
        array = np.empty(len(y), object)
        array[:] = y
        return array
    array = np.asarray(y)
    if array.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def read_label(label: Any) -> Any:
    """One usable label, as a plain object."""
    if isinstance(label, np.generic):
        label = label.item()
    if not is_label(label):
        raise ValueError(f"The label is {shown(label)}: {_rule(label)}.")
    return label


class LabelCodec:
    """The labels seen or declared so far.

    Attributes
    ----------
    most : how many there may be.
    strict : whether two labels that were declared are all there may be.
    known : the labels, sorted.
    begun : the number of each class that has an example.
    declared : whether batches may bring only labels that are known.

    """

    def __init__(self, most: int, *, strict: bool = False) -> None:
        self.most = most
        self.strict = strict
        self.known: list[Any] = []
        self.begun: dict[Any, int] = {}
        self.declared = False
        self._view: tuple[NDArray[Any], float] | None = None

    def copy(self) -> Self:
        """Another codec with the same labels; what one learns does not reach the other."""
        return copy.copy(self)  # lists and dicts are replaced, never changed

    def declare(self, labels: list[Any]) -> None:
        """Make labels known, or say which one is too many."""
        merged = list(dict.fromkeys([*self.known, *labels]))
        if len(merged) > self.most:
            raise ValueError(_too_many(merged, self.most))
        sorted_labels(merged)  # or an error
        self.known, self._view = sorted(merged), None

    def declare_classes(self, classes: Any) -> None:
        """The `classes` argument of partial_fit: all labels that batches will have."""
        wanted = np.unique(tidy_labels("classes", as_array(classes, "classes"))).tolist()
        foreign = [label for label in self.known if label not in wanted]
        if foreign:
            raise ValueError(f"classes={wanted!r} lacks {foreign[0]!r}, which the model has learned already.")
        self.declare(wanted)
        self.declared = self.strict or len(self.known) > 2  # of two labels, both are welcome anyway, and a third

    @property
    def view(self) -> tuple[NDArray[Any], float]:
        """The labels, sorted; and of two classes +1 if the engine's +1 is the larger (or the only one), else -1."""
        if self._view is None:
            classes = sorted_labels(self.known)
            smaller = len(self.known) == 2 and self.begun.get(self.known[0]) == 0
            self._view = classes, -1.0 if smaller else 1.0
        return self._view

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self.view[0]

    @property
    def orientation(self) -> float:
        """Of two classes: +1 if the engine's +1 is the larger label (or the only one), else -1."""
        return self.view[1]

    def first_two(self) -> tuple[NDArray[np.intp], bool]:
        """The places of the labels that began first among the sorted ones, and whether the first is the larger."""
        rest = (label for label in self.known if label not in self.begun)
        place = np.array([self.known.index(label) for label in [*self.begun, *rest][:2]], np.intp)
        return place, bool(place[0] > place[1])

    @property
    def columns(self) -> NDArray[np.intp]:
        """The place of each class that has begun, by its number, among the sorted labels."""
        place = {label: k for k, label in enumerate(self.known)}
        return np.array([place[label] for label in self.begun], np.intp)

    def encode(self, y: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.int64]:
        """The numbers of the labels' classes; new labels become known. -1 where a class has no example.

        `y` comes from `tidy_labels`.
        """
        found, inverse = np.unique(y, return_inverse=True)
        labels = found.tolist()
        known = set(self.known)
        if new := [label for label in labels if label not in known]:
            if y.dtype.kind == "f" and (found != np.floor(found)).any():
                raise ValueError(
                    "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
                    "classes on a regression target with continuous values."
                )
            self.declare(new)
        learned = inverse if weights is None else inverse[weights >= NEGLIGIBLE]
        if len(self.begun) < len(self.known):
            kinds, first = np.unique(learned, return_index=True)
            fresh = [labels[k] for k in kinds[np.argsort(first)] if labels[k] not in self.begun]
            if fresh:
                self.begin(fresh)
        return np.array([self.begun.get(label, -1) for label in labels], np.int64)[inverse]

    def places(self, y: NDArray[Any]) -> NDArray[Any]:
        """Where each label, which must be known, is among the sorted ones."""
        return np.searchsorted(self.classes, y)

    def encode_first(self, y: NDArray[Any], weights: NDArray[np.float64] | None, count: int) -> Self:
        """The codec as it is after the rows up to the one that is the `count`-th to be learned."""
        learned = np.arange(len(y)) if weights is None else np.flatnonzero(weights >= NEGLIGIBLE)
        stop = int(learned[count - 1]) + 1
        self.encode(y[:stop], None if weights is None else weights[:stop])
        return self

    def number_of(self, label: Any) -> int | None:
        """The number of a plain label whose class has begun, else None."""
        if isinstance(label, np.generic):
            label = label.item()
        return self.begun.get(label) if type(label) in PLAIN else None

    def encode_one(self, label: Any, weight: float) -> int:
        """The number of one label; new ones become known."""
        label = read_label(label)
        if label not in self.known:
            self.declare([label])
        if label not in self.begun and weight >= NEGLIGIBLE:
            self.begin([label])
        return self.begun.get(label, -1)

    def begin(self, labels: list[Any]) -> None:
        """Number the classes of labels that have their first example now."""
        self.begun = self.begun | {label: len(self.begun) + k for k, label in enumerate(labels)}
        self._view = None


def _too_many(labels: list[Any], most: int) -> str:
    if most == 2:
        return (
            "Only binary classification is supported. The type of the target is multiclass: the labels are "
            f"{sorted(labels, key=str)!r:.300}. Wrap the model in onlineboost.OneVsRest or in "
            "sklearn.multiclass.OneVsRestClassifier, or map the labels to two."
        )
    return (
        f"There are more than {most:,} different labels: are they classes? If they are numbers to predict, this is a "
        "regression."
    )
