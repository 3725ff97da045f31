"""The default: a few boosted families side by side, mixed online, so that nobody has to choose.

With p_k the calibrated probability of family k before the update and l_k its logit, there are K + 1 experts: the
families, and a stack of them, q_0 = σ(Σ_k m_k l_k), whose coefficients follow Bayesian logistic regression from
m_k = 1/K. The prediction is Bayes' rule over the experts,

    p = Σ_k v_k q_k,    v_k ∝ exp(-cumulated log-loss of expert k),

the aggregating algorithm for the log-loss (Vovk, COLT 1990): on every stream its log-loss is at most that of the best
expert, and so of the best family, plus ln(K + 1) nats in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost import _check
from onlineboost._turns import turns_of
from onlineboost.boosters.base import OnlineEstimator
from onlineboost.boosters.families import Families, checked

if TYPE_CHECKING:
    from onlineboost.theory.mixture import MixtureCertificate


class OnlineBoostClassifier(OnlineEstimator):
    """A mixture of boosted trees, linear learners, Naive Bayes and random features.

    Parameters
    ----------
    families : list of (name, estimator), default=None
        What is mixed: classifiers of this package with native learners. A third entry of a family limits the features
        that it takes: when the stream brings more, it retires. None stands for seven families, see docs/mixture.md.
    retire : bool, default=True
        Part with families that carry next to nothing of the prediction. They are looked at after 4,000, 8,000, 16,000
        … examples.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    n_jobs : int or None, default=None
        Threads for large banks; the results do not depend on it.
    random_state : int, RandomState or None, default=None
        The seed.

    """

    def __init__(
        self,
        families: Any = None,
        *,
        retire: bool = True,
        shuffle: bool = False,
        n_passes: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.families = families
        self.retire = retire
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def learner(self) -> Families:
        """The families as one bank."""
        return Families(checked(self.families))

    def certificate(self, *, faded: bool = False) -> MixtureCertificate:
        """What the mixture guarantees for the stream so far, and which family carries the prediction."""
        from onlineboost.theory.mixture import read  # noqa: PLC0415  # the theory is loaded when it is asked for

        if faded:
            raise ValueError("A mixture keeps no fading sums: ask for its certificate without faded.")
        with turns_of(self).lock:
            self._require_fitted()
            return read(self)

    def _family_names(self) -> list[str]:
        members = self._origin.learner_parameters["members"]
        return [name for name, _, _ in members]

    def _n_learners(self) -> int:
        return len(checked(self.families))

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        looks = 4000 if _check.flag("retire", self.retire) else 0
        return {"kind": "mixture", "variance": 0.1, "first_look": looks, "least_weight": 1e-3, "least_share": 0.02}
