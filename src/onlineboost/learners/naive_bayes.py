"""Naive Bayes, the second weak learner of the paper's experiments (Chen, Lin, Lu, ICML 2012, Section 5).

    h(x) = 2 P(+1 | x) - 1 = tanh(log-odds / 2)

Binary features: P(x_f > 0 | class) = (count + α) / (n + 2α), absences counted too. Other features: Gaussian,
weighted Welford moments, variance + floor. A weight is the weight of the example in every count and moment; a class
whose weight is not above 10⁻¹⁶ counts as unseen.

Which variant: α = 10⁻¹⁶ in place of Laplace's 1, and Gaussians on rows of unit norm, as the paper's tables ask.
`estimates="paper"` is what those tables were made with, as far as they show it, two slips included.
Gaussian: each class's Welford step divides by the weight of *both* classes,

    mean_c += (w / W) (v - mean_c);   M_c += w (v - old) (v - new);   variance_c = M_c / W,   W = n₊ + n₋,

seen in the single learner's column, which all eight Gaussian data sets then meet (splice: .252 in the paper, .26 so,
.13 with proper moments). Bernoulli: every count starts at α, the class's own included, so that the denominator is
n + α, the prior (n₊ + α) / (n₋ + α), and an unseen class gives every event the probability 1; this matters only where
weights fall below α, under OGBoost (mushrooms: .023 in the paper, .025 so, .004 with proper counts).

`kind="typed"` finds out what each feature is as the stream goes. While a feature has shown at most `max_values`
different values in the rows learned (absence is the value 0) it is categorical,

    P(x_f = v | class) = (count of v + α) / (n + V α),    V values so far,

which for two values is Bernoulli; a value that was never learned says nothing. At its first value beyond these it turns
Gaussian for good, and its moments are exactly those of the counts. Values are taken as they are: no norm, no intercept.

With a half-life H, all counts, n and M are multiplied by 2^(-1/H) before an example is learned: each example has the
weight that it had, times 2^(-age/H).
"""

from __future__ import annotations

from typing import Any

from onlineboost.declarations import Choice, Flag, Integer, Real
from onlineboost.learners.base import Learner, half_life, without_half_life


class NaiveBayes(Learner, name="naive-bayes", witness="plus.totals"):
    """Naive Bayes with example weights."""

    kind = Choice(
        default="auto",
        of=("auto", "bernoulli", "gaussian", "typed"),
        text="How features are modelled. Auto: a feature is Bernoulli while all its values were 0 or 1, and Gaussian "
        "from its first other value on. Bernoulli: the event is x > 0. Typed: categorical while a feature has few "
        "values, Gaussian from then on.",
    )
    alpha = Real(
        default=1e-16,
        low=1e-30,
        high=1e6,
        text="Pseudo-count of a Bernoulli event and of its absence, or of a categorical value.",
    )
    variance_floor = Real(default=1e-9, low=1e-30, high=1e6, text="Added to every variance.")
    intercept = Flag(
        default=True,
        text='The constant 1 takes part in the norm, and with kind="gaussian" its share of it is a feature.',
    )
    unit_norm = Flag(default=True, text="Gaussian features are divided by the row's Euclidean norm.")
    max_values = Integer(
        default=10,
        low=1,
        high=1000,
        text='With kind="typed", how many different values a categorical feature may have.',
    )
    estimates = Choice(
        default="proper",
        of=("proper", "paper"),
        text="Counts and moments as they should be, or with the slips of the paper's experiments; the latter needs "
        'kind="bernoulli" or kind="gaussian".',
    )
    half_life = half_life("an example counts half in all counts and moments")

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from."""
        given = without_half_life(self.checked())
        paper = given["estimates"] == "paper"
        if paper and given["kind"] in {"auto", "typed"}:
            raise ValueError('estimates="paper" needs kind="bernoulli" or kind="gaussian".')
        if given["kind"] == "typed":
            return {**given, "kind": "typed_bayes", "most_values": given["max_values"]}
        return {**given, "kind": "naive_bayes", "features": given["kind"], "paper": paper}
