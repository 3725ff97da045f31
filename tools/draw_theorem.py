"""Theorem 1 and Corollary 1 at work: fills the tables of docs/batch-and-online.md and draws docs/images/theorem_*.png.

    python tools/draw_theorem.py [--bounds]

Streams of onlineboost.theory.synthetic, at the N and T that the theorem asks for; about half a minute. `--bounds` runs
nothing and writes only the last column of the tables, EXP's bound, which follows from γ and δ.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import page_blocks
import results_page

from onlineboost import OnlineGradient, OSBoostClassifier, prequential
from onlineboost.theory.plan import plan
from onlineboost.theory.synthetic import WISHES, ReluctantLearner, linear_stream, reluctant_stream

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = 10
CELLS = ((0.3, 0.1), (0.2, 0.1), (0.2, 0.05))
LINEAR_CELLS = ((0.2, 0.1, 0.1), (0.15, 0.1, 0.25), (0.15, 0.05, 0.25), (0.1, 0.1, 0.25))
DRAWN, LINEAR_DRAWN = CELLS[1], LINEAR_CELLS[1]
PAGE = results_page.ROOT / "docs" / "batch-and-online.md"
IMAGES = results_page.ROOT / "docs" / "images"
# Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = {"coins": "#009E73", "always": "#0072B2", "hard": "#D55E00"}
NAMES = {"coins": "errs by coins", "always": "errs wherever it can", "hard": "errs on a hard quarter"}


@dataclass(frozen=True)
class Run:
    """One stream, boosted: what is certified for the first i learners, and what can be asked of them."""

    certified: Any  # W_{i+1}/T for i = 1…N
    delta: float
    error: Callable[[int], float]  # of the first i learners
    experts: float  # expected error of OSBoost.EXP

    @property
    def k(self) -> int | None:
        """The first prefix that is certified to err on less than δ."""
        small = np.flatnonzero(self.certified < self.delta)
        return int(small[0]) + 1 if len(small) else None

    @property
    def checked_k(self) -> int:
        """As k; there is none only if the theorem is false."""
        if self.k is None:
            raise AssertionError("No prefix is certified: Theorem 1 does not hold on this run.")
        return self.k


def run(learner: Any, X: Any, y: Any, n: int, gamma: float, delta: float) -> Run:
    """Boost n learners over the stream; prefixes are run again on their own, by the public way."""

    def boosted(i: int, **vote: str) -> tuple[Any, float]:
        columns = X[:, : i + 1] if isinstance(learner, ReluctantLearner) and X.shape[1] > 2 else X
        model = OSBoostClassifier(learner, i, gamma=gamma, random_state=0, **vote)
        return model, prequential(model, columns, y).error

    mass = boosted(n)[0].weight_mass_
    experts = boosted(n, vote="experts", expert_mode="expected")[1]
    return Run(mass[1:] / len(y), delta, lambda i: boosted(i)[1], experts)


def reluctant(wish: str, gamma: float, delta: float, seed: int) -> Run:
    """Theorem 1: learners that have advantage 2γ and no more."""
    p = plan(gamma, delta)
    X, y = reluctant_stream(wish, p.n_examples, p.n_learners, gamma=gamma, random_state=seed)
    return run(ReluctantLearner(gamma), X, y, p.n_learners, gamma, delta)


def linear(gamma: float, delta: float, minority: float, seed: int) -> Run:
    """Corollary 1: a linear hypothesis with advantage 3γ exists, and OnlineGradient has to find it."""
    p = plan(gamma, delta)
    stream = linear_stream(p.n_examples, gamma=gamma, delta=delta, minority=minority, random_state=seed)
    learner = OnlineGradient(intercept=False, unit_norm=False)
    return run(learner, stream.X, stream.y, p.n_learners, gamma, delta)


def row(name: str, gamma: float, delta: float, runs: list[Run]) -> list[str]:
    """Of the tables: what was predicted, then what was measured."""
    p = plan(gamma, delta)
    ks = [r.checked_k for r in runs]
    errors = [r.error(k) for r, k in zip(runs, ks, strict=True)]
    return [
        name,
        f"{gamma:g}",
        f"{delta:g}",
        f"{p.n_examples:,}",
        f"{p.n_learners:,}",
        f"{p.sharp_n_learners:,}",
        page_blocks.mean(ks, 1),
        page_blocks.mean([r.error(1) for r in runs]),
        page_blocks.mean(errors, 4),
        f"{sum(e < delta for e in errors)} of {len(runs)}",
        page_blocks.mean([r.experts for r in runs]),
        f"{p.experts_error():.3f}",
    ]


COLUMNS = ("γ", "δ", "T", "N", "sharp N", "k*", "error of one", "error of first k*", "below δ", "EXP", "EXP's bound")


def draw(path: str, title: str, delta: float, n: int, runs: dict[str, tuple[str, Run]]) -> None:
    """Certified and observed error over the prefixes."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    _, ax = plt.subplots(figsize=(8, 4.4), layout="constrained")
    prefixes = np.unique(np.geomspace(1, n, 36).round().astype(int))
    ax.plot([], [], "-", color="#333333", linewidth=2, label="certified: W(i+1)/T")
    ax.plot([], [], ":", color="#333333", linewidth=1.2, label="observed error")
    ax.plot([], [], "D", color="#333333", markersize=7, label="k*: certified below δ")
    for (name, (colour, r)), marker in zip(runs.items(), "os^", strict=False):
        ax.plot(np.arange(1, n + 1), r.certified, color=colour, linewidth=2)
        observed = [r.error(int(i)) for i in prefixes]
        ax.plot(prefixes, observed, f"{marker}:", color=colour, markersize=4, linewidth=1.2, label=name)
        k = r.checked_k
        ax.plot([k], [r.certified[k - 1]], "D", color=colour, markersize=7, markeredgecolor="white", zorder=5)
    ax.axhline(delta, color="#555555", linewidth=1, linestyle="--")
    ax.annotate(f"δ = {delta:g}", (1, delta), (2, 4), textcoords="offset points", color="#333333")
    ax.axvline(n, color="#555555", linewidth=1, linestyle="--")
    text = f"N = {n:,}\nis enough"
    ax.annotate(text, (n, 0.35), (-6, 0), textcoords="offset points", color="#333333", ha="right", va="center")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    ax.set(xlim=(0.95, n * 1.04), ylim=(0, 1), xlabel="the first i learners", ylabel="share of the examples")
    ax.set_title(title, loc="left", fontsize=11.5)
    ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(0.985, 1.0), fontsize=10)
    ax.grid(axis="y", alpha=0.3)
    plt.savefig(IMAGES / path, dpi=100)
    plt.close()
    print(f"wrote {IMAGES / path}")


