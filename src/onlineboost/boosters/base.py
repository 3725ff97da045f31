"""The contract that every booster keeps: scikit-learn's for batches, river's for one example at a time."""

from __future__ import annotations

import copy
import numbers
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost import _check, _core
from onlineboost._input import Rows, check_weight, read_rows, read_weights, unchanged_on_error
from onlineboost._labels import Labels
from onlineboost._scikit import BaseEstimator, ClassifierMixin, NotFittedError, check_random_state
from onlineboost._turns import turns_of
from onlineboost.boosters.jobs import threads_of
from onlineboost.boosters.lesson import Lesson
from onlineboost.boosters.origin import Origin
from onlineboost.learners import Learner

if TYPE_CHECKING:
    import os

    from onlineboost._cells import Cells

MOST_LEARNERS = 1_000_000

_LEARNED = (
    *("_model", "_spec", "_seed", "_origin", "_labels", "_keys", "_key_mode"),
    *("classes_", "n_features_in_", "feature_names_in_"),
)

_NAMED, _COLUMNS, _COLUMNS_ONLY = 0, 1, 2  # how dict keys become features; as in the bindings


class OnlineEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of all boosters. A subclass stores its parameters and says what the engine builds from them."""

    _supervised = True  # river's tools ask: learn_one wants a label
    _multiclass = False

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make an estimator, and let river count it among its classifiers if river is there."""
        river_base = sys.modules.get("river.base")
        if river_base is not None and not issubclass(cls, river_base.Classifier):
            river_base.Classifier.register(OnlineEstimator)
        made: Self = super().__new__(cls)
        return made

    learner: Any
    random_state: Any
    shuffle: bool
    n_passes: int
    n_jobs: int | None = None  # how, not what: no result depends on it, and no file holds it

    classes_: np.ndarray[Any, Any]
    _model: Any  # _core.Model; its state, a dict, while being unpickled
    _labels: Labels
    _keys: dict[Any, int]
    _key_mode: int
    _seed: int
    _origin: Origin
    _spec: tuple[int, dict[str, Any], dict[str, Any]]

    def _n_learners(self) -> int:
        """How many weak learners the bank has."""
        raise NotImplementedError

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        """What the native engine builds the booster from; raises ValueError for parameters out of range."""
        raise NotImplementedError

    # ---- scikit-learn: batches -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn the rows in the given order, `n_passes` times.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Two labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        with turns_of(self).change(), unchanged_on_error(self):
            passes = _check.integer("n_passes", self.n_passes, 1, 1_000_000)
            shuffle = _check.flag("shuffle", self.shuffle)
            self._forget()
            rows = read_rows(self, X, reset=True)
            weights = read_weights(sample_weight, rows)
            if weights is not None and not weights.any():
                raise ValueError("sample_weight is zero for every row, so that there is nothing to learn.")
            labels = Labels()
            codes = labels.encode(y, rows.n_rows, weights)
            model = self._make(self.n_features_in_)
            random = check_random_state(self._seed % 2**32)
            for _ in range(passes):
                if shuffle:
                    order = random.permutation(rows.n_rows)
                    part = None if weights is None else weights[order]
                    rows.take(order).learn(model, codes[order], part)
                else:
                    rows.learn(model, codes, weights)
            self._settle(model, labels)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn one more batch, row by row in the given order. All of it, or nothing if something is wrong with it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (2,), default=None
            Both labels, if the stream may show only one of them for a while. Never required, and without
            influence on what is learned.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        self._learn_batch(X, y, classes, sample_weight)
        return self

    def _learn_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any, outputs: int = 0) -> Lesson:
        """One native pass that fills up to four arrays.

        These are margins, probabilities, expected errors, and the learners' outputs, a row of them per example.
        """
        with turns_of(self).learn(self._settled), unchanged_on_error(self):
            rows = self._read(X, learn=True)
            weights = read_weights(sample_weight, rows)
            labels = copy.copy(self._labels) if self._fitted() else Labels()
            if classes is not None:
                labels.declare_classes(classes)
            codes = labels.encode(y, rows.n_rows, weights)
            model = self._model_for(rows) if self._fitted() else self._make(self.n_features_in_)
            model.threads = threads_of(self.n_jobs)
            filled = [np.empty(rows.n_rows) for _ in range(min(outputs, 3))]
            if outputs > 3:
                filled.append(np.empty((rows.n_rows, self._spec[0])))
            rows.learn(model, codes, weights, *filled)
            self._settle(model, labels)
        return Lesson(rows, labels, codes, weights, filled)

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """The ensemble's margin in [-1, 1] for each row; above 0 it means `classes_[1]`."""
        return self._opinion(X)[0]

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label for each row."""
        margins, _, classes = self._opinion(X)
        if len(classes) == 1:
            return np.full(len(margins), classes[0])
        return np.asarray(classes[(margins > 0).astype(int)])

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """Probabilities for each row, in the order of `classes_`.

        A sigmoid of the margin whose two parameters were learned online from margins taken before each update.
        `predict` goes by the margin, so the two may disagree on rows near the boundary. `DefensiveClassifier` forecasts
        probabilities itself: there it is (1 + margin)/2.
        """
        _, larger, classes = self._opinion(X)
        if len(classes) == 1:
            return np.ones((len(larger), 1))
        return np.column_stack([1.0 - larger, larger])

    # ---- river: one example ----------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            A dict maps names or column numbers to numbers; features may appear at any time, and a missing one
            is 0.
        y : label
            Its label.
        w : float, default=1.0
            Its weight.

        """
        check_weight(w)
        if type(x) is not dict and not isinstance(x, Mapping):
            row = self._single_row(x)
            if not self._learn_plain(row, y, w):
                self.partial_fit(row[np.newaxis], [y], sample_weight=None if w == 1 else [w])
            return
        turns = turns_of(self)
        with turns.lock:
            if self._both_labels_known() and self._knows(x):
                code = self._labels.encode_one(y, w)
                self._model.learn_dict(dict(x), self._keys, self._key_mode, code, w)
                return
            with turns.change(), unchanged_on_error(self):
                if not self._fitted():
                    self._start_with_dict(x)
                labels = copy.copy(self._labels)
                code = labels.encode_one(y, w)
                self._model.learn_dict(dict(x), self._keys, self._key_mode, code, w)
                self._settle(self._model, labels)

    def predict_one(self, x: Any) -> Any:
        """The label for one example; None before anything was learned."""
        found = self._opinion_of_one(x)
        if found is None:
            return None
        margin, _, classes = found
        return classes.tolist()[int(margin > 0 and len(classes) > 1)]

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Probabilities by label for one example; empty before anything was learned."""
        found = self._opinion_of_one(x)
        if found is None:
            return {}
        _, larger, classes = found
        return dict(zip(classes.tolist(), [1.0] if len(classes) == 1 else [1.0 - larger, larger], strict=True))

    # ---- state -----------------------------------------------------------------------------------------------

    @property
    def n_examples_(self) -> int:
        """Examples learned."""
        self._require_fitted()
        return int(self._model.rounds)

    def save(self, path: str | os.PathLike[str], extra: Any = None) -> None:
        """Write the model to a file (docs/model-format.md), whole or not at all; `onlineboost.load` reads it.

        Parameters
        ----------
        path : path
            The file; one that exists is replaced at the end, in one step.
        extra : anything that JSON can hold, default=None
            Kept beside the model; `onlineboost.persistence.load_with_extra` gives it back.

        """
        from onlineboost import persistence  # noqa: PLC0415  # it knows all estimators, and so comes after them

        persistence.save(self, path, extra)

    def to_bytes(self, extra: Any = None) -> bytes:
        """The bytes that `save` would write; `onlineboost.from_bytes` reads them."""
        from onlineboost import persistence  # noqa: PLC0415  # as above

        return persistence.to_bytes(self, extra)

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        with turns_of(self).lock:
            state: dict[str, Any] = dict(super().__getstate__())
            if "_model" in state:
                state["_model"] = state["_model"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in state:
            fields = self._model
            self._model = self._built()
            self._model.load(fields)

    # ---- private ---------------------------------------------------------------------------------------------

    def _settled(self) -> bool:
        """Whether a batch can change the engine only: both labels are known, and it cannot bring names."""
        return self._both_labels_known() and not (self._from_dicts() and self._key_mode == _NAMED)

    def _both_labels_known(self) -> bool:
        return self._fitted() and self._labels.learned and len(self._labels.known) == 2

    def _knows(self, x: Mapping[Any, Any]) -> bool:
        """Whether no key of the dict has to be numbered."""
        if self._key_mode == _COLUMNS:
            return all(type(key) is int or key in self._keys for key in x)
        return self._key_mode == _COLUMNS_ONLY or x.keys() <= self._keys.keys()

    def _fitted(self) -> bool:
        return "_model" in vars(self)

    def _require_fitted(self) -> None:
        if not self._fitted():
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet. Call fit, partial_fit or learn_one first."
            )

    def _forget(self) -> None:
        for name in _LEARNED:
            self.__dict__.pop(name, None)

    def _make(self, n_features: int) -> Any:
        """A fresh model. Fixes the seed and, if columns or keys did not do it yet, how dict keys are read."""
        if not isinstance(self.learner, Learner):
            raise TypeError(
                f"learner must be an onlineboost learner such as Perceptron(), not {self.learner!r}. "
                "Wrap a classifier of another library as BlackBox(classifier)."
            )
        n_learners = _check.integer("the number of weak learners", self._n_learners(), 1, MOST_LEARNERS)
        threads = threads_of(self.n_jobs)
        if isinstance(self.random_state, numbers.Integral):
            self._seed = int(self.random_state) % 2**64
        else:
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._specify(n_learners, n_features)
        names = getattr(self, "feature_names_in_", None)
        keys = {} if names is None else {str(name): j for j, name in enumerate(names)}
        told_apart = names is not None and len(keys) == len(names)
        self._keys = keys if told_apart else {}
        self._key_mode = _NAMED if told_apart else _COLUMNS_ONLY
        model = self._built()
        model.threads = threads
        return model

    def _specify(self, n_learners: int, n_features: int) -> None:
        """Write down what the engine's model is built from, and with which parameters it was made."""
        bank = self.learner._bank_spec(n_learners, n_features, self._seed)
        self._spec = (n_learners, bank, self._booster_spec(self._seed))
        if "bank" not in bank:
            self._origin = Origin.of(self, n_features)

    def _built(self) -> Any:
        """The engine's model, which has learned nothing."""
        return _core.Model(*self._spec)

    def _model_for(self, rows: Rows | Cells) -> Any:
        """The model that learns the rows.

        A bank in Python may raise between two rows. It works on a copy then, so that a batch is all or nothing.
        """
        if rows.n_rows == 1 or "bank" not in self._spec[1]:
            return self._model
        state = self._model.state()
        self._spec = copy.deepcopy(self._spec)
        model = self._built()
        model.load(state)
        return model

    def _settle(self, model: Any, labels: Labels) -> None:
        if not self._fitted() or labels.known is not self._labels.known:
            self.classes_ = labels.classes
        self._labels = labels
        self._model = model

    def _start_with_dict(self, x: Mapping[Any, Any]) -> None:
        model = self._make(len(x))
        columns = len(x) > 0 and all(isinstance(key, numbers.Integral) for key in x)
        self._key_mode = _COLUMNS if columns else _NAMED
        self._settle(model, Labels())

    def _from_dicts(self) -> bool:
        """Whether the stream began with dicts, so that there is no fixed number of columns."""
        return self._fitted() and not hasattr(self, "n_features_in_")

    def _read(self, X: Any, *, learn: bool) -> Rows:
        if not self._from_dicts():
            return read_rows(self, X, reset=learn and not self._fitted())
        rows = read_rows(None, X)
        if self._key_mode == _COLUMNS:
            return rows
        names = [str(name) for name in getattr(X, "columns", ())]
        if not names:
            raise ValueError("This model has learned from dicts with names: pass dicts, or a data frame with names.")
        if len(set(names)) < len(names):
            raise ValueError("X has two columns of one name, so that names do not tell features apart.")
        keys = dict(self._keys)
        ids = np.array([keys.setdefault(name, len(keys)) for name in names])
        if learn:
            self._keys = keys
        return rows.relabel(ids)

    def _opinion(self, X: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Margins and probabilities of the larger label, and the labels: of one and the same state."""

        def read() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
            self._require_fitted()
            self._model.threads = threads_of(self.n_jobs)
            margins, plus = self._read(X, learn=False).predict(self._model)
            orientation = self._labels.orientation
            larger = plus if orientation > 0 else 1.0 - plus
            return margins * orientation + 0.0, larger, self.classes_  # + 0.0: no negative zeros

        return turns_of(self).read(read)

    def _opinion_of_one(self, x: Any) -> tuple[float, float, np.ndarray[Any, Any]] | None:
        """The same for one example; None before anything was learned."""
        row = None if type(x) is dict or isinstance(x, Mapping) else self._single_row(x)

        def read() -> tuple[float, float, np.ndarray[Any, Any]] | None:
            if not self._fitted():
                return None
            if row is None:
                margin, plus = self._model.predict_dict(dict(x), self._keys, self._key_mode)
            else:
                plain = self._key_mode == _COLUMNS_ONLY and self._model.predict_row(row, self.n_features_in_)
                margin, plus = plain or self._checked_prediction(row)
            orientation = self._labels.orientation
            return margin * orientation, plus if orientation > 0 else 1.0 - plus, self.classes_

        return turns_of(self).read(read)

    def _checked_prediction(self, row: np.ndarray[Any, Any]) -> tuple[float, float]:
        (margin,), (plus,) = self._read(row[np.newaxis], learn=False).predict(self._model)
        return float(margin), float(plus)

    def _single_row(self, x: Any) -> np.ndarray[Any, Any]:
        row = np.asarray(x)
        if row.ndim != 1:
            raise ValueError(f"One example is a dict or a 1-D array, not an array of shape {row.shape}.")
        return row.astype(np.float64) if row.dtype.kind in "iub" else row

    def _learn_plain(self, row: np.ndarray[Any, Any], y: Any, w: float) -> bool:
        """Learn a row in one native call, if neither it nor its label needs the checks of a batch; else do nothing.

        These take far longer than learning, and find the words for what is wrong.
        """
        with turns_of(self).lock:
            if vars(self).get("_key_mode") != _COLUMNS_ONLY or (code := self._labels.code_of(y)) is None:
                return False
            learned: bool = self._model.learn_row(row, self.n_features_in_, code, w)
        return learned
