"""The theory as a feature: plans, certificates, and streams on which the theorem can be watched."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from onlineboost.theory import synthetic
from onlineboost.theory.bounds import eg_bound, expert_bound, majority_bound, ocp_bound
from onlineboost.theory.certificate import Certificate
from onlineboost.theory.constants import Constants, constants
from onlineboost.theory.family_risk import family_risk
from onlineboost.theory.plan import Plan, plan
from onlineboost.theory.risk import risk_band, risk_bound
from onlineboost.theory.sets import AdaptiveSetGuarantee, SetGuarantee
from onlineboost.theory.weak_learning import GammaSuggestion, WeakLearnerCheck, check_weak_learner, suggest_gamma
from onlineboost.theory.windows import Windows

if TYPE_CHECKING:
    from onlineboost.theory import smoothboost
    from onlineboost.theory.hindsight import FixedVote, Recording, best_fixed_vote, hinge_loss, record
    from onlineboost.theory.smoothboost import SmoothBoostClassifier

__all__ = [
    "AdaptiveSetGuarantee",
    "Certificate",
    "Constants",
    "FixedVote",
    "GammaSuggestion",
    "Plan",
    "Recording",
    "SetGuarantee",
    "SmoothBoostClassifier",
    "WeakLearnerCheck",
    "Windows",
    "best_fixed_vote",
    "check_weak_learner",
    "constants",
    "eg_bound",
    "expert_bound",
    "family_risk",
    "hinge_loss",
    "majority_bound",
    "ocp_bound",
    "plan",
    "record",
    "risk_band",
    "risk_bound",
    "smoothboost",
    "suggest_gamma",
    "synthetic",
]


def __getattr__(name: str) -> Any:
    """What needs trees and linear programs comes when it is asked for: a certificate does without them."""
    if name == "smoothboost":
        return import_module("onlineboost.theory.smoothboost")
    if name == "SmoothBoostClassifier":
        return import_module("onlineboost.theory.smoothboost").SmoothBoostClassifier
    if name in {"FixedVote", "Recording", "best_fixed_vote", "hinge_loss", "record"}:
        return getattr(import_module("onlineboost.theory.hindsight"), name)
    raise AttributeError(f"module 'onlineboost.theory' has no attribute {name!r}")
