"""The engine's model of many classes, as a machine uses it: learners that give distributions over the classes.

It takes over from the model of two classes at the row that brings the third label, with all that was learned. A class
begins with its first example, so nothing depends on batches, or on whether a class was declared before.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from onlineboost import _core
from onlineboost.machine.class_columns import ColumnPerClass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster


class Multiclass(ColumnPerClass):
    """A bank of learners that know any number of classes, and a booster."""

    in_python = False  # its banks are native

    def __init__(self, recipe: Booster, n_features: int, seed: int, bank: dict[str, Any] | None = None) -> None:
        self.n_learners = recipe.size()
        self.bank = recipe.bank_spec(n_features, seed) if bank is None else bank
        self.booster = recipe.engine_spec(seed)
        self.core: Any = _core.Multiclass(self.n_learners, self.bank, self.booster)

    def twin(self) -> Multiclass:
        """Another engine in the same state."""
        twin: Multiclass = copy.copy(self)
        twin.core = _core.Multiclass(self.n_learners, self.bank, self.booster)
        twin.core.load(self.core.state())
        return twin

    def begin(self, n_classes: int) -> None:
        """The engine begins classes itself."""

    def drop(self, n_classes: int) -> None:
        """As above."""

    def columns(self, numbers: NDArray[np.int64]) -> int:
        """Of the report on rows of these classes, some of which may begin among them."""
        return max(self.n_begun, int(numbers.max(initial=-1)) + 1)
