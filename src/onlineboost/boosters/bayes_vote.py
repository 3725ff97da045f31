"""Bayes' rule over the learners of one bank, each read as a probability.

With q_i = (1 + h_i)/2 the probability of +1 that learner i gives, there are N + 1 experts: the learners, and a stack of
them, q_0 = σ(Σ_i m_i logit q_i), whose coefficients follow Bayesian logistic regression from m_i = 1/N. The prediction
is the aggregating algorithm for the log-loss (Vovk, COLT 1990),

    p = Σ_i v_i q_i,    v_i ∝ exp(-cumulated log-loss of expert i),

as in the mixture over whole families (`OnlineBoostClassifier`), whose engine it is; here every learner sees every
example with its own weight, and nobody is left out. It is made for banks that answer several questions at the price of
one, such as `Neighbours`, which searches once for several k.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster
from onlineboost.declarations import Integer, Object
from onlineboost.learners import Neighbours

MOST = 64  # the stack has a covariance


class BayesVote(Booster, name="bayes-vote", estimator="BayesVoteClassifier"):
    """Bayes' rule over the learners of a bank and a stack of them."""

    default_learner = Neighbours

    learner = Object(
        default=None,
        kind="Learner",
        text="The learner whose outputs are read as probabilities; None stands for `Neighbours()`.",
        positional=True,
    )
    n_learners = Integer(default=4, low=1, high=MOST, text="How many learners.", positional=True)

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        self.checked()
        return {"kind": "mixture", "variance": 0.1, "first_look": 0, "least_weight": 0.0, "least_share": 0.0}
