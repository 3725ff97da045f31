"""Is the interval bound of the default's certificate kept on all dyadic intervals of a stream? For measure_drift.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onlineboost import OnlineBoostClassifier

ROUNDING = 1e-6  # nats


class Followed(NamedTuple):
    """Sums of a pass over a stream, before its first example and after each."""

    mixture: np.ndarray[Any, Any]
    """Log-loss so far."""
    experts: np.ndarray[Any, Any]
    """Log-loss of each expert, a family or a stack, in its present life."""
    since: np.ndarray[Any, Any]
    """How many examples came before that life; more than there are while it has none."""
    bound: np.ndarray[Any, Any]
    """What the certificate says then of every interval so far."""


def follow(X: Any, y: Any) -> Followed:
    """Teach the default row by row, and read its sums."""
    model, classes = OnlineBoostClassifier(random_state=0), np.unique(y)
    for t in range(len(y)):
        state = model.partial_fit(X[t : t + 1], y[t : t + 1], classes=classes).machine.booster_state()
        alive = state["experts_alive"] > 0
        if t == 0:
            never, shape = len(y) + 1, (len(y) + 1, len(alive))
            mixture, bound = np.zeros((2, len(y) + 1))
            experts, since = np.zeros(shape), np.full(shape, never, np.int32)
            since[0, alive] = 0
        mixture[t + 1], experts[t + 1] = state["mixture_loss"][0], state["expert_losses"]
        since[t + 1, alive] = np.minimum(since[t, alive], t + 1)
        bound[t + 1] = np.log(state["most_experts"][0]) + np.log(t + 1) + state["share_doubt"][0]
    if bound[-1] != model.certificate().interval_bound:
        raise RuntimeError("The bound that is looked at is not the certificate's.")
    return Followed(mixture, experts, since, bound)


def broken(found: Followed) -> tuple[int, int, float]:
    """Of the dyadic intervals of experts' lives: how many break the bound, how many there are, the least slack."""
    count, looked, least, size = 0, 0, np.inf, 1
    while size < len(found.mixture):
        at = np.arange(0, len(found.mixture), size)
        regret = np.diff(found.mixture[at])[:, None] - np.diff(found.experts[at], axis=0)
        slack = (found.bound[at[1:], None] - regret)[found.since[at[1:]] <= at[:-1, None]]
        looked += slack.size
        count += int((slack < -ROUNDING).sum())
        least = min(least, float(slack.min(initial=np.inf)))
        size *= 2
    return count, looked, least
