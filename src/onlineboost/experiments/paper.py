"""The paper's experiments: its Tables 1 to 4, and the configurations that stand for its columns.

Chen, Lin, Lu, ICML 2012, Section 5: twelve data sets, one pass over a random order, five orders, mean error. Tables
1 and 2 compare the single weak learner, OzaBoost, OGBoost and OSBoost, over Perceptrons and over Naive Bayes; Tables
3 and 4 compare OSBoost with OSBoost.OCP and OSBoost.EXP. N = 100, γ = 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onlineboost.estimators import OGBoostClassifier, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier
from onlineboost.learners import NaiveBayes, Perceptron

ALGORITHMS = ("single", "OzaBoost", "OGBoost", "OSBoost", "OSBoost.OCP", "OSBoost.EXP")
LEARNERS = ("Perceptron", "NaiveBayes")
TRIALS = 5
N_LEARNERS = 100
GAMMA = 0.1

# Data sets whose features are all 0 or 1: Naive Bayes is Bernoulli there and Gaussian elsewhere.
BINARY = frozenset({"mushrooms", "adult", "web page"})


def learner_title(learner: str) -> str:
    """The weak learner's name in prose."""
    return "Naive Bayes" if learner == "NaiveBayes" else learner


@dataclass(frozen=True)
class Table:
    """One table of the paper: which columns, over which weak learner."""

    number: int
    learner: str
    algorithms: tuple[str, ...]

    @property
    def title(self) -> str:
        """As a heading."""
        return f"Table {self.number}: online error with {learner_title(self.learner)} as the weak learner"

    @property
    def heads(self) -> list[str]:
        """The heads of its columns."""
        return [self.learner if algorithm == "single" else algorithm for algorithm in self.algorithms]


TABLES = (
    Table(1, "Perceptron", ALGORITHMS[:4]),
    Table(2, "NaiveBayes", ALGORITHMS[:4]),
    Table(3, "Perceptron", ALGORITHMS[3:]),
    Table(4, "NaiveBayes", ALGORITHMS[3:]),
)

_PRINTED = """
heart         .2489 .2356 .2267 .2356 .2311 .2407  .1904 .2570 .3037 .2059 .2852 .2022
breast-cancer .0592 .0501 .0445 .0466 .0515 .0451  .0474 .0635 .1004 .0489 .0665 .0442
australian    .2099 .2012 .1962 .1872 .2078 .1852  .1751 .2133 .2826 .1849 .2629 .1838
diabetes      .3216 .3169 .3313 .3185 .3315 .3193  .2664 .3091 .3292 .2622 .3284 .2482
german        .3256 .3364 .3142 .3148 .3174 .3090  .2988 .3206 .3598 .2730 .3300 .2796
splice        .2717 .2759 .2625 .2605 .2590 .2645  .2520 .1563 .1863 .1370 .1615 .1426
mushrooms     .0148 .0080 .0068 .0060 .0062 .0062  .0076 .0049 .0229 .0029 .0045 .0032
adult         .2093 .2045 .2080 .1994 .1991 .1991  .2001 .1912 .1878 .1581 .1711 .1582
ijcnn1        .1070 .1014 .1046 .0943 .0945 .0949  .1040 .0805 .0773 .0764 .0851 .0770
web_page      .0225 .0203 .0205 .0182 .0181 .0182  .0339 .0221 .0184 .0189 .0171 .0189
cod-rna       .2096 .2170 .2241 .2075 .2059 .2071  .2206 .0796 .0568 .0581 .0484 .0583
covertype     .3437 .3449 .3482 .3334 .3338 .3341  .3518 .3293 .3732 .3634 .3646 .3408
"""


def _figures() -> dict[tuple[str, str, str], float]:
    columns = [(learner, algorithm) for learner in LEARNERS for algorithm in ALGORITHMS]
    figures = {}
    for line in _PRINTED.split("\n")[1:-1]:
        name, *values = line.split()
        for (learner, algorithm), value in zip(columns, values, strict=True):
            figures[name.replace("_", " "), learner, algorithm] = float(value)
    return figures


FIGURES = _figures()
"""What the paper prints: (data set, learner, algorithm) to error."""

DATA_SETS = tuple(dict.fromkeys(name for name, _, _ in FIGURES))


def learner_parameters(learner: str, data: str) -> dict[str, Any]:
    """The weak learner's parameters for a data set, by the paper's rule."""
    if learner == "NaiveBayes":
        return {"kind": "bernoulli" if data in BINARY else "gaussian", "estimates": "paper"}
    return {}


_LEARNER_TYPES: dict[str, Any] = {"Perceptron": Perceptron, "NaiveBayes": NaiveBayes}


def make(config: dict[str, Any]) -> Any:
    """The estimator that a cell of the grid describes; it predicts as the paper does, by the sign of the vote."""
    learner = _LEARNER_TYPES[config["learner"]](**config["learner_parameters"])
    algorithm, n = config["algorithm"], config["n_learners"]
    common = {"threshold": "vote", "random_state": config["trial"]}
    if algorithm == "single":
        return OnlineClassifier(learner, **common)
    if algorithm == "OzaBoost":
        return OzaBoostClassifier(learner, n, **common)
    if algorithm == "OGBoost":
        return OGBoostClassifier(learner, n, **common)
    # The paper's EXP halves weights and draws an expert per round; the draw's expected error has no sampling noise.
    vote = {"OSBoost": "uniform", "OSBoost.OCP": "ocp", "OSBoost.EXP": "experts"}[algorithm]
    paper = {"gamma": config["gamma"], "expert_rate": "paper", "expert_mode": "expected"}
    return OSBoostClassifier(learner, n, vote=vote, **paper, **common)
