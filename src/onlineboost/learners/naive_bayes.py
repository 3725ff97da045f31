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
"""

from __future__ import annotations

from typing import Any

from onlineboost import _check
from onlineboost.learners.base import Learner


class NaiveBayes(Learner):
    """Naive Bayes with example weights.

    Parameters
    ----------
    kind : {"auto", "bernoulli", "gaussian", "typed"}, default="auto"
        How features are modelled. Auto: a feature is Bernoulli while all its values were 0 or 1, and Gaussian
        from its first other value on. Bernoulli: the event is x > 0. Typed: categorical while a feature has few
        values, Gaussian from then on.
    alpha : float, default=1e-16
        Pseudo-count of a Bernoulli event and of its absence, or of a categorical value.
    variance_floor : float, default=1e-9
        Added to every variance.
    intercept : bool, default=True
        The constant 1 takes part in the norm, and with kind="gaussian" its share of it is a feature.
    unit_norm : bool, default=True
        Gaussian features are divided by the row's Euclidean norm.
    max_values : int, default=10
        With kind="typed", how many different values a categorical feature may have, from 1 to 1,000.
    estimates : {"proper", "paper"}, default="proper"
        Counts and moments as they should be, or with the slips of the paper's experiments; the latter needs
        kind="bernoulli" or kind="gaussian".

    """

    def __init__(
        self,
        *,
        kind: str = "auto",
        alpha: float = 1e-16,
        variance_floor: float = 1e-9,
        intercept: bool = True,
        unit_norm: bool = True,
        max_values: int = 10,
        estimates: str = "proper",
    ) -> None:
        self.kind = kind
        self.alpha = alpha
        self.variance_floor = variance_floor
        self.intercept = intercept
        self.unit_norm = unit_norm
        self.max_values = max_values
        self.estimates = estimates

    def _bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        paper = _check.choice("estimates", self.estimates, ("proper", "paper")) == "paper"
        if paper and self.kind in {"auto", "typed"}:
            raise ValueError('estimates="paper" needs kind="bernoulli" or kind="gaussian".')
        most = _check.integer("max_values", self.max_values, 1, 1000)
        if self.kind == "typed":
            return {
                "kind": "typed_bayes",
                "alpha": _check.real("alpha", self.alpha, 1e-30, 1e6),
                "variance_floor": _check.real("variance_floor", self.variance_floor, 1e-30, 1e6),
                "most_values": most,
            }
        return {
            "kind": "naive_bayes",
            "paper": paper,
            "features": _check.choice("kind", self.kind, ("auto", "bernoulli", "gaussian", "typed")),
            "alpha": _check.real("alpha", self.alpha, 1e-30, 1e6),
            "variance_floor": _check.real("variance_floor", self.variance_floor, 1e-30, 1e6),
            "intercept": _check.flag("intercept", self.intercept),
            "unit_norm": _check.flag("unit_norm", self.unit_norm),
        }
