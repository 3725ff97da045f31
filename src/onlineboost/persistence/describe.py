"""A machine as plain data and arrays: what a model file holds. `docs/model-format.md` is the specification."""

from __future__ import annotations

import math
import numbers
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.boosters import Booster, Mixture, OneVsRest
from onlineboost.learners.base import Learner, inner_learner
from onlineboost.machine.features import KINDS
from onlineboost.machine.label_sets import SetCodec
from onlineboost.machine.schema import declared_columns
from onlineboost.persistence.container import text_array

if TYPE_CHECKING:
    from onlineboost.machine import Machine
    from onlineboost.machine.features import Features
    from onlineboost.machine.schema import ColumnSchema

FORMAT, VERSION = "onlineboost", 3
KEYS, NAMES = "keys", "feature_names"
DEEPEST = 8  # wrappers around a learner
ELSEWHERE = frozenset(
    {"learner", "families", "booster", "n_jobs", "verbose"}
)  # parameters that are not written as scalars


WEIGHED = frozenset({"class_weight", "cost"})  # dicts and matrices


def is_scalar(value: Any) -> bool:
    """Whether JSON gives the value back with its type."""
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in {bool, int, str}


def is_key(value: Any) -> bool:
    """Whether a file keeps the key of a dict; integers only as far as Python's dicts tell their hashes apart."""
    return is_scalar(value) and not (type(value) is int and abs(value) >= 2**61 - 1)


def describe(
    machine: Machine, extra: Any, recipe: Booster | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The document and the arrays of a model; ValueError if it is not one that a file can hold.

    `recipe` has the parameters as they are now, where these may have been set since the machine was made.
    """
    recipe = recipe or machine.recipe
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "estimator": recipe.estimator, "fitted": None}
    with machine.lock.writer:
        document |= parameters_of(recipe, machine.seed)
        if machine.begun:
            arrays = dict(machine.engine.core.state())
            document["fitted"] = _fitted(machine, recipe, arrays)
    if extra is not None:
        document["extra"] = extra
    return document, arrays


def parameters_of(recipe: Booster, seed: int | None) -> dict[str, Any]:
    """Booster and learner by name, with their parameters; of OneVsRest, those of the booster inside."""
    if isinstance(recipe, OneVsRest):
        return {"booster": recipe.pattern().estimator, **parameters_of(recipe.pattern(), seed)}
    given = {name: value for name, value in recipe.get_params(deep=False).items() if name not in ELSEWHERE}
    if isinstance(given.get("random_state"), np.random.RandomState):
        if seed is None:
            raise ValueError("A RandomState cannot be saved: give random_state an integer, or fit the model first.")
        given["random_state"] = seed
    declared = declared_columns(given.pop("schema", None))
    parameters = {name: (_weighed if name in WEIGHED else _scalar)(name, value) for name, value in given.items()}
    scalars: dict[str, Any] = {"parameters": parameters | ({"schema": declared} if declared else {})}
    if isinstance(recipe, Mixture):
        members = [_member(*one) for one in recipe.members()]
        return scalars | {"learner": "Families", "learner_parameters": {"members": members}}
    return scalars | _learner(recipe.weak_learner(), DEEPEST) if "learner" in recipe.parameters else scalars


def _learner(learner: Learner, deepest: int) -> dict[str, Any]:
    name = type(learner).__name__
    if Learner.declared.get(name) is not type(learner):
        raise ValueError(
            f"A model file holds the native learners of onlineboost. {name} keeps its state in Python "
            "objects: save it with pickle, or with the persistence of the library that it comes from."
        )
    given = learner.get_params(deep=False)
    inside: dict[str, Any] = {}
    if "learner" in given:
        if deepest == 0:
            raise ValueError(f"A model file holds at most {DEEPEST} wrappers around a learner: use fewer, or pickle.")
        del given["learner"]
        inside["learner"] = _learner(inner_learner(learner), deepest - 1)
    return {
        "learner": name,
        "learner_parameters": inside | {key: _scalar(key, value) for key, value in given.items()},
    }


def _member(name: str, booster: Booster, most_features: int, cost: float) -> dict[str, Any]:
    found = {
        "name": name,
        "most_features": most_features,
        "cost": float(cost),
        "estimator": booster.estimator,
        **parameters_of(booster, 0),
    }
    del found["parameters"]["random_state"]  # the mixture's counts
    return found


def _scalar(name: str, value: Any) -> Any:
    """A parameter as a plain scalar of Python."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = int(value)
    if not is_scalar(value):
        raise ValueError(f"{name}={value!r} cannot be saved: use None, True, False, a finite number or a string.")
    return value


def _weighed(name: str, value: Any) -> Any:
    """The weights or costs of classes: a dict as pairs after a first one without a label, a matrix as lists."""
    if isinstance(value, dict):
        return [[None, None], *([_scalar(name, label), _scalar(name, one)] for label, one in value.items())]
    if isinstance(value, list | tuple | np.ndarray):
        return [[_scalar(name, one) for one in row] for row in value]
    return _scalar(name, value)


def saved_schema(features: Features) -> ColumnSchema:
    """The schema without numbers that the names of features tell (`restore`), where these may be any number."""
    schema = features.schema
    assert schema is not None  # noqa: S101  # for the type checker
    if schema.closed:
        return schema
    told = {name for name in schema.numbers_among(features.numbers) if name not in schema.declared}
    return replace(schema, columns={name: kind for name, kind in schema.columns.items() if name not in told})


def _fitted(machine: Machine, now: Booster, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    labels, features = machine.labels, machine.features
    if not all(map(is_scalar, labels.known)):
        raise ValueError(f"The labels {labels.known!r} cannot be saved: use strings, bools, integers or floats.")
    keys = [key.item() if isinstance(key, np.generic) else key for key in features.numbers]
    if not all(map(is_key, keys)):
        strange = next(key for key in keys if not is_key(key))
        raise ValueError(f"The feature {strange!r} cannot be saved: use strings, or numbers below 2^61, as keys.")
    found: dict[str, Any] = {
        "seed": machine.seed,
        "start_features": machine.start_features,
        "labels": labels.known,
        "begun": list(labels.begun),
        "declared": labels.declared,
        "keys_are": KINDS[features.kind],
    }
    if isinstance(labels, SetCodec):
        found["form"] = labels.form
    made = parameters_of(machine.recipe, machine.seed)
    if made != parameters_of(now, machine.seed):
        found["made_with"] = made
    if keys:
        arrays[KEYS] = text_array(keys)
    if features.n_columns is not None:
        found["n_features_in"] = features.n_columns
    if features.schema is not None:
        found["schema"] = saved_schema(features).to_json()
    if features.column_names is not None:
        arrays[NAMES] = text_array(features.column_names)
    return found
