"""An Estimator and a Model of Spark ML around any estimator of this package that can be merged.

They take part in `Pipeline` and `CrossValidator`, and are saved with `write()`. The recipe is a parameter whose value
is the text of a model file, so Spark writes it with the others and nothing is pickled.
"""

from __future__ import annotations

import base64
import functools
import logging
from collections.abc import Iterator  # noqa: TC003  # Spark reads the annotations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import functions as F  # noqa: N812  # Spark's own name for it

from onlineboost.distributed.rows import check_policy
from onlineboost.persistence import from_bytes
from onlineboost.spark.training import Reading, train
from onlineboost.spark.vectors import rows_of_structs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from onlineboost.estimators import OnlineEstimator

_log = logging.getLogger("onlineboost")


def _as_text(value: Any) -> str:
    """An estimator as the text of its model file."""
    if isinstance(value, str):
        return value
    if not hasattr(value, "to_bytes"):
        raise TypeError(f"estimator must be an estimator of onlineboost, not {value!r}.")
    return base64.b64encode(value.to_bytes()).decode()


def _from_text(text: str) -> OnlineEstimator:
    return from_bytes(base64.b64decode(text))


class _Columns(
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasWeightCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
):
    """Parameters that both have."""

    estimator: Param[str] = Param(
        Params._dummy(),
        "estimator",
        "an estimator of onlineboost, or the text of its model file",
        typeConverter=_as_text,
    )

    def getEstimator(self) -> OnlineEstimator:
        """The estimator."""
        return _from_text(self.getOrDefault(self.estimator))

    def columns(self) -> tuple[str, ...]:
        """The plain columns; none where there is a column of vectors."""
        return tuple(self.getInputCols()) if self.isSet(self.inputCols) else ()


class SparkBoostClassifier(Estimator, _Columns, DefaultParamsReadable, DefaultParamsWritable):
    """Learns one model from all partitions of a data frame, in rounds of learning and merging.

    The model depends on the partitions and their order, not on the cluster: the same bits as `train_shards` gives.

    Parameters
    ----------
    estimator : estimator
        What the first round begins with, fitted or not; one that can be merged.
    inputCols : list of str
        Plain columns: numbers, texts, flags and times, as the estimator's `schema` declares or by their types.
    featuresCol : str, default="features"
        A column of vectors, where there are no `inputCols`.
    labelCol, weightCol : str
        Labels of any type, and weights.
    predictionCol, probabilityCol, rawPredictionCol : str
        Columns that the model adds. Predictions are double where labels are numbers, else string; probabilities and
        margins are vectors in the order of the model's `classes`.
    every : int, default=10000
        Rows of each partition between two merges; 0 merges once, at the end.
    badRows : {"stop", "skip", "missing"}, default="stop"
        Whether a row that cannot be learned is an error, is skipped, or has its bad cells taken as missing. Partition
        and row are named in the error, or in the model's `problems` and in the log.
    checkpoint : str, default=""
        A file that the driver writes after every round, and resumes from.
    fan : int, default=32
        Models that one worker merges at a time.

    """

    every: Param[int] = Param(Params._dummy(), "every", "rows between merges", typeConverter=TypeConverters.toInt)
    badRows: Param[str] = Param(Params._dummy(), "badRows", "policy", typeConverter=TypeConverters.toString)
    checkpoint: Param[str] = Param(Params._dummy(), "checkpoint", "file", typeConverter=TypeConverters.toString)
    fan: Param[int] = Param(Params._dummy(), "fan", "models per merge", typeConverter=TypeConverters.toInt)

    @keyword_only
    def __init__(self, **given: Any) -> None:
        """Set parameters."""
        super().__init__()
        self._setDefault(every=10_000, badRows="stop", checkpoint="", fan=32)
        self.setParams(**given)

    def setParams(self, **given: Any) -> SparkBoostClassifier:
        """Set parameters by name."""
        return self._set(**given)

    def reading(self) -> Reading:
        """What is learned of a data frame."""
        columns = self.columns()
        weight = self.getWeightCol() if self.isSet(self.weightCol) else None
        features = None if columns else self.getFeaturesCol()
        policy = check_policy(self.getOrDefault(self.badRows))
        return Reading(self.getLabelCol(), weight, features, columns, policy)

    def learn(self, dataset: DataFrame, base: OnlineEstimator, *, checkpoint: bool = True) -> SparkBoostModel:
        """The model that has gone on from a base with a data frame."""
        every, problems = self.getOrDefault(self.every), []
        if every < 0:
            raise ValueError(f"every must be at least 0 rows, not {every}.")

        def keep(problem: str) -> None:
            _log.warning("%s", problem)
            problems.append(problem)

        learned = train(
            dataset,
            base,
            self.reading(),
            every=every or None,
            checkpoint=(self.getOrDefault(self.checkpoint) or None) if checkpoint else None,
            on_problem=keep,
            fan=self.getOrDefault(self.fan),
        )
        model = SparkBoostModel(learned, problems)
        return self._copyValues(model, {self.estimator: _as_text(learned)})

    def _fit(self, dataset: DataFrame) -> SparkBoostModel:
        if not self.isDefined(self.estimator):
            raise ValueError("There is no estimator: give one, such as OSBoostClassifier().")
        return self.learn(dataset, self.getEstimator())


class SparkBoostModel(Model, _Columns, DefaultParamsReadable, DefaultParamsWritable):
    """A model that has learned; `transform` adds predictions, probabilities and margins.

    Parameters
    ----------
    model : estimator, default=None
        What has learned.
    problems : list of str, default=()
        Bad rows that were passed over.

    """

    def __init__(self, model: OnlineEstimator | None = None, problems: Any = ()) -> None:
        super().__init__()
        self.problems = list(problems)
        if model is not None:
            self._set(estimator=_as_text(model))

    @property
    def model(self) -> OnlineEstimator:
        """A copy of the model, as an estimator of this package."""
        return self.getEstimator()

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of the probabilities."""
        found: list[Any] = self.model.classes_.tolist()
        return found

    def _transform(self, dataset: DataFrame) -> DataFrame:
        columns = self.columns()
        kind = "string" if isinstance(self.classes[0], str) else "double"
        text = dataset.sparkSession.sparkContext.broadcast(self.getOrDefault(self.estimator))
        shape = f"prediction {kind}, probability array<double>, margin array<double>"
        score = F.pandas_udf(_scorer(text, vectors=not columns), shape)
        given = F.struct(*columns) if columns else F.unwrap_udt(F.col(self.getFeaturesCol()))
        scored = dataset.withColumn("__scored", score(given))
        names = {self.getPredictionCol(): F.col("__scored.prediction")}
        for name, part in ((self.getProbabilityCol(), "probability"), (self.getRawPredictionCol(), "margin")):
            names[name] = array_to_vector(F.col(f"__scored.{part}"))
        return scored.withColumns({name: column for name, column in names.items() if name}).drop("__scored")


@functools.lru_cache(maxsize=4)
def _loaded(text: str) -> OnlineEstimator:
    return _from_text(text)


def _scorer(text: Any, *, vectors: bool) -> Any:
    """Scores batches of rows."""

    def score(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        model = _loaded(text.value)
        for batch in batches:
            X = rows_of_structs(batch) if vectors else batch
            margins = model.margin(X)
            if margins.ndim == 1:
                margins = np.column_stack([-margins, margins])
            predicted = model.predict(X)
            yield pd.DataFrame(
                {
                    "prediction": predicted if predicted.dtype.kind in "UO" else predicted.astype(float),
                    "probability": list(model.predict_proba(X)),
                    "margin": list(margins),
                }
            )

    return score
