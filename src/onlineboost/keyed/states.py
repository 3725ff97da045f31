"""Models of two classes as the bytes of their states, which is all that sets the keys of one recipe apart.

Parameters, seed, names and labels are the parent's. One call of the engine learns a batch for all of its keys: each
state is made a model, learns the rows of its key, and is packed again.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.machine import Machine
from onlineboost.machine.labels import LabelCodec
from onlineboost.machine.two_classes import TwoClasses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.report import Opinion
    from onlineboost.machine.rows import Rows

MARK = b"OBst"  # a state begins with it (src/native/engine/packed.hpp)
ROWS_PER_CALL = 20_000  # Ctrl-C waits for the end of a call


class NotPackedError(Exception):
    """A model that is no bare state: it has more than two classes, or names and labels of its own."""


def state_of(model: OnlineEstimator, parent: OnlineEstimator) -> bytes:
    """The state of a model; NotPackedError where it is not all that the parent does not know."""
    own, theirs = model.machine_to_learn(), parent.machine_to_learn()
    begun = list(own.labels.begun)
    shared = own.features is theirs.features or own.features.numbers.items() <= theirs.features.numbers.items()
    if not is_plain(own) or not shared or begun != list(theirs.labels.begun)[: len(begun)]:
        raise NotPackedError
    state: bytes = own.engine.core.packed()
    return state


def is_plain(machine: Machine) -> bool:
    """Whether a machine has an engine of two classes whose learners are native."""
    return isinstance(machine.engine, TwoClasses) and not machine.engine.in_python


def model_of(state: bytes | None, parent: OnlineEstimator, labels: LabelCodec | None = None) -> OnlineEstimator:
    """The model of a state, with the parent's names; `labels` are the parent's unless others are given."""
    theirs = parent.machine_to_learn()
    machine = Machine(theirs.recipe)
    machine.seed, machine.start_features, machine.features = theirs.seed, theirs.start_features, theirs.features
    machine.labels = _first_two(theirs.labels if labels is None else labels)
    machine.engine = machine.make_engine()
    if state is not None:
        machine.engine.core.unpack(state)
    machine.weigh(machine.engine, machine.labels)
    found: OnlineEstimator = type(parent).of_machine(machine, parent.recipe())
    return found


def learn_states(
    parent: OnlineEstimator, X: Any, y: Any, classes: Any, places: NDArray[np.int64], states: list[bytes | None]
) -> list[bytes]:
    """Teach the parent all rows and each key its own; the keys' states afterwards. All of it, or nothing.

    `places` has the place of each row's key among the states, which are None for keys that begin here.
    """
    after = list(states)

    def walk(machine: Machine, rows: Rows, numbers: NDArray[np.int64]) -> None:
        if not is_plain(machine) or (numbers > 1).any():
            raise NotPackedError
        models, engine = _models(machine), copy.copy(machine.engine)
        codes, pooled = np.where(numbers == 0, 1.0, -1.0), engine.core.packed()
        for start in range(0, rows.n_rows, ROWS_PER_CALL):
            part = slice(start, start + ROWS_PER_CALL)
            used, own = np.unique(places[part], return_inverse=True)
            before = [after[k] for k in used.tolist()]
            some = rows.part(start, min(part.stop, rows.n_rows))
            pooled, found = some.learn_keyed(models, codes[part], own.astype(np.int64), pooled, before)
            for k, state in zip(used.tolist(), found, strict=True):
                after[k] = state
        engine.core = _core.Model(engine.n_learners, engine.bank, engine.booster)
        engine.core.unpack(pooled)
        engine.core.threads = machine.threads
        engine.weigh(machine.recipe.decision(machine.labels))
        machine.engine = engine

    parent.learn_batch(X, y, classes, walk=walk, grow=True)
    return [state for state in after if state is not None]


def probabilities(
    parent: OnlineEstimator, X: Any, places: NDArray[np.int64], states: list[bytes]
) -> NDArray[np.float64]:
    """The probabilities of the parent's labels for each row, by the state of its key."""
    model = model_of(None, parent)
    machine = model.machine_to_learn()
    machine.engine = _KeyedEngine(machine, places, states)
    found: NDArray[np.float64] = model.predict_proba(X)
    return found


class _KeyedEngine(TwoClasses):
    """Predicts each row by the state of its key."""

    def __init__(self, machine: Machine, places: NDArray[np.int64], states: list[bytes]) -> None:
        vars(self).update(vars(machine.engine))
        self._models, self._places, self._states = _models(machine), places, states

    def opinion(self, rows: Rows, labels: LabelCodec) -> Opinion:
        margins, plus = np.empty(rows.n_rows), np.empty(rows.n_rows)
        rows.predict_keyed(self._models, self._places, self._states, margins, plus)
        return self.told(margins, plus, labels)


def _models(machine: Machine) -> Any:
    engine, decision = machine.engine, machine.recipe.decision(machine.labels)
    return _core.KeyedModels(engine.n_learners, engine.bank, engine.booster, None if decision is None else [*decision])


def _first_two(labels: LabelCodec) -> LabelCodec:
    """The labels of a model of two classes."""
    if len(labels.begun) <= 2:
        return labels.copy()
    made = LabelCodec(labels.most, strict=labels.strict)
    made.declare(list(labels.begun)[:2])
    made.begin(list(labels.begun)[:2])
    made.declared = labels.declared
    return made
