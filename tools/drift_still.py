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

LARGE = 100_000  # examples from which there are two orders
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


MODELS = {"default": lambda seed: OnlineBoostClassifier(random_state=seed), "not adapting": not_adapting}


def orders(name: str) -> dict[str, Any]:
    """Errors and processor seconds of both, in turns, order by order."""
    X, y = results_page.load(name)
    found: dict[str, Any] = {model: {"errors": [], "seconds": []} for model in MODELS}
    for seed in range(ORDERS_OF_LARGE if len(y) >= LARGE else ORDERS):
        rows = np.random.default_rng(seed).permutation(len(y))
        given = X[rows], y[rows]
        for model, make in MODELS.items():
            begun = time.process_time()
            wrong = prequential(make(seed), *given).losses > 0.5
            found[model]["seconds"].append(time.process_time() - begun)
            found[model]["errors"].append(float(wrong.mean()))
    return found | {"rows": len(y)}


def page(figures: Figures) -> list[str]:
    """A table of all sets."""
    lines, dearer, worse = [], [], []
    for name in datasets.names():
        found = figures.get(f"still: {name}", lambda name=name: orders(name))
        ours, before = (np.array(found[model]["errors"]) for model in MODELS)
        seconds = [np.array(found[model]["seconds"]) for model in MODELS]
        ratios, difference = seconds[0] / seconds[1], ours - before
        factor, error = seconds[0].sum() / seconds[1].sum(), difference.std(ddof=1) / np.sqrt(len(ours))
        if factor > MOST_TIME:
            dearer.append(name)
        if difference.mean() > LIKELY * error:
            worse.append(name)
        lines.append(
            f"| {name} | {found['rows']:,} | {len(ours)} | {mean(ours)} | {mean(before)} | {mean(difference, '+')} | "
            f"{seconds[0].mean():.2f} | {factor:.2f} | {ratios.min():.2f}–{ratios.max():.2f} |"
        )
    return [
        "## Streams that do not change",
        "The paper's data sets, whole, in random orders: the default beside its families under Bayes' rule alone, with",
        "one generation, one stack and trees that are never replaced. Means ± standard errors over the orders;",
        f"processor time in turns, order by order. Asked: at most {MOST_TIME} times the time, and no more error but",
        "by noise.",
        "",
        "| data | examples | orders | default | not adapting | difference | seconds | time | of one order |",
        "|---|---|---|---|---|---|---|---|---|",
        *lines,
        "",
        f"Above {MOST_TIME} times: {listed(dearer)}. More error, above {LIKELY:.0f} standard errors: {listed(worse)}.",
        "",
    ]


def mean(values: np.ndarray[Any, Any], sign: str = "") -> str:
    """With its standard error."""
    return f"{values.mean():{sign}.4f} ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}"


def listed(names: list[str]) -> str:
    """In words."""
    return ", ".join(names) or "none"
