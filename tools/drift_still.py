"""What adapting costs where nothing changes: the paper's data sets in random orders, for measure_drift.py."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import results_page

from onlineboost import HoeffdingTree, OnlineBoostClassifier, OSBoostClassifier, datasets, prequential
from onlineboost.boosters.mixture import default_families

if TYPE_CHECKING:
    from measure_drift import Figures

LARGE, MOST = 100_000, 20_000  # examples from which there are two orders; and of each order, at most
ORDERS, ORDERS_OF_LARGE = 5, 2
MOST_TIME, LIKELY = 1.5, 2.0  # the mark; standard errors


def not_adapting(seed: int) -> OnlineBoostClassifier:
    """The default's families under Bayes' rule alone, one generation, one stack, and trees that are never replaced."""
    families: list[Any] = default_families(generations=0)
    trees: Any = families[0].booster
    if not isinstance(trees.learner, HoeffdingTree) or trees.drift != "background":
        raise RuntimeError("The default's trees are another family now.")
    trees = OSBoostClassifier(trees.learner, trees.n_learners, gamma=trees.gamma)
    families[0] = families[0]._replace(booster=trees)
    return OnlineBoostClassifier([tuple(one) for one in families], generations=0, random_state=seed)


MODELS = {
    "default": lambda seed: OnlineBoostClassifier(random_state=seed),
    "`generations=0`": lambda seed: OnlineBoostClassifier(generations=0, random_state=seed),
    "not adapting": not_adapting,
}


def orders(name: str) -> dict[str, Any]:
    """Errors, processor seconds and families at work at the end, in turns, order by order."""
    X, y = results_page.load(name)
    found: dict[str, Any] = {model: {"errors": [], "seconds": [], "families": []} for model in MODELS}
    for make in MODELS.values():
        prequential(make(0), X[:100], y[:100])  # what is loaded at first is not their time
    for seed in range(ORDERS_OF_LARGE if len(y) >= LARGE else ORDERS):
        rows = np.random.default_rng(seed).permutation(len(y))[:MOST]
        given = X[rows], y[rows]
        for model, make in MODELS.items():
            begun, learner = time.process_time(), make(seed)
            wrong = prequential(learner, *given).losses > 0.5
            found[model]["seconds"].append(time.process_time() - begun)
            found[model]["errors"].append(float(wrong.mean()))
            found[model]["families"].append(sum(one.at_work for one in learner.certificate().families))
    return found | {"rows": min(len(y), MOST)}


def page(figures: Figures) -> list[str]:
    """A table of all sets."""
    lines, dearer, worse = [], [], []
    for name in datasets.names():
        found = figures.get(f"still: {name}", lambda name=name: orders(name))
        ours, before, none = (np.array(found[model]["errors"]) for model in MODELS)
        seconds = [np.array(found[model]["seconds"]) for model in MODELS]
        ratios, difference = seconds[0] / seconds[1], ours - before
        times = [seconds[0].sum() / one.sum() for one in seconds[1:]]
        if times[0] > MOST_TIME:
            dearer.append(name)
        if difference.mean() > LIKELY * difference.std(ddof=1) / np.sqrt(len(ours)):
            worse.append(name)
        families = ", ".join(f"{np.mean(found[model]['families']):.1f}" for model in MODELS)
        lines.append(
            f"| {name} | {found['rows']:,} | {len(ours)} | {mean(ours)} | {mean(before)} | {none.mean():.4f} | "
            f"{mean(difference, '+')} | {times[0]:.2f} ({ratios.min():.2f}–{ratios.max():.2f}) | {times[1]:.2f} | "
            f"{families} |"
        )
    return [
        "## Streams that do not change",
        f"The paper's data sets in random orders, up to {MOST:,} examples: the default beside `generations=0`, its",
        "families under Bayes' rule alone with one stack, and beside the same with trees that are never replaced (*not",
        "adapting*). Means ± standard errors over the orders. *Difference*: of default and `generations=0`. *Time*: of",
        "the default over that of `generations=0`, of all orders, in brackets of one; *of none*: over that of what",
        "does not adapt. Processor time in turns, order by order. *Families*: how many of the ten are left at the end,",
        "of the three. Which of those that contribute little retire hangs by little, and is much of what time differs.",
        "",
        "| data | rows | orders | default | `generations=0` | not adapting | difference | time | of none | families |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *lines,
        "",
        f"Asked: at most {MOST_TIME} times the time of `generations=0`; above it: {listed(dearer)}. No more error but",
        f"by noise; more by above {LIKELY:.0f} standard errors: {listed(worse)}.",
        "",
    ]


def mean(values: np.ndarray[Any, Any], sign: str = "") -> str:
    """With its standard error."""
    return f"{values.mean():{sign}.4f} ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}"


def listed(names: list[str]) -> str:
    """In words."""
    return ", ".join(names) or "none"
