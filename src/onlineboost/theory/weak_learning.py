"""What a run tells about its weak learner: which advantages it had, what these certify, and which γ to try.

Assumption 1 of the paper (with c = 8): under any weights w_t ≤ 1 with Σw ≥ 8/γ², the learner's outputs satisfy
Σ w y h ≥ 2γ Σ w. No finite run can prove this, since it speaks of all weightings, nor does a run with one γ say what
advantages there would be under the weights of another. What a run does tell is G3, (I5) for the weights that it used:
if the learners with W_i ≥ δT have advantages of at least a > γ̂, then

    min_{i ≤ N} W_i/T  ≤  max{δ, 1/(β N (a - γ̂))},

so N > 1/(βδ(a - γ̂)) learners of this advantage certify an error below δ: 2γ is not needed. Half the least advantage
is a γ to try next, no more: it has to be measured again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onlineboost.declarations import checks as declared
from onlineboost.theory import certificate_checks as checks
from onlineboost.theory import sentences
from onlineboost.theory.certificate import Certificate
from onlineboost.theory.constants import C
from onlineboost.theory.sentences import printed

PROOF = "theory.md#3-lemma-3-the-mass-cannot-stay-large-if-learners-have-an-advantage"


@dataclass(frozen=True)
class GammaSuggestion:
    """What the measured advantages certify for an error of `delta`, and a γ to try.

    `gamma` is half the least advantage of the learners that see at least `delta` of the weight; None where that is no
    edge. `learner` is the one that has it (1 is the first). `enough`: its weights are worth 8/γ² examples or more.
    `n_learners` is how many learners of this advantage are sure to certify `delta` with the weights of the run; None
    where no number is.
    """

    gamma: float | None
    delta: float
    learner: int
    enough: bool
    n_learners: int | None
    certificate: Certificate = field(repr=False, compare=False)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences."""
        return tuple(words for _, words in sentences.told(self))

    def __str__(self) -> str:
        """The reasons, one per line."""
        return "\n".join(self.reasons)


