"""Hoeffding trees."""

from __future__ import annotations

import math
from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner

NO_LIMIT = 2**31
BYTES_PER_TREE = 1000


class HoeffdingTree(Learner):
    """Decision trees grown online."""

    def __init__(
        self,
        *,
        leaf: str = "adaptive",
        max_features: str | float | None = None,
        subset: str = "leaf",
        resample: float | None = None,
        criterion: str = "gain",
        rule: str = "hoeffding",
        grace_period: float = 200.0,
        delta: float = 1e-7,
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
        if self.max_features == "sqrt":
            return min(1.0, (math.sqrt(n_features) + 1) / max(1, n_features))
        if isinstance(self.max_features, str):
            raise ValueError(f'max_features must be "sqrt", None or a number in (0, 1], not {self.max_features!r}.')
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
