"""Batches of a stream into a model whose features may grow at any time.

Learning a batch is learning its rows one by one with `learn_one`, as dicts of names (or of column numbers, for LIBSVM),
bit for bit; but the work per cell is native, and Python sees only the names that are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.evaluation.prequential import MulticlassPrequentialResult, PrequentialResult, result_of
from onlineboost.machine import Machine, SparseRows
from onlineboost.machine.features import COLUMNS, NAMES, Features
from onlineboost.machine.labels import tidy_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import LearnReport, Opinion
    from onlineboost.streams.batch import Batch


class Feed:
    """The way from one stream into one model.

    Parameters
    ----------
    model : estimator of this package, or Machine
        The model.

    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._names = _NameTable()

    @property
    def machine(self) -> Machine:
        """The machine of the model, made when first needed."""
        machine: Machine = self.model if isinstance(self.model, Machine) else self.model.machine_to_learn()
        return machine

    def learn(self, batch: Batch, *, classes: Any = None, report: bool = False) -> LearnReport | None:
        """Learn a batch: all of it, or nothing if something is wrong with it; a report where one is asked for."""
        if batch.y is None:
            raise ValueError("Labels were ignored when this stream was opened: there is nothing to learn from.")
        if not len(batch):
            return None
        machine, source = self.machine, _BatchRows(batch, self._names)
        try:
            labels = tidy_labels("y", batch.y)
            return machine.learn(source, labels, batch.weight, classes=classes, report=report, grow=True)
        except ValueError as error:
            if misfit := misfit_of(machine, batch):
                row, label = misfit
                raise ValueError(f"Line {batch.lines[row]} has the label {label!r}. {error}") from None
            raise

    def prequential(self, batch: Batch, *, classes: Any = None) -> PrequentialResult | MulticlassPrequentialResult:
        """Test, then train, on each row of a batch that has rows."""
        report = self.learn(batch, classes=classes, report=True)
        if report is None:
            raise ValueError("The batch has no rows: there is nothing to test.")
        return result_of(report, self.machine.recipe)

    def opinion(self, batch: Batch) -> Opinion:
        """What the model says of the batch: decisions, probabilities and labels of one and the same state."""
        return self.machine.opinion(_BatchRows(batch, self._names))

    def margin(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        return self.opinion(batch).decisions

    def predict(self, batch: Batch) -> NDArray[Any]:
        """As the model's own."""
        return self.opinion(batch).labels(str(self.machine.recipe.threshold))

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        return self.opinion(batch).probabilities


class _NameTable:
    """The model's number of each of the stream's names, kept up to date at the price of what is new."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self._keys: dict[Any, int] | None = None
        self._n_keys = 0
        self.known = np.empty(0, np.int64)  # by the stream's id: the model's number, or -1

    def look_up(self, names: list[str], keys: dict[Any, int]) -> None:
        """Bring the table up to date: whole if the model's keys were changed elsewhere, else for what is new."""
        if self._names is not names or self._keys is not keys or len(keys) < self._n_keys:
            self._names, self._keys, self.known = names, keys, np.empty(0, np.int64)
        elif len(keys) > self._n_keys:
            unknown = np.flatnonzero(self.known < 0)
            self.known[unknown] = [keys.get(names[k], -1) for k in unknown]
        self._n_keys = len(keys)
        if len(self.known) < len(names):
            more = [keys.get(name, -1) for name in names[len(self.known) :]]
            self.known = np.concatenate([self.known, np.array(more, np.int64)])


class _BatchRows:
    """A batch as a machine reads it."""

    def __init__(self, batch: Batch, names: _NameTable) -> None:
        self._batch = batch
        self._names = names

    @property
    def n_rows(self) -> int:
        """How many."""
        return len(self._batch)

    def begin(self) -> tuple[Features, int]:
        """Rows may have any features."""
        return Features(COLUMNS if self._batch.names is None else NAMES), self._batch.cells.first_size()

    def read(
        self, features: Features, weights: NDArray[np.float64] | None, *, learn: bool
    ) -> tuple[SparseRows, list[Any]]:
        """The rows by the model's feature numbers, and the names that learning them adds, in order."""
        X, names = self._batch.cells, self._batch.names
        kind = COLUMNS if names is None else NAMES
        if features.kind != kind or (names is None and features.n_columns is not None):
            what = "numbered columns" if names is None else "names"
            raise ValueError(
                f"This model has learned from {features}, and this stream has {what}: use a stream of the same kind."
            )
        if names is None:
            if _core.csr_order(X.data, X.indices, X.indptr, X.width) != 0:
                raise ValueError("A LIBSVM batch has ascending column numbers, each once in a row.")
            return X, []
        self._names.look_up(names, features.numbers)
        starts, columns = (part.astype(np.int32, copy=False) for part in (X.indptr, X.indices))
        data, indices, fresh = _core.relabel(
            X.data, columns, starts, weights, learn, self._names.known, len(features.numbers)
        )
        width = int(indices.max()) + 1 if len(indices) else 1
        return SparseRows(data, indices, starts, width), [names[k] for k in fresh]


def misfit_of(machine: Machine, batch: Batch) -> tuple[int, Any] | None:
    """The first row whose label cannot go with the labels before it, and that label."""
    known = list(machine.labels.known)
    for row, label in enumerate([] if batch.y is None else batch.y.tolist()):
        if label in known:
            continue
        fraction = isinstance(label, float) and not label.is_integer()
        mixed = known and isinstance(label, str) != isinstance(known[0], str)
        if label is None or fraction or mixed or len(known) == machine.labels.most:
            return row, label
        known.append(label)
    return None
