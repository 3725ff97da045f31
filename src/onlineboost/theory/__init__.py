"""The theory as a feature: plans, certificates, and streams on which the theorem can be watched."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from onlineboost.theory import synthetic
from onlineboost.theory.certificate import Certificate
from onlineboost.theory.constants import Constants, constants, eg_bound, expert_bound, ocp_bound
from onlineboost.theory.plan import Plan, plan
from onlineboost.theory.weak_learning import GammaSuggestion, WeakLearnerCheck, check_weak_learner, suggest_gamma
from onlineboost.theory.windows import Windows

if TYPE_CHECKING:
    from onlineboost.theory import smoothboost
    from onlineboost.theory.hindsight import FixedVote, Recording, best_fixed_vote, hinge_loss, record
    from onlineboost.theory.smoothboost import SmoothBoostClassifier

__all__ = [
    "Certificate",
    "Constants",
    "FixedVote",
    "GammaSuggestion",
    "Plan",
    "Recording",
    "SmoothBoostClassifier",
    "WeakLearnerCheck",
    "Windows",
    "best_fixed_vote",
    "check_weak_learner",
    "constants",
    "eg_bound",
    "expert_bound",
    "hinge_loss",
    "ocp_bound",
    "plan",
    "record",
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
