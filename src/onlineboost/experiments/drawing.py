"""How our figures look: two themes, a colour and a marker per algorithm, bands, and names that never overlap.

No pyplot: a figure is an object that is drawn, turned into files and forgotten. Colours are Okabe and Ito's, which
colour-blind readers can distinguish, brightened where they stand on a dark ground.
"""

from __future__ import annotations

import io
import re
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from onlineboost.declarations.extras import require

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

INCHES = (8.0, 4.5)
DPI = 100  # 800 pixels wide


@dataclass(frozen=True)
class Theme:
    """The colours of one version of a figure."""

    name: str
    ground: str
    ink: str
    faint: str
    grid: str
    band: float  # opacity
    colours: Mapping[str, str]
    times: tuple[str, str, str]  # early, middle, late


def _theme(name: str, fields: dict[str, Any]) -> Theme:
    return Theme(name, **fields | {"times": tuple(fields["times"])})


_ASSETS = resources.files("onlineboost.experiments").joinpath("assets")
LIGHT, DARK = (_theme(*item) for item in tomllib.loads(_ASSETS.joinpath("themes.toml").read_text("utf-8")).items())
THEMES = (LIGHT, DARK)
MARKERS = {"OSBoost": "o", "OSBoost.OCP": "s", "OSBoost.EXP": "^"}


@contextmanager
def style(theme: Theme) -> Iterator[None]:
    """Matplotlib's defaults, whatever the user's own settings are, and then ours."""
    mpl = require("matplotlib", "experiments", "Drawing")
    with mpl.rc_context():
        mpl.rcdefaults()
        with resources.as_file(_ASSETS.joinpath("figures.mplstyle")) as common:
            mpl.rcParams.update(mpl.rc_params_from_file(common, use_default_template=False))
        colours: dict[Any, str] = (
            dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), theme.ink)
            | dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), theme.faint)
            | dict.fromkeys(("axes.facecolor", "figure.facecolor"), theme.ground)
            | {"grid.color": theme.grid}
        )
        mpl.rcParams.update(colours)
        yield


def canvas(title: str, height: float = INCHES[1]) -> tuple[Figure, Axes]:
    """An empty figure with its title; call it under `style`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  # an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(INCHES[0], height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)  # type: ignore[union-attr,call-arg]
    figure.suptitle(title, x=0.12 / INCHES[0], ha="left", fontsize=12.5, fontweight="bold")
    return figure, figure.add_subplot()


def fix_layout(figure: Figure) -> None:
    """Lay out now and for good: places can be computed from it, and saving is faster."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def png(figure: Figure, scale: int = 1) -> bytes:
    """The figure as a picture, `scale` × 800 pixels wide, without a date or version in it."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI * scale, metadata={"Software": None})
    return out.getvalue()


def svg(figure: Figure) -> str:
    """The figure as vectors, texts as outlines, without a date in it; paths to a tenth of a point."""
    mpl = require("matplotlib", "experiments", "Drawing")
    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "onlineboost", "svg.fonttype": "path", "path.simplify_threshold": 0.3}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = re.sub(r"(<!--.*?-->|<metadata>.*?</metadata>)\s*", "", out.getvalue(), flags=re.DOTALL)
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\d+\.\d)\d+", r"\1", path[0]), text)


_COLOUR = re.compile(r"(fill|stroke|fill-opacity): (#[0-9a-f]{6}|0\.\d+)")


def _plain_ids(text: str) -> str:
    """With ids, which Matplotlib makes from what it draws, numbered as they come."""
    known: dict[str, str] = {}
    return re.sub(r"\b[mp][0-9a-f]{10}\b", lambda found: known.setdefault(found[0], f"i{len(known)}"), text)


def in_both_themes(light: str, dark: str) -> str | None:
    """One SVG that follows the reader's theme; None where the two differ in more than colours, each for another."""
    light, dark = _plain_ids(light), _plain_ids(dark)
    pairs = set(zip(_COLOUR.findall(light), _COLOUR.findall(dark), strict=False))
    if _COLOUR.sub(r"\1", light) != _COLOUR.sub(r"\1", dark) or len(pairs) > len({before for before, _ in pairs}):
        return None
    rules = "".join(
        f'[style*="{kind}: {colour}"] {{ {kind}: {other} !important }}\n'
        for (kind, colour), (_, other) in sorted(pairs)
        if colour != other
    )
    rules = f"<style>@media screen and (prefers-color-scheme: dark) {{\n{rules}}}</style>\n</svg>"
    return light.rstrip().removesuffix("</svg>") + rules


