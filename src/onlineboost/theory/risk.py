"""Risk that holds at every time: bounds on the mean chance to err, from the mistakes made so far.

e_t in [0, 1] is the loss of round t, known after it, and μ_t = E[e_t | the examples before t] the chance to err that
the model had just then. With probability at least 1 - α, for all T at once (docs/theory.md, G1),

    (μ_1 + … + μ_T)/T  ≤  min_j (1 - exp(-(λ_j ē + ln(j(j+1)/α)/T))) / (1 - e^(-λ_j)),    λ_j = 2^(1-j), j = 1, 2, …

with ē the mean of the losses. Examples need not be independent or alike: the model and the stream may depend on all
that went before. If they are independent and alike, a model drawn from the T that the run passed through has this risk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onlineboost.declarations import checks

ALPHA = 0.05
RATES = range(1, 41)  # the least is 2^-39: enough for 10^20 examples


def risk_bound(loss: Any, n_examples: Any, alpha: float = ALPHA, among: Any = 1) -> Any:
    """The most that the mean chance to err can have been, for all lengths of the stream at once.

    Parameters
    ----------
    loss : float or array
        The summed losses after each number of examples; a loss is between 0 and 1.
    n_examples : int or array
        How many examples.
    alpha : float in (0, 1), default=0.05
        The chance that the bound fails at any time.
    among : float or array, default=1
        How many predictors are judged at once: the bounds of all of them hold together. An array: 1 over the share of
        alpha that each of them gets.

    """
    alpha = checks.real("alpha", alpha, 0.0, 1.0, low_open=True, high_open=True)
    total, n = np.asarray(loss, dtype=np.float64), np.maximum(np.asarray(n_examples, dtype=np.float64), 1.0)
    best = np.ones(np.broadcast(total, n).shape)
    for j in RATES:
        rate = 2.0 ** (1 - j)
        surprise = (rate * total + np.log(among * j * (j + 1) / alpha)) / n
        best = np.minimum(best, np.expm1(-surprise) / np.expm1(-rate))
    return float(best) if best.ndim == 0 else best


def risk_band(loss: Any, n_examples: Any, alpha: float = ALPHA) -> tuple[Any, Any]:
    """(lower, upper) for the mean chance to err: both hold together, at every time, with probability 1 - alpha.

    Parameters
    ----------
    loss, n_examples, alpha
        As for `risk_bound`. The lower bound is the upper bound of 1 - e.

    """
    total, n = np.asarray(loss, dtype=np.float64), np.asarray(n_examples, dtype=np.float64)
    return 1.0 - risk_bound(n - total, n, alpha, among=2), risk_bound(total, n, alpha, among=2)
