"""Test, then train: the evaluation of online learning. Each example is predicted before its label is used."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.boosters import Booster
from onlineboost.evaluation import members, stream
from onlineboost.evaluation.changes import noticed
from onlineboost.evaluation.collect import chosen_of, losses_of
from onlineboost.evaluation.losses import MeanLosses
from onlineboost.evaluation.metrics import Metrics
from onlineboost.evaluation.metrics.metrics import SHOWN
from onlineboost.evaluation.multilabel import result_of_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from onlineboost.machine import LearnReport

_SMALLEST_PROBABILITY = 1e-15
_log = logging.getLogger("onlineboost")


class Losses(MeanLosses):
    """What every result of a test-then-train pass with one label per example can tell of its losses."""

    make_metrics: Callable[[], Metrics]
    members: dict[str, float]
    changes: list[tuple[int, str]]

    @cached_property
    def metrics(self) -> Metrics:
        """All metrics by name, over the whole stream, its windows, and with fading; made when first asked for."""
        return self.make_metrics()

    @property
    def advice(self) -> str:
        """What to try if the model did worse than a rule without a model; else nothing."""
        return self.metrics.advice()

    def member_risk(self, alpha: float = 0.05) -> dict[str, float]:
        """The same bound for every prefix of OSBoost, or every family of a mixture, all of them at once; by name.

        Empty for other models, and where sample weights are not all 1.

        Parameters
        ----------
        alpha : float in (0, 1), default=0.05
            The chance that any of the bounds fails at any time.

        """
        return members.risk(self.members, len(self), alpha) if (self.weights == 1.0).all() else {}

    def to_frame(self) -> Any:
        """A row per window, as a pandas data frame: the metrics so far, of the window, and with fading."""
        return self.metrics.to_frame()

    def plot(
        self,
        ax: Any = None,
        *,
        metric: str = "error",
        marks: Sequence[int] = (),
        alpha: float | None = 0.05,
        **style: Any,
    ) -> Any:
        """Draw a metric over the stream (needs matplotlib: `pip install "onlineboost[plot]"`) and give the axes.

        Parameters
        ----------
        ax : axes or None, default=None
            Where to draw.
        metric : str, default="error"
            "error" or one of the metrics that were asked for.
        marks : sequence of int, default=()
            Examples to mark by a vertical line, such as known changes of the stream. Changes that the model has noticed
            are marked by themselves.
        alpha : float in (0, 1) or None, default=0.05
            Of the band around the error, `band(alpha=alpha)`; None draws none.
        **style
            Of the line of the metric so far.

        """
        ax = draw_on(ax)
        rows = self.metrics.windows
        drawn = set(ax.get_legend_handles_labels()[1])  # by a result before, on the same axes

        def once(label: str) -> str | None:
            return None if label in drawn else label

        examples, values = self.curve() if metric == "error" else _column(rows, metric)
        style.setdefault("label", f"{metric.replace('_', ' ')} so far")
        (line,) = ax.plot(examples, values, **style)
        windows = _column(rows, f"{metric}_window")
        color = line.get_color()
        ax.plot(*windows, drawstyle="steps-pre", alpha=0.4, color=color, label=once("of each window"))
        if metric == "error" and alpha is not None and len(self):
            label = once(f"chance to err, {1.0 - alpha:.0%} at all times")
            ax.fill_between(*self.band(alpha=alpha), color=color, alpha=0.12, linewidth=0, label=label)
        if metric == "error":
            no_change, majority = _column(rows, "no_change_error"), self.metrics["majority_error"]
            ax.plot(*no_change, ":", color="grey", linewidth=1, label=once("no change"))
            ax.axhline(majority, color="grey", linewidth=1, linestyle="--", label=once("majority"))
            if rows:  # the first examples, whose error may be anything, do not set the scale
                highest = 1.15 * max(majority, *no_change[1], *windows[1])
                ax.set_ylim(0.0, max(highest, ax.get_ylim()[1]) if drawn else highest)
        for mark in marks:
            ax.axvline(mark, color="grey", linewidth=0.8)
        for k, example in enumerate(dict.fromkeys(example for example, _ in self.changes)):
            label = None if k else once("a change was noticed")
            ax.axvline(example, color="tab:red", linewidth=0.6, alpha=0.6, label=label)
        ax.set(xlabel="examples seen", ylabel=metric.replace("_", " "))
        ax.legend(frameon=False, fontsize="small", ncols=2)
        return ax


def draw_on(ax: Any) -> Any:
    """The axes, or new ones."""
    if ax is None:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra, wanted only here

        _, ax = plt.subplots(layout="constrained")
    return ax


def _column(rows: list[dict[str, Any]], name: str) -> tuple[list[int], list[float]]:
    if rows and name not in rows[0]:
        raise ValueError(f"{name.removesuffix('_window')} was not followed: name it in metrics=.")
    return [row["examples"] for row in rows], [row[name] for row in rows]


@dataclass(frozen=True)
class PrequentialResult(Losses):
    """What `prequential` saw, of any number of classes. Means are weighted by `weights` where these were given."""

    predictions: NDArray[Any]
    """The label predicted for each example, before it was learned."""
    margins: NDArray[np.float64]
    """The margin behind each prediction; above 0 it means the larger label. Of many classes, a column per label in
    `classes`; -2 where the class had no example yet."""
    probabilities: NDArray[np.float64]
    """The probability given to the larger label, before the example was learned; of many classes, a column per label.
    """
    losses: NDArray[np.float64]
    """1 where the prediction was wrong, and where no class had an example yet; for `expert_mode="expected"` the chance
    that it would be."""
    true: NDArray[np.intp]
    """The column of the true label in `classes`."""
    classes: NDArray[Any]
    """The labels known at the end, sorted."""
    weights: NDArray[np.float64]
    """Sample weights."""
    make_metrics: Callable[[], Metrics] = field(default=Metrics, repr=False, compare=False)
    """Makes `metrics`."""
    members: dict[str, float] = field(default_factory=dict, repr=False)
    """The mistakes of each prefix of OSBoost, or of each family of a mixture, by name; empty for other models."""
    changes: list[tuple[int, str]] = field(default_factory=list, repr=False)
    """Changes that the model noticed, each with how many examples it had learned, and what happened."""

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Whether the true label was the larger one of two."""
        return np.asarray(self.true == len(self.classes) - 1)

    @property
    def decisions(self) -> NDArray[np.float64]:
        """The margins."""
        return self.margins

    @property
    def _columns(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Probabilities, a column per class or one for the larger label of two, and whether that is the true one."""
        if self.probabilities.ndim == 1:
            return self.probabilities[:, None], self.positive[:, None]
        return self.probabilities, self.true[:, None] == np.arange(len(self.classes))

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of the true labels, in nats; a new label counts as one of chance 10⁻¹⁵."""
        if self.probabilities.ndim == 1:
            given = np.where(self.positive, self.probabilities, 1.0 - self.probabilities)
        else:
            given = self.probabilities[np.arange(len(self)), self.true]
        return self._mean(-np.log(np.maximum(given, _SMALLEST_PROBABILITY)))

    def calibration_error(self, bins: int = 20) -> float:
        """Expected calibration error: mean gap between probability and frequency over bins of equal width.

        Of many classes, the mean over them.
        """
        total = float(self.weights.sum())
        P, right = self._columns
        place = np.minimum((P * bins).astype(int), bins - 1)
        gaps = [
            np.abs(np.bincount(place[:, k], self.weights * (P[:, k] - right[:, k]), bins)).sum()
            for k in range(P.shape[1])
        ]
        return float(np.mean(gaps) / total) if total > 0 else float("nan")

    def __repr__(self) -> str:
        told = f"{len(self):,} examples, error {self.error:.4f}, {self.metrics.beside()}, log-loss {self.log_loss:.4f}"
        return f"PrequentialResult({told})" + (f" {self.advice}" if self.advice else "")


MulticlassPrequentialResult = PrequentialResult  # its name when many classes had a type of their own


def prequential(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    classes: Any = None,
    sample_weight: Any = None,
    metrics: Sequence[str] = SHOWN,
    window: int | None = None,
    delay: Any = None,
    times: Any = None,
) -> Any:
    """Test, then train, on each row in order. Arrays and frames take one native pass.

    The model is trained in place, exactly as by `partial_fit`; a model that has learned before goes on. The result is
    a `PrequentialResult`; of label sets a `MultiLabelResult`; of a stream, or with `delay`, a `StreamResult`, which
    keeps the metrics only.

    Parameters
    ----------
    model : estimator of this package, or a dict of several by name
        Fitted or not. Of several, over one pass, the result is a dict.
    X : array-like, sparse matrix, data frame, iterable or path
        Rows. An iterable is of pairs (dict, label) as river's streams are, of pairs (batch, labels), or of data frames,
        dicts or rows with `y`; a path is a file that `onlineboost.streams` reads.
    y : array-like, str or None
        Labels, or the name of their column. Rows whose label is None or NaN are passed over.
    classes, sample_weight
        As in `partial_fit`, for arrays and frames. A row of weight 0 is tested but not learned.
    metrics : sequence of str
        What `to_frame` and `plot` show, by scikit-learn's names; `result.metrics[name]` has every metric anyway.
    window : int or None, default=None
        Examples in a window; None: a hundredth of the rows, at least 100, and 1,000 of a stream.
    delay : int or time, default=None
        Labels come so many examples later, or so much time later by `times`: rows are tested with the model as it was
        then, and learned when their labels come.
    times : iterable, default=None
        When each row came, for a `delay` by time.

    """
    models = model if isinstance(model, dict) else {"": model}
    sets = [getattr(type(one), "booster_type", Booster).label_sets for one in models.values()]
    for one in models.values():
        if not hasattr(one, "learn_batch"):
            raise TypeError(f"prequential needs an estimator of onlineboost, not {type(one).__name__}.")
    shown = tuple(dict.fromkeys(["error", "no_change_error", *metrics]))
    Metrics(shown=shown)  # a wrong name is found before anything is learned
    if stream.is_stream(X) or delay is not None:
        found = stream.follow(
            list(models.values()), X, y, make=lambda: Metrics(window or 1000, shown=shown), delay=delay, times=times
        )
        results: dict[str, Any] = dict(zip(models, found, strict=True))
    else:
        if not any(sets):
            X, y, sample_weight = _labelled(X, y, sample_weight)
        results = {}
        for name, one in models.items():
            earlier, before = members.mistakes(one), one.n_examples_ if one.__sklearn_is_fitted__() else 0
            report = one.learn_batch(X, y, classes, sample_weight, report=True)
            if one.booster_type.label_sets:
                results[name] = result_of_sets(report, one.machine.recipe)
                continue
            made = members.since(earlier, members.mistakes(one))
            result = result_of(report, one.machine.recipe, window, shown)
            new = [(example - before, what) for example, what in noticed(one.machine) if example > before]
            results[name] = replace(result, members=made, changes=new)
    for name, result in results.items():
        _log.info("prequential%s: %s examples, error %.4f", f" {name}" if name else "", len(result), result.error)
    return results if isinstance(model, dict) else results[""]


def _labelled(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The rows that have a label; all of them, as they are, where no label is missing."""
    if isinstance(y, str) and hasattr(X, "columns"):
        X, y = stream.without(X, y), X[y]
    if np.ndim(y) != 1 or getattr(getattr(y, "dtype", None), "kind", "O") in "iubSU":
        return X, y, sample_weight  # no label is missing, or the checks of a batch produce the error message
    labels = list(y)
    if frozenset({str, int, bool}).issuperset(map(type, labels)):
        return X, y, sample_weight
    there = [k for k, label in enumerate(labels) if not stream.is_missing(label)]
    if len(there) == len(labels):
        return X, y, sample_weight
    rows = X.iloc[there] if hasattr(X, "iloc") else (X if hasattr(X, "shape") else np.asarray(X))[there]
    return rows, [labels[k] for k in there], None if sample_weight is None else np.asarray(sample_weight)[there]


def _metrics(report: LearnReport, chosen: NDArray[np.intp], window: int | None, shown: Sequence[str]) -> Metrics:
    found = Metrics(window or max(100, -(-len(chosen) // 100)), exact=True, shown=shown)
    opinion = report.opinion
    found.update_numbers(report.true, chosen, opinion.probabilities, opinion.classes, report.weights)
    return found


def result_of(
    report: LearnReport, recipe: Booster, window: int | None = None, shown: Sequence[str] = SHOWN
) -> PrequentialResult:
    """The result of a pass over a batch. Where the algorithm draws its predictions, these are the draws."""
    opinion, true = report.opinion, report.true
    weights = np.ones(len(true)) if report.weights is None else report.weights
    chosen = chosen_of(report, recipe)
    predictions, losses = np.asarray(opinion.classes[np.maximum(chosen, 0)]), losses_of(report, recipe, chosen)
    probabilities = opinion.probabilities
    if opinion.decisions.ndim == 1 and report.tests is not None:
        probabilities = probabilities[:, 1] if len(opinion.classes) > 1 else report.tests.plus
    metrics = partial(_metrics, report, chosen, window, tuple(shown))
    return PrequentialResult(
        predictions, opinion.decisions, probabilities, losses, true, opinion.classes, weights, metrics
    )
