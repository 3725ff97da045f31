"""Regression trees that grow online, for gradient boosting.

A leaf predicts the weighted mean of the targets r that it was taught with weights w, drawn to 0 by a prior weight λ:

    h(x) = G / (H + λ) + ⟨b, z⟩,    G = Σ w r,  H = Σ w,    clipped to [-1, 1]

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

⟨b, z⟩ is a line that counts once its squared error in the leaf has been less than that of the mean alone. z_j = x_j −
m_j, m_j the mean of x_j over all rows that were learned, and 0 where the row has no x_j. With e the error of the line,

    b_j ← b_j + w e z_j / (d_j (1 + w Σ z_k²/d_k)),    S_j ← S_j + w z_j²,    d_j = S_j + λ q_j

is recursive least squares with a diagonal matrix, as AROW has one, and q_j the mean of z_j² over the rows that have j:
so a feature's unit does not matter, and λ counts examples. New leaves inherit b, and their share of S.

Which variant: FIMT-DD (Ikonomovska, Gama and Džeroski, DMKD 23, 2011) compares the best two tests by Hoeffding's bound,
with a tie threshold, learns the lines of its leaves by gradients, uses no means, and detects drift; here nothing is
detected. The observers of numbers, the random features and the bound on memory are those of `HoeffdingTree`; features
are in lines that a leaf does not test. New leaves inherit the G and H of their rows.
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Integer, Real
from onlineboost.learners.base import Learner
from onlineboost.learners.hoeffding_tree import BINS, SUBSET, limit, memory_limit, tree_spec


class RegressionTree(Learner, name="regression-tree", witness="tree_sizes"):
    """Regression trees that grow with the stream.

    In `GradientBoostClassifier` a tree is taught residuals; in the other boosters the labels ±1.
    """

    max_features = Real(
        default=0.75,
        low=0.0,
        high=1.0,
        low_open=True,
        optional=True,
        text="The chance of a feature to take part; None is 1.",
    )
    leaf = Choice(
        default="adaptive",
        of=("adaptive", "mean"),
        text="What leaves predict: a line where its squared error has been less than that of the mean, or the mean.",
    )
    subset = SUBSET
    grace_period = Integer(
        default=20, low=1, high=2**53, text="The examples that a leaf sees between two attempts to split."
    )
    delta = Real(
        default=0.01,
        low=1e-300,
        high=1.0,
        high_open=True,
        text="The chance of a split by chance, per test and attempt.",
    )
    regularization = Real(default=1.0, low=0.0, high=1e15, text="The weight λ of the prior.")
    bins = BINS
    max_depth = limit("Limit of each tree's depth.")
    max_leaves = limit("Limit of each tree's leaves.")
    max_bytes = memory_limit("of least weight")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = self.checked()
        share = given["max_features"]
        return {
            **given,
            **tree_spec(given, n_learners),
            "kind": "regression_tree",
            "share": 1.0 if share is None else share,
            "grace": float(given["grace_period"]),
            "lambda": given["regularization"],
            "seed": seed,
        }
