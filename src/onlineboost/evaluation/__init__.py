"""How well models do: test, then train; metrics of streams."""

from onlineboost.evaluation.adaptive_sets import StronglyAdaptiveSets
from onlineboost.evaluation.compare import Comparison, compare
from onlineboost.evaluation.confidence import ConfidenceSequence
from onlineboost.evaluation.metrics import Metrics
from onlineboost.evaluation.multilabel import MultiLabelResult
from onlineboost.evaluation.prequential import MulticlassPrequentialResult, PrequentialResult, prequential
from onlineboost.evaluation.progress import progress
from onlineboost.evaluation.stream import StreamResult, bootstrap

__all__ = [
    "Comparison",
    "ConfidenceSequence",
    "Metrics",
    "MultiLabelResult",
    "MulticlassPrequentialResult",
    "PrequentialResult",
    "StreamResult",
    "StronglyAdaptiveSets",
    "bootstrap",
    "compare",
    "prequential",
    "progress",
]
