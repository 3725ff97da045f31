"""Parameters of the boosters whose prefixes are experts: learning rate, and what a round predicts."""

from __future__ import annotations

import math
from typing import Any

from onlineboost.declarations import Choice, Real

EXPERT_MODE = Choice(
    default="vote",
    of=("vote", "sample", "expected"),
    text="Experts: what a test-then-train round predicts. Vote: the weighted majority of the experts. Sample: one "
    "expert drawn by weight, as the paper's theorem has it. Expected: as vote, but `prequential` reports the exact "
    "expected error of the draw. `predict` and its kin always use the weighted majority.",
)


def expert_rate(default: str, text: str) -> Real:
    """The declaration of the learning rate over the experts."""
    return Real(
        default=default,
        low=0.0,
        high=math.inf,
        low_open=True,
        high_open=True,
        words=("adahedge", "anytime", "paper", "share"),
        text=f'{text} "share" is fixed share at rate 1/t, which follows the best prefix of every stretch of the '
        "stream (docs/drift.md); "
        "a number is a fixed rate, such as sqrt(8 ln N / T) for a known horizon T.",
    )


def expert_spec(given: dict[str, Any], paper: float) -> dict[str, Any]:
    """What the engine builds prefix experts from; `paper` is the rate that the algorithm was published with."""
    rate: Any = given["expert_rate"]
    eta = 0.0
    if rate == "share":
        eta = math.log(2.0)
    elif rate == "paper":
        rate, eta = "fixed", paper
    elif not isinstance(rate, str):
        rate, eta = "fixed", rate
    return {"expert_rate": rate, "expert_eta": eta, "sample": given["expert_mode"] == "sample"}
