"""The figures of the scale page, in Okabe and Ito's colours, which colour-blind readers can tell apart."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.ticker
import numpy as np
from matplotlib.figure import Figure

from benchmarks.scale import features as measured
from benchmarks.scale.words import Pairs, fit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLOURS = ("#CC79A7", "#E69F00", "#009E73", "#0072B2", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v")
BY_LEARNER = {"Perceptron": ("#0072B2", "o"), "NaiveBayes": ("#D55E00", "s")}
NAMES = {"Perceptron": "Perceptron", "NaiveBayes": "Naive Bayes"}
STYLE = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25}


@contextmanager
def _figure(path: Path, panels: int) -> Iterator[list[Any]]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        axes = figure.subplots(1, panels, squeeze=False)[0]
        yield list(axes)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
    print(f"wrote {path}")


def cost(found: dict[str, list[list[float]]], path: Path) -> None:
    """Time per example against N · nnz, a panel per learner."""
    with _figure(path, len(found)) as axes:
        for ax, (learner, cells) in zip(axes, found.items(), strict=True):
            a, b, c, d = fit(cells)
            at = np.array(cells, dtype=float)
            nnz = np.geomspace(at[:, 1].min(), at[:, 1].max(), 50)
            for n, colour, marker in zip(sorted(set(at[:, 0])), COLOURS, MARKERS, strict=True):
                part = at[at[:, 0] == n]
                ax.plot(n * nnz, (a + b * nnz + n * (c + d * nnz)) / 1e3, color=colour, linewidth=1, zorder=1)
                ax.scatter(n * part[:, 1], part[:, 2] / 1e3, 42, colour, marker, label=f"N = {n:,.0f}", zorder=2)
            ax.set(xscale="log", yscale="log", xlabel="N · nnz")
            ax.set_title(f"OSBoost, N × {NAMES[learner]}", loc="left", fontsize=11)
        low, high = min(ax.get_ylim()[0] for ax in axes), max(ax.get_ylim()[1] for ax in axes)
        for ax in axes:
            ax.set_ylim(low, high)
        axes[0].set_ylabel("µs per example")
        axes[0].legend(frameon=False, handletextpad=0.2)


def features(found: dict[str, dict[tuple[int, int], Any]], seen: Pairs, declared: Pairs, path: Path) -> None:
    """Memory against the features met, and against the width declared."""
    parts = (("features met, of 1,000,000 declared", seen, 1), ("features declared, 10,000 of them met", declared, 0))
    with _figure(path, 2) as axes:
        for ax, (label, pairs, which) in zip(axes, parts, strict=True):
            x = np.array([pair[which] for pair in pairs], dtype=float)
            for learner, cells in found.items():
                colour, marker = BY_LEARNER[learner]
                y = [max(cells[pair]["added_mb"], 0.01) if pair in cells else np.nan for pair in pairs]
                ax.plot(x, y, color=colour, marker=marker, linewidth=2, label=NAMES[learner])
            ax.plot(x, x * measured.N_LEARNERS * 8 / 2**20, ":", color="#555555", label="8 bytes · N · features")
            ax.set(xscale="log", yscale="log", xlabel=label, ylim=(0.05, 2000))
        axes[0].set_ylabel(f"MB added, N = {measured.N_LEARNERS}")
        axes[0].legend(frameon=False)
        axes[0].set_title("Memory follows the features met …", loc="left", fontsize=11)
        axes[1].set_title("… not the width of the matrix", loc="left", fontsize=11)


def endless(found: dict[str, list[list[float]]], path: Path) -> None:
    """Resident memory and speed over the examples."""
    with _figure(path, 2) as (memory, speed):
        for learner, points in found.items():
            examples, resident, seconds = np.array(points).T
            colour, _ = BY_LEARNER[learner]
            look = {"color": colour, "linewidth": 2, "linestyle": "-" if learner == "Perceptron" else "--"}
            memory.plot(examples / 1e6, resident, **look, label=f"100 × {NAMES[learner]}")
            speed.plot(examples[1:] / 1e6, np.diff(examples) / np.diff(seconds), **look)
        for ax in (memory, speed):
            ax.set(xlabel="millions of examples learned", xlim=(0, None), ylim=(0, 1.15 * ax.get_ylim()[1]))
        memory.set_title("Resident memory of the process, MB", loc="left", fontsize=11)
        speed.set_title("Examples learned per second", loc="left", fontsize=11)
        speed.yaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
        memory.legend(frameon=False, loc="lower right")
