"""Regression trees that grow online, for gradient boosting.

A leaf predicts the weighted mean of the targets r that it was taught with weights w, drawn to 0 by a prior weight λ:

    h(x) = G / (H + λ),    G = Σ w r,  H = Σ w,    clipped to [-1, 1]

With r = g/h and w = h, gradient and curvature of a loss, this is Newton's step, and the gain of a test x_f < t is that
of XGBoost (Chen and Guestrin, KDD 2016, equation 7):

    gain = G_L² / (H_L + λ) + G_R² / (H_R + λ) - G² / (H + λ)

After every `grace_period` of examples a leaf looks for its test of most gain, and becomes a node with two leaves if

    gain · H / V > 2 ln(1/δ),    V = Σ w² (r - G/H)²

If the test says nothing of the target, gain has the mean V/H, and the left side is nearly χ² of one degree, which
passes 2 ln(1/δ) with probability below δ. So a split is compared with no split, as in stochastic gradient trees (Gouk,
Pfahringer and Frank, ACML 2019), whose t-test is on the change of the loss. V follows the scale of the weights, so that
learners whose examples weigh little grow as well. With r = ±1 and equal weights the gain is the decrease of the Gini
index, and the rule is that of `HoeffdingTree(rule="evidence")`.

Which variant: FIMT-DD (Ikonomovska, Gama and Džeroski, DMKD 23, 2011) compares the best two tests by Hoeffding's bound,
with a tie threshold, has linear models in its leaves and detects drift; here leaves are constant, and nothing is
detected. The observers of numbers, the random features and the bound on memory are those of `HoeffdingTree`. New leaves
inherit the G and H of their rows.
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner
from onlineboost.learners.hoeffding_tree import BYTES_PER_TREE, NO_LIMIT


class RegressionTree(Learner):
    """Regression trees that grow with the stream.

    In `GradientBoostClassifier` a tree is taught residuals; in the other boosters the labels ±1.

    Parameters
    ----------
    max_features : float or None, default=0.75
        The chance of a feature to take part; None is 1.
    subset : {"leaf", "tree"}, default="leaf"
        Whether every leaf has its own random features, or every tree.
    grace_period : int, default=20
        The examples that a leaf sees between two attempts to split.
    delta : float, default=0.01
        The chance of a split by chance, per test and attempt.
    regularization : float, default=1.0
        The weight λ of the prior.
    bins : int, default=16
        Thresholds per feature and leaf.
    max_depth, max_leaves : int or None, default=None
        Limits of each tree.
    max_bytes : int, default=2**30
        Limit of all trees together. Where memory is short, the leaves of least weight keep their prediction but no
        statistics; every 4096 examples the choice is made anew.

    """

    def __init__(
        self,
        *,
        max_features: float | None = 0.75,
        subset: str = "leaf",
        grace_period: int = 20,
        delta: float = 0.01,
        regularization: float = 1.0,
        bins: int = 16,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int = 2**30,
    ) -> None:
        self.max_features = max_features
        self.subset = subset
        self.grace_period = grace_period
        self.delta = delta
        self.regularization = regularization
        self.bins = bins
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        def limit(name: str, value: int | None) -> int:
            return NO_LIMIT if value is None else _check.integer(name, value, 1, NO_LIMIT)

        share = self.max_features
        return {
            "kind": "regression_tree",
            "share": 1.0 if share is None else _check.real("max_features", share, 0, 1, low_open=True),
            "per_tree": _check.choice("subset", self.subset, ("leaf", "tree")) == "tree",
            "grace": float(_check.integer("grace_period", self.grace_period, 1, 2**53)),
            "delta": _check.real("delta", self.delta, 1e-300, 1, high_open=True),
            "lambda": _check.real("regularization", self.regularization, 0, 1e15),
            "bins": _check.integer("bins", self.bins, 1, 1000),
            "max_depth": limit("max_depth", self.max_depth),
            "max_leaves": limit("max_leaves", self.max_leaves),
            "max_bytes": _check.integer("max_bytes", self.max_bytes, BYTES_PER_TREE * n_learners, 2**62),
            "seed": seed,
        }
