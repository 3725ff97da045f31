"""OGBoost (Leistner, Saffari, Roth, Bischof, "On Robustness of On-line Boosting", OLCV 2009).

    F = 0;  for m = 1…M:   w = -loss'(y F)
                           teach (x, y) with weight w to the K candidates of selector m
                           e_mk += w 1{y h_mk(x) <= 0};   k* = argmin_k e_mk;   F += h_mk*(x)

Which variant: outputs are real-valued and taken after the update, no shrinkage, K = 1 and the logistic loss, as
in the paper's comparison. The margin is the mean of the chosen outputs. Weights fall as fast as e^-m along the
selectors; where learners have pseudo-counts that such weights cannot outweigh, `smallest_weight` stops early.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import MOST_LEARNERS, Booster
from onlineboost.declarations import Choice, Integer, Real, checks


class OGBoost(Booster, name="ogboost", estimator="OGBoostClassifier"):
    """Online gradient boosting with selectors; `n_learners` are the selectors, M."""

    n_candidates = Integer(
        default=1,
        low=1,
        high=10_000,
        text="Learners per selector, K; the one of least weighted error so far speaks for its selector.",
    )
    loss = Choice(
        default="logit",
        of=("logit", "exp", "doom2", "savage"),
        text="The loss whose negative slope is the weight.",
    )
    shrinkage = Real(default=1.0, low=0.0, high=1.0, low_open=True, text="Factor on what each selector adds to F.")
    forgetting = Real(
        default=1.0, low=0.0, high=1.0, low_open=True, text="Factor on the candidates' errors per example."
    )
    smallest_weight = Real(
        default=0.0,
        low=0.0,
        high=1.0,
        text="A weight below this is taken for 0. With Naive Bayes, 1e-12 keeps selectors from being taught with "
        "weights that are lost beside its pseudo-counts (mushrooms: error .004 instead of the paper's .023).",
    )
    evaluate = Choice(default="after", of=("after", "before"), text="Sum F from outputs after or before the update.")

    def size(self) -> int:
        """Learners of all selectors."""
        n = super().size() * int(self.checked()["n_candidates"])
        return checks.integer("the number of weak learners, n_learners * n_candidates,", n, 1, MOST_LEARNERS)

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        return {
            **given,
            "kind": "ogboost",
            "candidates": given["n_candidates"],
            "after": given["evaluate"] == "after",
        }
