"""Hoeffding trees: Domingos and Hulten, "Mining High-Speed Data Streams", KDD 2000 (VFDT).

A leaf keeps class weights per feature and value. After every `grace_period` of weight it looks for its best test,
x_f < t, and becomes a node with two leaves once the test is good enough. With G the gain of the best test on the
best feature, G₂ that on the second best, and n the weight that the leaf has seen:

    rule="hoeffding"   G − G₂ > ε or ε < tie_threshold,   ε = √(ln(1/δ) / 2n)
    rule="evidence"    G > ln(1/δ) / (n ln 2) for the information gain, G > 2 I ln(1/δ) / n for the Gini index I

The first is the paper's, with R = 1: G is in bits, or the decrease of 4p(1 − p). The second compares with not
splitting, as Manapragada, Webb and Salehi (KDD 2018) do, but on the scale of chance: if the test says nothing of
the class, 2 n ln 2 G (the likelihood ratio) and n G / I (Pearson's) are χ² of one degree, which passes 2 ln(1/δ)
with probability below δ.

    h(x) = 2 p(+1 | leaf of x) − 1

from the class weights of the leaf, by Naive Bayes, or by the one of these that was right for more weight (Gama,
Rocha and Medas, KDD 2003). Random features per leaf, and weights multiplied by Poisson(6) numbers, are those of
adaptive random forests (Gomes et al., Machine Learning 106, 2017).

Which variant: an example's weight is its weight in every sum, n included. Numbers are not modelled by Gaussians:
the first `bins` distinct values of a feature in a leaf are the thresholds that the leaf can choose from, and the
weights on their sides are exact. Zero is the absence of a feature: it costs nothing, and its weight is that of the
leaf minus that of the other values. Naive Bayes counts the features that a row has, with a pseudo-count of 1 per
feature. New leaves inherit the class weights for prediction, but n starts at 0. A feature takes part in a leaf by a
hash, with a fixed chance, so that features need not be known in advance. A stream that is sorted by a feature makes
poor thresholds of it.
"""

from __future__ import annotations

import math
from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner

NO_LIMIT = 2**31
BYTES_PER_TREE = 1000


class HoeffdingTree(Learner):
    """Decision trees that grow with the stream.

    The defaults are for ensembles: every tree sees other weights and features. The tree of the paper, on its own, is
    `HoeffdingTree(rule="hoeffding", criterion="gain", delta=1e-7, grace_period=200, max_features=None, resample=None)`;
    the online decision stump is `max_depth=1`.

    Parameters
    ----------
    leaf : {"adaptive", "majority", "naive_bayes"}, default="adaptive"
        How leaves predict.
    max_features : float, "sqrt" or None, default=0.7
        The chance of a feature to take part; "sqrt" is (√d + 1) / d for d features at the start; None is 1.
    subset : {"leaf", "tree"}, default="leaf"
        Whether every leaf has its own random features, or every tree.
    resample : float or None, default=6.0
        Multiplies each weight by a Poisson number of this mean, drawn for every tree and example. As n grows by the
        same factor, trees grow faster, too.
    criterion : {"gini", "gain"}, default="gini"
        What a test is judged by.
    rule : {"evidence", "hoeffding"}, default="evidence"
        When a test is good enough.
    grace_period : float, default=50.0
        The weight that a leaf sees between two attempts to split.
    delta : float, default=1e-10
        The chance of a wrong decision that the rule allows.
    tie_threshold : float, default=0.05
        Of the rule "hoeffding" only.
    bins : int, default=16
        Thresholds per feature and leaf.
    max_depth, max_leaves : int or None, default=None
        Limits of each tree.
    max_bytes : int, default=2**30
        Limit of all trees together. Where memory is short, the leaves with the least weight of their lesser class keep
        their prediction but no statistics; every 4096 examples the choice is made anew.

    """

    def __init__(
        self,
        *,
        leaf: str = "adaptive",
        max_features: str | float | None = 0.7,
        subset: str = "leaf",
        resample: float | None = 6.0,
        criterion: str = "gini",
        rule: str = "evidence",
        grace_period: float = 50.0,
        delta: float = 1e-10,
        tie_threshold: float = 0.05,
        bins: int = 16,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int = 2**30,
    ) -> None:
        self.leaf = leaf
        self.max_features = max_features
        self.subset = subset
        self.resample = resample
        self.criterion = criterion
        self.rule = rule
        self.grace_period = grace_period
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.bins = bins
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes

    def _share(self, n_features: int) -> float:
        """The chance of a feature to take part."""
        if self.max_features is None:
            return 1.0
        if isinstance(self.max_features, str):
            _check.choice("max_features, if not a number or None,", self.max_features, ("sqrt",))
            return min(1.0, (math.sqrt(n_features) + 1) / max(1, n_features))
        return _check.real("max_features", self.max_features, 0, 1, low_open=True)

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        def limit(name: str, value: int | None) -> int:
            return NO_LIMIT if value is None else _check.integer(name, value, 1, NO_LIMIT)

        return {
            "kind": "hoeffding_tree",
            "leaf": _check.choice("leaf", self.leaf, ("majority", "naive_bayes", "adaptive")),
            "criterion": _check.choice("criterion", self.criterion, ("gain", "gini")),
            "rule": _check.choice("rule", self.rule, ("hoeffding", "evidence")),
            "grace": _check.real("grace_period", self.grace_period, 0, 1e15, low_open=True),
            "delta": _check.real("delta", self.delta, 1e-300, 1, high_open=True),
            "tie": _check.real("tie_threshold", self.tie_threshold, 0, 1),
            "bins": _check.integer("bins", self.bins, 1, 1000),
            "share": self._share(n_features),
            "per_tree": _check.choice("subset", self.subset, ("leaf", "tree")) == "tree",
            "resample": 0.0 if self.resample is None else _check.real("resample", self.resample, 0, 100, low_open=True),
            "max_depth": limit("max_depth", self.max_depth),
            "max_leaves": limit("max_leaves", self.max_leaves),
            "max_bytes": _check.integer("max_bytes", self.max_bytes, BYTES_PER_TREE * n_learners, 2**62),
            "seed": seed,
        }
