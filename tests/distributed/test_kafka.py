"""Messages of Kafka are learned once, whatever happens: against the mock brokers of librdkafka, the client's own."""

import json

import numpy as np
import pytest

from onlineboost import AROW, OnlineClassifier

confluent_kafka = pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

pytestmark = pytest.mark.slow


def messages(n=60):
    x = np.random.default_rng(0).normal(size=(n, 2))
    return [{"a": a, "b": b, "label": "yes" if a > 0 else "no"} for a, b in x.tolist()]


@pytest.fixture
def servers():
    """A producer that starts a broker inside itself; it lives as long as the producer."""
    producer = confluent_kafka.Producer({"test.mock.num.brokers": 1, "log_level": 0})
    found = producer.list_topics(timeout=10).brokers
    return producer, ",".join(f"{one.host}:{one.port}" for one in found.values())


def test_each_message_is_learned_once(servers, tmp_path):
    from onlineboost.distributed.kafka import KafkaLearner

    producer, brokers = servers
    rows = messages()
    for k, row in enumerate(rows):
        producer.produce("mail", json.dumps(row), partition=k % 2)
    producer.produce("mail", b"no JSON", partition=0)
    producer.flush(10)
    problems = []

    def learner():
        settings = {"bootstrap.servers": brokers, "group.id": "test"}
        model = OnlineClassifier(AROW(), random_state=0)
        return KafkaLearner(model, tmp_path / "model.ob", settings, "mail", [0], on_problem=problems.append)

    one = learner()
    while one.learn(10, 0.5) < 10:
        pass
    before = one.model.to_bytes(), dict(one.offsets)
    one.model.save = lambda *_: None  # killed before the file is written
    one.learn(10, 5.0)
    one.close()
    again = learner()
    assert (again.model.to_bytes(), again.offsets) == before
    while again.offsets[0] < 31:
        again.learn(7, 0.5)
    again.close()
    expected = OnlineClassifier(AROW(), random_state=0)
    for row in rows[::2]:
        expected.learn_one({name: row[name] for name in "ab"}, row["label"])
    assert again.model.to_bytes() == expected.to_bytes()
    assert [one.partition(":")[0] for one in problems] == ["Partition 0, offset 30"]
    with pytest.raises(ValueError, match="no model of the topic"):
        KafkaLearner(expected, tmp_path / "model.ob", {}, "other", [0])
