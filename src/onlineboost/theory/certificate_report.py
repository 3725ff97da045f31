"""A certificate in plain sentences, and as a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations.extras import require

if TYPE_CHECKING:
    from onlineboost.theory.certificate import Certificate


def percent(share: float) -> str:
    """A share as a percentage that does not round to 0 what is not."""
    return f"{100 * share:.1f} %" if share >= 0.0005 or share == 0 else f"{100 * share:.2g} %"


def span(first: int, last: int) -> str:
    """Learners first…last in words."""
    return f"learner {first} sees" if first == last else f"learners {first}–{last} see"


def summary(c: Certificate) -> str:
    """The sentences, most wanted first."""
    lines = [_headline(c), _size(c), _assumption(c), _own_vote(c), _grid(c)]
    return "\n".join(line for line in lines if line)


def _headline(c: Certificate) -> str:
    k, N = c.best_prefix, c.n_learners
    certified, observed = c.certified_error[k - 1], c.observed_error[k - 1]
    who = (
        "the one learner errs" if N == 1 else f"all {N} learners err" if k == N else f"the first {k} learners alone err"
    )
    if k == 1 and N > 1:
        who = "the first learner alone errs"
    text = f"After {c.n_examples:,} examples"
    if certified > 1 - 1e-9:
        text += " the certificate says nothing yet: no prefix has a margin above θ often enough."
    else:
        text += f": {who} on at most {percent(certified)} (certified), {percent(observed)} (observed)."
    if c.half_life is not None:
        text += f" Recent examples count most, halving every {c.half_life:,.0f}."
    return text


def _size(c: Certificate) -> str:
    n, N = c.effective_learners(), c.n_learners
    if n < N:
        text = span(n + 1, N)
        return f"{text[0].upper()}{text[1:]} under 5 % of the weight: N = {n} would do."
    if N == 1:
        return ""
    share = percent(float(c.mass_share[-1]))
    return f"The last learner still sees {share} of the weight: more learners may tighten the certificate."


def _assumption(c: Certificate) -> str:
    asked, kept = c.mass_suffices, c.keeps_advantage
    gamma = c.constants.gamma
    n_asked, n_kept = int(asked.sum()), int((asked & kept).sum())
    if n_asked == 0:
        return (
            f"Too little weight so far to judge the weak learners: γ = {gamma:g} asks something of them from a mass of "
            f"{c.constants.mass_needed:,.0f} on."
        )
    least = float(np.min(c.advantage[asked]))
    text = (
        f"{n_kept} of the {n_asked} learners with enough weight to be judged have the advantage 2γ = {2 * gamma:g} "
        f"that the theory assumes; the least advantage is {least:.3f}"
    )
    if n_kept == n_asked:
        return f"{text}. The weak-learning assumption is not contradicted."
    if least > 0:
        return f"{text}, which would support γ = {least / 2:.3f}."
    return f"{text}: some learner is no better than guessing under its weights."


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
    measure = "expected mistakes" if vote.kind == "experts" else "hinge loss"
    compared = f"{abs(vote.regret):,.1f} {'above' if vote.regret > 0 else 'below'} the best prefix's"
    return (
        f"{text} ({bound}). Its {measure}: {vote.loss:,.1f}, {compared}, where the theory allows "
        f"{vote.regret_bound:,.1f} above."
    )


def _grid(c: Certificate) -> str:
    found = {delta: k for delta, k in c.prefixes().items() if k is not None and delta < 1}
    if not found:
        return ""
    told = ", ".join(f"{100 * delta:.3g} % by {k}" for delta, k in found.items())
    return f"Certified error below: {told} learner{'s' if list(found.values()) != [1] else ''}."


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
