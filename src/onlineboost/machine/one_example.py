"""One example at a time: a dict or a row of numbers goes to the engine in one native call, without a batch's checks.

What needs them (a column that is no number, a label or a width that the machine does not know) is left to the caller.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.commit import commit
from onlineboost.machine.features import COLUMNS_ONLY, Features
from onlineboost.machine.table import NotPlainError
from onlineboost.machine.two_classes import TwoClasses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from onlineboost.machine.machine import Machine


def _plain(machine: Machine) -> bool:
    """Whether a dict of numbers needs no schema."""
    return machine.features.schema is None and machine.recipe.max_features is None and machine.recipe.schema is None


def _nothing(value: Any) -> bool:
    """Whether it is None, or NaN of any type."""
    try:
        return value is None or math.isnan(value)
    except (TypeError, ValueError, ArithmeticError):  # no number, or one beyond doubles
        return False


def learn_dict(machine: Machine, x: Mapping[Any, Any], y: Any, weight: float) -> None:
    """Learn one example given as a dict of numbers; NotPlainError, and nothing done, if it needs a schema."""
    with machine.lock.writer:
        if not _plain(machine):
            raise NotPlainError
        engine = machine.engine
        number = machine.labels.number_of(y)
        if number is not None and machine.features.knows(x):
            if engine.in_python:
                engine.prepare()
            engine.core.learn_dict(
                dict(x), machine.features.numbers, machine.features.kind, engine.code(number), weight
            )
            return
        known = machine.features.numbers
        if any(isinstance(key, str) and key not in known and _nothing(value) for key, value in x.items()):
            raise NotPlainError  # its first value decides what the column holds
        labels = machine.labels.copy()
        number = labels.encode_one(y, weight)
        features = machine.features
        if engine is None:
            features, engine = machine.first_engine(Features.of_dict(x), len(x))
        else:
            engine = machine.engine_for(1, labels)

        with commit(machine, engine, labels, features, None, 1):
            if machine.engine.takes(np.array([number]), np.array([weight], float)) == 0:
                machine.widen()
            code = machine.engine.code(number)
            machine.engine.core.learn_dict(dict(x), features.numbers, features.kind, code, weight)


def learn_row(machine: Machine, row: NDArray[Any], y: Any, weight: float) -> bool:
    """Learn one plain row in one native call, if neither it nor its label needs the checks of a batch.

    Otherwise nothing is done, and False returned: the batch checks are slower but produce the error message.
    """
    with machine.lock.writer:
        number = machine.labels.number_of(y)
        if number is None or machine.features.kind != COLUMNS_ONLY:
            return False
        engine = machine.engine
        if engine.in_python:
            engine.prepare()
        learned: bool = engine.core.learn_row(row, machine.features.n_columns, engine.code(number), weight)
    return learned


def opinion_of_one(machine: Machine, x: Any, *, is_dict: bool) -> tuple[NDArray[Any], list[float], Any, Any] | None:
    """Labels, probabilities, and the columns that these and the vote prefer; None before anything was learned."""

    def read() -> tuple[NDArray[Any], list[float], Any, Any] | None:
        engine, features = machine.engine, machine.features
        if engine is None:
            return None
        if is_dict:
            if not _plain(machine):
                raise NotPlainError
            found = engine.core.predict_dict(dict(x), features.numbers, features.kind)
        else:
            found = features.kind == COLUMNS_ONLY and engine.core.predict_row(x, features.n_columns)
            if not found:
                raise NotPlainError
        if isinstance(engine, TwoClasses):
            return machine.labels.classes, *engine.opinion_of_one(found, machine.labels)
        weighing = machine.recipe.weighing(machine.labels)
        return machine.labels.classes, *engine.opinion_of_one(found, machine.labels, weighing)

    return machine.lock.read(read)
