"""How well models do: test, then train."""

from onlineboost.evaluation.prequential import MulticlassPrequentialResult, PrequentialResult, prequential

__all__ = ["MulticlassPrequentialResult", "PrequentialResult", "prequential"]
