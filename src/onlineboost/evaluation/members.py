"""The members of a model in a pass: the prefixes of OSBoost, the families of a mixture, what they lost and may lose."""

from __future__ import annotations

import math
from typing import Any


def mistakes(model: Any) -> dict[str, float]:
    """The mistakes that a model's members have made so far, by name, if it counts them.

    Parameters
    ----------
    model : estimator
        Fitted or not.

    """
    if not model.__sklearn_is_fitted__() or not hasattr(model.machine.engine.core, "booster_state"):
        return {}  # nothing is learned, or every class has a booster of its own
    found: dict[str, float] = model.machine.recipe.member_mistakes(model.machine.booster_state())
    return found


def since(earlier: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """The mistakes of one pass, from those before it and after it."""
    return {name: count - earlier.get(name, 0.0) for name, count in now.items()}


def risk(made: dict[str, float], n_examples: int, alpha: float) -> dict[str, float]:
    """`onlineboost.theory.risk_bound` of every member, all at once, from mistakes of weight 1."""
    from onlineboost.theory.risk import risk_bound  # noqa: PLC0415  # the theory is loaded when it is asked for

    bounds = risk_bound(list(made.values()), n_examples, alpha, among=max(len(made), 1))
    return {name: math.nan if n_examples == 0 else float(one) for name, one in zip(made, bounds, strict=True)}