def main() -> None:
    """Run, fill, draw."""
    rows = []
    for gamma, delta in CELLS:
        for wish in WISHES:
            runs = [reluctant(wish, gamma, delta, seed) for seed in range(SEEDS)]
            rows.append(row(NAMES[wish], gamma, delta, runs))
    page_blocks.fill(PAGE, "theorem", page_blocks.table(["weak learner", *COLUMNS], rows))
    rows = []
    for gamma, delta, minority in LINEAR_CELLS:
        runs = [linear(gamma, delta, minority, seed) for seed in range(SEEDS)]
        rows.append(row(f"OnlineGradient, {minority:.0%} minority", gamma, delta, runs))
    page_blocks.fill(PAGE, "corollary", page_blocks.table(["weak learner", *COLUMNS], rows))
    page_blocks.fill(PAGE, "theorem source", results_page.header("", "python tools/draw_theorem.py")[2:4])

    gamma, delta = DRAWN
    n = plan(gamma, delta).n_learners
    shown = {NAMES[wish]: (COLOURS[wish], reluctant(wish, gamma, delta, 0)) for wish in WISHES}
    draw("theorem_1.png", f"Theorem 1: learners with advantage 2γ = {2 * gamma:g} and no more", delta, n, shown)
    gamma, delta, minority = LINEAR_DRAWN
    n = plan(gamma, delta).n_learners
    found = {"OnlineGradient": ("#0072B2", linear(gamma, delta, minority, 0))}
    title = f"Corollary 1: a linear hypothesis with advantage 3γ = {3 * gamma:g} exists"
    draw("theorem_corollary.png", title, delta, n, found)


def rewrite_bounds() -> None:
    """Put EXP's bound into the tables that are there."""
    for name in ("theorem", "corollary"):
        block = PAGE.read_text(encoding="utf8").partition(f"<!-- begin: {name} -->\n")[2]
        lines = block.partition(f"<!-- end: {name} -->")[0].strip().splitlines()
        for k in range(2, len(lines)):
            cells = lines[k].split(" | ")
            cells[-1] = f"{plan(float(cells[1]), float(cells[2])).experts_error():.3f} |"
            lines[k] = " | ".join(cells)
        page_blocks.fill(PAGE, name, lines)


if __name__ == "__main__":
    if "--bounds" in sys.argv:
        rewrite_bounds()
    else:
        main()
