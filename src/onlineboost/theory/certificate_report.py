"""A certificate in plain sentences, most wanted first, and as a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations.extras import require
from onlineboost.theory import bounds
from onlineboost.theory import certificate_checks as checks
from onlineboost.theory.sentences import printed

if TYPE_CHECKING:
    from onlineboost.theory.certificate import Certificate

LARGEST_EXACT_SUM = 2.0**53  # from there on 1 is lost in a sum of doubles


def percent(share: float) -> str:
    """A share as a percentage that does not round to 0 what is not."""
    return f"{100 * share:.1f} %" if share >= 0.0005 or share == 0 else f"{100 * share:.2g} %"


def span(first: int, last: int) -> str:
    """Learners first…last in words."""
    return f"learner {first} saw" if first == last else f"learners {first}–{last} saw"


@printed(
    "prefix",
    of="Certificate",
    statement="#{y f_i ≤ 0} ≤ #{y f_i ≤ θ} ≤ W_{i+1}, for every prefix i",
    assumes="nothing; any sample weights, any part of the stream",
    proof="theory.md#2-lemma-2-the-mass-certifies-the-vote",
    check=checks.prefixes,
)
def _headline(c: Certificate) -> str:
    k, N = c.best_prefix, c.n_learners
    certified, observed = c.certified_error[k - 1], c.observed_error[k - 1]
    who = "the one learner" if N == 1 else f"all {N} learners" if k == N else f"the first {k} learners alone"
    if k == 1 and N > 1:
        who = "the first learner alone"
    text = f"After {c.n_examples:,} examples"
    if certified > 1 - 1e-9:
        text += " the certificate says nothing yet: no prefix has a margin above θ often enough."
    else:
        text += f": {who} erred on at most {percent(certified)} (certified), {percent(observed)} (observed)."
    if c.half_life is not None:
        text += f" Recent examples count most, halving every {c.half_life:,.0f}."
    return text


@printed(
    "risk",
    of="Certificate",
    statement="Σμ_t/T ≤ min_j (1 - e^(-(λ_j ē + ln(j(j+1)/α)/T)))/(1 - e^(-λ_j)), for all T at once",
    assumes="sample weights 1; holds with probability 1 - α over the labels, which may depend on all before them",
    proof="theory.md#9-risk-at-every-time",
    check=checks.risk,
    chance=0.05,
)
def _risk(c: Certificate) -> str:
    if not c.unit_weights:
        return ""
    vote, prefixes = c.vote_risk(0.025), c.prefix_risk(0.025)
    k = int(np.argmin(prefixes)) + 1
    if min(vote, float(prefixes[k - 1])) >= 1:
        return ""
    who = "the first learner's" if k == 1 else f"that of the first {k} learners"
    return (
        f"With confidence 95 %, at all times at once: the vote's chance to err on the next example was at most "
        f"{percent(vote)} on average, {who} at most {percent(float(prefixes[k - 1]))}."
    )


@printed(
    "size",
    of="Certificate",
    statement="W_i < 0.05 Σs for the learners that are named",
    assumes="nothing",
    proof="theory.md#1-what-is-given",
    check=checks.small_masses,
)
def _size(c: Certificate) -> str:
    n, N = c.effective_learners(), c.n_learners
    if n < N:
        text = span(n + 1, N)
        return f"{text[0].upper()}{text[1:]} under 5 % of the weight: N = {n} would do for a certified error of 5 %."
    if N == 1:
        return ""
    share = percent(float(c.mass_share[-1]))
    return f"The last learner still saw {share} of the weight: more learners may tighten the certificate."


@printed(
    "assumption",
    of="Certificate",
    statement="A_i ≥ 2γ where (Σw)²/Σw² ≥ 8/γ²",
    assumes="nothing: it is counted; not printed in windows and fading sums, where no advantage is owed",
    proof="theory.md#1-what-is-given",
    check=checks.assumption,
)
def _assumption(c: Certificate) -> str:
    if not c.whole_stream:
        return ""
    asked, kept = c.weight_suffices, c.keeps_advantage
    gamma = c.constants.gamma
    n_asked, n_kept = int(asked.sum()), int((asked & kept).sum())
    if n_asked == 0:
        return (
            f"Too little weight so far to judge the weak learners: γ = {gamma:g} asks something of them once their "
            f"weights are worth {c.constants.mass_needed:,.0f} examples."
        )
    least = float(np.min(c.advantage[asked]))
    text = (
        f"{n_kept} of the {n_asked} learners with enough weight to be judged had the advantage 2γ = {2 * gamma:g} "
        f"that the theory assumes; the least advantage was {least:.3f}"
    )
    if n_kept == n_asked:
        return f"{text}. The weak-learning assumption is not contradicted."
    return f"{text}." if least > 0 else f"{text}: some learner was no better than guessing under its weights."


@printed(
    "support",
    of="Certificate",
    statement="min_i W_i/T ≤ 1/(β N (a - γ̂)), a = min_i A_i > γ̂",
    assumes="nothing; any sample weights, any part of the stream",
    proof="theory.md#3-lemma-3-the-mass-cannot-stay-large-if-learners-have-an-advantage",
    check=checks.supported,
)
def _support(c: Certificate) -> str:
    least, hat, most = float(c.advantage.min()), c.constants.gamma_hat, c.supported_error
    if c.n_learners == 1:
        return ""
    if most < 1:
        return (
            f"Each of the {c.n_learners} learners had an advantage of at least {least:.3f}, above the {hat:.3f} that "
            f"the weights cost: that alone brings the certified error of some prefix to {percent(most)} or less."
        )
    needed = hat + c.constants.ceiling / c.n_learners
    if needed > 1:
        return ""
    return f"Advantages above {needed:.3f} would promise a certificate by themselves; the least was {least:.3f}."


@printed(
    "vote",
    of="Certificate",
    statement="vote's mistakes ≤ certified; Σ loss ≤ Σ loss of the best prefix + regret bound",
    assumes="nothing; any sample weights; not printed for a part of a stream",
    proof="theory.md#4-theorem-1",
    check=checks.own_vote,
)
def _own_vote(c: Certificate) -> str:
    vote = c.vote
    if vote.kind == "uniform" or math.isnan(vote.mistakes):
        return ""
    name = {"ocp": "The OCP vote", "eg": "The EG vote"}.get(vote.kind, "The experts' vote")
    text = f"{name} erred on {percent(c.vote_error)}"
    if math.isnan(vote.regret_bound):
        return f"{text}."
    certified = c.certified_vote_error
    bound = f"certified: at most {percent(certified)}" if certified < 1 else "its bound is above 100 % and says nothing"
    measure = "draw's expected mistakes" if vote.kind == "experts" else "hinge loss"
    compared = f"{abs(vote.regret):,.1f} {'above' if vote.regret > 0 else 'below'} the best prefix's"
    return (
        f"{text} ({bound}). Its {measure}: {vote.loss:,.1f}, {compared}, where the theory allows "
        f"{vote.regret_bound:,.1f} above."
    )


@printed(
    "stretches",
    of="Certificate",
    statement="on every [r, s], for every prefix i: vote's mistakes ≤ (η Σ l_i + ln(N s))/ln(2/(1+e^(-η))), η = ln 2",
    assumes='sample weights 1, expert_rate="share"; nothing of the stream',
    proof="drift.md#mistakes-instead-of-log-loss",
    check=checks.stretches,
)
def _stretches(c: Certificate) -> str:
    if not c.shared_until or not c.whole_stream:
        return ""
    extra = bounds.share_majority_bound(c.n_learners, c.shared_until, 0.0)
    return (
        "On every stretch of the stream so far the vote made at most 2.41 times as many mistakes as the prefix that "
        f"was best there, and {extra:.1f} more."
    )


@printed(
    "grid",
    of="Certificate",
    statement="k*(δ) = min{i : W_{i+1} < δ Σs} learners err on less than δ",
    assumes="nothing; any sample weights, any part of the stream",
    proof="theory.md#2-lemma-2-the-mass-certifies-the-vote",
    check=checks.grid,
)
def _grid(c: Certificate) -> str:
    found = {delta: k for delta, k in c.prefixes().items() if k is not None and delta < 1}
    if not found:
        return ""
    told = ", ".join(f"{100 * delta:.3g} % by {k}" for delta, k in found.items())
    return f"Certified error below: {told} learner{'s' if list(found.values()) != [1] else ''}."


@printed(
    "rounding",
    of="Certificate",
    statement="Σs > 2^53",
    assumes="nothing: it is counted",
    proof="theory.md#7-using-it",
    check=checks.total,
)
def _rounding(c: Certificate) -> str:
    if c.weight <= LARGEST_EXACT_SUM:
        return ""
    return "The weights sum to more than 2^53: an example of weight 1 no longer changes the sums. Use smaller weights."


# Okabe and Ito's colours, distinguishable with any colour vision; line styles differ too.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"


def draw(c: Certificate, axes: Any = None) -> Any:
    """Errors over the number of learners: certified, with a margin of at most θ, observed."""
    figure, ticker = (require(f"matplotlib.{name}", "plot", "Drawing a certificate") for name in ("figure", "ticker"))
    if axes is None:
        axes = figure.Figure(figsize=(7.2, 4.2), layout="constrained").subplots()
    i = np.arange(1, c.n_learners + 1)
    few = {"marker": "o", "markersize": 4} if c.n_learners <= 20 else {}
    axes.fill_between(i, c.observed_error, c.certified_error, color=BLUE, alpha=0.08, linewidth=0)
    lines = [
        (c.certified_error, BLUE, "-", "certified: no more than this"),
        (c.margin_error, ORANGE, "--", f"margin at most θ = {c.constants.theta:.3f}"),
        (c.observed_error, GREEN, "-.", "observed error"),
    ]
    for values, colour, style, label in lines:
        axes.plot(i, values, color=colour, linestyle=style, linewidth=2, label=label, **few)
    k, n = c.best_prefix, c.effective_learners()
    axes.plot(k, c.certified_error[k - 1], "o", color=BLUE, markersize=7)
    if n < c.n_learners:
        axes.axvline(n + 0.5, color=GREY, linestyle=":", linewidth=1)
        note = {"rotation": 90, "ha": "right", "va": "center", "fontsize": 9, "color": "#444444"}
        at = (n + 0.5 - 0.01 * c.n_learners, 0.42)
        axes.text(*at, "beyond: under 5 % of the weight", transform=axes.get_xaxis_transform(), **note)
    axes.set_xlabel("the first i learners, voting uniformly")
    axes.set_ylabel("share of the examples so far")
    axes.set_xlim(1 - 0.02 * c.n_learners, c.n_learners * 1.02)
    axes.set_ylim(0, max(1e-3, float(c.certified_error.max())) * 1.08)
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=None))
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set_title(f"{c.n_examples:,} examples, γ = {c.constants.gamma:g}", loc="left", fontsize=11)
    axes.grid(visible=True, axis="y", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return axes
