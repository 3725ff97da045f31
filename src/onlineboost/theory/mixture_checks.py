"""Checks of the sentences of a mixture's certificate, from what its families said in a run.

In the run of a mixture, learner g K + k is family k of generation g, and h = 2 p - 1 with p its probability of +1; 2
stands for no opinion. Where weights are targets, the sentences are about effective examples and about the probability
that these have.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.theory.runs import TIE

if TYPE_CHECKING:
    from onlineboost.theory.mixture import MixtureCertificate
    from onlineboost.theory.runs import Run

LARGEST_LOGIT = 12.0


def _effective(c: MixtureCertificate, run: Run) -> Run:
    """The run with the examples' effective weights and probabilities."""
    if not c.targets:
        return run
    r, plain = np.empty_like(run.s), np.empty_like(run.plus)
    sums = {1: np.zeros(2), -1: np.zeros(2)}  # Σ s and Σ s² of the class
    for t, (code, s, p) in enumerate(zip(run.y, run.s, run.plus, strict=True)):
        units = {c: total[1] / total[0] if total[0] > 0 else None for c, total in sums.items()}
        odds = units[1] / units[-1] if units[1] and units[-1] else 1.0
        odds = min(max(odds, 1e-6), 1e6)
        plain[t] = p / (p + (1.0 - p) * odds)
        own = sums[int(code)]
        own += s, s * s
        r[t] = s * own[0] / own[1]
    return replace(run, s=r, plus=plain)


def _loss(p: Any, run: Run) -> Any:
    """Σ -s ln p(y) of probabilities of +1."""
    right = np.where(run.y > 0, p.T, 1.0 - p.T)
    return -np.log(right) @ run.s


def _families(run: Run) -> Any:
    """Losses of the families, their logits clipped as the mixture does."""
    least = 1.0 / (1.0 + math.exp(LARGEST_LOGIT))
    return _loss(np.clip((1.0 + np.minimum(run.h, 1.0)) / 2.0, least, 1.0 - least), run)


def loss(c: MixtureCertificate, run: Run) -> float:
    """The mixture's mean loss, counted again."""
    run = _effective(c, run)
    return abs(float(_loss(run.plus, run)) / run.total - c.log_loss) - 1e-6


def regret(c: MixtureCertificate, run: Run) -> float:
    """Mixture less best family at work from the start, against the bound; the run is the whole stream."""
    run = _effective(c, run)
    stayed = (run.h <= 1.0).all(axis=0)
    lost = float(_loss(run.plus, run))
    best = float(_families(run)[stayed].min()) if stayed.any() else math.inf
    return max(lost - best - c.regret_bound, abs(lost - (c.log_loss * run.total)) - 1e-6 * run.total) / run.total


def intervals(c: MixtureCertificate, run: Run) -> float:
    """The largest regret over all intervals in the life of a family's copy, against the bound."""
    run = _effective(c, run)
    least = 1.0 / (1.0 + math.exp(LARGEST_LOGIT))
    said = np.clip((1.0 + np.minimum(run.h, 1.0)) / 2.0, least, 1.0 - least)
    plus = (run.y > 0)[:, None]
    mixture = np.where(run.y > 0, run.plus, 1.0 - run.plus)
    more = run.s[:, None] * (np.log(np.where(plus, said, 1.0 - said)) - np.log(mixture)[:, None])
    worst, so_far = -math.inf, np.zeros(more.shape[1])
    for row, alive in zip(more, run.h <= 1.0, strict=True):
        so_far = np.where(alive, np.maximum(so_far, 0.0) + row, 0.0)
        worst = max(worst, float(so_far.max()))
    return (worst - c.interval_bound) / run.total


def change(c: MixtureCertificate, run: Run) -> float:
    """The generation that leads speaks at the end, and began before it was noticed."""
    leader = next(one for one in c.generations if one.leads)
    n = len(c.families)
    speaks = bool((run.h[-1, leader.place * n : (leader.place + 1) * n] <= 1.0).any())
    noticed = c.last_change is None or leader.since <= c.last_change.example <= c.examples
    return -1.0 if speaks and noticed else 1.0


def shares(c: MixtureCertificate, _: Run) -> float:
    """Shares are between 0 and 1 and add up to 1."""
    carried = [one.carries for one in c.families]
    return max(abs(sum(carried) - 1.0) - 1e-9, max(carried) - 1.0 - 1e-9, -min(carried) - 1e-9)


def families(c: MixtureCertificate, run: Run) -> float:
    """The mean loss of each family's copy in the generation that leads, counted again."""
    run = _effective(c, run)
    n, place = len(c.families), next(one.place for one in c.generations if one.leads)
    silent = np.flatnonzero((run.h[:, place * n : (place + 1) * n] > 1.0).all(axis=1))
    lived = run.s * (np.arange(len(run.s)) > (silent[-1] if len(silent) else -1))
    least = 1.0 / (1.0 + math.exp(LARGEST_LOGIT))
    said = np.clip((1.0 + np.minimum(run.h[:, place * n : (place + 1) * n], 1.0)) / 2.0, least, 1.0 - least)
    lost = -(lived @ np.log(np.where((run.y > 0)[:, None], said, 1.0 - said))) / max(float(lived.sum()), 1e-300)
    told = np.array([one.log_loss for one in c.families])
    known = ~np.isnan(told)
    return float(np.abs(lost - told)[known].max(initial=0.0)) - 1e-6


def risk(c: MixtureCertificate, run: Run) -> float:
    """G1: the mean chance to err of the mixture, and of the families as long as the first generation leads."""
    said = np.column_stack([run.margins, np.where(run.h > 1.0, 0.0, run.h)[:, : len(c.families)]])
    plus = run.chances if run.chances is not None else (run.y > 0).astype(np.float64)
    chance = (plus @ (said <= -TIE) + (1.0 - plus) @ (said >= TIE)) / len(run.y)
    bounds = np.array([c.risk, *(one.risk for one in c.families)])
    told = ~np.isnan(bounds) & np.append(True, np.full(len(c.families), c.last_change is None))
    return float((chance - bounds)[told].max(initial=-math.inf))
