"""Apache Spark: one model over the partitions of a data frame, a model per key, and both on streams.

`pip install "onlineboost[spark]"` and Java 17. docs/spark.md has examples.
"""

from typing import Any

from onlineboost.declarations.extras import require

_WHERE = {
    "SparkBoostClassifier": "classifier",
    "SparkBoostModel": "classifier",
    "StreamLearner": "streaming",
    "learn_by_key": "keyed",
}
__all__ = ["SparkBoostClassifier", "SparkBoostModel", "StreamLearner", "learn_by_key"]


def __getattr__(name: str) -> Any:
    """Load pyspark when it is needed."""
    if name not in _WHERE:
        raise AttributeError(f"module 'onlineboost.spark' has no attribute {name!r}")
    require("pyspark", "spark", "onlineboost.spark")
    return getattr(require(f"onlineboost.spark.{_WHERE[name]}", "spark", "onlineboost.spark"), name)
