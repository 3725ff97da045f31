"""Does a weak learner keep the theory's assumption on a given stream, and for which γ?

Assumption 1 of the paper (with c = 8): under any weights w_t ≤ 1 with Σw ≥ 8/γ², the learner's outputs satisfy
Σ w y h ≥ 2γ Σ w. No finite run can prove this, since it speaks of all weightings. But OSBoost only ever uses the
weights that it computes, and for those the advantage A_i = Σ w y h/Σ w is measured. For an error of δ the proof of
Theorem 1 uses the advantages of the learners with W_i ≥ δT and no others. So half the least of these is the γ that
the stream supports, provided that the masses are at least 8/γ²: with less, the advantage is not owed yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.theory.certificate import Certificate
from onlineboost.theory.constants import C


@dataclass(frozen=True)
class GammaSuggestion:
    """The largest γ that the measured advantages support for an error of `delta`, and why.

    `gamma` is None where some learner that counts has no edge. `learner` is the one with the least advantage (1 is the
    first). `enough` says whether its mass is at least 8/γ²: if not, the stream is too short to rely on it.
    """

    gamma: float | None
    delta: float
    learner: int
    enough: bool
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        """The reasons, one per line."""
        return "\n".join(self.reasons)


@dataclass(frozen=True)
class WeakLearnerCheck:
    """Whether a weak learner is of use to OSBoost on a stream."""

    useful: bool
    suggestion: GammaSuggestion
    certificate: Certificate
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        """The reasons, one per line."""
        return "\n".join(self.reasons)


def suggest_gamma(model: Any, delta: float = 0.1) -> GammaSuggestion:
    """The γ that the learners' measured advantages support.

    Parameters
    ----------
    model : OSBoostClassifier that has learned, or Certificate
        Where the advantages were measured.
    delta : float in (0, 1], default=0.1
        The error aimed at: learners that see less than this share of the weight do not count.

    """
    c = model if isinstance(model, Certificate) else model.certificate()
    delta = checks.real("delta", delta, 0.0, 1.0, low_open=True)
    A, W, used = c.advantage, c.sums.mass[:-1], c.constants.gamma
    counted = np.flatnonzero(c.mass_share >= delta)
    i = int(counted[np.argmin(A[counted])])
    first = f"Learner 1, whose weights are all 1, has the advantage {A[0]:.3f}"
    reasons = [f"{first}: " + (f"γ = {A[0] / 2:.3f} by itself." if A[0] > 0 else "no better than guessing.")]
    if i > 0:
        reasons.append(
            f"Of the {len(counted)} learners that see at least {100 * delta:g} % of the weight, learner {i + 1} has "
            f"the least: {A[i]:.3f} under its own smooth weights, of mass {W[i]:,.0f}."
        )
    if A[i] <= 0:
        lost = W[A <= 0].max() / c.weight
        reasons.append(
            f"That is no edge, so no γ is supported down to δ = {delta:g}: the edge is lost by a learner that sees "
            f"{100 * lost:.0f} % of the weight. Noise does this, for the weight that is left sits on it. "
            "Aim at a larger δ, take fewer learners, or a stronger one."
        )
        return GammaSuggestion(None, delta, i + 1, enough=False, reasons=tuple(reasons))
    gamma = min(0.5, float(A[i]) / 2.0)
    enough = bool(W[i] >= C / gamma**2)
    text = f"So the stream supports γ = {gamma:.3f}"
    if not enough:
        text += (
            f", with a caution: a mass of 8/γ² = {C / gamma**2:,.0f} is what a learner may take to get its advantage"
        )
    text += "."
    if gamma < used:
        text += f" The run had γ = {used:g}. Try the smaller one and measure again, for the weights change with γ."
    else:
        text += f" The run's γ = {used:g} is within it."
    return GammaSuggestion(gamma, delta, i + 1, enough=enough, reasons=(*reasons, text))


def check_weak_learner(
    learner: Any,
    X: Any,
    y: Any,
    *,
    gamma: float = 0.1,
    delta: float = 0.1,
    n_learners: int = 20,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> WeakLearnerCheck:
    """Run OSBoost once over a stream and judge its weak learner by the edges it had under smooth weights.

    Parameters
    ----------
    learner : Learner
        The weak learner.
    X, y : arrays
        The stream, in its order.
    gamma : float in (0, 0.5], default=0.1
        The γ of the run, and the one to judge by.
    delta : float in (0, 1], default=0.1
        The error aimed at, as for `suggest_gamma`.
    n_learners : int, default=20
        How many learners deep to look: the later ones see harder weights.
    sample_weight : array-like, default=None
        Weights.
    random_state : default=0
        The seed.

    """
    from onlineboost import OSBoostClassifier  # noqa: PLC0415  # the boosters know the theory, not the other way round

    gamma = checks.real("gamma", gamma, 0.0, 0.5, low_open=True)
    model = OSBoostClassifier(learner, n_learners, gamma=gamma, random_state=random_state)
    c = model.partial_fit(X, y, sample_weight=sample_weight).certificate()
    suggestion = suggest_gamma(c, delta)
    judged = c.mass_suffices
    failing = np.flatnonzero(judged & ~c.keeps_advantage) + 1
    useful = suggestion.gamma is not None
    strong = c.observed_error[0] < 0.01
    alone, together = (f"{100 * c.observed_error[at]:.1f} %" for at in (0, -1))
    reasons = [f"One learner, unweighted, erred on {alone} of {c.n_examples:,} examples; {n_learners} on {together}."]
    if not judged.any():
        reasons.append(
            f"The stream is too short to judge γ = {gamma:g}, which asks for a mass of {c.constants.mass_needed:,.0f}."
        )
    elif len(failing) == 0:
        reasons.append(f"All {int(judged.sum())} learners with enough weight keep the advantage 2γ = {2 * gamma:g}.")
    else:
        reasons.append(
            f"{len(failing)} of {int(judged.sum())} learners with enough weight miss the advantage 2γ = {2 * gamma:g}, "
            f"the first of them learner {failing[0]}."
        )
    if strong:
        reasons.append("It is hardly weak: it errs on less than 1 %, and boosting has little left to gain.")
    verdict = (
        "It has an edge under smooth weights, so boosting can use it." if useful else "Boosting cannot use it as it is."
    )
    return WeakLearnerCheck(useful, suggestion, c, (verdict, *reasons, *suggestion.reasons))
