"""One model on a stream of Structured Streaming: every micro-batch is learned once, and once only.

Spark numbers micro-batches and, after a restart from its checkpoint, repeats the last one with the same rows if it was
not finished. The model file says which micro-batch it learned last, so one that is repeated after the file was written
is passed over, and one that was cut short before is learned from the model as it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onlineboost.persistence import load_with_extra

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

    from onlineboost.estimators import OnlineEstimator
    from onlineboost.spark.classifier import SparkBoostClassifier


class StreamLearner:
    """For `stream.writeStream.foreachBatch(StreamLearner(…))`.

    Parameters
    ----------
    classifier : SparkBoostClassifier
        How micro-batches are learned.
    path : path
        The model file, which the driver writes. One that exists is resumed.

    Attributes
    ----------
    model : estimator
        As of the last micro-batch.
    batch : int
        The number of that micro-batch; -1 before the first.
    problems : list of str
        Bad rows that were passed over since the start.

    """

    def __init__(self, classifier: SparkBoostClassifier, path: str | os.PathLike[str]) -> None:
        self.classifier = classifier
        self.path = Path(path)
        self.problems: list[str] = []
        self.model: OnlineEstimator = classifier.getEstimator()
        self.batch = -1
        if self.path.exists():
            self.model, extra = load_with_extra(self.path)
            if not isinstance(extra, dict) or not isinstance(extra.get("batch"), int):
                raise ValueError(f"{self.path} is no model of a stream: give another file.")
            self.batch = extra["batch"]

    def __call__(self, frame: DataFrame, number: int) -> None:
        """Learn a micro-batch."""
        if number <= self.batch or frame.isEmpty():
            return
        found = self.classifier.learn(frame, self.model, checkpoint=False)
        self.model = found.model
        self.model.save(self.path, {"batch": number})
        self.batch = number
        self.problems += found.problems
