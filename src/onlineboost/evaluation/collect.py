"""From reports on batches to metrics, such that no number depends on the batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.report import NOT_BEGUN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters import Booster
    from onlineboost.evaluation.metrics import Metrics
    from onlineboost.machine import LearnReport, Machine
    from onlineboost.machine.report import Tests


def chosen_of(report: LearnReport, recipe: Booster) -> NDArray[np.intp]:
    """The column of each prediction; -1 where nothing could be predicted yet."""
    opinion = report.opinion
    chosen = opinion.chosen("vote" if recipe.sampled() else str(recipe.threshold))
    if opinion.decisions.ndim == 2:
        chosen[opinion.decisions.max(axis=1) <= NOT_BEGUN] = -1
    return chosen


def losses_of(report: LearnReport, recipe: Booster, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """1 where a prediction was wrong; with `expert_mode="expected"`, the chance that the draw is."""
    losses, opinion = np.asarray(chosen != report.true, np.float64), report.opinion
    if not recipe.expected() or len(opinion.classes) < 2:
        return losses
    if opinion.decisions.ndim == 2:  # a class has the share of the experts that say it
        losses = 1.0 - opinion.decisions[np.arange(len(chosen)), report.true]
    if report.tests is not None:
        losses[: len(report.tests.codes)] = report.tests.expected_errors
    return np.clip(losses, 0.0, 1.0)


class Collector:
    """The metrics of a model that learns batch after batch.

    Until a second label is known, the tests of two classes wait: which of two labels a probability of 1/2 stands for
    depends on which is the larger.
    """

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._waiting: list[tuple[Tests, NDArray[np.float64] | None]] = []

    def add(self, machine: Machine, report: LearnReport | None) -> None:
        """Take the report on a batch."""
        if report is None:
            return
        classes = report.opinion.classes
        if report.tests is not None and len(classes) < 2:
            self._waiting.append((report.tests, report.weights))
            return
        if self._waiting:
            self._release(machine, classes)
        chosen = chosen_of(report, machine.recipe)
        self.metrics.update_numbers(report.true, chosen, report.opinion.probabilities, classes, report.weights)

    def finish(self, machine: Machine) -> Metrics:
        """The metrics, when the stream has ended."""
        if self._waiting:
            only = machine.labels.classes
            for tests, weights in self._waiting:
                same = np.zeros(len(tests.codes), np.intp)
                self.metrics.update_numbers(same, same, np.ones((len(same), 1)), only, weights)
            self._waiting = []
        return self.metrics

    def _release(self, machine: Machine, classes: NDArray[Any]) -> None:
        vote = machine.recipe.sampled() or machine.recipe.threshold == "vote"
        columns, up = machine.labels.first_two()
        two = classes[np.sort(columns)]
        for tests, weights in self._waiting:
            larger = tests.plus if up else 1.0 - tests.plus
            margins = tests.margins if up else -tests.margins
            chosen = (margins > 0 if vote else larger > 0.5).astype(np.intp)
            true = ((tests.codes > 0) == up).astype(np.intp)
            self.metrics.update_numbers(true, chosen, np.column_stack([1.0 - larger, larger]), two, weights)
        self._waiting = []
