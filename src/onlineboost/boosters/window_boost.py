"""Gradient-boosted trees on a bounded window of examples that is renewed as the stream goes.

IBoost (Grbovic and Vucetic, "Incremental Boosting with Bounded Memory", ECML 2011) keeps the loss small over a window
of examples, while examples come and go, by adding a member that is trained on the window and dropping the oldest. Here
the loss is logistic and members are trees by Newton's steps (Chen and Guestrin, KDD 2016, equations 5 to 7), with F(x)
the sum of the N trees:

    g_i = w_i (1{y_i = +1} - σ(F(x_i))),    h_i = w_i σ(F(x_i)) (1 - σ(F(x_i))),    Σ w_i = the number of rows
    gain of x_f < t:  G_L² / (H_L + λ) + G_R² / (H_R + λ) - G² / (H + λ),     a leaf adds  η G / (H + λ)
    p(+1 | x) = σ(F(x)),    h(x) = 2 p - 1

A tree grows leaf by leaf, the one of most gain first, to `max_leaves`; both sides of a test have H ≥ `least_curvature`.
Tests are between bins: at most `max_bins` per feature, at quantiles of a sample of the window; they are chosen again
each time the window has doubled, or has been renewed once.

A test sends rows that lack x_f to the side that gains more, and may ask for nothing else than whether they lack it; a
leaf where none does sends them to the side of more rows (Chen and Guestrin, algorithm 3, whose scans begin at either
end; the side of more rows: scikit-learn's HistGradientBoosting).

With K > 2 classes a leaf has a step for every class, and p is the softmax of the classes' sums. With weights w and
probabilities p_k, tests are chosen by Newton's steps along one direction r in the space of these sums, drawn for each
tree: half of the classes against the others, r_k = ±1/2 (a sketch in one dimension of all gradients: Iosipoi and
Vakhrushev, "SketchBoost", NeurIPS 2022). So a tree costs about as much as with two classes:

    g_i = w_i (r_y - m_i),    h_i = w_i Σ_k p_k (r_k - m_i)²,    m_i = Σ_k p_k r_k
    step of class k:  η (K - 1)/K · G_k / (H_k + λ),    G_k = Σ w_i (1{y_i = k} - p_k),    H_k = Σ w_i p_k (1 - p_k)

(the factor: Friedman, Annals of Statistics 2001). Of two classes and r = (1/2, -1/2) this is the above. With the third
class the trees go on: half of a leaf's step is the first class's, less that half the second's, which is the same
model. A class that begins with the n-th example has the sum -ln min(n, 4) until trees know it. A tree has at
most 16,384 steps, so fewer leaves with more than 64 classes.

The work is spread over the stream. A tree begins with the rows and scores of one example and comes into use `every`
examples later; in between, each example does a part of the work, and rows that arrive wait outside the window. What
comes out depends on none of this: a checkpoint keeps the rows and scores, and a half-grown tree is grown again. As soon
as there are N trees, each new one replaces the oldest.

The window is a biased reservoir (Aggarwal, VLDB 2006), as in `Neighbours`: once full, a new row takes the place of one
drawn at random, so it has mostly recent rows, and some far older ones. Scaling all weights changes nothing. Which
variant: IBoost also adjusts the votes of older members at each example; here trees stay as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters.base import Booster
from onlineboost.declarations import Choice, Integer, Object, Real

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.boosters.base import Shared


class WindowBoost(Booster, name="window-boost", estimator="WindowBoostClassifier"):
    """Gradient-boosted trees on a bounded window, renewed tree by tree."""

    learner = n_learners = property(lambda _: None, doc="It has trees of its own.")
    n_jobs = Object(
        default=None,
        kind="int or None",
        text="More than 1, or -1 for all cores: a thread grows the trees while examples are learned and between calls. "
        "No result depends on it, and a model file does not hold it.",
    )

    window = Integer(
        default=20_000,
        low=16,
        high=1_000_000,
        text="How many rows are kept. It takes features up to 2^28 divided by this, and at most 2^21.",
        positional=True,
    )
    n_trees = Integer(default=100, low=1, high=10_000, text="How many trees, N.", positional=True)
    every = Integer(
        default=None,
        low=1,
        high=1_000_000,
        optional=True,
        text="Examples from one tree to the next. None is the rows in the window divided by `visits`, at least 1: the "
        "work per example is then the same for any window.",
        positional=True,
    )
    visits = Integer(
        default=64,
        low=1,
        high=100_000,
        text="How many trees a row takes part in while the window turns over once: the work per example.",
    )
    max_bytes = Integer(
        default=2**28,
        low=2**16,
        high=2**62,
        text="About what the rows may take; where they would take more, the window is smaller.",
    )
    learning_rate = Real(default=0.1, low=0.0, high=1.0, low_open=True, text="The share η of Newton's step.")
    max_leaves = Integer(default=63, low=2, high=1000, text="Limit of each tree's leaves.")
    max_bins = Integer(
        default=64,
        low=2,
        high=256,
        text="Limit of a feature's bins; with many features there are fewer: more than 64 each up to 8,192 in all.",
    )
    crowd = Integer(
        default=None,
        low=2,
        high=1_000_000,
        optional=True,
        text="With more classes than so many, features have at most 32 bins. None: no such limit.",
    )
    regularization = Real(default=1.0, low=0.0, high=1e15, text="The weight λ of the prior.")
    least_curvature = Real(
        default=1.0, low=1e-6, high=1e15, text="The least sum of curvatures in a leaf; a row's is at most 1/4."
    )

    missing = Choice(
        default="sides",
        of=("mean", "sides"),
        text="Missing values. Sides: each test learns which side they go to. Mean: the running mean and an indicator, "
        "as in models of earlier files.",
    )
    coupling = Choice(
        default="softmax",
        of=("softmax", "rest"),
        text="With more than two classes: trees with a step per class, coupled by the softmax, or trees of each class "
        "against the rest, as in models of earlier files.",
    )
    probabilities = Choice(
        default="weighed",
        of=("calibrated", "weighed"),
        text="With two classes. Weighed: Bayes' rule over p and its calibration, by their log-losses so far, which is "
        "as good as the better one but for ln 2 nats in all. Calibrated: a logistic fit to the margin 2 p - 1, which "
        "saturates, as in models of earlier files.",
    )

    def against_the_rest(self) -> Booster | Shared | None:
        """Only where it is asked for."""
        return None if self.checked()["coupling"] == "softmax" else super().against_the_rest()

    def size(self) -> int:
        """How many trees."""
        n: int = self.checked()["n_trees"]
        return n

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds the trees from."""
        given = self.checked()
        names = ("window", "visits", "max_bytes", "learning_rate", "max_leaves", "regularization", "least_curvature")
        spec = {name: given[name] for name in (*names, "max_bins")}
        sides = given["missing"] == "sides"
        return {
            **spec,
            "kind": "window_trees",
            "every": given["every"] or 0,
            "seed": seed,
            "sides": sides,
            "crowd": given["crowd"] or 0,
        }

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        kind = "window_softmax" if given["coupling"] == "softmax" else "window_boost"
        return {"kind": kind, "weighs": given["probabilities"] == "weighed"}
