"""A model as plain data and arrays: what a model file holds. `docs/model-format.md` is the specification."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost._class_labels import ClassLabels
from onlineboost._turns import turns_of
from onlineboost.boosters.families import Families
from onlineboost.boosters.multiclass import MulticlassEstimator
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.boosters.origin import Origin
from onlineboost.persistence.container import text_array
from onlineboost.persistence.tables import (
    DEEPEST,
    ESTIMATORS,
    FORMAT,
    KEY_MODES,
    KEYS,
    LEARNERS,
    NAMES,
    VERSION,
    WRAPPERS,
    is_key,
    is_scalar,
)

if TYPE_CHECKING:
    from onlineboost.boosters.base import OnlineEstimator


def describe(model: OnlineEstimator, extra: Any) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The document and the arrays of a model; ValueError if it is not one that a file can hold."""
    if type(model) not in ESTIMATORS.values():
        raise ValueError(
            f"A model file holds onlineboost's own estimators; {type(model).__name__} is not one of them: use pickle."
        )
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "estimator": type(model).__name__, "fitted": None}
    with turns_of(model).lock:
        document |= _parameters(Origin.of(_subject(model), 0), model)
        if model._fitted():
            arrays = dict(model._model.state())
            document["fitted"] = _fitted(model, arrays)
    if extra is not None:
        document["extra"] = extra
    return document, arrays


def _subject(model: OnlineEstimator) -> OnlineEstimator:
    """Whose parameters are written down: those of the booster inside OneVsRest."""
    return model._subject() if isinstance(model, MulticlassEstimator) else model


def _parameters(origin: Origin, model: OnlineEstimator) -> dict[str, Any]:
    parameters = dict(origin.parameters)
    inside: dict[str, Any] = {}
    if isinstance(model, OneVsRest):
        inside["booster"] = origin.estimator.__name__
        if ESTIMATORS.get(origin.estimator.__name__) is not origin.estimator:
            raise ValueError(
                f"A model file holds onlineboost's own boosters; {inside['booster']} is not one: use pickle."
            )
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        if not model._fitted():
            raise ValueError("A RandomState cannot be saved: give random_state an integer, or fit the model first.")
        parameters["random_state"] = model._seed
    return inside | {
        "parameters": {key: _scalar(key, value) for key, value in parameters.items()},
        **_learner(origin.learner, origin.learner_parameters, DEEPEST),
    }


def _learner(kind: type, parameters: dict[str, Any], deepest: int) -> dict[str, Any]:
    name = kind.__name__
    if kind is Families:
        return {"learner": name, "learner_parameters": {"members": [_member(*one) for one in parameters["members"]]}}
    if LEARNERS.get(name, (None,))[0] is not kind:
        raise ValueError(
            f"A model file holds the native learners of onlineboost. {name} keeps its state in Python "
            "objects: save it with pickle, or with the persistence of the library that it comes from."
        )
    given = dict(parameters)
    inside: dict[str, Any] = {}
    if name in WRAPPERS:
        if deepest == 0:
            raise ValueError(f"A model file holds at most {DEEPEST} wrappers around a learner: use fewer, or pickle.")
        inner = given.pop("learner")
        inside["learner"] = _learner(type(inner), inner.get_params(deep=False), deepest - 1)
    return {
        "learner": name,
        "learner_parameters": inside | {key: _scalar(key, value) for key, value in given.items()},
    }


def _member(name: str, estimator: OnlineEstimator, most_features: int) -> dict[str, Any]:
    origin = Origin.of(estimator, 0)
    parameters = {
        key: value for key, value in origin.parameters.items() if key != "random_state"
    }  # the mixture's counts
    return {
        "name": name,
        "most_features": most_features,
        "estimator": type(estimator).__name__,
        "parameters": {key: _scalar(key, value) for key, value in parameters.items()},
        **_learner(origin.learner, origin.learner_parameters, DEEPEST),
    }


def _scalar(name: str, value: Any) -> Any:
    """A parameter as a plain scalar of Python."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = int(value)
    if not is_scalar(value):
        raise ValueError(f"{name}={value!r} cannot be saved: use None, True, False, a finite number or a string.")
    return value


def _fitted(model: OnlineEstimator, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    labels = model._labels
    plus: dict[str, Any] = {"plus": labels.plus, "plus_is_settled": labels.learned}
    if isinstance(labels, ClassLabels):
        plus = {"begun": list(labels.begun), "declared": labels.declared}
    if not all(map(is_scalar, [*labels.known, labels.plus])):
        raise ValueError(f"The labels {labels.known!r} cannot be saved: use strings, bools, integers or floats.")
    keys = [key.item() if isinstance(key, np.generic) else key for key in model._keys]
    if not all(map(is_key, keys)):
        strange = next(key for key in keys if not is_key(key))
        raise ValueError(f"The feature {strange!r} cannot be saved: use strings, or numbers below 2^61, as keys.")
    found: dict[str, Any] = {
        "seed": model._seed,
        "start_features": model._origin.n_features,
        "labels": labels.known,
        **plus,
        "keys_are": KEY_MODES[model._key_mode],
    }
    made = _parameters(model._origin, model)
    now = _parameters(Origin.of(_subject(model), 0), model)
    if made != now:
        found["made_with"] = made
    if keys:
        arrays[KEYS] = text_array(keys)
    if hasattr(model, "n_features_in_"):
        found["n_features_in"] = int(model.n_features_in_)
    if hasattr(model, "feature_names_in_"):
        arrays[NAMES] = text_array([str(name) for name in model.feature_names_in_])
    return found
