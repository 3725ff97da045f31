"""What the engine's models of many classes share as a machine uses them: a row has a column per class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.progress import watched
from onlineboost.machine.report import NOT_BEGUN, LearnReport, Opinion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.class_costs import Weighing
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.rows import Rows


class ColumnPerClass:
    """Decisions and probabilities by class, in the order in which classes began."""

    core: Any

    @property
    def n_begun(self) -> int:
        """Classes that have begun."""
        return int(self.core.count)

    def columns(self, _: NDArray[np.int64]) -> int:
        """Of the report on rows of these classes."""
        return self.n_begun

    @staticmethod
    def code(number: int) -> int:
        """The engine's label of a class."""
        return number

    @staticmethod
    def takes(numbers: NDArray[np.int64], _: NDArray[np.float64] | None) -> int:
        """How many of these rows it can learn: all."""
        return len(numbers)

    def learn(
        self,
        rows: Rows,
        numbers: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        *,
        report: bool,
        outputs: bool,
    ) -> list[NDArray[np.float64]]:
        """Test, then train: decisions and probabilities, a column per class, where asked for."""
        if outputs:
            raise ValueError("The outputs of single learners are recorded for two classes only.")
        filled = [np.empty((rows.n_rows, self.columns(numbers))) for _ in range(2)] if report or watched() else []

        def wrong(part: slice) -> NDArray[np.bool_]:
            return self.wrong(filled[1][part], numbers[part])

        rows.learn(self.core, numbers, weights, *filled, wrong=wrong if filled else None)
        return filled

    @staticmethod
    def wrong(probabilities: NDArray[np.float64], numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rows were predicted to be of another class."""
        return np.asarray(probabilities.argmax(axis=1) != numbers)

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
        return LearnReport(self.as_opinion(decisions, probabilities, labels), true, weights)

    def opinion(self, rows: Rows, labels: LabelCodec) -> Opinion:
        """What the model says of the rows."""
        decisions, probabilities = np.empty((2, rows.n_rows, self.n_begun))
        rows.predict(self.core, decisions, probabilities)
        return self.as_opinion(decisions, probabilities, labels)

    def opinion_of_one(
        self, found: tuple[Any, Any], labels: LabelCodec, weighing: Weighing | None = None
    ) -> tuple[list[float], int, int]:
        """Probabilities of the sorted labels, and the columns that these and the vote prefer."""
        decisions, probabilities = found
        opinion = self.as_opinion(np.array([decisions]), np.array([probabilities]), labels).weighed(weighing)
        return (
            opinion.probabilities[0].tolist(),
            int(opinion.probabilities[0].argmax()),
            int(opinion.decisions[0].argmax()),
        )

    @staticmethod
    def as_opinion(decisions: NDArray[np.float64], probabilities: NDArray[np.float64], labels: LabelCodec) -> Opinion:
        """The engine's columns, of the classes in the order of their beginning, in that of the sorted labels."""
        classes, columns = labels.classes, labels.columns[: decisions.shape[1]]
        shape = (len(decisions), len(classes))
        D, P = np.full(shape, NOT_BEGUN), np.zeros(shape)
        D[:, columns], P[:, columns] = decisions, probabilities
        P[~P.any(axis=1)] = 1.0 / max(len(classes), 1)  # nothing was learned yet
        return Opinion(D, P, classes)
