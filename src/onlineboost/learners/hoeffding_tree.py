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

With `reexamine`, a node goes on learning, and a test on another feature takes the place of its own, G₀, where

    G − G₀ > ε = √(ln(1/δ) / 2n)

What is below is dropped, and two leaves take its place (the second half of that paper's tree, EFDT). Not to split never
takes the place of a test there, since no gain is negative.

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

from onlineboost.declarations import Choice, Integer, Parameter, Real
from onlineboost.learners.base import Learner

NO_LIMIT = 2**31
BYTES_PER_TREE = 1000

SUBSET = Choice(
    default="leaf", of=("leaf", "tree"), text="Whether every leaf has its own random features, or every tree."
)
BINS = Integer(default=16, low=1, high=1000, text="Thresholds per feature and leaf.")


def limit(what: str) -> Integer:
    """The declaration of a limit that may be None."""
    return Integer(default=None, low=1, high=NO_LIMIT, optional=True, text=what)


def memory_limit(kept: str) -> Integer:
    """The declaration of the bound on memory; `kept` says which leaves give up their statistics."""
    return Integer(
        default=2**30,
        low=BYTES_PER_TREE,
        high=2**62,
        text="Limit of all trees together. Where memory is short, the leaves "
        f"{kept} keep their prediction but no statistics; every 4096 examples the choice is made anew.",
    )


class HoeffdingTree(Learner, name="hoeffding-tree", witness="tree_sizes"):
    """Decision trees that grow with the stream.

    The defaults are for ensembles: every tree sees other weights and features. The tree of the paper, on its own, is
    `HoeffdingTree(rule="hoeffding", criterion="gain", delta=1e-7, grace_period=200, max_features=None, resample=None)`;
    the online decision stump is `max_depth=1`.
    """

    leaf = Choice(default="adaptive", of=("adaptive", "majority", "naive_bayes"), text="How leaves predict.")
    max_features: Parameter = Real(
        default=0.7,
        low=0.0,
        high=1.0,
        low_open=True,
        words=("sqrt",),
        optional=True,
        text='The chance of a feature to take part; "sqrt" is (√d + 1) / d for d features at the start; None is 1.',
    )
    subset = SUBSET
    resample = Real(
        default=6.0,
        low=0.0,
        high=100.0,
        low_open=True,
        optional=True,
        text="Multiplies each weight by a Poisson number of this mean, drawn for every tree and example. As n grows by "
        "the same factor, trees grow faster, too.",
    )
    criterion = Choice(default="gini", of=("gini", "gain"), text="What a test is judged by.")
    rule = Choice(default="evidence", of=("evidence", "hoeffding"), text="When a test is good enough.")
    grace_period = Real(
        default=50.0,
        low=0.0,
        high=1e15,
        low_open=True,
        text="The weight that a leaf sees between two attempts to split.",
    )
    delta = Real(
        default=1e-10, low=1e-300, high=1.0, high_open=True, text="The chance of a wrong decision that the rule allows."
    )
    tie_threshold = Real(default=0.05, low=0.0, high=1.0, text='Of the rule "hoeffding" only.')
    bins = BINS
    reexamine = Real(
        default=None,
        low=0.0,
        high=1e15,
        low_open=True,
        optional=True,
        text="The weight that a node sees between two looks at its test, which gives way to a better one; None: a test "
        "stays. With more than two classes there is then a tree per class.",
    )
    max_depth = limit("Limit of each tree's depth.")
    max_leaves = limit("Limit of each tree's leaves.")
    max_bytes = memory_limit("with the least weight of their lesser class")

    @property
    def knows_classes(self) -> bool:
        """Whether one tree tells many classes apart."""
        return self.checked()["reexamine"] is None

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        share = given["max_features"]
        if share == "sqrt":
            share = min(1.0, (math.sqrt(n_features) + 1) / max(1, n_features))
        return {
            **given,
            **tree_spec(given, n_learners),
            "kind": "hoeffding_tree",
            "grace": given["grace_period"],
            "tie": given["tie_threshold"],
            "share": 1.0 if share is None else share,
            "resample": given["resample"] or 0.0,
            "reexamine": given["reexamine"] or 0.0,
            "seed": seed,
        }


def tree_spec(given: dict[str, Any], n_learners: int) -> dict[str, Any]:
    """What trees of both kinds are built from."""
    least = BYTES_PER_TREE * n_learners
    if given["max_bytes"] < least:
        raise ValueError(f"max_bytes must be an integer from {least:,} to {2**62:,}, not {given['max_bytes']!r}.")
    limits = {name: given[name] or NO_LIMIT for name in ("max_depth", "max_leaves")}
    return {**limits, "per_tree": given["subset"] == "tree"}
