"""Any number of labels, and the engine's numbers of classes.

Inside, classes are numbered in the order of their first example. Whether labels were declared in advance, and which
others a batch holds, then makes no difference. Outside, `classes_` is sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost._labels import PLAIN, Labels, read_label, read_labels
from onlineboost._scikit import check_classification_targets

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CLASSES = 10_000
NEGLIGIBLE = 1e-100  # as in the engine: a weight below teaches nothing


class ClassLabels(Labels):
    """The labels met or declared so far."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[Any, int] = {}  # the number of each class that has an example
        self.declared = False  # whether batches may bring only labels that are known

    def _refuse_too_many(self, labels: list[Any]) -> None:
        if len(labels) > MOST_CLASSES:
            raise ValueError(
                f"There are more than {MOST_CLASSES:,} different labels: are they classes? If they are numbers to "
                "predict, this is a regression."
            )

    def declare_classes(self, classes: Any) -> None:
        """The `classes` argument of partial_fit: all labels that batches will have."""
        super().declare_classes(classes)
        self.declared = True

    def encode(self, y: Any, n_rows: int, weights: NDArray[np.float64] | None) -> NDArray[np.int64]:  # type: ignore[override]  # numbers, not signs
        """The numbers of the labels' classes; new ones become known. -1 where a row teaches nothing of a class."""
        y = read_labels(y, n_rows)
        found, inverse = np.unique(y, return_inverse=True)
        labels = found.tolist()
        if new := [label for label in labels if label not in self.known]:
            self.declare(new)
            check_classification_targets(y)
        learned = inverse if weights is None else inverse[weights >= NEGLIGIBLE]
        if any(labels[k] not in self.begun for k in np.unique(learned)):
            self.begun = dict(self.begun)
            kinds, first = np.unique(learned, return_index=True)
            for k in kinds[np.argsort(first)]:
                self.begun.setdefault(labels[k], len(self.begun))
        return np.array([self.begun.get(label, -1) for label in labels], np.int64)[inverse]

    def code_of(self, label: Any) -> int | None:
        """The number of a plain label whose class has begun, else None."""
        if isinstance(label, np.generic):
            label = label.item()
        return self.begun.get(label) if type(label) in PLAIN else None

    def encode_one(self, label: Any, weight: float) -> int:
        """One label; the fast path of `encode`."""
        label = read_label(label)
        if label not in self.known:
            self.declare([label])
        if label not in self.begun and weight >= NEGLIGIBLE:
            self.begun = {**self.begun, label: len(self.begun)}
        return self.begun.get(label, -1)

    @property
    def columns(self) -> NDArray[np.intp]:
        """Where the classes that have begun stand among the sorted labels, by their number."""
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        return np.array([place[label] for label in self.begun], np.intp)
