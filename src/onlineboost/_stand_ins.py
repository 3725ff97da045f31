"""As much of scikit-learn as a command needs: parameters by name, and the checks on labels.

What a command does not need is fetched from the library itself when it is asked for.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import numpy as np


class BaseEstimator:
    """Parameters are the arguments of the constructor, and attributes of the same name."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return sorted(name for name in inspect.signature(cls).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """By name, in alphabetical order."""
        found = {name: getattr(self, name) for name in self._get_param_names()}
        for name, value in list(found.items()) if deep else ():
            if isinstance(value, BaseEstimator):
                found |= {f"{name}__{inner}": one for inner, one in value.get_params().items()}
        return found


class ClassifierMixin:
    """Nothing that a command would ask for."""


class NotFittedError(ValueError, AttributeError):
    """As scikit-learn's."""


def check_random_state(seed: Any) -> np.random.RandomState:
    """A generator from a seed."""
    return seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)


def column_or_1d(y: Any, *, warn: bool = False) -> np.ndarray[Any, Any]:  # noqa: ARG001  # scikit-learn's parameter
    """The labels as an array of one dimension."""
    array = np.asarray(y)
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def check_classification_targets(y: np.ndarray[Any, Any]) -> None:
    """Numbers that are not whole are taken for quantities, not for labels."""
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes "
            "on a regression target with continuous values."
        )


class _Later:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


sparse = _Later("scipy.sparse")


def clone(*arguments: Any, **named: Any) -> Any:
    """scikit-learn's own."""
    return importlib.import_module("sklearn.base").clone(*arguments, **named)


def check_array(*arguments: Any, **named: Any) -> Any:
    """scikit-learn's own."""
    return importlib.import_module("sklearn.utils.validation").check_array(*arguments, **named)


def validate_data(*arguments: Any, **named: Any) -> Any:
    """scikit-learn's own."""
    return importlib.import_module("sklearn.utils.validation").validate_data(*arguments, **named)
