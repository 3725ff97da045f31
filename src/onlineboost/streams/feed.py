"""Batches of a stream into a model whose features may grow at any time.

Learning a batch is learning its rows one by one with `learn_one`, as dicts of names (or of column numbers, for LIBSVM),
bit for bit; but the work per cell is native, and Python sees only the names that are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.evaluation.multilabel import MultiLabelResult, result_of_sets
from onlineboost.evaluation.prequential import PrequentialResult, result_of
from onlineboost.explanation.contributions import explain
from onlineboost.machine import Machine
from onlineboost.machine.encoder import NamedRows, NameTable
from onlineboost.machine.label_sets import read_label_sets
from onlineboost.machine.labels import tidy_labels
from onlineboost.machine.many_labels import found_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.explanation.contributions import Explanation
    from onlineboost.machine import LearnReport, Opinion
    from onlineboost.streams.batch import Batch

MOST_FEATURES = 1 << 22


class Feed:
    """The way from one stream into one model.

    Parameters
    ----------
    model : estimator of this package, or Machine
        The model.
    most_features : int, default=2**22
        A model that has seen more features learns no further batch: a stranger's stream cannot fill the memory.

    """

    def __init__(self, model: Any, most_features: int = MOST_FEATURES) -> None:
        self.model = model
        self.most_features = most_features
        self._names = NameTable()

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
        machine, source = self.machine, self._rows(batch)
        if machine.recipe.label_sets != isinstance(batch.y[0], frozenset):
            wanted = "sets of labels: give" if machine.recipe.label_sets else "one label per example: leave out"
            raise ValueError(f"The model learns {wanted} the schema's label_separator.")
        if machine.begun and machine.n_features > self.most_features:
            raise ValueError(
                f"The model has seen {machine.n_features:,} different features, more than {self.most_features:,}: hash "
                "them (--hash), or allow more (--max-model-features; most_features of Feed)."
            )
        try:
            labels: Any = read_label_sets(batch.y) if machine.recipe.label_sets else tidy_labels("y", batch.y)
            return machine.learn(source, labels, batch.weight, classes=classes, report=report, grow=True)
        except ValueError as error:
            if misfit := misfit_of(machine, batch):
                row, label, _ = misfit
                raise ValueError(f"Line {batch.lines[row]} has the label {label!r}. {error}") from None
            raise

    def prequential(self, batch: Batch, *, classes: Any = None) -> PrequentialResult | MultiLabelResult:
        """Test, then train, on each row of a batch that has rows."""
        report = self.learn(batch, classes=classes, report=True)
        if report is None:
            raise ValueError("The batch has no rows: there is nothing to test.")
        recipe = self.machine.recipe
        return result_of_sets(report, recipe) if recipe.label_sets else result_of(report, recipe)

    def opinion(self, batch: Batch) -> Opinion:
        """What the model says of the batch: decisions, probabilities and labels of one and the same state."""
        return self.machine.opinion(self._rows(batch))

    def _rows(self, batch: Batch) -> NamedRows:
        return NamedRows(batch.cells, batch.names, self._names, batch.schema)

    def explain(self, batch: Batch) -> Explanation:
        """Why the model says what it says of the one row of a batch."""
        return explain(self.machine, self._rows(batch))

    def margin(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        return self.opinion(batch).decisions

    def predict(self, batch: Batch) -> NDArray[Any]:
        """As the model's own; sets of labels as in a batch."""
        opinion, recipe = self.opinion(batch), self.machine.recipe
        if not recipe.label_sets:
            return opinion.labels(str(recipe.threshold))
        found = np.empty(len(batch), object)
        found[:] = [frozenset(opinion.classes[row].tolist()) for row in found_of(opinion, str(recipe.threshold))]
        return found

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """As the model's own."""
        return self.opinion(batch).probabilities


def misfit_of(machine: Machine, batch: Batch) -> tuple[int, Any, Any] | None:
    """The first row whose label cannot go with the labels before it, that label, and the first of the labels."""
    known = list(machine.labels.known)
    labels = [] if batch.y is None else list(enumerate(batch.y.tolist()))
    if machine.recipe.label_sets:
        labels = [(row, label) for row, given in labels for label in sorted(given, key=str)]
    if {label for _, label in labels} <= set(known):
        return None
    for row, label in labels:
        if label in known:
            continue
        fraction = isinstance(label, float) and not label.is_integer()
        mixed = known and isinstance(label, str) != isinstance(known[0], str)
        if label is None or fraction or mixed or len(known) == machine.labels.most:
            return row, label, known[0] if known else None
        known.append(label)
    return None
