"""What a model goes by: which features matter, and why it says what it says of an example."""

from onlineboost.explanation.contributions import Explanation, FamilyVote

__all__ = ["Explanation", "FamilyVote"]
