"""The boosters as classifiers of scikit-learn and river, one class each; their parameters are the boosters'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import boosters
from onlineboost.boosters import bbm, defensive, mixture, osboost
from onlineboost.estimators.base import OnlineEstimator
from onlineboost.estimators.multilabel import LabelSetEstimator
from onlineboost.estimators.recipes import as_estimator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.defensive import Audit
    from onlineboost.boosters.mixture import Change


class _Certified(OnlineEstimator):
    """Estimators whose boosters have certificates."""

    def certificate(self, *, faded: bool = False, last: int | None = None) -> Any:
        """What the theory guarantees for the stream learned so far, beside what happened on it.

        Parameters
        ----------
        faded : bool, default=False
            About the recent stream, from the sums that `fading` asked for.
        last : int or None, default=None
            About the last examples, at least so many and less than half as many more (and 64), from the checkpoints
            that `history` asked for; of all while there are not so many.

        """
        machine = self.machine
        with machine.lock.writer:
            return machine.recipe.certificate(machine, faded=faded, last=last)


class _Resetting(OnlineEstimator):
    """Estimators whose learners may begin anew."""

    @property
    def changes_(self) -> list[osboost.Reset]:
        """The last 128 resets of learners, oldest first: (example, learner); None stands for all of them."""
        machine = self.machine
        with machine.lock.writer:
            return osboost.resets(machine)


class OSBoostClassifier(_Certified, _Resetting, booster=boosters.OSBoost):
    @property
    def weight_mass_(self) -> NDArray[np.float64]:
        """The summed weights |w_i| for i = 1…N+1."""
        return self.machine.booster_state()["weight_mass"]


class OnlineBoostClassifier(_Certified, booster=boosters.Mixture):
    @property
    def changes_(self) -> list[Change]:
        """Alarms and what followed, the last 128: (example, kind, family)."""
        machine = self.machine
        with machine.lock.writer:
            return mixture.changes(machine)


class OzaBoostClassifier(OnlineEstimator, booster=boosters.OzaBoost):
    pass


class OzaBoostADWINClassifier(_Resetting, booster=boosters.OzaBoostADWIN):
    pass


class BOLEClassifier(_Resetting, booster=boosters.BOLE):
    pass


class OGBoostClassifier(OnlineEstimator, booster=boosters.OGBoost):
    pass


class _WithAdvantage(OnlineEstimator):
    """Estimators whose boosters keep the edges of their learners."""

    @property
    def advantage_(self) -> NDArray[np.float64]:
        """Σ w y h / Σ w of each learner; NaN for one that had no weight."""
        state = self.machine.booster_state()
        mass = state["weight_mass"]
        return np.asarray(np.divide(state["weighted_edges"], mass, out=np.full(len(mass), np.nan), where=mass > 0))


class AdaBoostOLClassifier(_WithAdvantage, booster=boosters.AdaBoostOL):
    pass


class BBMClassifier(_WithAdvantage, booster=boosters.BBM):
    @property
    def expected_mistakes_(self) -> float:
        """T Φ_0(0) - Σ w (y h - 2γ), from the sums over the stream."""
        return bbm.expected_mistakes(self.machine)


class DefensiveClassifier(OnlineEstimator, booster=boosters.Defensive):
    def audit(self) -> Audit:
        """What the guarantee says of the stream so far, beside what happened."""
        return defensive.audit(self.machine)


class GradientBoostClassifier(OnlineEstimator, booster=boosters.GradientBoost):
    pass


class IBoostClassifier(OnlineEstimator, booster=boosters.IBoost):
    pass


class BayesVoteClassifier(OnlineEstimator, booster=boosters.BayesVote):
    pass


class WindowBoostClassifier(OnlineEstimator, booster=boosters.WindowBoost):
    pass


class OnlineClassifier(OnlineEstimator, booster=boosters.Single):
    pass


class OneVsRest(OnlineEstimator, booster=boosters.OneVsRest):
    pass


class AdaBoostOLMClassifier(OnlineEstimator, booster=boosters.AdaBoostOLM):
    pass


class OnlineMBBMClassifier(OnlineEstimator, booster=boosters.OnlineMBBM):
    pass


class MultiLabelClassifier(LabelSetEstimator, booster=boosters.MultiLabel):
    pass


class AdaOLMRClassifier(LabelSetEstimator, booster=boosters.AdaOLMR):
    pass


class OnlineBMRClassifier(LabelSetEstimator, booster=boosters.OnlineBMR):
    pass


ESTIMATORS: dict[str, type[OnlineEstimator]] = {
    name: kind
    for name, kind in list(globals().items())
    if name[0].isupper()
    and isinstance(kind, type)
    and issubclass(kind, OnlineEstimator)
    and "booster_type" in vars(kind)
}
__all__ = [*ESTIMATORS, "OnlineEstimator", "as_estimator"]  # noqa: PLE0604  # every class above
