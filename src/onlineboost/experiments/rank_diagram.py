"""Demšar's critical-difference diagram (JMLR 2006, Section 3.2.2): mean ranks on a line, best at the left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from onlineboost.experiments.drawing import Theme


def paint(
    ax: Axes,
    theme: Theme,
    names: list[str],
    ranks: list[float],
    groups: list[tuple[str, ...]],
    critical: float,
) -> None:
    """Heights are in inches below the axis of ranks, widths in ranks; `wide` keeps gaps when the ranks are many."""
    k, half = len(names), (len(names) + 1) // 2
    wide = max(1.0, (k - 1) / 5)
    ink: dict[str, Any] = {"color": theme.ink, "solid_capstyle": "butt", "clip_on": False}
    ax.plot([1, k], [0, 0], linewidth=1.4, **ink)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, 0.08], linewidth=1.4, **ink)
        if k <= 10 or tick % 2:
            ax.text(tick, 0.13, f"{tick}", ha="center", va="bottom")
    end = min(1 + critical, k)
    ax.plot([1, end], [0.52, 0.52], linewidth=1.4, **ink)
    for cap in (1.0, end) if end < k else (1.0,):
        ax.plot([cap, cap], [0.47, 0.57], linewidth=1.4, **ink)
    beyond = "" if end < k else ", beyond the axis"
    ax.text(1, 0.6, f"critical difference {critical:.2f}{beyond}", ha="left", va="bottom", fontsize=10.5)
    for level, group in enumerate(groups):
        at = [ranks[names.index(name)] for name in group]
        height = -0.13 - 0.17 * level
        ax.plot([min(at) - 0.025 * wide, max(at) + 0.025 * wide], [height, height], linewidth=4.5, **ink)
    first = -0.22 - 0.17 * len(groups)
    for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        left = place < half
        row = place if left else k - 1 - place
        height, edge = first - 0.12 - 0.34 * row, 1 - 0.18 * wide if left else k + 0.18 * wide
        ax.plot([rank, rank, edge], [0, height, height], linewidth=1.1, color=theme.faint, clip_on=False)
        ax.plot([rank], [0], marker="o", markersize=5, color=theme.ink, clip_on=False)
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        ax.text(edge + (-0.04 if left else 0.04) * wide, height, text, ha="right" if left else "left", va="center")
    ax.set_xlim(1 - 0.2 * wide, k + 0.2 * wide)
    ax.set_ylim(first - 0.12 - 0.34 * (half - 1) - 0.15, 0.85)
    ax.axis("off")
