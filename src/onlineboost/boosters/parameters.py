"""Checks of parameters that several boosters have."""

from __future__ import annotations

import math
import numbers
from typing import Any

from onlineboost import _check


def theta_of(gamma: Any, theta: Any) -> tuple[float, float]:
    """Checked (gamma, theta); the paper's theta where none is given."""
    gamma = _check.real("gamma", gamma, 0.0, 0.5, low_open=True)
    if theta is None:
        return gamma, gamma / (2.0 + gamma)
    return gamma, _check.real("theta", theta, 0.0, gamma, high_open=True)


def expert_spec(rate: Any, mode: Any, paper: float) -> dict[str, Any]:
    """What the engine builds prefix experts from; `paper` is the rate that the algorithm was published with."""
    eta = 0.0
    if isinstance(rate, numbers.Real):
        rate, eta = "fixed", positive("expert_rate", rate)
    elif _check.choice("expert_rate", rate, ("adahedge", "anytime", "paper")) == "paper":
        rate, eta = "fixed", paper
    mode = _check.choice("expert_mode", mode, ("vote", "sample", "expected"))
    return {"expert_rate": rate, "expert_eta": eta, "sample": mode == "sample"}


def positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    return _check.real(name, value, 0.0, math.inf, low_open=True, high_open=True)
