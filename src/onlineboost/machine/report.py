"""What a machine says of rows: its opinion, and the report on learning a batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.class_costs import Weighing

NOT_BEGUN = -2.0  # as in the engine: the decision for a class without examples


@dataclass(frozen=True, eq=False)
class Opinion:
    """What a model says of each row; all of it read from one state.

    Attributes
    ----------
    decisions : of two classes, a margin in [-1, 1] per row, above 0 for the larger label. Of many, a column per class;
        the largest is the vote's choice, and -2 stands for a class without examples.
    probabilities : a column per class.
    classes : the labels, sorted.

    """

    decisions: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    classes: NDArray[Any]

    def chosen(self, threshold: str) -> NDArray[np.intp]:
        """The column of the predicted label: the most probable, or with "vote" the one that the vote prefers."""
        if threshold != "vote":
            if self.probabilities.shape[1] == 2:
                return (self.probabilities[:, 1] > self.probabilities[:, 0]).astype(np.intp)
            return np.asarray(self.probabilities.argmax(axis=1))
        if self.decisions.ndim == 2:
            return np.asarray(self.decisions.argmax(axis=1))
        return ((self.decisions > 0) & (len(self.classes) > 1)).astype(np.intp)

    def weighed(self, weighing: Weighing | None) -> Opinion:
        """The opinion on more than two classes, with these weighed."""
        if weighing is None:
            return self
        P = weighing.probabilities(self.probabilities)
        return replace(self, decisions=weighing.decisions(self.decisions, P), probabilities=P)

    def labels(self, threshold: str) -> NDArray[Any]:
        """The predicted labels."""
        return np.asarray(self.classes[self.chosen(threshold)])


class Tests(NamedTuple):
    """The tests of two classes in the engine's terms: +1 is the class that began first."""

    codes: NDArray[np.float64]
    margins: NDArray[np.float64]
    plus: NDArray[np.float64]  # the probability of +1
    expected_errors: NDArray[np.float64]  # the chance to be wrong, over the algorithm's own draws


@dataclass(frozen=True, eq=False)
class LearnReport:
    """The result of learning one batch, each row tested before it was learned.

    Attributes
    ----------
    opinion : before each row was learned.
    true : the column of each true label in `opinion.classes`.
    weights : one per row, or None where all are 1.
    tests : the tests in the engine's terms, of the rows before a third class began.
    outputs : of every learner, a row per example, where these were asked for (two classes).

    """

    opinion: Opinion
    true: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    tests: Tests | None = None
    outputs: NDArray[np.float64] | None = None


def joined(reports: list[LearnReport]) -> LearnReport:
    """One report of several on parts of a batch."""
    if len(reports) == 1:
        return reports[0]
    opinions = [one.opinion for one in reports]
    opinion = Opinion(
        np.concatenate([one.decisions for one in opinions]),
        np.concatenate([one.probabilities for one in opinions]),
        opinions[-1].classes,
    )
    weights = [one.weights for one in reports if one.weights is not None]
    true = np.concatenate([one.true for one in reports])
    return LearnReport(opinion, true, np.concatenate(weights) if weights else None, reports[0].tests)
