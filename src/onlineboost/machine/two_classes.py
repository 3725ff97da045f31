"""The engine's model of two classes, as a machine uses it: labels are +1 and -1, and a row has one margin."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.machine.labels import NEGLIGIBLE
from onlineboost.machine.progress import watched
from onlineboost.machine.report import NOT_BEGUN, LearnReport, Opinion, Tests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.rows import Rows


class TwoClasses:
    """A bank of weak learners, a booster and a calibration."""

    def __init__(self, recipe: Booster, n_features: int, seed: int, bank: dict[str, Any] | None = None) -> None:
        self.n_learners = recipe.size()
        self.bank = recipe.bank_spec(n_features, seed) if bank is None else bank
        self.in_python = "bank" in self.bank  # a Python object, which may raise between two rows
        self.booster = recipe.engine_spec(seed)
        self.core: Any = _core.Model(self.n_learners, self.bank, self.booster)

    def prepare(self) -> None:
        """Before a single row that may have to be taken back from a bank in Python."""
        self.bank["bank"].prepare()

    def twin(self) -> TwoClasses:
        """Another engine in the same state, with a bank of its own."""
        state = self.core.state()
        twin: TwoClasses = copy.copy(self)
        twin.bank = copy.deepcopy(self.bank)
        twin.core = _core.Model(self.n_learners, twin.bank, self.booster)
        twin.core.load(state)
        return twin

    def begin(self, n_classes: int) -> None:
        """Both classes are there from the start."""

    def weigh(self, decision: tuple[float, float, float] | None) -> None:
        """Weigh the classes as the recipe says."""
        if decision is not None:
            self.core.set_decision(*decision)

    def drop(self, n_classes: int) -> None:
        """As above."""

    @property
    def n_begun(self) -> int:
        """As above."""
        return 2

    @staticmethod
    def code(number: int) -> float:
        """The engine's label of a class."""
        return 1.0 if number == 0 else -1.0

    @staticmethod
    def takes(numbers: NDArray[np.int64], weights: NDArray[np.float64] | None) -> int:
        """How many of these rows it can learn: all up to the first of a third class."""
        beyond = numbers > 1 if weights is None else (numbers > 1) & (weights >= NEGLIGIBLE)
        return int(beyond.argmax()) if beyond.any() else len(numbers)

    def learn(
        self,
        rows: Rows,
        numbers: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        *,
        report: bool,
        outputs: bool,
    ) -> list[NDArray[np.float64]]:
        """Test, then train: margins, probabilities and expected errors, and the learners' outputs, where asked for."""
        filled = [np.empty(rows.n_rows) for _ in range(3)] if report or outputs or watched() else []
        if outputs:
            filled.append(np.empty((rows.n_rows, self.n_learners)))

        def wrong(part: slice) -> NDArray[np.bool_]:
            return np.asarray((filled[1][part] > 0.5) != (numbers[part] == 0))

        codes = np.where(numbers == 0, 1.0, -1.0)
        rows.learn(self.core, codes, weights, *filled, wrong=wrong if filled else None)
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
        margins, plus, expected, *outputs = filled
        tests = Tests(np.where(numbers == 0, 1.0, -1.0), margins, plus, expected)
        return LearnReport(_opinion(margins, plus, labels), true, weights, tests, outputs[0] if outputs else None)

    def opinion(self, rows: Rows, labels: LabelCodec) -> Opinion:
        """What the model says of the rows."""
        margins, plus = np.empty(rows.n_rows), np.empty(rows.n_rows)
        rows.predict(self.core, margins, plus)
        return self.told(margins, plus, labels)

    @staticmethod
    def told(margins: NDArray[np.float64], plus: NDArray[np.float64], labels: LabelCodec) -> Opinion:
        """The opinion that these margins of the first class and its probabilities are."""
        return _opinion(margins, plus, labels)

    def outputs(self, rows: Rows) -> NDArray[np.float64]:
        """The output of every learner, a row per example, as the booster sees it."""
        margins, plus = np.empty(rows.n_rows), np.empty(rows.n_rows)
        outputs = np.empty((rows.n_rows, self.n_learners))
        rows.predict(self.core, margins, plus, outputs)
        return outputs

    def opinion_of_one(self, found: tuple[float, float], labels: LabelCodec) -> tuple[list[float], int, int]:
        """Probabilities of the sorted labels, and the columns that these and the vote prefer."""
        margin, plus = found
        classes, orientation = labels.view
        if len(classes) == 1:
            return [1.0], 0, 0
        if len(classes) > 2:
            opinion = _opinion(np.array([margin]), np.array([plus]), labels)
            return opinion.probabilities[0].tolist(), int(opinion.chosen("")[0]), int(opinion.chosen("vote")[0])
        larger = plus if orientation > 0 else 1.0 - plus
        return [1.0 - larger, larger], int(larger > 0.5), int(margin * orientation > 0)


def _opinion(margins: NDArray[np.float64], plus: NDArray[np.float64], labels: LabelCodec) -> Opinion:
    classes, orientation = labels.view
    if len(classes) > 2:
        return _opinion_of_many(margins, plus, labels)
    margins = margins * orientation + 0.0  # + 0.0: no negative zeros
    if len(classes) == 1:
        return Opinion(margins, np.ones((len(margins), 1)), classes)
    larger = plus if orientation > 0 else 1.0 - plus
    return Opinion(margins, np.column_stack([1.0 - larger, larger]), classes)


def _opinion_of_many(margins: NDArray[np.float64], plus: NDArray[np.float64], labels: LabelCodec) -> Opinion:
    """With more than two labels known: those without an example share what is left over evenly."""
    classes, columns = labels.classes, labels.columns[:2]
    decisions = np.full((len(margins), len(classes)), NOT_BEGUN)
    probabilities = np.zeros_like(decisions)
    minus = 1.0 - plus
    if len(columns) == 2 and columns[0] < columns[1]:  # rounded as with two labels: 1 minus that of the larger one
        plus = 1.0 - minus
    for column, margin, p in zip(columns, (margins, -margins), (plus, minus), strict=False):
        decisions[:, column], probabilities[:, column] = margin + 0.0, p
    others = np.setdiff1d(np.arange(len(classes)), columns)
    if len(columns) < 2:
        probabilities[:, others] = (1.0 - probabilities.sum(axis=1, keepdims=True)) / len(others)
    return Opinion(decisions, probabilities, classes)
