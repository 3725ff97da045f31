"""The engine's model of many classes, as a machine uses it: a bank of weak learners per class.

A class begins with its first example, with nothing learned; its random start is a hash of (seed, number of the class,
learner, feature). So nothing depends on batches, or on whether a class was declared before.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.machine.report import NOT_BEGUN, LearnReport, Opinion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.rows import Rows

ClassSpec = tuple[dict[str, Any], dict[str, Any] | None]  # what the bank and the booster of a class are built from


class ManyClasses:
    """A bank per class, and what decides between them."""

    def __init__(self, recipe: Booster, n_features: int, seed: int) -> None:
        self.n_learners = recipe.size()
        self.booster = recipe.engine_spec(seed)
        self._recipe, self._n_features, self._seed = recipe, n_features, seed
        self.classes: list[ClassSpec] = []
        self.core: Any = _core.Classes(self.n_learners, self.booster)
        self._class_spec(0)  # what is wrong with the parameters is found before anything is learned

    def _class_spec(self, k: int) -> ClassSpec:
        seed = _core.class_seed(self._seed, k)
        return self._recipe.bank_spec(self._n_features, seed), self._recipe.class_spec(seed)

    @property
    def bank(self) -> dict[str, Any]:
        """What the bank of the first class is built from."""
        return self.classes[0][0] if self.classes else {}

    @property
    def in_python(self) -> bool:
        """Whether a bank is a Python object, which may raise between two rows."""
        return any("bank" in bank for bank, _ in self.classes)

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

    @staticmethod
    def code(number: int) -> int:
        """The engine's label of a class."""
        return number

    def learn(
        self,
        rows: Rows,
        numbers: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        *,
        report: bool,
        outputs: bool,
    ) -> list[NDArray[np.float64]]:
        """Test, then train: decisions and probabilities, a column per class that has begun, where asked for."""
        if outputs:
            raise ValueError("The outputs of single learners are recorded for two classes only.")
        filled = [np.empty((rows.n_rows, self.n_begun)) for _ in range(2)] if report else []
        rows.learn(self.core, numbers, weights, *filled)
        return filled

    def report(
        self,
        filled: list[NDArray[np.float64]],
        labels: LabelCodec,
        numbers: NDArray[np.int64],
        true: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
    ) -> LearnReport:
        """The report on a batch that filled these arrays."""
        decisions, probabilities = filled
        return LearnReport(_opinion(decisions, probabilities, labels), true, weights)

    def opinion(self, rows: Rows, labels: LabelCodec) -> Opinion:
        """What the model says of the rows."""
        decisions, probabilities = np.empty((2, rows.n_rows, self.n_begun))
        rows.predict(self.core, decisions, probabilities)
        return _opinion(decisions, probabilities, labels)

    def opinion_of_one(self, found: tuple[Any, Any], labels: LabelCodec) -> tuple[list[float], int, int]:
        """Probabilities of the sorted labels, and the columns that these and the vote prefer."""
        decisions, probabilities = found
        opinion = _opinion(np.array([decisions]), np.array([probabilities]), labels)
        return (
            opinion.probabilities[0].tolist(),
            int(opinion.probabilities[0].argmax()),
            int(opinion.decisions[0].argmax()),
        )


def _opinion(decisions: NDArray[np.float64], probabilities: NDArray[np.float64], labels: LabelCodec) -> Opinion:
    """The engine's columns in the order of the sorted labels."""
    classes, columns = labels.classes, labels.columns
    shape = (len(decisions), len(classes))
    D, P = np.full(shape, NOT_BEGUN), np.zeros(shape)
    D[:, columns], P[:, columns] = decisions, probabilities
    P[~P.any(axis=1)] = 1.0 / max(len(classes), 1)  # nothing was learned yet
    return Opinion(D, P, classes)
