"""Statements that are documented and that no summary prints, with their checks: of learners and of later boosters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.theory.constants import constants
from onlineboost.theory.runs import TIE
from onlineboost.theory.sentences import Sentence, declare

if TYPE_CHECKING:
    from onlineboost.theory.runs import Run


@dataclass(frozen=True)
class Learner:
    """An OSBoostClassifier over `OnlineGradient` with intercept and unit norm."""

    model: Any


@dataclass(frozen=True)
class Majority:
    """A BBMClassifier."""

    model: Any


@dataclass(frozen=True)
class Forecasts:
    """A DefensiveClassifier."""

    model: Any


def unit_rows(X: Any) -> Any:
    """Rows with a constant 1, of length 1."""
    rows = np.hstack([np.ones((len(X), 1)), X])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _taught(about: Learner, run: Run) -> Any:
    """The weights that the learners were taught with."""
    c = constants(about.model.gamma, about.model.theta)
    return run.s[:, None] * run.weights(c)[:, :-1]


def gradient_regret(about: Learner, run: Run) -> float:
    """max_u Σ w y⟨u, x⟩ - Σ w y h ≤ √(8 Σ w²|x|²), for each learner; with a clock see `interval_regret`."""
    if about.model.learner.restart != "never":
        return -math.inf
    w = _taught(about, run)
    best = np.linalg.norm((w * run.y[:, None]).T @ unit_rows(run.X), axis=1)
    return float((best - (w * run.m).sum(axis=0) - np.sqrt(8.0 * (w**2).sum(axis=0))).max()) / run.total


def interval_bound(W: Any, n_levels: float, log_prior: float) -> Any:
    """(R): a √W + b with a = 9.66(√8 + 6√L), b = 16 L n_levels + 8, L = -ln of the least prior used."""
    return 9.66 * (math.sqrt(8.0) + 6.0 * math.sqrt(log_prior)) * np.sqrt(W) + 16.0 * log_prior * n_levels + 8.0


def interval_regret(about: Learner, run: Run) -> float:
    """max_u Σ_I w y⟨u, x⟩ - Σ_I w y h ≤ a√W(I) + b on every interval, for each learner with a clock."""
    if about.model.learner.restart != "clock" or float(run.s.max()) > 1:
        return -math.inf
    w = _taught(about, run)
    T = len(run.y)
    levels = math.log2(max(T, 2)) + 1.0
    log_prior = math.log((T + 1) * (T + 2) * (levels + 1) * (levels + 2) * levels * (levels + 1))
    pulls = np.concatenate(
        [
            np.zeros((1, *w.shape[1:], 5)),
            np.cumsum((w * run.y[:, None])[:, :, None] * unit_rows(run.X)[:, None], axis=0),
        ]
    )
    gains, mass = (np.vstack([np.zeros(w.shape[1]), np.cumsum(one, axis=0)]) for one in (w * run.m, w))
    worst = -math.inf
    for r in range(T):
        best = np.linalg.norm(pulls[r + 1 :] - pulls[r], axis=2)
        W = mass[r + 1 :] - mass[r]
        worst = max(worst, float((best - (gains[r + 1 :] - gains[r]) - interval_bound(W, levels, log_prior)).max()))
    return worst / run.total


def majority_identity(about: Majority, run: Run) -> float:
    """The majority's mistakes, learners that say 0 counted as wrong, are what the identity gives."""
    right = np.where(run.m > 0, 1.0, -1.0).sum(axis=1)
    sure = float(run.s @ (right <= 0))
    shaky = float(run.s @ (np.abs(run.m) <= TIE).any(axis=1))
    return (abs(sure - float(about.model.expected_mistakes_)) - shaky) / run.total - 1e-6


def forecast_gains(about: Forecasts, _: Run) -> float:
    """Nobody gains more against the forecasts than the audit allows."""
    audit = about.model.audit()
    return float(max(audit.learner_gain - audit.learner_bound, abs(audit.forecast_gain) - audit.forecast_bound))


declare(
    Sentence(
        "OnlineGradient: regret",
        "Learner",
        "Σ w y h ≥ max_u Σ w y⟨u, x⟩ - √(8 Σ w²|x|²)   (I10)",
        "|x| ≤ 1; any weights",
        "theory.md#5-lemma-1-a-learner-that-keeps-the-assumption",
        gradient_regret,
    )
)
declare(
    Sentence(
        "OnlineGradient: regret on every interval",
        "Learner",
        "Σ_I w y h ≥ max_u Σ_I w y⟨u, x⟩ - a√W(I) - b   (R)",
        "|x| ≤ 1, w ≤ 1, restart='clock'",
        "theory.md#10-theorem-1-on-every-interval",
        interval_regret,
    )
)
declare(
    Sentence(
        "BBM: identity",
        "Majority",
        "mistakes = T Φ₀(0) - Σ w (y h - 2γ)   (I11)",
        "output='sign'",
        "theory.md#8-the-inequalities-and-what-shows-that-the-tests-notice",
        majority_identity,
    )
)
declare(
    Sentence(
        "Defensive: gains",
        "Forecasts",
        "Σ h r ≤ R_λ, |Σ p r| ≤ R_λ + R_θ",
        "nothing",
        "theory.md#8-the-inequalities-and-what-shows-that-the-tests-notice",
        forecast_gains,
    )
)
