"""The theory as a feature: plans, certificates, and streams on which the theorem can be watched."""

from onlineboost.theory import smoothboost, streams
from onlineboost.theory.certificate import Certificate
from onlineboost.theory.constants import Constants, constants, eg_bound, expert_bound, ocp_bound
from onlineboost.theory.hindsight import FixedVote, Recording, best_fixed_vote, hinge_loss, record
from onlineboost.theory.plan import Plan, plan
from onlineboost.theory.smoothboost import SmoothBoostClassifier
from onlineboost.theory.weak_learning import GammaSuggestion, WeakLearnerCheck, check_weak_learner, suggest_gamma
from onlineboost.theory.windows import Windows

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
    "streams",
    "suggest_gamma",
]
