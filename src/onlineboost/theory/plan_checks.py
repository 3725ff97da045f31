"""Checks of the sentences of a plan, on runs whose weak learners keep the assumption by construction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onlineboost.theory.plan import Plan
    from onlineboost.theory.runs import Run


def _assumption_holds(p: Plan, run: Run) -> bool:
    """Whether the run is one that the theorem speaks of: enough of everything, and A_i ≥ 2γ where W_i ≥ 8/γ²."""
    w = run.s[:, None] * run.weights(p.constants)[:, :-1]
    W, gained = w.sum(axis=0), (w * run.m).sum(axis=0)
    asked = p.constants.mass_needed * (1.0 - 1e-12) <= W
    kept = gained >= 2.0 * p.gamma * W - 1e-9
    return bool(run.s.max() <= 1 and run.total >= p.least_examples and kept[asked].all())


def prefix(p: Plan, run: Run) -> float:
    """Some k < N errs on less than δ."""
    if not _assumption_holds(p, run) or run.h.shape[1] < p.n_learners:
        return -math.inf
    return float(run.mistakes()[: p.n_learners - 1].min()) / run.total - p.delta


def sharp(p: Plan, run: Run) -> float:
    """Fewer learners do, too: of the first `sharp_n_learners` one has a mass below δ."""
    if not _assumption_holds(p, run) or run.h.shape[1] < p.sharp_n_learners:
        return -math.inf
    W = run.s @ run.weights(p.constants)
    return float(W[: p.sharp_n_learners].min()) / run.total - p.delta


def vote(p: Plan, run: Run) -> float:
    """The error of the vote, or the expected error of its draw, against the bound that is printed."""
    if p.vote == "uniform" or not _assumption_holds(p, run) or run.h.shape[1] != p.n_learners:
        return -math.inf
    drawn = p.vote == "experts" and p.expert_mode != "vote"
    lost = float(run.s @ run.expected_errors) if drawn else run.vote_mistakes()
    return lost / run.total - p.error(run.total)
