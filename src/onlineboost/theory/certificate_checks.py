"""Checks of the sentences of a certificate, of a suggestion for γ, and of a check of a weak learner.

Each gives by how much a run breaks the sentence, relative to the summed weights: at most 0, but for rounding.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.theory.runs import TIE

if TYPE_CHECKING:
    from onlineboost.theory.certificate import Certificate
    from onlineboost.theory.runs import Run


def prefixes(c: Certificate, run: Run) -> float:
    """Lemma 2 for every prefix: mistakes ≤ what is printed as observed ≤ what is printed as certified."""
    wrong = run.mistakes() / run.total
    return float(max((wrong - c.observed_error).max(), (c.observed_error - c.certified_error).max()))


def small_masses(c: Certificate, run: Run) -> float:
    """Learners after the n-th see less than 5 % of the weight, each of them."""
    share = run.s @ run.weights(c.constants)[:, :-1] / run.total
    n = c.effective_learners()
    told = abs(float(share[-1] - c.mass_share[-1]))
    return max(told, float((share[n:] - 0.05).max())) if n < c.n_learners else told


def assumption(c: Certificate, run: Run) -> float:
    """Whom the assumption asks, and who kept it, counted again; for weights ≤ 1 the paper's condition implies it."""
    w = run.s[:, None] * run.weights(c.constants)[:, :-1]
    worth = w.sum(axis=0) ** 2 / (w**2).sum(axis=0)
    advantage = (w * run.m).sum(axis=0) / w.sum(axis=0)
    differs = max(
        float(np.abs(worth / c.effective_examples - 1.0).max()),
        float(np.abs(advantage - c.advantage).max()),
    )
    light = float(w.max()) <= 1.0
    paper = float((w.sum(axis=0) - worth * (1.0 + TIE)).max()) if light else -math.inf
    return max(differs - 1e-9, paper)


def supported(c: Certificate, run: Run) -> float:
    """G3: min W_i/T ≤ 1/(β N (a - γ̂)), a the least advantage; all of it counted again."""
    w = run.s[:, None] * run.weights(c.constants)[:, :-1]
    W = w.sum(axis=0)
    least = float(((w * run.m).sum(axis=0) / W).min())
    return float(W.min() / run.total) - c.constants.certified_by(least, c.n_learners)


def own_vote(c: Certificate, run: Run) -> float:
    """The vote's mistakes against what is certified, and its loss against the best prefix's plus the regret bound."""
    vote = c.vote
    worst = abs(run.vote_mistakes() / run.total - c.vote_error) - float(
        run.s @ (np.abs(run.margins) <= TIE) / run.total
    )
    if math.isnan(vote.regret_bound):
        return worst
    theta, n = c.constants.theta, np.arange(1, c.n_learners + 1)
    means = np.cumsum(run.m, axis=1) / n
    if vote.kind == "experts":
        loss, best = float(run.s @ run.expected_errors), float((run.s @ (means <= TIE)).min())
    else:
        loss = float(run.s @ np.maximum(0.0, theta - run.y * run.margins))
        best = float((run.s @ np.maximum(0.0, theta - means)).min())
    return max(
        worst,
        run.vote_mistakes() / run.total - c.certified_vote_error,
        (loss - best - vote.regret_bound) / run.total,
        (abs(loss - vote.loss)) / run.total - 1e-9,
    )


def stretches(c: Certificate, run: Run) -> float:
    """Of all intervals the one on which the vote did worst against each prefix, by Kadane's algorithm."""
    if not c.shared_until:
        return -math.inf
    vote = (run.y * run.margins <= -TIE).astype(np.float64)
    prefixes_wrong = np.cumsum(run.m, axis=1) <= TIE
    excess = np.cumsum(vote[:, None] - math.log(2.0) / math.log(4.0 / 3.0) * prefixes_wrong, axis=0)
    low = np.minimum.accumulate(np.vstack([np.zeros(c.n_learners), excess[:-1]]), axis=0)
    allowed = math.log(c.n_learners * len(run.y)) / math.log(4.0 / 3.0)
    return float((excess - low).max() - allowed) / run.total


def total(c: Certificate, run: Run) -> float:
    """Σs, counted again."""
    return abs(c.weight / run.total - 1.0) - 1e-6


def grid(c: Certificate, run: Run) -> float:
    """k*(δ) learners err on less than δ, for every δ that is named."""
    share = run.mistakes() / run.total
    found = {delta: k for delta, k in c.prefixes().items() if k is not None}
    return max((float(share[k - 1]) - delta for delta, k in found.items()), default=-math.inf)


def risk(c: Certificate, run: Run) -> float:
    """G1: the mean chance to err of the vote and of every prefix; where labels are not drawn, it is the error."""
    plus = run.chances if run.chances is not None else (run.y > 0).astype(np.float64)

    def chance(f: Any) -> Any:  # a tie errs
        errs_on_plus, errs_on_minus = f <= -TIE, f >= TIE
        return plus @ errs_on_plus + (1.0 - plus) @ errs_on_minus

    sums = np.cumsum(run.h, axis=1)
    over = [(chance(run.margins) / len(run.y)) - c.vote_risk(0.025)]
    over += list(chance(sums) / len(run.y) - c.prefix_risk(0.025))
    return float(np.max(over))


def counted_mistakes(about: Any, run: Run) -> float:
    """The mistakes that a check of a learner speaks of."""
    return prefixes(about.certificate, run)


def suggestion(about: Any, run: Run) -> float:
    """The advantages that a suggestion speaks of, counted again from the run."""
    return assumption(about.certificate, run)


def suggested_support(about: Any, run: Run) -> float:
    """With the least advantage of those that see δ of the weight: min W_i/T ≤ max(δ, 1/(β N (a - γ̂)))."""
    c: Certificate = about.certificate
    w = run.s[:, None] * run.weights(c.constants)[:, :-1]
    share = w.sum(axis=0) / run.total
    counted = share >= about.delta
    least = float(((w * run.m).sum(axis=0) / w.sum(axis=0))[counted].min())
    return float(share.min()) - max(float(about.delta), c.constants.certified_by(least, c.n_learners))