def line_with_band(
    ax: Axes, theme: Theme, name: str, x: NDArray[Any], mean: NDArray[Any], error: NDArray[Any], *, marker: bool = False
) -> None:
    """The mean and a band of two standard errors around it."""
    colour = theme.colours[name]
    ax.fill_between(x, mean - 2 * error, mean + 2 * error, color=colour, alpha=theme.band, linewidth=0)
    ax.plot(
        x,
        mean,
        color=colour,
        label=name,
        marker=MARKERS.get(name, "o") if marker else None,
        markeredgecolor=theme.ground,
        solid_capstyle="round",
    )


LOGARITHMIC = 4.0  # the ratio of errors from which a linear axis would squeeze the small ones together


def error_axis(ax: Axes, low: float, high: float, least: float) -> None:
    """Limits with room around [low, high], at least `least` of the middle: noise must not look like an effect."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter  # noqa: PLC0415

    ax.grid(axis="y")
    if low > 0 and high / low > LOGARITHMIC:
        room = (high / low) ** 0.06
        ax.set_yscale("log")
        ax.set_ylim(low / room, high * room)
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        return
    middle = (low + high) / 2
    half = max((high - low) * 0.56, least * middle / 2, 1e-6)
    ax.set_ylim(max(0.0, middle - half), middle + half)
    ax.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10], min_n_ticks=4))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> NDArray[Any]:
    """The nearest places (in squares) to the wanted ones that are `gap` apart, in the same order, within bounds.

    With the k-th smallest place written p_k = q_k + k·gap, apart means that q does not fall: isotonic regression.
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(order))
    room = max(high - steps[-1], low)
    places = np.empty(len(order))
    places[order] = isotonic_regression(np.asarray(wanted, float)[order] - steps, y_min=low, y_max=room) + steps
    return places


def label_ends(figure: Figure, ax: Axes, ends: Sequence[tuple[str, float, float, str]], points: float = 10.5) -> None:
    """Names right of the axes, each joined to the end of its line: (text, x, y, colour of the line)."""
    wanted = [float(ax.transAxes.inverted().transform(ax.transData.transform((x, y)))[1]) for _, x, y, _ in ends]
    joint = {"arrowstyle": "-", "linewidth": 1.4, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 1}
    texts = [
        ax.annotate(
            text,
            (x, y),
            (1.045, height),
            textcoords="axes fraction",
            va="center",
            fontsize=points,
            annotation_clip=False,
            arrowprops=joint | {"color": colour},
        )
        for (text, x, y, colour), height in zip(ends, wanted, strict=True)
    ]
    fix_layout(figure)  # which decides how high the axes are
    gap = points * 1.5 * figure.dpi / 72 / ax.bbox.height
    for text, place in zip(texts, spread(wanted, gap, gap / 2, 1 - gap / 2), strict=True):
        text.set_y(place)


def rank_diagram(
    ax: Axes, theme: Theme, names: list[str], ranks: list[float], groups: list[tuple[str, ...]], critical: float
) -> None:
    """Demšar's critical-difference diagram (JMLR 2006, Section 3.2.2): mean ranks on a line, best at the left.

    Heights are in inches below the axis of ranks, widths in ranks; `wide` keeps gaps when the ranks are many.
    """
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
