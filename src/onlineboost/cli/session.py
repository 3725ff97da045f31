"""Test, then train, on a stream: the loop behind `run` and `train`."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.cli.inputs import part
from onlineboost.evaluation.collect import Collector
from onlineboost.evaluation.metrics import Metrics
from onlineboost.streams import FormatError
from onlineboost.streams.feed import Feed, misfit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from onlineboost.cli.inputs import Inputs
    from onlineboost.cli.output import Console
    from onlineboost.cli.score import Score
    from onlineboost.machine import Machine
    from onlineboost.streams import Batch

_STEP_SECONDS = 0.1  # of learning in a step; clock and signals are checked after each
_SMALLEST_STEP = 32
_UNSHOWN_WINDOW = 10_000  # examples that are summed up at a time where nobody reads the windows


class Stopped(BaseException):
    """Ctrl-C or SIGTERM came between two steps."""


class Session:
    """A model, its inputs, and how well it does."""

    def __init__(
        self,
        machine: Machine,
        inputs: Inputs,
        score: Score,
        console: Console,
        most_features: int | None = None,
        *,
        windows: bool = True,
    ) -> None:
        if most_features is not None and most_features < 1:
            raise ValueError(f"--max-model-features must be 1 or more, not {most_features}.")
        self.machine = machine
        self.inputs = inputs
        self.score = score
        self.console = console
        self.collector = Collector(Metrics() if windows else Metrics(_UNSHOWN_WINDOW, shown=()))
        self.stopped = False
        self._busy = False
        self._feed = Feed(machine) if most_features is None else Feed(machine, most_features)
        self._step = 1000

    def go(self, after_step: Callable[[], None]) -> bool:
        """Learn to the end (True) or until a signal comes (False). `after_step` is called between steps.

        After an error in the input, what came before it was learned, and `inputs.position` and `score` include it.
        """
        self.console.begin(self.score)
        with self._signals():
            try:
                try:
                    for batch in self.inputs:
                        if self._learn(batch, after_step):
                            return False
                finally:
                    self._busy = True  # what follows is saving
            except Stopped:
                return False
            finally:
                self.console.clear()
        return True

    def _learn(self, batch: Batch, after_step: Callable[[], None]) -> bool:
        """Learn a batch in steps. True if a signal came."""
        done = 0
        while True:
            self._busy = True
            rows = part(batch, done, done + self._step)
            if len(rows):
                began = time.monotonic()
                self._learn_step(rows)
                spent = time.monotonic() - began
                done += len(rows)
                self._step = max(_SMALLEST_STEP, int(len(rows) * min(2.0, _STEP_SECONDS / max(spent, 1e-6))))
            after_step()
            self.console.progress(self.score)
            if self.stopped:
                return True
            self._busy = False
            if done >= len(batch):
                return False

    def _learn_step(self, rows: Batch) -> None:
        """Learn rows up to the first whose label cannot be learned, and score them."""
        misfit = None
        try:
            learned, report = rows, self._feed.learn(rows, report=True)
        except ValueError:
            misfit = misfit_of(self.machine, rows)
            if misfit is None:
                raise
            learned = part(rows, 0, misfit[0])
            if learned.y is not None and learned.y.dtype.kind == "f":  # a fraction made them floats
                learned = replace(learned, y=learned.y.astype(np.int64))
            report = self._feed.learn(learned, report=True)
        if report is not None:
            self.score.add(self.machine, report)
            if not self.machine.recipe.label_sets:
                self.collector.add(self.machine, report)
        self.inputs.passed(len(learned))
        if misfit is not None:
            good, label, first = misfit
            sentence = _why(label, first, self.machine.labels.most)
            raise FormatError(f"{self.inputs.name}, line {rows.lines[good]}: {sentence}")

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop after the current step; a second signal stops at once."""

        def stop(number: int, _: Any) -> None:
            if self.stopped:
                signal.signal(number, signal.SIG_DFL)
                signal.raise_signal(number)
            self.stopped = True
            if not self._busy:
                raise Stopped

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _why(label: Any, first: Any, most: int) -> str:
    """The error message for a label that does not fit the labels before it."""
    if isinstance(label, float) and not label.is_integer():
        return f"the label {label!r} is not a whole number: labels are whole numbers or texts. Fix the line."
    if first is not None and isinstance(label, str) == isinstance(first, str):
        return f"the label {label!r} is one more than {most:,}: are labels classes, or numbers to predict?"
    return f"the label {label!r} after {first!r}: labels are all numbers or all texts. Fix the line."
