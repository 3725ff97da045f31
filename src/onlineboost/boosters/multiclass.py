"""The contract for any number of classes: that of `base`, with a column per class where that has one number.

The engine has a bank of N weak learners for each class, numbered in the order of their first example. A class begins
with its first example, with nothing learned; its random start is a hash of (seed, number of the class, learner,
feature). So nothing depends on batches, or on whether a class was declared before.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from onlineboost import _check, _core
from onlineboost._class_labels import ClassLabels
from onlineboost._input import Rows, check_weight, read_rows, read_weights, unchanged_on_error
from onlineboost._labels import read_labels
from onlineboost._scikit import check_random_state, clone
from onlineboost._turns import turns_of
from onlineboost.boosters.base import _COLUMNS_ONLY, OnlineEstimator
from onlineboost.boosters.jobs import threads_of
from onlineboost.boosters.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NOT_BEGUN = -2.0  # as in the engine: the decision for a class without examples


class Opinion(NamedTuple):
    """A decision and a probability per row and class; the columns are the sorted labels."""

    decisions: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    classes: NDArray[Any]


class MulticlassEstimator(OnlineEstimator):
    """Base of the boosters for any number of classes."""

    _multiclass = True
    _labels: ClassLabels
    _template: OnlineEstimator  # with the parameters in force when the model was made
    _classes: list[tuple[dict[str, Any], dict[str, Any] | None]]  # what the bank and the booster of each are built from

    def _class_booster(self, seed: int) -> dict[str, Any] | None:
        """What the booster of a class is built from, where each has its own."""
        raise NotImplementedError

    def _subject(self) -> OnlineEstimator:
        """Whose parameters the model is made with."""
        return self

    # ---- scikit-learn: batches -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn the rows in the given order, `n_passes` times.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels of any type.
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
            labels = ClassLabels()
            y = read_labels(y, rows.n_rows)
            model = self._make(self.n_features_in_)
            random = check_random_state(self._seed % 2**32)
            for _ in range(passes):
                order = random.permutation(rows.n_rows) if shuffle else np.arange(rows.n_rows)
                part = None if weights is None else weights[order]
                codes = labels.encode(y[order], rows.n_rows, part)
                with self._room(model, labels):
                    (rows.take(order) if shuffle else rows).learn(model, codes, part)
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
        classes : array-like of shape (n_classes,), default=None
            All labels, so that `predict_proba` has a column for each from the start; batches with others are then
            refused. Without it, batches may bring new labels at any time. It has no influence on what is learned.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        self._learn_classes(X, y, classes, sample_weight)
        return self

    def _learn_classes(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, *, report: bool = False, grow: bool = False
    ) -> tuple[Opinion, NDArray[np.intp], NDArray[np.float64] | None]:
        """One native pass: the opinion before each row was learned, the columns of the true labels, and the weights."""
        with turns_of(self).change(), unchanged_on_error(self):
            rows = self._read(X, learn=True)
            weights = read_weights(sample_weight, rows)
            labels = copy.copy(self._labels) if self._fitted() else ClassLabels()
            if classes is not None:
                labels.declare_classes(classes)
            known = labels.known
            codes = labels.encode(y, rows.n_rows, weights)
            if labels.declared and labels.known is not known and not grow:
                raise ValueError(
                    f"y holds the label {labels.known[len(known)]!r}, which is not one of classes={sorted(known)!r}: "
                    "declare all labels, or bring a new one by learn_one."
                )
            fresh = self._make(self.n_features_in_) if not self._fitted() else None
            model = self._model_to_learn(rows.n_rows, labels) if fresh is None else fresh
            model.threads = threads_of(self.n_jobs)
            with self._room(model, labels):
                filled = [np.empty((rows.n_rows, model.count)) for _ in range(2)] if report else []
                rows.learn(model, codes, weights, *filled)
            self._settle(model, labels)
            decisions, probabilities = filled or np.empty((2, 0, model.count))
            opinion = self._arranged(decisions, probabilities, labels)
            true = np.searchsorted(opinion.classes, read_labels(y, rows.n_rows)) if report else np.empty(0, np.intp)
        return opinion, true, weights

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How much speaks for each class; the largest is predicted. With two classes, above 0 means `classes_[1]`.

        Columns are in the order of `classes_`. A declared class without examples has -2, which is below all others.
        """
        decisions = self._opinion(X).decisions
        return decisions if decisions.shape[1] != 2 else np.asarray((decisions[:, 1] - decisions[:, 0]) / 2.0)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label for each row."""
        opinion = self._opinion(X)
        return np.asarray(opinion.classes[opinion.decisions.argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities for each row, in the order of `classes_`.

        `predict` goes by the decision function, so that the two may disagree on rows near a boundary.
        """
        return self._opinion(X).probabilities

    # ---- river: one example ----------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example; its label may be one that was never seen.

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
        row = None if type(x) is dict or isinstance(x, Mapping) else self._single_row(x)
        turns = turns_of(self)
        with turns.lock:
            code = self._labels.code_of(y) if self._fitted() else None
            if row is not None:
                plain = code is not None and self._key_mode == _COLUMNS_ONLY
                if not (plain and self._model.learn_row(row, self.n_features_in_, code, w)):
                    self._learn_classes(row[np.newaxis], [y], None, None if w == 1 else [w], grow=True)
                return
            if code is not None and self._knows(x):
                self._model.learn_dict(dict(x), self._keys, self._key_mode, code, w)
                return
            with turns.change(), unchanged_on_error(self):
                if not self._fitted():
                    self._start_with_dict(x)
                labels = copy.copy(self._labels)
                code = labels.encode_one(y, w)
                model = self._model_to_learn(1, labels)
                with self._room(model, labels):
                    model.learn_dict(dict(x), self._keys, self._key_mode, code, w)
                self._settle(model, labels)

    def predict_one(self, x: Any) -> Any:
        """The label for one example; None before anything was learned."""
        opinion = self._opinion_of_one(x)
        if opinion is None:
            return None
        return opinion.classes.tolist()[int(opinion.decisions[0].argmax())]

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Probabilities by label for one example; empty before anything was learned."""
        opinion = self._opinion_of_one(x)
        if opinion is None:
            return {}
        return dict(zip(opinion.classes.tolist(), opinion.probabilities[0].tolist(), strict=True))

    # ---- private ---------------------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _forget(self) -> None:
        super()._forget()
        for name in ("_template", "_classes"):
            self.__dict__.pop(name, None)

    def _specify(self, n_learners: int, n_features: int) -> None:
        self._start(clone(self._subject()), n_learners, n_features, 0)
        self._class_spec(0)  # what is wrong with the parameters is found before anything is learned

    def _start(self, template: OnlineEstimator, n_learners: int, n_features: int, n_classes: int) -> None:
        """Write down what a model of so many classes is built from. The template is nobody else's."""
        self._template = template
        self._origin = Origin.of(template, n_features)
        self._spec = (n_learners, {}, self._booster_spec(self._seed))
        self._classes = [self._class_spec(k) for k in range(n_classes)]

    def _class_spec(self, k: int) -> tuple[dict[str, Any], dict[str, Any] | None]:
        seed = _core.class_seed(self._seed, k)
        n_learners, n_features = self._spec[0], self._origin.n_features
        return self._template.learner._bank_spec(n_learners, n_features, seed), self._class_booster(seed)

    def _built(self) -> Any:
        n_learners, _, booster = self._spec
        model = _core.Classes(n_learners, booster)
        for bank, own in self._classes:
            model.add(bank, own)
        return model

    @contextmanager
    def _room(self, model: Any, labels: ClassLabels) -> Iterator[None]:
        """Room for the classes that begin now; taken back if nothing comes of it."""
        before = model.count
        try:
            for k in range(before, len(labels.begun)):
                self._classes = [*self._classes, self._class_spec(k)]
                model.add(*self._classes[k])
            yield
        except BaseException:
            model.drop(before)
            raise

    def _model_to_learn(self, n_rows: int, labels: ClassLabels) -> Any:
        """The model, or its copy where a bank in Python may raise when part of the lesson is learned."""
        in_python = any("bank" in bank for bank, _ in self._classes)
        if not in_python or (n_rows == 1 and len(labels.begun) == len(self._classes)):
            return self._model
        state = self._model.state()
        self._classes = copy.deepcopy(self._classes)
        model = self._built()
        model.load(state)
        return model

    def _start_with_dict(self, x: Mapping[Any, Any]) -> None:
        super()._start_with_dict(x)
        self._labels = ClassLabels()

    def _arranged(self, decisions: Any, probabilities: Any, labels: ClassLabels) -> Opinion:
        """The engine's columns in the order of the labels."""
        classes, columns = labels.classes, labels.columns
        shape = (len(decisions), len(classes))
        D, P = np.full(shape, NOT_BEGUN), np.zeros(shape)
        D[:, columns], P[:, columns] = decisions, probabilities
        P[~P.any(axis=1)] = 1.0 / max(len(classes), 1)  # nothing was learned yet
        return Opinion(D, P, classes)

    def _opinion(self, X: Any) -> Opinion:
        def read() -> Opinion:
            self._require_fitted()
            self._model.threads = threads_of(self.n_jobs)
            return self._told(self._read(X, learn=False))

        return turns_of(self).read(read)

    def _told(self, rows: Rows) -> Opinion:
        shape = (rows.n_rows, len(self._classes))
        decisions, probabilities = np.empty(shape), np.empty(shape)
        rows.fill(self._model, decisions, probabilities)
        return self._arranged(decisions, probabilities, self._labels)

    def _opinion_of_one(self, x: Any) -> Opinion | None:  # type: ignore[override]  # a column per class
        row = None if type(x) is dict or isinstance(x, Mapping) else self._single_row(x)

        def read() -> Opinion | None:
            if not self._fitted():
                return None
            if row is None:
                found = self._model.predict_dict(dict(x), self._keys, self._key_mode)
            else:
                found = self._key_mode == _COLUMNS_ONLY and self._model.predict_row(row, self.n_features_in_)
                if not found:
                    return self._told(self._read(row[np.newaxis], learn=False))
            decisions, probabilities = found
            return self._arranged(np.array([decisions]), np.array([probabilities]), self._labels)

        return turns_of(self).read(read)
