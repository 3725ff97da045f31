"""The engine's model of label sets, as a machine uses it: an ensemble per label, and one of a label to come.

A label begins with its first example, as a copy of the ensemble that has learned the stream without it. So nothing
depends on batches, or on whether a label was declared before.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.machine.multiclass import Multiclass
from onlineboost.machine.report import Opinion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster
    from onlineboost.boosters.class_costs import Weighing
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.rows import Rows


def found_of(opinion: Opinion, threshold: str) -> NDArray[np.bool_]:
    """Which labels are predicted: those above 1/2, or with "vote" those whose margin is above 0."""
    return np.asarray(opinion.decisions > 0.0 if threshold == "vote" else opinion.probabilities > 0.5)


class ManyLabels(Multiclass):
    """Decisions and probabilities of a label to come, then by label in the order in which labels began."""

    def __init__(self, recipe: Booster, n_features: int, seed: int) -> None:
        self.n_learners = recipe.size()
        self.bank = recipe.bank_spec(n_features, seed)
        if "bank" in self.bank:
            raise ValueError(
                f"{recipe.estimator} takes native learners: over one in Python, use "
                "sklearn.multioutput.MultiOutputClassifier."
            )
        self.booster = recipe.engine_spec(seed)
        self._of_each = recipe.class_spec(seed)
        self.core: Any = self._made()

    def _made(self) -> Any:
        return _core.Labels(self.n_learners, self.bank, self.booster, self._of_each)

    def twin(self) -> ManyLabels:
        """Another engine in the same state."""
        twin: ManyLabels = copy.copy(self)
        twin.core = self._made()
        twin.core.load(self.core.state())
        return twin

    def columns(self, numbers: NDArray[Any]) -> int:
        """Of the report on rows with these labels."""
        return 1 + int(numbers.shape[1])

    @staticmethod
    def wrong(probabilities: NDArray[np.float64], numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rows were given another set than they have."""
        return np.asarray(((probabilities[:, 1:] > 0.5) != numbers).any(axis=1))

    def opinion(self, rows: Rows, labels: LabelCodec) -> Opinion:
        """What the model says of the rows."""
        decisions, probabilities = np.empty((2, rows.n_rows, 1 + self.n_begun))
        rows.predict(self.core, decisions, probabilities)
        return self.as_opinion(decisions, probabilities, labels)

    def opinion_of_one(
        self, found: tuple[Any, Any], labels: LabelCodec, weighing: Weighing | None = None
    ) -> tuple[list[float], Any, Any]:
        """Probabilities of the sorted labels, and which of them these and the vote find."""
        decisions, probabilities = found
        opinion = self.as_opinion(np.array([decisions]), np.array([probabilities]), labels).weighed(weighing)
        return opinion.probabilities[0].tolist(), *(found_of(opinion, way)[0] for way in ("calibrated", "vote"))

    @staticmethod
    def as_opinion(decisions: NDArray[np.float64], probabilities: NDArray[np.float64], labels: LabelCodec) -> Opinion:
        """The engine's columns in the order of the sorted labels; one without examples is as a label to come."""
        classes, columns = labels.classes, labels.columns[: decisions.shape[1] - 1]
        D, P = (np.repeat(values[:, :1], len(classes), axis=1) for values in (decisions, probabilities))
        D[:, columns], P[:, columns] = decisions[:, 1:], probabilities[:, 1:]
        return Opinion(D, P, classes)
