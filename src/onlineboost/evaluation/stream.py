"""Test, then train, on what is not an array: iterables of rows or batches, chunks of data frames, files; late labels.

A stream gives examples in order. Each is tested with the model as it was when the example came, and learned when its
label comes: at once, `delay` examples or a time later, or never.
"""

from __future__ import annotations

import copy
import math
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.evaluation.collect import Collector
from onlineboost.evaluation.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

Chunk = tuple[Any, list[Any]]  # rows (a batch, or a list of dicts), and their labels
_ROWS = 256  # single rows that are learned in one batch


@dataclass(frozen=True, repr=False)
class StreamResult:
    """The result of a pass over a stream, of which nothing is kept but the metrics."""

    metrics: Metrics
    """All metrics by name, over the whole stream, its windows, and with fading."""
    unlabelled: int = 0
    """Examples whose label never came."""

    def __len__(self) -> int:
        return self.metrics.examples

    @property
    def error(self) -> float:
        """The share of wrong predictions."""
        return float(self.metrics["error"])

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of the true labels, in nats."""
        return float(self.metrics["log_loss"])

    def risk_bound(self, alpha: float = 0.05) -> float:
        """A bound on the mean chance to err on the next example, at every time: `onlineboost.theory.risk_bound`.

        Parameters
        ----------
        alpha : float in (0, 1), default=0.05
            The chance that the bound fails at any time.

        """
        from onlineboost.theory.risk import risk_bound  # noqa: PLC0415  # the theory is loaded when it is asked for

        return float(risk_bound(self.error * len(self), len(self), alpha))

    @property
    def advice(self) -> str:
        """What to try if the model did worse than a rule without a model; else nothing."""
        return self.metrics.advice()

    def to_frame(self) -> Any:
        """A row per window, as a pandas data frame: the metrics so far, of the window, and with fading."""
        return self.metrics.to_frame()

    def __repr__(self) -> str:
        told = f"{len(self):,} examples, error {self.error:.4f}, {self.metrics.beside()}, log-loss {self.log_loss:.4f}"
        return f"StreamResult({told})" + (f" {self.advice}" if self.advice else "")


def is_stream(X: Any) -> bool:
    """Whether X is an iterable of rows or batches, or a file, rather than an array or a frame."""
    if isinstance(X, (str, os.PathLike)):
        return True
    if hasattr(X, "shape") or hasattr(X, "__array__"):
        return False
    if isinstance(X, (list, tuple)):
        return bool(X) and (isinstance(X[0], Mapping) or (isinstance(X[0], tuple) and len(X[0]) == 2))
    return isinstance(X, Iterable)


def chunks(X: Any, y: Any) -> Iterator[Chunk]:
    """Batches of a stream, whatever it is made of.

    Parameters
    ----------
    X : iterable
        Pairs (row, label) with dicts or arrays, as river's streams are; pairs (batch, labels); or data frames.
    y : str, iterable or None
        The column of the label in data frames and dicts; the labels of rows that come without; None for pairs.

    """
    labels = None if y is None or isinstance(y, str) else iter(y)
    rows: list[Any] = []
    known: list[Any] = []
    for item in X:
        row, label = _split(item, y, labels)
        if _is_batch(row):
            if rows:
                yield rows, known
                rows, known = [], []
            yield row, list(label)
            continue
        if rows and isinstance(row, Mapping) != isinstance(rows[0], Mapping):
            raise ValueError("A stream is of dicts or of arrays: it has both.")
        rows.append(row)
        known.append(label)
        if len(rows) == _ROWS:
            yield rows, known
            rows, known = [], []
    if rows:
        yield rows, known


def _is_batch(row: Any) -> bool:
    return hasattr(row, "columns") or getattr(row, "ndim", 1) == 2


def _split(item: Any, y: Any, labels: Iterator[Any] | None) -> tuple[Any, Any]:
    if isinstance(y, str):
        if hasattr(item, "columns"):
            given = item[y]
            return without(item, y), given.to_pylist() if hasattr(given, "to_pylist") else list(given)
        if isinstance(item, Mapping):
            return {key: value for key, value in item.items() if key != y}, item.get(y)
        raise ValueError(f"y={y!r} names a column, and the stream has none: it has {type(item).__name__}.")
    if labels is not None:
        if _is_batch(item):
            return item, [next(labels) for _ in range(item.shape[0])]
        return item, next(labels)
    if isinstance(item, tuple) and len(item) == 2:
        return item[0], item[1]
    raise ValueError("A stream without y is of pairs: (row, label) or (batch, labels).")


def without(frame: Any, column: str) -> Any:
    """A table without a column."""
    if hasattr(frame, "iloc"):
        return frame.drop(columns=[column])
    return frame.drop_columns([column]) if hasattr(frame, "drop_columns") else frame.drop(column)


def is_missing(label: Any) -> bool:
    """Whether a label is None or NaN."""
    return label is None or (isinstance(label, (float, np.floating)) and math.isnan(label))


class _Student:
    """A model, and its metrics."""

    def __init__(self, model: Any, metrics: Metrics) -> None:
        self.model = model
        self.collector = Collector(metrics)

    def learn(self, rows: Any, labels: list[Any]) -> None:
        """Test, then train, on rows that all have labels."""
        if isinstance(rows, list) and isinstance(rows[0], Mapping):
            for row, label in zip(rows, labels, strict=True):
                self._test(self.said(row), label)
                self.model.learn_one(row, label)
            return
        report = self.model.learn_batch(np.asarray(rows) if isinstance(rows, list) else rows, labels, report=True)
        self.collector.add(self.model.machine, report)

    def said(self, row: Any) -> tuple[Any, dict[Any, float]]:
        """The prediction and the probabilities of one row."""
        return self.model.predict_one(row), self.model.predict_proba_one(row)

    def _test(self, said: tuple[Any, dict[Any, float]], label: Any) -> None:
        predicted, given = said
        classes = sorted({*given, label})
        P = np.array([[given.get(one, 0.0) for one in classes]])
        self.collector.metrics.update([label], np.array([predicted], object), P, classes)

    def late(self, said: tuple[Any, dict[Any, float]], row: Any, label: Any) -> None:
        """A label that came later: the test was then, learning is now."""
        self._test(said, label)
        self.model.learn_one(row, label)

    def result(self, unlabelled: int) -> StreamResult:
        """When the stream has ended."""
        begun = self.model.__sklearn_is_fitted__()
        metrics = self.collector.finish(self.model.machine) if begun else self.collector.metrics
        return StreamResult(metrics, unlabelled)


def follow(
    models: list[Any],
    X: Any,
    y: Any,
    *,
    make: Callable[[], Metrics],
    delay: Any = None,
    times: Any = None,
) -> list[StreamResult]:
    """Test, then train, several models over one pass of a stream; `make` makes the metrics of each."""
    if any(model.booster_type.label_sets for model in models):
        raise ValueError("Label sets are tested on arrays and frames, with their labels as y, and without a delay.")
    students = [_Student(model, make()) for model in models]
    unlabelled = 0
    if isinstance(X, (str, os.PathLike)):
        return _file(students, X, y)
    if delay is not None or times is not None:
        unlabelled = _delayed(students, X, y, delay, times)
        return [student.result(unlabelled) for student in students]
    for rows, labels in chunks(X, y):
        there = [k for k, label in enumerate(labels) if not is_missing(label)]
        unlabelled += len(labels) - len(there)
        if not there:
            continue
        part = rows if len(there) == len(labels) else _take(rows, there)
        for student in students:
            student.learn(part, [labels[k] for k in there])
    return [student.result(unlabelled) for student in students]


def _file(students: list[_Student], path: str | os.PathLike[str], label: str | None) -> list[StreamResult]:
    from onlineboost.streams import Feed, Schema, open_stream  # noqa: PLC0415  # which evaluates its batches by this room

    feeds = [Feed(student.model) for student in students]
    with open_stream(path, schema=Schema(label=label or "label")) as stream:
        for batch in stream:
            for student, feed in zip(students, feeds, strict=True):
                student.collector.add(feed.machine, feed.learn(batch, report=True))
    return [student.result(0) for student in students]


def _take(rows: Any, places: list[int]) -> Any:
    if isinstance(rows, list):
        return [rows[k] for k in places]
    return rows.iloc[places] if hasattr(rows, "iloc") else rows[places]


def single_rows(rows: Any) -> Iterator[Any]:
    """The rows of a batch, one by one."""
    if isinstance(rows, list):
        yield from rows
    elif hasattr(rows, "iloc"):
        yield from rows.to_dict("records")
    elif hasattr(rows, "iter_rows"):
        yield from rows.iter_rows(named=True)
    else:
        yield from (rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows))


def _delayed(students: list[_Student], X: Any, y: Any, delay: Any, times: Any) -> int:
    """Row by row; a label is learned once `delay` more examples came, or once so much time has passed."""
    waiting: deque[tuple[Any, Any, Any, list[Any]]] = deque()
    clock = None if times is None else iter(times)
    unlabelled = 0
    pairs = chain.from_iterable(
        zip(single_rows(rows), labels, strict=True)
        for rows, labels in (chunks(X, y) if is_stream(X) else [(X, list(y))])
    )
    for count, (row, label) in enumerate(pairs):
        now = count if clock is None else next(clock)
        while waiting and now - waiting[0][0] >= delay:
            _, old, its, said = waiting.popleft()
            for student, then in zip(students, said, strict=True):
                student.late(then, old, its)
        if is_missing(label):
            unlabelled += 1
        else:
            waiting.append((now, row, label, [student.said(row) for student in students]))
    for _, old, its, said in waiting:
        for student, then in zip(students, said, strict=True):
            student.late(then, old, its)
    return unlabelled


def bootstrap(model: Any, X: Any, y: Any, *, copies: int = 10, seed: int = 0) -> Any:
    """The error of copies of a model that see each row Poisson(1) times, for error bars (Oza's online bootstrap).

    Parameters
    ----------
    model : estimator of this package
        It is copied, and stays as it is.
    X, y
        As in `partial_fit`.
    copies : int, default=10
        How many.
    seed : int, default=0
        Of the draws.

    """
    random = np.random.default_rng(seed)
    errors = []
    for _ in range(copies):
        made = copy.deepcopy(model)
        weights = random.poisson(1.0, np.shape(y)[0]).astype(np.float64)
        report = made.learn_batch(X, y, None, weights, report=True)
        one = Collector(Metrics())
        one.add(made.machine, type(report)(report.opinion, report.true, None, report.tests))
        errors.append(one.finish(made.machine)["error"])
    return np.array(errors)
