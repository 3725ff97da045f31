"""The figures: error over time, against N, against γ, the weights' mass, and the critical-difference diagram.

Each function computes what is to be seen, and gives a `Picture`: a title, a caption with the numbers, and a way to draw
it in a theme. `save_all` writes PNG and SVG, light and dark. Bands are two standard errors wide on either side; as all
algorithms see the same random orders, differences between them are surer than the bands alone suggest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import files
from onlineboost.evaluation import prequential
from onlineboost.experiments import claims, drawing, grid, paper
from onlineboost.experiments.statistics import mean_error
from onlineboost.experiments.tables import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from onlineboost.datasets import Dataset
    from onlineboost.experiments.statistics import Ranking
    from onlineboost.experiments.store import Store

SETTLED = 0.1  # learning curves start after this share of the stream: before it they are mostly noise
MASS_STEPS = 20
MASS_LABELS = (1, 5, 10, 20)  # steps whose curves are named


@dataclass(frozen=True)
class Picture:
    """A figure before it is drawn."""

    stem: str
    title: str
    caption: str
    paint: Callable[[drawing.Theme], Figure]

    def draw(self, theme: drawing.Theme) -> Figure:
        """In one theme."""
        with drawing.style(theme):
            return self.paint(theme)

    def save(self, folder: Path) -> SavedPicture:
        """As PNG, 800 pixels wide, and as SVG, light and dark."""
        folder.mkdir(parents=True, exist_ok=True)
        for theme in drawing.THEMES:
            with drawing.style(theme):
                figure = self.paint(theme)
                files.write(folder / f"{self.stem}-{theme.name}.png", drawing.png(figure))
                files.write(folder / f"{self.stem}-{theme.name}.svg", drawing.svg(figure))
        light, dark = (folder / f"{self.stem}-{theme.name}.png" for theme in drawing.THEMES)
        return SavedPicture(self.stem, self.title, self.caption, light, dark)


@dataclass(frozen=True)
class SavedPicture:
    """A figure on disk: the PNG files; beside each lies an SVG of the same name."""

    stem: str
    title: str
    caption: str
    light: Path
    dark: Path


def _stem(kind: str, data: str, learner: str) -> str:
    return f"{kind}-{data}-{learner}".lower().replace(" ", "-")


def _name(algorithm: str, learner: str) -> str:
    return f"one {paper.learner_title(learner)}" if algorithm == "single" else algorithm


def _plus_minus(mean: float, error: float) -> str:
    return f"{short(mean)} ± {short(error)}"


def _orders(trials: int) -> str:
    return f"mean of {trials} random orders" if trials > 1 else "one random order"


# ---- error over time ---------------------------------------------------------------------------------------------


def learning_curves(store: Store, hashes: Mapping[str, str], data: str, learner: str, trials: int) -> Picture:
    """Prequential error over time, a line per algorithm."""
    lines = {}
    for algorithm in paper.ALGORITHMS:
        curves = [cell["curve"] for cell in store.trials(trials, data, hashes[data], learner, algorithm)]
        lines[algorithm] = (np.asarray(curves[0]["t"]), *mean_error([curve["error"] for curve in curves]))
    examples = int(lines["OSBoost"][0][-1])
    final = {algorithm: (float(mean[-1]), float(error[-1])) for algorithm, (_, mean, error) in lines.items()}
    best, worst = min(final, key=lambda a: final[a]), max(final, key=lambda a: final[a])
    gain = 1 - final["OSBoost"][0] / final["single"][0] if final["single"][0] > 0 else 0.0
    title = f"{data}, {paper.learner_title(learner)}: error over time"
    caption = (
        f"After all {examples:,} examples of {data}, the error ({_orders(trials)} ± standard error) runs from "
        f"{_plus_minus(*final[best])} ({_name(best, learner)}) to {_plus_minus(*final[worst])} "
        f"({_name(worst, learner)}); that of OSBoost is {abs(gain):.1%} {'below' if gain >= 0 else 'above'} that of "
        f"{_name('single', learner)}. The first {SETTLED:.0%} of the stream are left out. Bands: ± 2 standard errors."
    )

    def paint(theme: drawing.Theme) -> Figure:
        figure, ax = drawing.canvas(title)
        low, high = np.inf, 0.0
        for algorithm, (t, mean, error) in lines.items():
            shown = t >= SETTLED * examples
            drawing.line_with_band(ax, theme, algorithm, t[shown], mean[shown], error[shown])
            reach = np.where(t < examples / 2, 0, 2 * error)  # early bands may leave the picture, late ones not
            low, high = min(low, float((mean - reach)[shown].min())), max(high, float((mean + reach)[shown].max()))
        ax.set_xlim(SETTLED * examples, examples)
        drawing.error_axis(ax, low, high, 0.1)
        ax.set(xlabel="examples seen", ylabel="error so far")
        ax.locator_params(axis="x", nbins=6)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        labels = [
            (f"{_name(a, learner)}  {short(mean)}", examples, mean, theme.colours[a]) for a, (mean, _) in final.items()
        ]
        drawing.label_ends(figure, ax, labels)
        return figure

    return Picture(_stem("curves", data, learner), title, caption, paint)


# ---- error against a parameter -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Votes:
    """Mean error of the three votes over the values of one parameter, with standard errors."""

    values: NDArray[Any]
    lines: Mapping[str, tuple[NDArray[Any], NDArray[Any]]]

    def best(self, vote: str) -> int:
        return int(np.argmin(self.lines[vote][0]))


def _votes(store: Store, trials: int, cell: tuple[str, str, str], values: Sequence[dict[str, Any]]) -> _Votes:
    """`cell` is (data set, its hash, learner); `values` are the values of one parameter with its name."""
    lines = {}
    for vote in grid.VOTES:
        errors = [store.errors(trials, *cell, vote, **value) for value in values]
        lines[vote] = mean_error(np.transpose(errors))
    return _Votes(np.array([v for value in values for v in value.values()]), lines)


def _paint_votes(votes: _Votes, title: str, xlabel: str, format_value: str) -> Callable[[drawing.Theme], Figure]:
    def paint(theme: drawing.Theme) -> Figure:
        figure, ax = drawing.canvas(title)
        for vote, (mean, error) in votes.lines.items():
            drawing.line_with_band(ax, theme, vote, votes.values, mean, error, marker=True)
        low = min(float((mean - 2 * error).min()) for mean, error in votes.lines.values())
        high = max(float((mean + 2 * error).max()) for mean, error in votes.lines.values())
        ax.set_xscale("log")
        ax.set_xticks(votes.values, [format_value.format(v) for v in votes.values])
        ax.minorticks_off()
        drawing.error_axis(ax, low, high, 0.25)
        ax.set(xlabel=xlabel, ylabel="error over the whole stream")
        labels = [
            (f"{vote}  {short(float(mean[-1]))}", float(votes.values[-1]), float(mean[-1]), theme.colours[vote])
            for vote, (mean, _) in votes.lines.items()
        ]
        drawing.label_ends(figure, ax, labels)
        return figure

    return paint


def error_against_n(store: Store, data: str, data_hash: str, learner: str, trials: int) -> Picture:
    """Error of the three votes against the number of learners: does a larger ensemble hurt, and which vote fixes it?"""
    votes = _votes(store, trials, (data, data_hash, learner), grid.SIZE_STUDY)
    largest = int(votes.values[-1])
    uniform = votes.lines["OSBoost"][0]
    best = votes.best("OSBoost")
    change = float(uniform[-1] / uniform[best] - 1) if uniform[best] > 0 else 0.0
    others = " and ".join(f"{vote} {short(float(votes.lines[vote][0][-1]))}" for vote in grid.VOTES[1:])
    title = f"{data}, {paper.learner_title(learner)}: error against the number of learners"
    caption = (
        f"On {data}, the uniform vote (OSBoost) errs least with N = {int(votes.values[best]):,}: "
        f"{short(float(uniform[best]))}; with N = {largest:,} it errs {short(float(uniform[-1]))} ({change:+.1%}), "
        f"{others} ({_orders(trials)}). Bands: ± 2 standard errors."
    )
    paint = _paint_votes(votes, title, "number of weak learners N (logarithmic)", "{:,}")
    return Picture(_stem("size", data, learner), title, caption, paint)


def error_against_gamma(store: Store, data: str, data_hash: str, learner: str, trials: int) -> Picture:
    """Error of the three votes against γ, the advantage that the weak learners are assumed to have."""
    votes = _votes(store, trials, (data, data_hash, learner), grid.GAMMA_STUDY)
    ranges = "; ".join(
        f"{vote} from {short(float(mean.min()))} (γ = {votes.values[int(np.argmin(mean))]:g}) "
        f"to {short(float(mean.max()))} (γ = {votes.values[int(np.argmax(mean))]:g})"
        for vote, (mean, _) in votes.lines.items()
    )
    title = f"{data}, {paper.learner_title(learner)}: error against γ"
    caption = (
        f"On {data}, over γ from {votes.values[0]:g} to {votes.values[-1]:g}, the error ranges: {ranges} "
        f"({_orders(trials)}). Bands: ± 2 standard errors."
    )
    paint = _paint_votes(votes, title, "assumed advantage γ (logarithmic)", "{:g}")
    return Picture(_stem("gamma", data, learner), title, caption, paint)


# ---- the mass of the weights -------------------------------------------------------------------------------------


def weight_mass(dataset: Dataset, learner: str, trial: int = 0) -> Picture:
    """|w⁽ⁱ⁾| / t over the learners, at twenty times: how much of the stream each learner is asked to learn.

    The last value, that of a learner N + 1, bounds the error of OSBoost so far, on any stream.
    """
    order = np.random.default_rng(trial).permutation(len(dataset.y))
    model = paper.make(grid.cell(dataset.name, "", learner, "OSBoost", trial))
    times, masses, mistakes = [], [], 0.0
    for rows in np.array_split(order, min(MASS_STEPS, len(order))):
        mistakes += float(
            prequential(model, dataset.X[rows], dataset.y[rows], classes=np.unique(dataset.y)).losses.sum()
        )
        times.append(int(model.n_examples_))
        masses.append(np.asarray(model.weight_mass_) / times[-1])
    error, final = mistakes / times[-1], masses[-1]
    place = np.arange(1, len(final) + 1)
    middle = len(final) // 2
    title = f"{dataset.name}, {paper.learner_title(learner)}: weight per example, learner by learner"
    caption = (
        f"After all {times[-1]:,} examples of {dataset.name}, learner {middle} has been taught with a mean weight of "
        f"{final[middle - 1]:.3f} and learner {len(final) - 1} with {final[-2]:.3f}. The last value, {final[-1]:.3f}, "
        f"bounds the error of OSBoost, which was {short(error)} (one random order); after {times[0]:,} examples it "
        f"stood at {masses[0][-1]:.3f}."
    )

    def paint(theme: drawing.Theme) -> Figure:
        from matplotlib.colors import LinearSegmentedColormap, to_hex  # noqa: PLC0415  # an extra

        figure, ax = drawing.canvas(title)
        shades = LinearSegmentedColormap.from_list("time", theme.times)
        labels = []
        for step, (t, mass) in enumerate(zip(times, masses, strict=True), start=1):
            colour = to_hex(shades(step / len(times)))
            named = step in MASS_LABELS or step == len(times)
            ax.plot(place, mass, color=colour, linewidth=2.2 if named else 0.9, zorder=2 + named)
            if named:
                labels.append((f"t = {t:,}", float(place[-1]), float(mass[-1]), colour))
        ax.axhline(error, color=theme.colours["OSBoost.EXP"], linewidth=1.5, linestyle=(0, (4, 3)))
        labels.append((f"error {short(error)}", float(place[-1]), error, theme.colours["OSBoost.EXP"]))
        ax.set_xlim(1, len(final))
        ax.set_ylim(0, 1.02)
        ax.set_xticks([tick for tick in ax.get_xticks() if 1 < tick <= len(final)] + [1])
        ax.set(xlabel="learner i", ylabel=r"weight per example, $|w^{(i)}|\,/\,t$")
        ax.grid(axis="y")
        drawing.label_ends(figure, ax, labels)
        return figure

    return Picture(_stem("mass", dataset.name, learner), title, caption, paint)


# ---- critical difference -----------------------------------------------------------------------------------------


def critical_difference(ranking: Ranking, title: str, stem: str = "critical-difference") -> Picture:
    """Demšar's diagram: mean ranks on a line, and a bar over each group that Nemenyi's test cannot distinguish."""
    order = sorted(range(len(ranking.names)), key=lambda i: (ranking.mean_ranks[i], i))
    names = [ranking.names[i] for i in order]
    ranks = [ranking.mean_ranks[i] for i in order]
    groups = ranking.groups()
    apart = "; ".join(", ".join(group) for group in groups)
    test = "" if np.isnan(ranking.p_value) else f" Friedman's test gives p = {ranking.p_value:.4f}."
    caption = (
        f"Over {ranking.data_sets} data sets, {names[0]} has the best mean rank, {ranks[0]:.2f}, and {names[-1]} the "
        f"worst, {ranks[-1]:.2f}.{test} Ranks less than {ranking.critical_difference:.2f} apart do not differ "
        f"significantly (Nemenyi, 5 %): {apart or 'none'}."
    )

    def paint(theme: drawing.Theme) -> Figure:
        rows = (len(names) + 1) // 2
        figure, ax = drawing.canvas(title, height=1.75 + 0.17 * len(groups) + 0.34 * rows)
        drawing.rank_diagram(ax, theme, names, ranks, groups, ranking.critical_difference)
        drawing.fix_layout(figure)
        return figure

    return Picture(stem, title, caption, paint)


# ---- all of them -------------------------------------------------------------------------------------------------


def save_all(
    folder: Path,
    store: Store,
    hashes: Mapping[str, str],
    trials: int,
    data: Mapping[str, Dataset],
    *,
    curves: Iterable[tuple[str, str]] = (),
    sizes: Iterable[tuple[str, str]] = (),
    gammas: Iterable[tuple[str, str]] = (),
    masses: Iterable[tuple[str, str]] = (),
    learners: Iterable[str] = paper.LEARNERS,
) -> list[SavedPicture]:
    """Write the figures under `folder`. Pairs are (data set, learner); their cells must be in the store.

    The diagrams of mean ranks are drawn for `learners`, over all data sets in `hashes`, where there are two or more.
    """
    pictures = [learning_curves(store, hashes, name, learner, trials) for name, learner in curves]
    pictures += [error_against_n(store, name, hashes[name], learner, trials) for name, learner in sizes]
    pictures += [error_against_gamma(store, name, hashes[name], learner, trials) for name, learner in gammas]
    pictures += [weight_mass(data[name], learner) for name, learner in masses]
    if len(hashes) > 1:
        results = claims.collect(store, hashes, trials)
        for learner in learners:
            ranking = claims.rank(results, learner, paper.ALGORITHMS[:4])
            ranking = replace(ranking, names=tuple(_name(algorithm, learner) for algorithm in ranking.names))
            title = f"{paper.learner_title(learner)}: mean ranks over {ranking.data_sets} data sets"
            pictures.append(critical_difference(ranking, title, f"ranks-{learner.lower()}"))
    return [picture.save(folder) for picture in pictures]
