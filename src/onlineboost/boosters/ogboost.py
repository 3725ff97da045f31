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

from onlineboost import _check
from onlineboost.boosters.base import OnlineEstimator


class OGBoostClassifier(OnlineEstimator):
    """Online gradient boosting with selectors.

    Parameters
    ----------
    learner : Learner
        The weak learner.
    n_learners : int, default=100
        Selectors, M.
    n_candidates : int, default=1
        Learners per selector, K; the one of least weighted error so far speaks for its selector.
    loss : {"logit", "exp", "doom2", "savage"}, default="logit"
        The loss whose negative slope is the weight.
    shrinkage : float in (0, 1], default=1.0
        Factor on what each selector adds to F.
    forgetting : float in (0, 1], default=1.0
        Factor on the candidates' errors per example.
    smallest_weight : float in [0, 1], default=0.0
        A weight below this is taken for 0. With Naive Bayes, 1e-12 keeps selectors from being taught with weights
        that are lost beside its pseudo-counts (mushrooms: error .004 instead of the paper's .023).
    evaluate : {"after", "before"}, default="after"
        Sum F from outputs after or before the update.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed.
    n_jobs : int, default=None
        Threads among which the work on one example is split, where N × (numbers in the row) is at least 200,000;
        None is 1, -1 is all cores. No result depends on it, and a model file does not hold it.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        n_candidates: int = 1,
        loss: str = "logit",
        shrinkage: float = 1.0,
        forgetting: float = 1.0,
        smallest_weight: float = 0.0,
        evaluate: str = "after",
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.n_candidates = n_candidates
        self.loss = loss
        self.shrinkage = shrinkage
        self.forgetting = forgetting
        self.smallest_weight = smallest_weight
        self.evaluate = evaluate
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_learners(self) -> int:
        selectors = _check.integer("n_learners", self.n_learners, 1, 1_000_000)
        return selectors * _check.integer("n_candidates", self.n_candidates, 1, 10_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {
            "kind": "ogboost",
            "candidates": int(self.n_candidates),
            "loss": _check.choice("loss", self.loss, ("logit", "exp", "doom2", "savage")),
            "shrinkage": _check.real("shrinkage", self.shrinkage, 0.0, 1.0, low_open=True),
            "forgetting": _check.real("forgetting", self.forgetting, 0.0, 1.0, low_open=True),
            "smallest_weight": _check.real("smallest_weight", self.smallest_weight, 0.0, 1.0),
            "after": _check.choice("evaluate", self.evaluate, ("after", "before")) == "after",
        }
