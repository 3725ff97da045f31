"""Estimators and the boosters that they give a face to, turned into each other."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from onlineboost.boosters.base import Booster


def as_recipe(value: Any) -> Any:
    """Estimators inside parameters as their boosters."""
    if hasattr(type(value), "booster_type"):
        return value.recipe()
    if isinstance(value, list | tuple):
        return type(value)(map(as_recipe, value)) if type(value) in {list, tuple} else value
    return value


def as_estimator(value: Any) -> Any:
    """The way back: boosters, alone or inside a list, as estimators."""
    if isinstance(value, Booster):
        kind = sys.modules["onlineboost.estimators"].ESTIMATORS[value.estimator]
        return kind(**{name: as_estimator(getattr(value, name)) for name in value.parameters})
    if isinstance(value, list | tuple):
        return [as_estimator(one) for one in value] if isinstance(value, list) else tuple(map(as_estimator, value))
    return value


def differences(was: Any, now: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters in which two recipes differ, by name."""
    found: dict[str, tuple[Any, Any]] = {}
    for name, before in was.get_params(deep=False).items():
        after = getattr(now, name)
        if type(before) is not type(after):
            found[name] = before, after
        elif hasattr(before, "get_params"):
            found |= {f"{name}__{inner}": pair for inner, pair in differences(before, after).items()}
        elif isinstance(before, list | tuple | np.ndarray):
            if repr(before) != repr(after):
                found[name] = before, after
        elif before is not after and before != after:
            found[name] = before, after
    return found
