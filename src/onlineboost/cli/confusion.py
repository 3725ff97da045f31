"""Which label was predicted for which: sums of weights that do not depend on how the stream was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import LabelCodec

_MOST_LABELS = 2**31


class Confusion:
    """The weight of each pair that occurred, of a true label and the predicted one, by the numbers of their classes."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], float] = {}

    def add(self, true: NDArray[np.intp], said: NDArray[np.intp], weights: NDArray[np.float64]) -> None:
        """Examples; -1 stands for no prediction, which is no pair."""
        told = said >= 0
        found, place = np.unique(true[told] * _MOST_LABELS + said[told], return_inverse=True)
        pairs = [divmod(pair, _MOST_LABELS) for pair in found.tolist()]
        sums = np.array([self.pairs.get(pair, 0.0) for pair in pairs])
        np.add.at(sums, place, weights[told])  # one by one, in order
        self.pairs.update(zip(pairs, sums.tolist(), strict=True))

    def table(self, labels: LabelCodec) -> list[list[float]]:
        """A row per true label and a column per predicted one, both sorted."""
        numbers = {label: k for k, label in enumerate([*labels.begun, *set(labels.known).difference(labels.begun)])}
        order = [numbers[label] for label in labels.known]
        if len(order) == 1:  # whatever was said stands for it
            return [[sum(self.pairs.values())]]
        return [[self.pairs.get((true, said), 0.0) for said in order] for true in order]

    def to_json(self) -> list[list[float]]:
        """As plain data."""
        return [[*pair, weight] for pair, weight in sorted(self.pairs.items())]

    @classmethod
    def from_json(cls, data: Any) -> Confusion:
        """From plain data; ValueError or TypeError if it is something else."""
        made = cls()
        made.pairs = {(int(true), int(said)): float(weight) for true, said, weight in data}
        return made
