"""A model per key on a stream: the bytes of each model are state that Spark keeps, checkpoints and expires.

A key's model begins as a copy of the parent. A row with a label is predicted, then learned; one without is predicted.
Rows of a key within a micro-batch come in no order of their own, so give a column to order them by: then what is
learned does not depend on partitions or on restarts.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.types import ArrayType, DoubleType, StructField, StructType

from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle, TimerValues

    from onlineboost.estimators import OnlineEstimator

STATE = "model"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def learn_by_key(
    stream: DataFrame,
    parent: OnlineEstimator,
    *,
    key: str,
    label: str,
    columns: Sequence[str],
    order: str | None = None,
    keep: Sequence[str] = (),
    ttl: float | None = None,
) -> DataFrame:
    """Predictions for the rows of a stream by a model per key, each made before its row is learned.

    Parameters
    ----------
    stream : DataFrame
        A stream.
    parent : estimator
        What every key begins with. It must have learned, so it knows the labels; in the stream they are of its type.
    key, label : str
        Columns. Rows whose label is null are predicted only.
    columns : list of str
        The columns that are learned.
    order : str, default=None
        Rows of a key are learned in the order of this column, and of their arrival within a micro-batch if None.
    keep : list of str, default=()
        Columns that are handed through.
    ttl : float, default=None
        Seconds after which a key without rows is forgotten, and begins with the parent again; None: never. The clock
        is that of the machine. Spark then runs micro-batches without rows all the time, so `availableNow` has no end,
        unless `spark.sql.streaming.noDataMicroBatches.enabled` is false.

    Returns
    -------
    DataFrame
        The columns `key`, `order`, `label` and `keep`, `prediction`, and `probability` in the order of the parent's
        labels.

    """
    if not parent.machine_to_learn().begun:
        raise ValueError("The parent has learned nothing: train it on examples of many keys first.")
    session = stream.sparkSession
    session.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    handed = list(dict.fromkeys([key, *([order] if order else []), label, *keep]))
    fields = [StructField(name, stream.schema[name].dataType) for name in handed]
    fields += [StructField("prediction", stream.schema[label].dataType)]
    fields += [StructField("probability", ArrayType(DoubleType()))]
    processor = _KeyedModels(parent.to_bytes(), label, list(columns), order, handed, ttl)
    found: DataFrame = (
        stream.select(*dict.fromkeys([*handed, *columns]))
        .groupBy(key)
        .transformWithStateInPandas(
            processor, StructType(fields), "append", "none" if ttl is None else "processingTime"
        )
    )
    return found


@functools.lru_cache(maxsize=2)
def _labels_of(parent: bytes) -> list[Any]:
    found: list[Any] = from_bytes(parent).classes_.tolist()
    return found


class _KeyedModels(StatefulProcessor):
    """What Spark calls with the rows of a key."""

    def __init__(
        self, parent: bytes, label: str, columns: list[str], order: str | None, handed: list[str], ttl: float | None
    ) -> None:
        self._parent = parent
        self._label = label
        self._columns = columns
        self._order = order
        self._handed = handed
        self._ttl = ttl

    def init(self, handle: StatefulProcessorHandle) -> None:
        duration = None if self._ttl is None else round(1000 * self._ttl)
        self._state = handle.getValueState(STATE, "model binary", duration)

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,
    ) -> Iterator[pd.DataFrame]:
        frame = pd.concat(list(rows), ignore_index=True)
        if self._order is not None:
            frame = frame.sort_values(self._order, kind="stable", ignore_index=True)
        state = self._state.get()
        model = from_bytes(self._parent if state is None else bytes(state[0]))
        labels = _labels_of(self._parent)
        labelled = frame[self._label].notna().to_numpy()
        probabilities = np.zeros((len(frame), len(labels)))
        for row in range(len(frame)):
            x = frame.loc[[row], self._columns]
            places = [labels.index(one) for one in model.classes_.tolist()]
            probabilities[row, places] = model.predict_proba(x)[0]
            if labelled[row]:
                model.partial_fit(x, frame.loc[[row], self._label].to_numpy(), classes=labels)
        if labelled.any():
            self._state.update((model.to_bytes(),))
        made = frame[self._handed].copy()
        made["prediction"] = np.array(labels, dtype=object)[probabilities.argmax(axis=1)]
        made["probability"] = list(probabilities)
        yield made

    def close(self) -> None:
        pass
