"""What a model was made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onlineboost.boosters.base import OnlineEstimator


@dataclass(frozen=True)
class Origin:
    """The parameters in force when the model was made; ones that are set later do not change it.

    All but `n_jobs`, which says how to work, and is of the machine rather than of the model.
    """

    n_features: int
    estimator: type
    parameters: dict[str, Any]
    learner: type
    learner_parameters: dict[str, Any]

    @classmethod
    def of(cls, estimator: OnlineEstimator, n_features: int) -> Origin:
        """As they are now."""
        parameters, learner = estimator.get_params(deep=False), estimator.learner
        for name in ("learner", "families", "n_jobs"):
            parameters.pop(name, None)
        return cls(n_features, type(estimator), parameters, type(learner), _frozen(learner.get_params(deep=False)))


def _frozen(value: Any) -> Any:
    """A copy that setting parameters of the original does not reach."""
    if isinstance(value, dict):
        return {name: _frozen(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_frozen(one) for one in value)
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value)(**_frozen(value.get_params(deep=False)))
    return value
