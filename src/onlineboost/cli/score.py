"""How well the model has done so far, test then train: sums that do not depend on how the stream was cut.

Sums are folded from the first example to the last, one by one, so any batches give the same bits. Whether a margin of
exactly 0 was right depends on which of the first two labels is the larger; until the second label is seen, the sum of
losses and the counts of labels are kept for either case.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.cli.confusion import Confusion
from onlineboost.evaluation.collect import chosen_of, losses_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import LabelCodec, LearnReport, Machine
    from onlineboost.machine.report import Tests

_MOST_POINTS = 256
_MOST_WINDOWS, _LEAST_WINDOW = 24, 50
_SMALLEST_PROBABILITY = 1e-15
_FIELDS = {
    "examples",
    "weight",
    "weighted_mistakes",
    "undecided",
    "log_loss",
    "label_weights",
    "confusions",
    "step",
    "curve",
}


def fold(start: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The running sum, before and after each value."""
    return np.add.accumulate(np.concatenate(([start], values)))


class Score:
    """Prequential error, log-loss, and the learning curve."""

    def __init__(self) -> None:
        self.examples = 0
        self.weight = 0.0
        self.losses = [0.0, 0.0]  # if the first label is the larger one, or the smaller; one sum when that is known
        self.log_loss_sum = 0.0
        self.label_weights = [0.0, 0.0]  # in the order of the labels' first examples
        self.confusions: list[Confusion] | None = [Confusion(), Confusion()]  # as losses; None: the record is older
        self.step = 1
        self.curve: list[list[float]] = []  # after each `step` examples: weight, losses

    def add(self, machine: Machine, report: LearnReport | None) -> None:
        """Examples that were tested, then learned."""
        if report is None:
            return
        recipe, labels, done = machine.recipe, machine.labels, 0
        weights = np.ones(len(report.true)) if report.weights is None else report.weights
        if report.tests is not None:
            done = len(report.tests.codes)
            vote = recipe.sampled() or recipe.threshold == "vote"
            self.add_tests(labels, report.tests, weights[:done], vote=vote, expected=recipe.expected())
        if done < len(report.true):
            chosen, P = chosen_of(report, recipe), report.opinion.probabilities
            losses = losses_of(report, recipe, chosen)
            self.add_columns(labels, report.true[done:], chosen[done:], losses[done:], P[done:], weights[done:])

    def add_tests(
        self, labels: LabelCodec, tests: Tests, weights: NDArray[np.float64] | None, *, vote: bool, expected: bool
    ) -> None:
        """Tests in the engine's terms; right is judged by the sign of the vote, or by which label is more probable."""
        codes, margins, plus, chances = tests
        weights = np.ones(len(codes)) if weights is None else weights
        right, side = codes > 0, self._side(labels)
        if vote:
            wrong = [(margins > 0) != right, (-margins > 0) == right]
        else:
            wrong = [(plus > 0.5) != right, (1.0 - plus > 0.5) == right]
        if side is not None:
            wrong = [wrong[side]]
        losses, true = [chances if expected else one for one in wrong], np.where(right, 0, 1)
        said = [np.where(one, 1 - true, true) for one in wrong]
        self._add(losses, np.where(right, plus, 1.0 - plus), true, said, weights)

    def add_columns(
        self,
        labels: LabelCodec,
        true: NDArray[np.intp],
        chosen: NDArray[np.intp],
        losses: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        """Tests of more than two classes, by the columns of the sorted labels."""
        self._side(labels)
        numbers = np.array([labels.begun.get(label, 0) for label in labels.known], np.intp)
        given, said = probabilities[np.arange(len(true)), true], np.where(chosen < 0, -1, numbers[chosen])
        self._add([losses] * len(self.losses), given, numbers[true], [said] * len(self.losses), weights)

    def _side(self, labels: LabelCodec) -> int | None:
        """Which sum of losses counts: 0 if the first label is the larger one, else 1; None while nothing says so."""
        if len(labels.begun) < 2 and len(labels.known) != 2:
            return None
        side = 0 if labels.first_two()[1] else 1
        if len(self.losses) == 2:
            self.losses = [self.losses[side]]
            self.confusions = self.confusions and [self.confusions[side]]
            self.curve = [[weight, losses[side]] for weight, *losses in self.curve]
        return side

    def _add(
        self,
        losses: list[NDArray[Any]],
        given: NDArray[np.float64],
        numbers: NDArray[np.intp],
        said: list[NDArray[np.intp]],
        weights: NDArray[np.float64],
    ) -> None:
        """Losses, probabilities of the true labels, their numbers, and those of the predicted ones."""
        given = np.maximum(given, _SMALLEST_PROBABILITY)
        logs, unused = np.empty_like(given), np.empty_like(given)
        _core.exp_log(given, unused, logs)
        columns = [fold(self.weight, weights)]
        columns += [fold(sum_, loss * weights) for sum_, loss in zip(self.losses, losses, strict=True)]
        self.log_loss_sum = float(fold(self.log_loss_sum, -logs * weights)[-1])
        more = int(numbers.max(initial=0)) + 1 - len(self.label_weights)
        by_label = np.array(self.label_weights + [0.0] * more)
        np.add.at(by_label, numbers, weights)  # one by one, in order
        self.label_weights = by_label.tolist()
        for confusion, predicted in zip(self.confusions or (), said, strict=self.confusions is not None):
            confusion.add(numbers, predicted, weights)
        self._extend(columns, len(given))
        self.examples += len(given)
        self.weight, *self.losses = (float(column[-1]) for column in columns)

    def _extend(self, columns: list[NDArray[np.float64]], count: int) -> None:
        seen, end = self.examples, self.examples + count
        while True:
            places = np.arange((seen // self.step + 1) * self.step, end + 1, self.step) - self.examples
            room = _MOST_POINTS - len(self.curve)
            self.curve += np.column_stack([column[places[:room]] for column in columns]).tolist()
            if len(places) <= room:
                return
            seen = self.examples + int(places[room - 1]) if room else seen
            self.curve = self.curve[1::2]
            self.step *= 2

    # ---- what is read off ------------------------------------------------------------------------------------

    @property
    def error(self) -> float:
        """The share of wrong predictions; 0 while there is one label only."""
        if self.weight <= 0:
            return math.nan
        return self.losses[0] / self.weight if len(self.losses) == 1 else 0.0

    @property
    def log_loss(self) -> float:
        """In nats."""
        return self.log_loss_sum / self.weight if self.weight > 0 else math.nan

    @property
    def baseline(self) -> float:
        """The error of always saying the most frequent label."""
        return math.fsum(sorted(self.label_weights)[:-1]) / self.weight if self.weight > 0 else math.nan

    def confusion(self, labels: LabelCodec) -> list[list[float]] | None:
        """The weights of predicted labels, a row per true label; None where the record is older than these."""
        return None if self.confusions is None else self.confusions[0].table(labels)

    def points(self) -> tuple[list[int], list[float]]:
        """The learning curve: examples, and the error over them."""
        counts = [self.step * (k + 1) for k in range(len(self.curve))]
        errors = [losses[0] / weight if weight > 0 and len(losses) == 1 else 0.0 for weight, *losses in self.curve]
        if self.examples and (not counts or counts[-1] != self.examples):
            counts, errors = [*counts, self.examples], [*errors, self.error]
        return counts, errors

    def windows(self) -> tuple[list[int], list[float]]:
        """The error of at most 24 windows of equal length, of at least 50 examples each: where each ends, its error."""
        size = max(-(-len(self.curve) // _MOST_WINDOWS), -(-_LEAST_WINDOW // self.step))
        ends = [point for point in self.curve[size - 1 :: size] if len(point) == 2]
        starts = [[0.0, 0.0], *ends]
        parts = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(starts, ends, strict=False)]
        errors = [losses / weight if weight > 0 else 0.0 for weight, losses in parts]
        return [self.step * size * (k + 1) for k in range(len(ends))], errors

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "examples": self.examples,
            "weight": self.weight,
            "weighted_mistakes": self.losses[0] if len(self.losses) == 1 else 0.0,
            "undecided": list(self.losses) if len(self.losses) == 2 else None,
            "log_loss": self.log_loss_sum,
            "label_weights": list(self.label_weights),
            "confusions": None if self.confusions is None else [one.to_json() for one in self.confusions],
            "step": self.step,
            "curve": self.curve,
        }

    @classmethod
    def from_json(cls, data: Any) -> Score:
        """From plain data; ValueError if it is something else."""
        if not isinstance(data, dict) or {*data, "confusions"} != _FIELDS:
            raise ValueError("it has no record of how well it did")
        score = cls()
        score.examples, score.step = int(data["examples"]), max(1, int(data["step"]))
        score.weight, score.log_loss_sum = float(data["weight"]), float(data["log_loss"])
        losses = [data["weighted_mistakes"]] if data["undecided"] is None else data["undecided"]
        score.losses = [float(value) for value in losses]
        score.label_weights = [float(value) for value in data["label_weights"]]
        found = data.get("confusions")
        score.confusions = None if found is None else [Confusion.from_json(one) for one in found]
        score.curve = [[float(value) for value in point] for point in data["curve"]]
        width = len(score.losses)
        good = width == (1 if data["undecided"] is None else 2)
        good = good and (score.confusions is None or len(score.confusions) == width)
        good = good and len(score.label_weights) >= 2 and len(score.curve) <= _MOST_POINTS
        if not good or any(len(point) != width + 1 for point in score.curve) or score.examples < 0:
            raise ValueError("its record of how well it did is damaged")
        return score
