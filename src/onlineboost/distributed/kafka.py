"""A consumer of Kafka that learns: the model and the offsets of every partition are in one file.

Kafka's own commits are not used to resume, since a model and an offset in two places can disagree. After a crash the
consumer goes back to the offsets of the model file, so each message is learned once, and once only. A partition of the
topic is a shard: the members of a group learn apart, each with a file of its own, and `merge` joins their models.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost.declarations.extras import require
from onlineboost.persistence import load_with_extra

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from onlineboost.estimators import OnlineEstimator


class KafkaLearner:
    """Learns messages that are JSON objects with a label.

    Parameters
    ----------
    model : estimator
        What the first message is learned by, where there is no file.
    path : path
        The model file with the offsets. One that exists is resumed.
    settings : dict
        Of `confluent_kafka.Consumer`, with `bootstrap.servers` and `group.id`.
    topic : str
        The topic.
    partitions : list of int
        Those that this process learns.
    label : str, default="label"
        The entry of a message that is its label.
    on_problem : callable, default=None
        Called with a sentence for each message that cannot be learned; it is passed over. None: it is an error.

    Attributes
    ----------
    model : estimator
        As of the last message.
    offsets : dict
        The next offset of each partition.

    """

    def __init__(
        self,
        model: OnlineEstimator,
        path: str | os.PathLike[str],
        settings: Mapping[str, Any],
        topic: str,
        partitions: Sequence[int],
        *,
        label: str = "label",
        on_problem: Callable[[str], None] | None = None,
    ) -> None:
        self._kafka = require("confluent_kafka", "kafka", "Learning from Kafka")
        self.path, self.topic, self.label, self._on_problem = Path(path), topic, label, on_problem
        self.model = model
        self.offsets = dict.fromkeys(partitions, 0)
        if self.path.exists():
            self.model, extra = load_with_extra(self.path)
            known = extra.get("kafka") if isinstance(extra, dict) else None
            if not isinstance(known, dict) or extra.get("topic") != topic:
                raise ValueError(f"{self.path} is no model of the topic {topic!r}: give another file.")
            self.offsets |= {int(one): offset for one, offset in known.items()}
        self._consumer = self._kafka.Consumer({**settings, "enable.auto.commit": False, "auto.offset.reset": "error"})
        self._consumer.assign([self._kafka.TopicPartition(topic, one, at) for one, at in self.offsets.items()])

    def learn(self, most: int = 1000, timeout: float = 1.0) -> int:
        """Learn the next messages, at most so many, then write the file; how many came within the time."""
        messages = self._consumer.consume(most, timeout)
        for message in messages:
            if message.error():
                raise self._kafka.KafkaException(message.error())
            self._learn(message)
        if messages:
            self.model.save(self.path, {"topic": self.topic, "kafka": {str(k): at for k, at in self.offsets.items()}})
        return len(messages)

    def _learn(self, message: Any) -> None:
        where = f"Partition {message.partition()}, offset {message.offset():,}"
        try:
            row = json.loads(message.value() or b"null")
            if not isinstance(row, dict) or self.label not in row:
                raise ValueError(f"it is no JSON object with the entry {self.label!r}.")  # noqa: TRY301  # reported below
            label = row.pop(self.label)
            self.model.learn_one(row, label)
        except ValueError as error:
            if self._on_problem is None:
                raise ValueError(f"{where}: {error}") from None
            self._on_problem(f"{where}: {error}")
        self.offsets[message.partition()] = message.offset() + 1

    def close(self) -> None:
        """Close the connection. What was learned since the last `learn` that returned is gone."""
        self._consumer.close()
