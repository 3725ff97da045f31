"""What a model was made from."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onlineboost.learners.base import Learner

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
        del parameters["learner"]
        parameters.pop("n_jobs", None)
        given = learner.get_params(deep=False)
        frozen = {name: copy.deepcopy(value) if isinstance(value, Learner) else value for name, value in given.items()}
        return cls(n_features, type(estimator), parameters, type(learner), frozen)
