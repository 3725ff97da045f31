"""The face of every booster: scikit-learn's contract for batches; river's and the explanations come with it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from onlineboost.boosters.base import Booster
from onlineboost.estimators.explaining import ExplainingVerbs
from onlineboost.estimators.river import RiverVerbs
from onlineboost.estimators.validation import read_weights, sorted_by_class
from onlineboost.machine import Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

_log = logging.getLogger("onlineboost")


class OnlineEstimator(ClassifierMixin, RiverVerbs, ExplainingVerbs):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of all estimators."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn the rows in the given order, or in a random one (`shuffle`), `n_passes` times.

        Ctrl-C stops it between two rows; what was learned until then is kept, and the message says how much.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        recipe = self.recipe()
        checks = Booster.parameters
        passes = checks["n_passes"].check("n_passes", recipe.n_passes)
        shuffle = checks["shuffle"].check("shuffle", recipe.shuffle)
        machine = Machine(recipe.frozen())
        table, columns = self._read_first(machine, X)
        weights = read_weights(sample_weight, table.n_rows)
        if weights is not None and not weights.any():
            raise ValueError("sample_weight is zero for every row, so there is nothing to learn.")
        labels = self._read_labels(y, table.n_rows)
        if shuffle is None:
            shuffle = isinstance(labels, np.ndarray) and sorted_by_class(labels, weights)
        try:
            random = None
            with self._shown():
                for _ in range(passes):
                    if not shuffle:
                        machine.learn(table, labels, weights)
                        continue
                    random = random or np.random.RandomState(machine.fix_seed() % 2**32)
                    order = random.permutation(table.n_rows)
                    part = None if weights is None else weights[order]
                    machine.learn(table.take(order), labels[order], part)
        finally:
            if machine.begun:
                self._take(machine, columns)
        _log.info("%s.fit: learned %d examples", type(self).__name__, machine.n_examples)
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
            All labels, if the stream may show only some of them for a while. Never required, and without influence on
            what is learned. Of many classes, batches with other labels are then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        self.learn_batch(X, y, classes, sample_weight)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What `predict` goes by, in [-1, 1].

        Of two classes, one number per row, above 0 for `classes_[1]`: 2 P - 1 with P its probability, or with
        `threshold="vote"` the margin. Of many, a column per class in the order of `classes_`, whose largest is
        predicted: probabilities, or with "vote" margins.
        """
        opinion = self._opinion(X)
        values = opinion.decisions
        if self._threshold() != "vote":
            values = opinion.probabilities
            if values.shape[1] <= 2:
                return np.asarray(2.0 * values[:, -1] - 1.0)
        return np.asarray((values[:, 1] - values[:, 0]) / 2.0) if values.ndim == 2 and values.shape[1] == 2 else values

    def margin(self, X: Any) -> NDArray[np.float64]:
        """The vote, whatever `threshold` is: what the theory calls f.

        Of two classes, a margin in [-1, 1] per row, above 0 for `classes_[1]`. Of many, a column per class in the order
        of `classes_`; a declared class without examples has -2, which is below all others.
        """
        return self._opinion(X).decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The label for each row: the most probable, or with `threshold="vote"` the one that the vote prefers."""
        return self._opinion(X).labels(self._threshold())

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities for each row, in the order of `classes_`.

        A sigmoid of the margin whose two parameters were learned online from margins taken before each update; a
        mixture and `DefensiveClassifier` forecast probabilities themselves.
        """
        return self._opinion(X).probabilities

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._multiclass
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
