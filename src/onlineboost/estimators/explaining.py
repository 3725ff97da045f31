"""What a model says beside labels: prediction sets, importances, explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.estimators.owner import MachineOwner
from onlineboost.estimators.validation import read_single_row
from onlineboost.explanation.contributions import DictRow, Explanation, by_column, explain, importances
from onlineboost.explanation.heaviest import linear_weights
from onlineboost.theory.sets import SetGuarantee

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ExplainingVerbs(MachineOwner):
    """Sets of labels, and why."""

    def predict_set(self, X: Any, alpha: float = 0.1) -> NDArray[np.bool_]:
        """The labels that the true one is among, but for a share of `alpha` of the stream, whatever the stream is.

        A row per example and a column per label in `classes_`, True where the label is in the set: adaptive conformal
        inference (Gibbs and Candès 2021). Its threshold is learned with each example, from the probability that the
        label had before. Over any interval of n examples in a row the sets miss between αn - 41 and αn + 41 labels.
        A set may be empty, or hold all labels.

        Parameters
        ----------
        X : as in `predict`
            Rows.
        alpha : float in [0.01, 0.5], default=0.1
            The share of labels to be missed, rounded down to one of 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40
            and 50 %.

        """
        machine = self.machine
        table, _ = self._read(machine, X, learn=False)

        def read() -> NDArray[np.bool_]:
            return np.asarray(1.0 - machine.opinion(table).probabilities <= machine.summary().threshold(alpha))

        return machine.lock.read(read)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in what moves the margin; they sum to 1.

        The mean change of the margin if the column is drawn anew, at examples drawn from the columns' means and
        deviations over the stream. Of models that learned from dicts, `importances()` has the features by name.
        """
        machine = self.machine
        features = machine.features
        names = features.column_names if features.schema is None else features.schema.used
        width = features.n_columns if features.schema is None else len(features.schema.used)
        if width is None or (features.schema is not None and not features.schema.closed):
            raise AttributeError("This model has learned from dicts: importances() has its features by name.")
        if machine.buckets and features.schema is not None:
            raise AttributeError("max_features hashes names, so columns share features: importances() has the buckets.")
        return by_column(importances(machine), names, width)

    def importances(self) -> dict[Any, float]:
        """The share of each feature in what moves the margin, by name or column number; the largest first."""
        found = importances(self.machine)
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the columns, of shape (1, n_features); only where linear learners vote on plain columns.

        The mean of the learners' weight vectors by their share of the vote, towards `classes_[1]`.
        """
        return linear_weights(self.machine)[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept that goes with `coef_`, of shape (1,)."""
        return linear_weights(self.machine)[1]

    def explain(self, x: Any) -> Explanation:
        """Why the model says what it says of one example: how far each feature moved the margin, and who votes how.

        The contributions and the margin of the mean example sum to the margin, for every model.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or a batch of one row
            The example.

        """
        machine = self.machine
        if isinstance(x, Mapping):
            plain = machine.features.schema is None
            return explain(machine, DictRow(x) if plain else self._read(machine, [x], learn=False)[0])
        if hasattr(x, "tocsr") and x.ndim == 1:  # a row of a sparse array
            x = x.reshape(1, -1)
        elif np.ndim(x) == 1 and not hasattr(x, "to_frame"):
            x = read_single_row(x)[np.newaxis]
        elif hasattr(x, "to_frame") and not hasattr(x, "columns"):  # a row of a data frame
            x = x.to_frame().T.infer_objects()
        return explain(machine, self._read(machine, x, learn=False)[0])

    def set_guarantee(self, alpha: float = 0.1) -> SetGuarantee:
        """What is guaranteed of `predict_set` on the stream so far, beside what happened."""
        return SetGuarantee.of(self.machine, alpha)
