"""Two models on one stream, compared while they learn it: an interval that may be looked at after each example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.evaluation.confidence import ConfidenceSequence
from onlineboost.evaluation.metrics import Metrics
from onlineboost.evaluation.multilabel import MultiLabelResult
from onlineboost.evaluation.prequential import draw_on, prequential
from onlineboost.evaluation.stream import follow, is_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOSSES = ("error", "brier")


@dataclass(frozen=True)
class Comparison:
    """The mean difference of the losses of two models, loss of the first less loss of the second, and its interval.

    With probability 1 - alpha the true mean difference so far is in the interval at every time at once: it may be
    looked at after each example, and watching may stop at will.
    """

    difference: NDArray[np.float64]
    """The mean difference over the first 1, 2, … examples."""
    lower: NDArray[np.float64]
    """The lower end of the interval."""
    upper: NDArray[np.float64]
    """The upper end of the interval."""
    losses: tuple[float, float]
    """The mean loss of each model."""
    loss: str
    """What was compared."""
    alpha: float
    """The chance that the interval is ever wrong."""

    def __len__(self) -> int:
        return len(self.difference)

    @property
    def decided_at(self) -> int | None:
        """After how many examples the interval first left out 0; None: it never did."""
        apart = (self.lower > 0) | (self.upper < 0)
        return int(apart.argmax()) + 1 if apart.any() else None

    @property
    def better(self) -> str | None:
        """Which model has the smaller loss, "first" or "second"; None while the interval has 0."""
        if not len(self) or self.lower[-1] <= 0 <= self.upper[-1]:
            return None
        return "first" if self.upper[-1] < 0 else "second"

    def summary(self) -> str:
        """In one sentence."""
        if not len(self):
            return "No examples were compared."
        numbers = (
            f"{self.loss} {self.losses[0]:.4f} and {self.losses[1]:.4f}, difference {self.difference[-1]:+.4f} in "
            f"[{self.lower[-1]:+.4f}, {self.upper[-1]:+.4f}] with {1 - self.alpha:.0%} at all times"
        )
        verdict = (
            "they cannot be told apart yet" if self.better is None else f"the {self.better} is better on this stream"
        )
        return f"After {len(self):,} examples: {numbers}: {verdict}."

    def to_frame(self) -> Any:
        """A row per example, as a pandas data frame."""
        import pandas as pd  # noqa: PLC0415  # an extra, wanted only here

        columns = {"difference": self.difference, "lower": self.lower, "upper": self.upper}
        return pd.DataFrame(columns, index=pd.RangeIndex(1, len(self) + 1, name="examples"))

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference and its interval (needs matplotlib), and give the axes."""
        ax = draw_on(ax)
        t = np.arange(1, len(self) + 1)
        reach = np.abs(self.difference[len(self) // 50 :]).max(initial=0.01) * 3
        ax.fill_between(t, self.lower, self.upper, alpha=0.25, linewidth=0)
        ax.plot(t, self.difference)
        ax.axhline(0.0, color="grey", linewidth=1)
        if self.decided_at is not None:
            ax.axvline(self.decided_at, color="grey", linewidth=0.8, linestyle="--")
        ax.set(xlabel="examples seen", ylabel=f"difference in {self.loss}, and its interval", ylim=(-reach, reach))
        return ax


def compare(first: Any, second: Any, X: Any, y: Any = None, *, loss: str = "error", alpha: float = 0.05) -> Comparison:
    """Test, then train, two models on one stream, and say which is better, with an interval for each time.

    Both models learn, as by `prequential`. The interval is a confidence sequence: it holds at every time at once and on
    every stream, stationary or not, so it may be watched and the stream stopped when it has left 0.

    Parameters
    ----------
    first, second : estimators of this package
        Fitted or not.
    X, y
        As in `prequential`: arrays, frames, or any stream.
    loss : {"error", "brier"}, default="error"
        Wrong predictions (of label sets, the Hamming loss), or the squared distance of the probabilities from the
        label, halved: both in [0, 1].
    alpha : float, default=0.05
        The chance that the interval is ever wrong.

    """
    if loss not in LOSSES:
        raise ValueError(f"loss is one of {', '.join(LOSSES)}, not {loss!r}: the interval needs a bounded loss.")
    sequence = ConfidenceSequence(alpha)
    if is_stream(X):
        results: list[Any] = list(follow([first, second], X, y, make=lambda: Metrics(exact=True)))
    else:
        results = [prequential(model, X, y) for model in (first, second)]
    if loss != "error" and any(isinstance(result, MultiLabelResult) for result in results):
        raise ValueError('Models of label sets are compared by loss="error", their Hamming loss.')
    one, two = (
        result.losses if isinstance(result, MultiLabelResult) else result.metrics.losses(loss) for result in results
    )
    difference, lower, upper = sequence.add(one - two)
    return Comparison(difference, lower, upper, (_mean(one), _mean(two)), loss, alpha)


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")
