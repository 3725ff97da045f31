"""A run seen from outside: what the learners and the vote said before each label, for checks to count with.

Checks of sentences compute from this and from the constants alone, never from the engine's sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.theory.constants import Constants

    Floats = NDArray[np.float64]

TIE = 1e-12  # sums of outputs that are equal but for rounding


@dataclass(frozen=True)
class Run:
    """Examples that were learned, in the engine's terms: +1 is the label that came first."""

    h: Floats
    """Outputs of the learners, a row per example, before it was learned."""
    y: Floats
    s: Floats
    """Sample weights, all above 0."""
    margins: Floats
    """The vote f, before the example was learned."""
    expected_errors: Floats
    """The chance of the algorithm's own draw to err, where it draws."""
    plus: Floats
    """The probability given to +1."""
    chances: Floats | None = None
    """The true chance of +1 given all before, where labels were drawn."""
    X: Any = None
    """The rows."""

    @property
    def m(self) -> Floats:
        """Margins y h of the learners."""
        return self.y[:, None] * self.h

    @property
    def total(self) -> float:
        """Σ s."""
        return float(self.s.sum())

    def weights(self, c: Constants) -> Floats:
        """w_1 … w_{N+1} of each example, by the paper's recursion."""
        z = np.cumsum(self.m - c.theta, axis=1)
        return np.hstack([np.ones((len(self.y), 1)), c.weight(z)])

    def mistakes(self) -> Floats:
        """Σ s 1{y f_i ≤ 0} of the first i learners; a tie but for rounding is none."""
        wrong: Floats = self.s @ (np.cumsum(self.m, axis=1) <= -TIE)
        return wrong

    def vote_mistakes(self) -> float:
        """Σ s 1{y f ≤ 0} of the vote; a tie but for rounding is none."""
        return float(self.s @ (self.y * self.margins <= -TIE))

    def part(self, since: int) -> Run:
        """The examples from a position on."""
        names = ("h", "y", "s", "margins", "expected_errors", "plus", "chances")
        return replace(self, X=None, **{k: v[since:] for k in names if (v := getattr(self, k)) is not None})


def follow(model: Any, X: Any, y: Any, *, sample_weight: Any = None, chances: Any = None) -> Run:
    """Learn as `partial_fit` does, and keep the run.

    Parameters
    ----------
    model : estimator of two classes
        Fitted or not; it goes on learning.
    X, y, sample_weight
        As in `partial_fit`.
    chances : array, default=None
        Where labels were drawn: the chance of each example's label to be the one that the stream began with.

    """
    report = model.learn_batch(X, y, None, sample_weight, report=True, outputs=True)
    tests = report.tests
    s = np.ones(len(tests.codes)) if report.weights is None else np.asarray(report.weights, dtype=np.float64)
    kept = s > 0
    arrays = (report.outputs, tests.codes, s, tests.margins, tests.expected_errors, tests.plus)
    h, codes, weights, margins, expected, plus = (np.asarray(one, dtype=np.float64)[kept] for one in arrays)
    known = None if chances is None else np.asarray(chances, dtype=np.float64)[kept]
    return Run(h, codes, weights, margins, expected, plus, known, np.asarray(X)[kept])


def joined(parts: list[Run], chances: Any = None) -> Run:
    """Runs of one model, one after another, as one; `chances` as in `follow`, for all of it."""
    names = ("h", "y", "s", "margins", "expected_errors", "plus", "X")
    whole = {name: np.concatenate([getattr(one, name) for one in parts]) for name in names}
    return Run(**whole, chances=chances)
