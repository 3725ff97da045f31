"""Batches of a stream into a model whose features may grow at any time.

Learning a batch is learning its rows one by one with `learn_one`, as dicts of names (or of column numbers, for LIBSVM),
bit for bit; but the work per cell is native, and Python sees only the names that are new.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost._cells import Cells
from onlineboost._input import unchanged_on_error
from onlineboost._labels import Labels
from onlineboost._prequential import PrequentialResult, result_of
from onlineboost._turns import turns_of
from onlineboost.boosters.base import _COLUMNS, _NAMED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.base import OnlineEstimator
    from onlineboost.streams.batch import Batch

Learned = tuple["NDArray[np.float64]", "NDArray[np.float64] | None", "list[NDArray[np.float64]]"]


class Feed:
    """The way from one stream into one model. It remembers which of the stream's names the model knows."""

    def __init__(self, model: OnlineEstimator) -> None:
        if model._multiclass:
            raise TypeError(
                f"A Feed is for two classes, and {type(model).__name__} is for many: use its learn_one or partial_fit."
            )
        self.model = model
        self._names: list[str] | None = None
        self._keys: dict[Any, int] | None = None
        self._n_keys = 0
        self._known = np.empty(0, np.int64)  # by the stream's id: the model's, or -1

    def learn(self, batch: Batch, *, classes: Any = None) -> None:
        """Learn a batch: all of it, or nothing if something is wrong with it."""
        self._learn(batch, classes, 0)

    def prequential(self, batch: Batch, *, classes: Any = None) -> PrequentialResult:
        """Test, then train, on each row of a batch that has rows."""
        codes, weights, filled = self._learn(batch, classes, 3)
        return result_of(self.model, self.model._labels, codes, weights, filled)

    def decision_function(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        return self._opinion(batch)[0]

    def predict(self, batch: Batch) -> NDArray[Any]:
        """As the model's own."""
        margins, _, classes = self._opinion(batch)
        return np.asarray(classes[((margins > 0) & (len(classes) > 1)).astype(int)])

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        _, larger, classes = self._opinion(batch)
        return np.ones((len(larger), 1)) if len(classes) == 1 else np.column_stack([1.0 - larger, larger])

    # ---- private ---------------------------------------------------------------------------------------------

    def _learn(self, batch: Batch, classes: Any, outputs: int) -> Learned:
        model = self.model
        if batch.y is None:
            raise ValueError("Labels were ignored when this stream was opened: there is nothing to learn from.")
        if not len(batch):
            return np.empty(0), None, [np.empty(0) for _ in range(outputs)]
        settled = batch.names is None and model._both_labels_known()
        with turns_of(model).learn(lambda: settled), unchanged_on_error(model):
            labels = copy.copy(model._labels) if model._fitted() else Labels()
            if classes is not None:
                labels.declare_classes(classes)
            codes = _encode(labels, batch)
            fresh = None
            if not model._fitted():
                fresh = model._make(int(batch.cells.indptr[1] - batch.cells.indptr[0]))
                model._key_mode = _COLUMNS if batch.names is None else _NAMED
            rows, new = self._rows(batch, learn=True)
            native = model._model_for(rows) if fresh is None else fresh
            filled = [np.empty(len(batch)) for _ in range(outputs)]
            keys = model._keys
            before = len(keys)
            keys.update(zip(new, range(before, before + len(new)), strict=True))
            try:
                rows.learn(native, codes, batch.weight, *filled)
            except BaseException:  # a bank in Python
                for name in new:
                    del keys[name]
                raise
            model._settle(native, labels)
        return codes, batch.weight, filled

    def _opinion(self, batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]:
        """Margins and probabilities of the larger label, and the labels: of one and the same state."""
        model = self.model

        def read() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]:
            model._require_fitted()
            rows, _ = self._rows(batch, learn=False)
            margins, plus = rows.predict(model._model)
            orientation = model._labels.orientation
            larger = plus if orientation > 0 else 1.0 - plus
            return margins * orientation + 0.0, larger, model.classes_  # + 0.0: no negative zeros

        return turns_of(model).read(read)

    def _rows(self, batch: Batch, *, learn: bool) -> tuple[Cells, list[str]]:
        """The batch as the model's rows, and the names that learning it adds, in order."""
        X, model = batch.cells, self.model
        if batch.names is None:
            if model._key_mode != _COLUMNS:
                raise ValueError(_other("numbered columns", model))
            if _core.csr_order(X.data, X.indices, X.indptr, X.width) != 0:
                raise ValueError("A LIBSVM batch has ascending column numbers, each once in a row.")
            return X, []
        if model._key_mode != _NAMED:
            raise ValueError(_other("names", model))
        self._look_up(batch.names)
        starts = X.indptr.astype(np.int32, copy=False)
        data, indices, fresh = _core.relabel(
            X.data, X.indices.astype(np.int32, copy=False), starts, batch.weight, learn, self._known, len(model._keys)
        )
        width = int(indices.max()) + 1 if len(indices) else 1
        return Cells(data, indices, starts, width), [batch.names[k] for k in fresh]

    def _look_up(self, names: list[str]) -> None:
        """Bring `_known` up to date: whole if the model's keys were changed elsewhere, else for what is new."""
        keys = self.model._keys
        if self._names is not names or self._keys is not keys or len(keys) < self._n_keys:
            self._names, self._keys, self._known = names, keys, np.empty(0, np.int64)
        elif len(keys) > self._n_keys:
            unknown = np.flatnonzero(self._known < 0)
            self._known[unknown] = [keys.get(names[k], -1) for k in unknown]
        self._n_keys = len(keys)
        if len(self._known) < len(names):
            more = [keys.get(name, -1) for name in names[len(self._known) :]]
            self._known = np.concatenate([self._known, np.array(more, np.int64)])


def _other(kind: str, model: OnlineEstimator) -> str:
    if hasattr(model, "n_features_in_"):
        known = f"arrays of {model.n_features_in_} columns"
    else:
        known = "named features" if model._key_mode == _NAMED else "numbered columns"
    return f"This model has learned from {known}, and this stream has {kind}: use a stream of the same kind."


def _encode(labels: Labels, batch: Batch) -> NDArray[np.float64]:
    """The labels as +1 and -1; an error names the line of the first label that cannot be one."""
    try:
        return labels.encode(batch.y, len(batch), batch.weight)
    except ValueError as error:
        known = set(labels.known)
        for label, line in zip(np.asarray(batch.y).tolist(), batch.lines.tolist(), strict=True):
            known.add(label)
            if label is None or len(known) > 2:
                raise ValueError(f"Line {line} has the label {label!r}. {error}") from None
        raise
