"""Models of many classes, an estimator per key: rows are read once, and each key's are learned by one native call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.estimators.validation import read_labels
from onlineboost.keyed.states import model_of
from onlineboost.machine import Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.features import Features
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.rows import Rows
    from onlineboost.machine.schema import ColumnSchema


def learn_whole(
    parent: OnlineEstimator,
    X: Any,
    y: Any,
    classes: Any,
    places: NDArray[np.int64],
    held: list[OnlineEstimator | None],
) -> list[OnlineEstimator]:
    """Teach the parent all rows and each key its own; the keys' models. The parent is one to be dropped on failure.

    `places` has the place of each row's key among the models, in the order of the keys' first rows; a model is None
    where its key begins here. Where something goes wrong, the models that are given are as before.
    """
    y = read_labels(y, len(places))
    before = parent.machine_to_learn()
    nothing, begun = before.labels.copy(), before.begun
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(held)))
    starts = np.concatenate([[0], ends[:-1]])
    born: dict[int, OnlineEstimator] = {}
    read: list[Rows] = []

    def walk(machine: Machine, rows: Rows, numbers: NDArray[np.int64]) -> None:
        done, labels = 0, nothing.copy()
        if classes is not None:
            labels.declare_classes(classes)
        for place, model in enumerate(held):
            first = int(order[starts[place]])
            if model is not None:
                continue
            if first > done:
                machine.walk_rows(rows.part(done, first), numbers[done:first])
                labels.encode(y[done:first], None)
                done = first
            if begun or done:
                born[place] = _twin(parent, machine, labels if done else nothing)
        machine.walk_rows(rows.part(done, rows.n_rows), numbers[done:])
        read.append(rows.take(order))

    parent.learn_batch(X, y, classes, walk=walk, grow=True)
    features, sorted_y = parent.machine.features, y[order]
    models = [born.get(k) or model_of(None, parent, nothing) if one is None else one for k, one in enumerate(held)]
    changed: list[tuple[Machine, Any, LabelCodec, Features]] = []
    try:
        for model, old, start, stop in zip(models, held, starts.tolist(), ends.tolist(), strict=True):
            machine = model.machine
            if old is not None:
                changed.append((machine, machine.engine, machine.labels, machine.features))
                machine.engine = machine.engine.twin()
            machine.features = features  # all keys number names as the parent does
            machine.learn(_Read(read[0].part(start, stop), features), sorted_y[start:stop], classes=classes, grow=True)
    except BaseException:
        for machine, engine, labels, own in changed:
            machine.engine, machine.labels, machine.features = engine, labels, own
        raise
    return models


def _twin(parent: OnlineEstimator, machine: Machine, labels: LabelCodec) -> OnlineEstimator:
    """A model in the state that the parent's machine is in just now, with the labels that it has learned by then."""
    made = Machine(machine.recipe)
    made.seed, made.start_features, made.features = machine.seed, machine.start_features, machine.features
    machine.engine.drop(len(labels.begun))  # those that begin later in the batch have room already
    made.labels, made.engine = labels.copy(), machine.engine.twin()
    machine.engine.begin(len(machine.labels.begun))
    found: OnlineEstimator = type(parent).of_machine(made, parent.recipe())
    return found


class _Read:
    """Rows by the numbers of features that a machine has already."""

    def __init__(self, rows: Rows, features: Features) -> None:
        self._rows, self._features = rows, features

    @property
    def n_rows(self) -> int:
        return self._rows.n_rows

    def begin(self) -> tuple[Features, int]:
        return self._features, 0

    @property
    def schema(self) -> ColumnSchema | None:
        return self._features.schema

    def read(self, features: Features, weights: NDArray[np.float64] | None, *, learn: bool) -> tuple[Rows, list[Any]]:
        return self._rows, []
