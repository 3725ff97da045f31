"""The one figure of a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onlineboost.theory.certificate import Certificate

# Okabe and Ito's colours, told apart with any colour vision; line styles differ too.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"


def draw(c: Certificate, axes: Any = None) -> Any:
    """Errors over the number of learners: certified, with a margin of at most θ, observed."""
    try:
        from matplotlib import ticker  # noqa: PLC0415  # an optional dependency
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("A certificate is drawn with matplotlib: pip install 'onlineboost[plot]'.") from error
    if axes is None:
        axes = Figure(figsize=(7.2, 4.2), layout="constrained").subplots()
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
