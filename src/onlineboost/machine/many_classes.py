"""The engine's model of many classes, as a machine uses it: a bank of weak learners per class.

A class begins with its first example, with nothing learned; its random start is a hash of (seed, number of the class,
learner, feature). So nothing depends on batches, or on whether a class was declared before.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.boosters.base import Shared
from onlineboost.machine.class_columns import ColumnPerClass

if TYPE_CHECKING:
    from onlineboost.boosters.base import Booster
    from onlineboost.machine.two_classes import TwoClasses

OF_THE_STREAM = ("set_", "feature_weight", "feature_sums", "feature_squares", "missing_")  # fields that classes share
ClassSpec = tuple[dict[str, Any], dict[str, Any] | None]  # what the bank and the booster of a class are built from


class ManyClasses(ColumnPerClass):
    """A bank per class, and what decides between them."""

    def __init__(self, recipe: Booster | Shared, n_features: int, seed: int, *, turned: bool = False) -> None:
        """Nothing is learned yet; `turned`: the second class is a copy of the first with the sign turned."""
        self._turned = turned
        self.n_learners = recipe.size()
        self.booster = recipe.engine_spec(seed)
        self._recipe, self._n_features, self._seed = recipe, n_features, seed
        self.classes: list[ClassSpec] = []
        self.core: Any = _core.Classes(self.n_learners, self.booster)
        self._class_spec(0)  # what is wrong with the parameters is found before anything is learned

    def _class_spec(self, k: int) -> ClassSpec:
        seed = _core.class_seed(self._seed, 0 if k == 1 and self._turned else k)
        return self._recipe.bank_spec(self._n_features, seed), self._recipe.class_spec(seed)

    @classmethod
    def adopted(cls, two: TwoClasses, recipe: Booster | Shared, n_features: int, seed: int) -> ManyClasses:
        """A bank per class, with what a model of two classes has learned, its first against its second."""
        made = cls(recipe, n_features, seed, turned=True)
        alone = isinstance(recipe, Shared)
        made.classes = [(copy.deepcopy(two.bank), None if alone else two.booster) for _ in range(2)]
        for one in made.classes:
            made.core.add(*one)
        state = two.core.state()
        shared = {name: state.pop(name) for name in list(state) if name.startswith(OF_THE_STREAM)}
        shared |= {"rounds": state["rounds"], "class_signs": np.array([1, -1])}
        if isinstance(recipe, Shared):
            shared |= {name: state[name] for name in recipe.kept}
            for name in two.core.booster_state():
                del state[name]
            if not recipe.calibrated:
                state = {name: value for name, value in state.items() if not name.startswith("calibration")}
        fields = {f"class{k}.{name}": value for k in range(2) for name, value in state.items()}
        made.core.load(fields | shared)
        return made

    @property
    def bank(self) -> dict[str, Any]:
        """What the bank of the first class is built from."""
        return self.classes[0][0] if self.classes else {}

    @property
    def in_python(self) -> bool:
        """Whether the banks are Python objects, which may raise between two rows."""
        return "bank" in self.bank

    def prepare(self) -> None:
        """Before a single row that may have to be taken back from banks in Python."""
        for bank, _ in self.classes:
            bank["bank"].prepare()

    def twin(self) -> ManyClasses:
        """Another engine in the same state, with banks of its own."""
        state = self.core.state()
        twin: ManyClasses = copy.copy(self)
        twin.classes = copy.deepcopy(self.classes)
        twin.core = _core.Classes(self.n_learners, self.booster)
        for one in twin.classes:
            twin.core.add(*one)
        twin.core.load(state)
        return twin

    @property
    def n_begun(self) -> int:
        """Classes that have begun."""
        return len(self.classes)

    def begin(self, n_classes: int) -> None:
        """Make room for classes, up to so many."""
        for k in range(len(self.classes), n_classes):
            spec = self._class_spec(k)
            self.core.add(*spec)
            self.classes.append(spec)

    def drop(self, n_classes: int) -> None:
        """Only the first so many remain."""
        self.core.drop(n_classes)
        del self.classes[n_classes:]
