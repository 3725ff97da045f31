"""Prediction sets: what holds on every stream.

    C_t = {y : 1 - p_t(y) ≤ q_t},    q_{t+1} = q_t + η s_t (1{y_t ∉ C_t} - α)

(Gibbs and Candès, NeurIPS 2021). Where q_t > 1 the set has all labels, so there is no miss and q falls; where q_t < 0
it has none, so there is a miss and q rises. So q stays in [-ηα, 1 + η(1 - α)]. The sum of the steps over an interval I
telescopes: |misses in I - α|I|| = |q_end - q_start| / η ≤ (1 + η)/η. Nothing is assumed of the stream or of the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.summary import LEVELS, STEP, level
from onlineboost.theory import sentences
from onlineboost.theory.sentences import printed

if TYPE_CHECKING:
    from onlineboost.machine import Machine
    from onlineboost.theory.runs import Run


@dataclass(frozen=True)
class SetGuarantee:
    """Guaranteed and observed misses of prediction sets."""

    alpha: float
    """The share of labels to be missed."""
    examples: float
    """The weight of the examples, each at most 1."""
    missed: float
    """The weight of the examples whose label was not in its set."""

    @classmethod
    def of(cls, machine: Machine, alpha: float) -> SetGuarantee:
        """Of a machine that has learned."""
        summary = machine.summary()
        return cls(LEVELS[level(alpha)], summary.set_weight, summary.missed(alpha))

    @property
    def slack(self) -> float:
        """By how much the misses of any interval can differ from alpha times its length."""
        return (1.0 + STEP) / STEP

    @property
    def holds(self) -> bool:
        """Whether the misses are within the guarantee."""
        return abs(self.missed - self.alpha * self.examples) <= self.slack * (1 + 1e-9)

    def summary(self) -> str:
        """In one sentence."""
        return sentences.text(self)


def _intervals(about: SetGuarantee, run: Run) -> float:
    """The thresholds, followed again from the probabilities: misses of every interval, and those that are printed."""
    q, off = 1.0, [0.0]
    missed = 0.0
    for right, weight in zip(np.where(run.y > 0, run.plus, 1.0 - run.plus), np.minimum(run.s, 1.0), strict=True):
        miss = float(1.0 - right > q)
        q += STEP * weight * (miss - about.alpha)
        missed += weight * miss
        off.append(off[-1] + weight * (miss - about.alpha))
    widest = max(off) - min(off)
    return max(widest - about.slack, abs(missed - about.missed) - 1e-6) / run.total


@printed(
    "sets",
    of="SetGuarantee",
    statement="|misses in I - α|I|| ≤ (1+η)/η on every interval I",
    assumes="nothing; sample weights above 1 count as 1",
    proof="theory.md#11-prediction-sets",
    check=_intervals,
)
def _sets(about: SetGuarantee) -> str:
    share = about.missed / about.examples if about.examples > 0 else 0.0
    return (
        f"Sets for {1 - about.alpha:.0%}: of {about.examples:,.0f} labels {share:.1%} were missed; over any n in a "
        f"row between {about.alpha:g} n - {about.slack:.0f} and {about.alpha:g} n + {about.slack:.0f} are."
    )


# ---- strongly adaptive sets ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AdaptiveSetGuarantee:
    """Guaranteed and observed misses of `StronglyAdaptiveSets`."""

    alpha: float
    """The share of labels to be missed."""
    examples: int
    """How many were learned."""
    missed: int
    """How many labels were not in their sets."""
    step: float
    """η of the correction."""

    @property
    def slack(self) -> float:
        """By how much the misses of any interval can differ from alpha times its length: (2 + η)/η."""
        return (2.0 + self.step) / self.step

    def regret_bound(self, n_examples: int) -> float:
        """On any interval of so many examples, the pinball loss of u less that of the best fixed threshold, at most.

        6.83 (√2 + 3√L) √n + 8 L (log₂ n + 1), with L = -ln of the least prior used (docs/theory.md, Section 11).
        """
        n = max(n_examples, 1)
        levels = math.log2(n) + 1.0
        prior = (self.examples + 1.0) * (self.examples + 2.0) * levels * (levels + 1.0) * 132.0
        log_prior = math.log(prior)
        return 6.83 * (math.sqrt(2.0) + 3.0 * math.sqrt(log_prior)) * math.sqrt(n) + 8.0 * log_prior * levels

    def summary(self) -> str:
        """In sentences."""
        return sentences.text(self)


def _adaptive_intervals(about: AdaptiveSetGuarantee, run: Run) -> float:
    """Sets made again from the probabilities: misses of every interval, and those that are printed."""
    from onlineboost.evaluation.adaptive_sets import StronglyAdaptiveSets  # noqa: PLC0415  # it knows the theory

    scores = 1.0 - np.where(run.y > 0, run.plus, 1.0 - run.plus)
    used = StronglyAdaptiveSets(None, about.alpha).learn_scores(scores)
    off = np.append(0.0, np.cumsum((scores > used) - about.alpha))
    return max(float(np.ptp(off)) - about.slack, abs(float((scores > used).sum()) - about.missed)) / len(scores)


@printed(
    "adaptive sets",
    of="AdaptiveSetGuarantee",
    statement="|misses in I - α|I|| ≤ (2+η)/η on every interval I",
    assumes="nothing; sample weights are not used",
    proof="theory.md#11-prediction-sets",
    check=_adaptive_intervals,
)
def _adaptive(about: AdaptiveSetGuarantee) -> str:
    share = about.missed / max(about.examples, 1)
    return (
        f"Strongly adaptive sets for {1 - about.alpha:.0%}: of {about.examples:,} labels {share:.1%} were missed; over "
        f"any n in a row between {about.alpha:g} n - {about.slack:.0f} and {about.alpha:g} n + {about.slack:.0f} are."
    )


def _adaptive_regret(about: AdaptiveSetGuarantee, run: Run) -> float:
    """The pinball loss of u on every interval, against the best fixed threshold of that interval."""
    from onlineboost.evaluation.adaptive_sets import StronglyAdaptiveSets  # noqa: PLC0415  # as above

    scores = 1.0 - np.where(run.y > 0, run.plus, 1.0 - run.plus)
    sets = StronglyAdaptiveSets(None, about.alpha)
    mixed = np.array([sets.learn_score(float(score)) for score in scores])
    at = np.unique(np.append(scores, [0.0, 1.0]))  # the loss of a fixed threshold is least at a score
    fixed = np.cumsum(_pinball(at, scores[:, None], about.alpha), axis=0)
    lost = np.cumsum(_pinball(mixed, scores, about.alpha))
    worst = -math.inf
    for r in range(len(scores)):
        before, already = (fixed[r - 1], lost[r - 1]) if r else (0.0, 0.0)
        regret = lost[r:] - already - (fixed[r:] - before).min(axis=1)
        bounds = np.array([about.regret_bound(n) for n in range(1, len(regret) + 1)])
        worst = max(worst, float((regret - bounds).max()))
    return worst / len(scores)


def _pinball(q: Any, score: Any, alpha: float) -> Any:
    return np.maximum((1.0 - alpha) * (score - q), alpha * (q - score))


sentences.declare(
    sentences.Sentence(
        "adaptive sets: regret",
        "AdaptiveSetGuarantee",
        "Σ_I ℓ(u) ≤ min_v Σ_I ℓ(v) + 6.83(√2 + 3√L)√|I| + 8L(log₂|I| + 1) on every interval I",
        "nothing; |I| of at most 2^20",
        "theory.md#11-prediction-sets",
        _adaptive_regret,
    )
)
