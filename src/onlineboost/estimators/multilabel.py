"""The face of boosters of label sets: scikit-learn's multilabel-indicator, sets, and river's dicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost.estimators.base import OnlineEstimator
from onlineboost.estimators.validation import read_sets
from onlineboost.machine.many_labels import found_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import Opinion
    from onlineboost.machine.label_sets import LabelSets


class LabelSetEstimator(OnlineEstimator):
    """Base of the estimators that give an example any number of labels."""

    def __new__(cls, *arguments: Any, **parameters: Any) -> Self:
        """Make an estimator, and let river count it among those of many labels if river is there."""
        river_base = sys.modules.get("river.base")
        if river_base is not None and not issubclass(cls, river_base.MultiLabelClassifier):
            river_base.MultiLabelClassifier.register(LabelSetEstimator)
        made: Self = super().__new__(cls, *arguments, **parameters)
        return made

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn the rows in the given order, or in a random one (`shuffle`), `n_passes` times.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : matrix of 0 and 1 of shape (n_samples, n_labels), or sets
            An indicator matrix, dense or sparse; or a set of labels for each row; or a dict from labels to True and
            False for each row. Answers come in the form that is given first.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        return super().fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn one more batch, row by row in the given order. All of it, or nothing if something is wrong with it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : matrix of 0 and 1 of shape (n_samples, n_labels), or sets
            As in `fit`. Of sets, labels may be new.
        classes : array-like of shape (n_labels,), default=None
            All labels of sets. Never required, and without influence on what is learned; sets with other labels are
            then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        return super().partial_fit(X, y, classes, sample_weight)

    def predict(self, X: Any) -> Any:
        """The labels of each row, in the form in which labels were learned: a matrix of 0 and 1, sets, or dicts.

        Those with a probability above 1/2, or with `threshold="vote"` with a margin above 0.
        """
        opinion = self._opinion(X)
        found = found_of(opinion, self._threshold())
        form = self._form()
        if form == "matrix":
            return found.astype(np.int64)
        return [self._as(form, opinion.classes, row) for row in found]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability that each row has each label, in the order of `classes_`; rows do not sum to 1."""
        return self._opinion(X).probabilities

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What labels are ranked by, a column per label in the order of `classes_`.

        2 P - 1 with P the probability, or with `threshold="vote"` the margin: `predict` finds the labels above 0. Of
        boosters that rank, the margin: a score whose order counts.
        """
        opinion = self._opinion(X)
        ranks = self.machine.recipe.ranks or self._threshold() == "vote"
        return opinion.decisions if ranks else np.asarray(2.0 * opinion.probabilities - 1.0)

    def margin(self, X: Any) -> NDArray[np.float64]:
        """The vote, whatever `threshold` is, a column per label in the order of `classes_`."""
        return self._opinion(X).decisions

    def predict_one(self, x: Any) -> Any:
        """The set of labels for one example, empty before anything was learned; a dict where dicts were learned."""
        found = self._opinion_of_one(x)
        if found is None:
            return set()
        classes, _, probable, voted = found
        form = self._form()
        return self._as(
            "sets" if form == "matrix" else form, classes, voted if self._threshold() == "vote" else probable
        )

    def predict_proba_one(self, x: Any) -> dict[Any, Any]:
        """The probability of each label for one example; where dicts were learned, those of True and False."""
        found = self._opinion_of_one(x)
        if found is None:
            return {}
        given = zip(found[0].tolist(), found[1], strict=True)
        return {label: {False: 1.0 - p, True: p} for label, p in given} if self._form() == "dicts" else dict(given)

    def predict_many(self, X: Any) -> Any:
        """The labels as a pandas data frame of True and False with a column per label (river's convention)."""
        import pandas as pd  # noqa: PLC0415  # river's users have it

        return pd.DataFrame(
            found_of(self._opinion(X), self._threshold()), columns=self.classes_, index=getattr(X, "index", None)
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose set of labels is predicted exactly, as scikit-learn has it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        """
        opinion = self._opinion(X)
        sets = read_sets(y, len(opinion.decisions))
        known = opinion.classes.tolist()
        place = {label: k for k, label in enumerate(sets.labels)}
        strange = [k for label, k in place.items() if label not in known]
        true = np.array([sets.has[:, place[label]] if label in place else np.zeros(len(sets), bool) for label in known])
        right = (found_of(opinion, self._threshold()) == true.reshape(len(known), -1).T).all(axis=1)
        return float(np.average(right & ~sets.has[:, strange].any(axis=1), weights=sample_weight))

    @staticmethod
    def _chosen(opinion: Opinion, threshold: str) -> NDArray[Any]:
        """Which labels are predicted."""
        return found_of(opinion, threshold)

    def _form(self) -> str:
        return str(self.machine.labels.form)  # type: ignore[attr-defined]  # a codec of sets

    @staticmethod
    def _as(form: str, classes: NDArray[Any], found: NDArray[np.bool_]) -> Any:
        if form == "dicts":
            return dict(zip(classes.tolist(), found.tolist(), strict=True))
        return set(classes[found].tolist())

    @staticmethod
    def _read_labels(y: Any, n_rows: int) -> LabelSets:
        return read_sets(y, n_rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags
