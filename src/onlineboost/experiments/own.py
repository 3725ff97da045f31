"""Our own methods on the paper's protocol, beside the best of the paper's: what has been gained since 2012."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.estimators import GradientBoostClassifier, OnlineBoostClassifier, OSBoostClassifier
from onlineboost.experiments import grid, paper, statistics, tables
from onlineboost.learners import HoeffdingTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onlineboost.experiments.store import Store

METHODS: dict[str, Callable[[int], Any]] = {
    "OnlineBoostClassifier()": lambda seed: OnlineBoostClassifier(random_state=seed),
    "OSBoost over 30 Hoeffding trees": lambda seed: OSBoostClassifier(
        HoeffdingTree(), 30, gamma=0.5, random_state=seed
    ),
    "GradientBoostClassifier()": lambda seed: GradientBoostClassifier(random_state=seed),
}


@dataclass(frozen=True)
class Score:
    """A mean error over the orders."""

    error: float
    standard_error: float

    @classmethod
    def of(cls, errors: list[float]) -> Score:
        """From the errors of the orders."""
        return cls(float(np.mean(errors)), statistics.mean_error(errors)[1])

    @property
    def text(self) -> str:
        """As printed."""
        return f"{tables.short(self.error)} ± {tables.short(self.standard_error)}"


@dataclass(frozen=True)
class OwnRow:
    """One data set."""

    data: str
    best: str
    """Which of the paper's algorithms, over which weak learner, had the lowest error here."""
    paper: Score
    own: tuple[Score, ...]
    """In the order of `METHODS`."""

    @property
    def least(self) -> float:
        """The lowest error of the row."""
        return min(self.paper.error, *(one.error for one in self.own))


def cells(hashes: Mapping[str, str], trials: int) -> list[dict[str, Any]]:
    """The cells of all methods."""
    return [
        grid.cell(data, data_hash, grid.OWN, method, trial)
        for data, data_hash in hashes.items()
        for method in METHODS
        for trial in range(trials)
    ]


def rows(store: Store, hashes: Mapping[str, str], trials: int) -> list[OwnRow]:
    """From the store, which has them and those of the paper."""
    found = []
    for data, data_hash in hashes.items():
        of_paper = {
            (learner, algorithm): Score.of(store.errors(trials, data, data_hash, learner, algorithm))
            for learner in paper.LEARNERS
            for algorithm in paper.ALGORITHMS
        }
        (learner, algorithm), best = min(of_paper.items(), key=lambda pair: pair[1].error)
        title = paper.learner_title(learner)
        name = f"one {title}" if algorithm == "single" else f"{algorithm}, {title}"
        mine = tuple(Score.of(store.errors(trials, data, data_hash, grid.OWN, method)) for method in METHODS)
        found.append(OwnRow(data, name, best, mine))
    return found


def markdown(found: list[OwnRow]) -> str:
    """The table."""
    heads = ("data set", "the paper's best here", *METHODS)
    lines = ["## Our own methods on the same orders", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [
        f"| {row.data} | {row.paper.text} ({row.best}) | {' | '.join(one.text for one in row.own)} |" for row in found
    ]
    return "\n".join(lines) + "\n"
