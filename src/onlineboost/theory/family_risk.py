"""The risk of a mixture and of each of its families, at every time (G1).

Errors: the loss is 1 where the mixture, or a family as the generation that led just then had it, gave the label a
probability of at most 1/2; a family that is silent errs. Log-losses: experts' probabilities are kept within logits of
±12, so they are at most B = ln(1 + e^12), and G1 holds for the loss over B; they are counted since the leading copy of
a family began, and one that began after r examples gets the share 1/((r+1)(r+2)) of α, which add up to 1 over all r.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.theory.mixture_checks import LARGEST_LOGIT
from onlineboost.theory.risk import ALPHA, risk_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import Machine

    State = dict[str, NDArray[Any]]

MOST = math.log1p(math.exp(LARGEST_LOGIT))


def family_risk(model: Any, alpha: float = ALPHA, loss: str = "error") -> dict[str, float]:
    """Bounds on the mean expected loss on the next example, by family; `mixture` is the mixture's own.

    All hold together, at every time, with probability 1 - alpha, whatever the stream. NaN for a family that has
    retired, and for all where a sample weight was not 1 or, of errors, where an older file did not count them.

    Parameters
    ----------
    model : OnlineBoostClassifier that has learned
        The mixture.
    alpha : float in (0, 1), default=0.05
        The chance that any of them fails at any time.
    loss : {"error", "log"}, default="error"
        Error: the chance to err, over all examples. Log: the log-loss in nats, since the family's leading copy began.

    """
    return bounds_of(model.machine, alpha, loss)


def bounds_of(machine: Machine, alpha: float = ALPHA, loss: str = "error") -> dict[str, float]:
    """The same of a machine."""
    recipe: Any = machine.recipe
    names = ["mixture", *(one.name for one in recipe.members())]
    state, n, K = machine.booster_state(), machine.n_examples, len(names) - 1
    lives = state.get("generations", np.zeros(4, np.int64))
    leads = int(lives[0])
    if checks.choice("loss", loss, ("error", "log")) == "error":
        found = risk_bound(mistakes(state, K), n, alpha, among=K + 1)
    else:
        since = np.append(0, np.full(K, lives[1:].reshape(-1, 3)[leads, 1]))
        sums = np.append(state["mixture_loss"], state["expert_losses"].reshape(-1, K + 1)[leads, 1:])
        among = (K + 1) * (since + 1.0) * (since + 2.0)
        found = MOST * risk_bound(sums / MOST, n - since, alpha, among)
    known = np.append(True, state["families_present"].reshape(-1, K)[leads] > 0) & unit_weights(state, n)
    known &= "stack_covariance" in state  # losses of many classes have another bound
    return {name: float(bound) if there else math.nan for name, bound, there in zip(names, found, known, strict=True)}


def unit_weights(state: State, n_examples: int) -> bool:
    """Whether every example had the weight 1."""
    return float(state["largest_weight"][0]) == 1.0 and float(state["example_weight"][0]) == n_examples


def mistakes(state: State, n_families: int) -> NDArray[np.float64]:
    """Of the mixture and of each family; NaN where an older file did not count them."""
    return np.asarray(state.get("family_mistakes", np.full(n_families + 1, math.nan)))