@dataclass(frozen=True)
class WeakLearnerCheck:
    """Whether a weak learner is of use to OSBoost on a stream."""

    useful: bool
    suggestion: GammaSuggestion
    certificate: Certificate

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences, with those of the suggestion."""
        return (*(words for _, words in sentences.told(self)), *self.suggestion.reasons)

    def __str__(self) -> str:
        """The reasons, one per line."""
        return "\n".join(self.reasons)


# ---- the sentences of a suggestion -----------------------------------------------------------------------------------


@printed(
    "first advantage",
    of="GammaSuggestion",
    statement="A_1 = Σ s y h_1/Σs",
    assumes="nothing: it is counted",
    proof="theory.md#1-what-is-given",
    check=checks.suggestion,
)
def _first(about: GammaSuggestion) -> str:
    a = float(about.certificate.advantage[0])
    return (
        f"Learner 1, which is not reweighted, had the advantage {a:.3f}{'' if a > 0 else ': no better than guessing'}."
    )


@printed(
    "least advantage",
    of="GammaSuggestion",
    statement="min{A_i : W_i ≥ δ Σs}",
    assumes="nothing: it is counted",
    proof="theory.md#1-what-is-given",
    check=checks.suggestion,
)
def _least(about: GammaSuggestion) -> str:
    c, i = about.certificate, about.learner - 1
    if i == 0:
        return ""
    n = int((c.mass_share >= about.delta).sum())
    return (
        f"Of the {n} learners that saw at least {100 * about.delta:g} % of the weight, learner {i + 1} had the least: "
        f"{c.advantage[i]:.3f} under its own smooth weights, worth {c.effective_examples[i]:,.0f} examples."
    )


@printed(
    "suggested support",
    of="GammaSuggestion",
    statement="min_i W_i/T ≤ max{δ, 1/(β N (a - γ̂))}, a = min{A_i : W_i ≥ δT} > γ̂",
    assumes="nothing; any sample weights",
    proof=PROOF,
    check=checks.suggested_support,
)
def _known(about: GammaSuggestion) -> str:
    c, i = about.certificate, about.learner - 1
    a, exact = float(c.advantage[i]), c.constants
    if a <= 0:
        lost = c.sums.mass[:-1][c.advantage <= 0].max() / c.weight
        return (
            f"That is no edge, and nothing follows for δ = {about.delta:g}: the edge is lost by a learner that saw "
            f"{100 * lost:.0f} % of the weight. Noise does this, for the weight that is left sits on it. "
            "Aim at a larger δ, take fewer learners, or a stronger one."
        )
    cost = f"the weights of γ = {exact.gamma:g} cost an advantage of γ̂ = {exact.gamma_hat:.3f}"
    if about.n_learners is None:
        return f"But {cost}: with this one no number of learners is sure to certify δ = {about.delta:g}."
    most = max(about.delta, exact.certified_by(a, c.n_learners))
    had = f"The {c.n_learners} of this run are certified at {100 * most:.3g} % or less by it." if most < 1 else ""
    return (
        f"As {cost}, {about.n_learners:,} learners of this advantage are sure to certify δ = {about.delta:g}. {had}"
    ).strip()


@printed(
    "gamma to try",
    of="GammaSuggestion",
    statement="γ = min{A_i : W_i ≥ δ Σs}/2 is tried next; nothing is promised",
    assumes="nothing: it is counted",
    proof=PROOF,
    check=checks.suggestion,
)
def _to_try(about: GammaSuggestion) -> str:
    if about.gamma is None:
        return ""
    used = about.certificate.constants.gamma
    if about.gamma >= used:
        text = f"The run's γ = {used:g} is at most half of it."
    else:
        text = f"γ = {about.gamma:.3f} is worth a try; the run had γ = {used:g}. Weights change with γ: measure again."
    if not about.enough:
        worth = f"{C / about.gamma**2:,.0f} examples' worth of weight"
        text += f" A learner may take {worth} to get its advantage: more are needed to judge."
    return text


def suggest_gamma(model: Any, delta: float = 0.1) -> GammaSuggestion:
    """What the learners' measured advantages certify (G3), and a γ to try next.

    Parameters
    ----------
    model : OSBoostClassifier that has learned, or Certificate
        Where the advantages were measured.
    delta : float in (0, 1], default=0.1
        The error aimed at: learners that see less than this share of the weight do not count.

    """
    c = model if isinstance(model, Certificate) else model.certificate()
    delta = declared.real("delta", delta, 0.0, 1.0, low_open=True)
    counted = np.flatnonzero(c.mass_share >= delta)
    i = int(counted[np.argmin(c.advantage[counted])])
    a = float(c.advantage[i])
    if a <= 0:
        return GammaSuggestion(None, delta, i + 1, enough=False, n_learners=None, certificate=c)
    gamma = min(0.5, a / 2.0)
    enough = bool(c.effective_examples[i] >= C / gamma**2)
    share = c.constants.certified_by(a, 1) / delta
    n = math.floor(share) + 1 if share < 1e15 else None
    return GammaSuggestion(gamma, delta, i + 1, enough=enough, n_learners=n, certificate=c)


# ---- the sentences of a check ----------------------------------------------------------------------------------------


@printed(
    "verdict",
    of="WeakLearnerCheck",
    statement="min{A_i : W_i ≥ δ Σs} > 0, or not",
    assumes="nothing: it is counted",
    proof="theory.md#1-what-is-given",
    check=checks.suggestion,
)
def _verdict(about: WeakLearnerCheck) -> str:
    if about.useful:
        return "It had an edge under smooth weights, so boosting can use it."
    return "Boosting cannot use it as it is."


@printed(
    "together",
    of="WeakLearnerCheck",
    statement="#{y h_1 ≤ 0} and #{y f_N ≤ 0}",
    assumes="nothing: they are counted",
    proof="theory.md#2-lemma-2-the-mass-certifies-the-vote",
    check=checks.counted_mistakes,
)
def _together(about: WeakLearnerCheck) -> str:
    c = about.certificate
    alone, together = (f"{100 * c.observed_error[at]:.1f} %" for at in (0, -1))
    return f"One learner, unweighted, erred on {alone} of {c.n_examples:,} examples; {c.n_learners} on {together}."


@printed(
    "judged",
    of="WeakLearnerCheck",
    statement="A_i ≥ 2γ where (Σw)²/Σw² ≥ 8/γ²",
    assumes="nothing: it is counted",
    proof="theory.md#1-what-is-given",
    check=checks.suggestion,
)
def _judged(about: WeakLearnerCheck) -> str:
    c = about.certificate
    gamma, judged = c.constants.gamma, c.weight_suffices
    failing = np.flatnonzero(judged & ~c.keeps_advantage) + 1
    if not judged.any():
        return (
            f"The stream is too short to judge γ = {gamma:g}, which asks for weights worth "
            f"{c.constants.mass_needed:,.0f} examples."
        )
    if len(failing) == 0:
        return f"All {int(judged.sum())} learners with enough weight kept the advantage 2γ = {2 * gamma:g}."
    return (
        f"{len(failing)} of {int(judged.sum())} learners with enough weight missed the advantage 2γ = {2 * gamma:g}, "
        f"the first of them learner {failing[0]}."
    )


@printed(
    "hardly weak",
    of="WeakLearnerCheck",
    statement="#{y h_1 ≤ 0} < 0.01 Σs",
    assumes="nothing: it is counted",
    proof="theory.md#2-lemma-2-the-mass-certifies-the-vote",
    check=checks.counted_mistakes,
)
def _strong(about: WeakLearnerCheck) -> str:
    if about.certificate.observed_error[0] >= 0.01:
        return ""
    return "It is hardly weak: it erred on less than 1 %, and boosting has little left to gain."


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

    gamma = declared.real("gamma", gamma, 0.0, 0.5, low_open=True)
    model = OSBoostClassifier(learner, n_learners, gamma=gamma, random_state=random_state)
    c = model.partial_fit(X, y, sample_weight=sample_weight).certificate()
    suggestion = suggest_gamma(c, delta)
    return WeakLearnerCheck(suggestion.gamma is not None, suggestion, c)
