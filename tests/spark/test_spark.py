"""Spark on a real cluster of two workers: the bits of one machine, whatever happens on the way."""

import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

from onlineboost import AROW, NaiveBayes, OnlineClassifier, OSBoostClassifier, from_bytes
from onlineboost.distributed import ArrayShard, ShardError, train_shards

pytestmark = [
    pytest.mark.slow,
    pytest.mark.untraced,
    pytest.mark.filterwarnings("ignore"),  # of pyspark and its dependencies
]


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    frame["c"] = rng.choice(["x", "y", "z"], n)
    frame["label"] = np.where(frame["a"] + (frame["c"] == "x") > 0.3, "yes", "no")
    return frame


def cut(frame, n):
    return [frame.iloc[part] for part in np.array_split(np.arange(len(frame)), n)]


def in_partitions(spark, frame, n):
    """The k-th part of the rows in the k-th partition, in their order."""
    data = [part.to_dict("records") for part in cut(frame, n)]
    schema = spark.createDataFrame(frame.head(2)).schema
    return spark.createDataFrame(spark.sparkContext.parallelize(data, n).flatMap(lambda one: one), schema)


def recipe(n=5):
    return OSBoostClassifier(AROW(), n, random_state=0)


def classifier(**given):
    from onlineboost.spark import SparkBoostClassifier

    return SparkBoostClassifier(**{"estimator": recipe(), "inputCols": ["a", "b", "c"], "every": 60} | given)


def check_the_bytes_of_one_machine(spark, folder):
    """Rounds, a tree of merges, predictions, and the model read back."""
    from onlineboost.spark import SparkBoostModel

    frame = rows()
    data = in_partitions(spark, frame, 4)
    model = classifier(fan=2).fit(data)
    shards = [ArrayShard(part[["a", "b", "c"]], part["label"].to_numpy()) for part in cut(frame, 4)]
    expected = train_shards(recipe(), shards, every=60, warm_up=None, n_jobs=1, fan=2, bad_rows="skip")
    assert model.model.to_bytes() == expected.to_bytes()
    model.write().overwrite().save(str(folder / "model"))
    again = SparkBoostModel.load(str(folder / "model"))
    scored = again.transform(data).toPandas()
    assert scored["prediction"].tolist() == expected.predict(frame[["a", "b", "c"]]).tolist()
    probabilities = np.array([one.toArray() for one in scored["probability"]])
    np.testing.assert_array_equal(probabilities, expected.predict_proba(frame[["a", "b", "c"]]))
    assert again.classes == ["no", "yes"]


def check_vectors_weights_pipelines_and_cross_validation(spark, _):
    from pyspark.ml import Pipeline
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    frame = rows()[["a", "b"]].assign(weight=1.0)
    frame.loc[::3, ["a", "b"]] = 0.0  # sparse vectors
    frame["label"] = (frame["a"] > 0.1).astype(int)
    data = in_partitions(spark, frame, 2)
    trained = classifier(estimator=OnlineClassifier(NaiveBayes(), random_state=0), weightCol="weight", every=0)
    trained.clear(trained.inputCols)
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=["a", "b"], outputCol="features"), trained])
    found = pipeline.fit(data).stages[-1].model
    whole = OnlineClassifier(NaiveBayes(), random_state=0).fit(frame[["a", "b"]].to_numpy(), frame["label"])
    np.testing.assert_allclose(
        found.margin(frame[["a", "b"]].to_numpy()), whole.margin(frame[["a", "b"]].to_numpy()), atol=1e-9
    )
    grid = ParamGridBuilder().addGrid(trained.estimator, [recipe(1), recipe(5)]).build()
    validator = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, evaluator=BinaryClassificationEvaluator(), numFolds=2, seed=1
    )
    best = validator.fit(data)
    assert min(best.avgMetrics) > 0.9
    assert best.bestModel.stages[-1].transform(best.bestModel.stages[0].transform(data)).count() == len(frame)


def check_a_poisoned_partition(spark, _):
    """As on one machine: the partition and the row are named; the policy decides."""
    frame = rows()
    frame.loc[270, "a"] = np.inf
    data = in_partitions(spark, frame, 2)
    with pytest.raises(ShardError, match=r"^Partition 1, row 70, column 'a': "):
        classifier().fit(data)
    skipped = classifier(badRows="skip").fit(data)
    assert skipped.model.n_examples_ == 399
    assert [one[:31] for one in skipped.problems] == ["Partition 1, row 70, column 'a'"]
    kept = classifier(badRows="missing").fit(data)
    assert kept.model.n_examples_ == 400
    assert "taken as missing" in kept.problems[0]


def check_rounds_in_one_stage(_, folder):
    """Shards on Spark as on other engines; a task that is killed is run again, from the checkpoint."""
    frame = rows()
    parts = [ArrayShard(part[["a", "b", "c"]], part["label"].to_numpy()) for part in cut(frame, 3)]
    expected = train_shards(recipe(), parts, every=40, n_jobs=1).to_bytes()
    note = str(folder / "killed")

    class Killing(ArrayShard):
        def rows(self, start, stop):
            if start >= 60 and not os.path.exists(note):  # noqa: PTH110  # few names in a pickled class
                open(note, "w").close()  # noqa: PTH123
                os.kill(os.getpid(), signal.SIGKILL)
            return super().rows(start, stop)

    killing = [Killing(one.X, one.y) for one in parts]
    found = train_shards(recipe(), killing, every=40, engine="spark", checkpoint=folder / "model.ob")
    assert os.path.exists(note)  # noqa: PTH110
    assert found.to_bytes() == expected
    frame.loc[390, "a"] = np.inf
    parts = [ArrayShard(part[["a", "b", "c"]], part["label"].to_numpy()) for part in cut(frame, 3)]
    with pytest.raises(ShardError, match=r"^Shard 2, rows 1\d\d to 1\d\d: .*'a'"):
        train_shards(recipe(), parts, every=40, engine="spark")


def check_a_killed_worker(spark, folder):
    """A process that learns is killed by SIGKILL in the middle of a round: the task is run again from the base."""
    frame = rows()
    data = in_partitions(spark, frame, 2)
    note = folder / "killed"

    def kill_once(batches):
        from pyspark import TaskContext

        for batch in batches:
            yield batch
            if TaskContext.get().partitionId() == 1 and not note.exists():
                note.touch()
                os.kill(os.getpid(), signal.SIGKILL)

    expected = classifier(every=0).fit(data).model.to_bytes()
    assert classifier(every=0).fit(data.mapInArrow(kill_once, data.schema)).model.to_bytes() == expected
    assert note.exists()


def check_a_stream_is_learned_once(spark, folder):
    """Files arrive, the driver is stopped and starts again, and a micro-batch is repeated."""
    from onlineboost.spark import StreamLearner

    frame = rows()
    schema = spark.createDataFrame(frame.head(2)).schema
    one = classifier(every=0)

    def run(upto):
        for k in range(upto):
            path = folder / "in" / f"{k}.parquet"
            if not path.exists():
                frame[k * 100 : (k + 1) * 100].to_parquet(path)
                os.utime(path, (1e9 + k, 1e9 + k))  # Spark takes files by their times, in milliseconds
        learner = StreamLearner(one, folder / "model.ob")
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
        writer = stream.writeStream.foreachBatch(learner).option("checkpointLocation", str(folder / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()
        return learner

    (folder / "in").mkdir()
    assert run(2).batch == 1
    # as if the driver had been killed after the model was written and before Spark had noted it
    for name in ("1", ".1.crc"):
        (folder / "checkpoint" / "commits" / name).unlink()
    found = run(4)
    assert found.batch == 3
    expected = recipe()
    for k in range(4):
        part = frame[k * 100 : (k + 1) * 100]
        expected = train_shards(
            expected,
            [ArrayShard(part[["a", "b", "c"]], part["label"].to_numpy())],
            every=None,
            n_jobs=1,
            bad_rows="skip",
        )
    assert found.model.to_bytes() == expected.to_bytes()


def shops(n):
    """Rows of three keys in the order of time, and what the models of new keys begin with."""
    frame = rows(n)[["a", "b", "label"]]
    frame["key"] = [f"shop{k % 3}" for k in range(n)]
    frame["at"] = np.arange(n)
    first = rows(50, 1)
    return frame, OnlineClassifier(AROW(), random_state=0).fit(first[["a", "b"]], first["label"])


def learn_a_file(spark, folder, part, parent, ttl=None):
    """A micro-batch by a query that starts, or starts again; all predictions so far."""
    from onlineboost.spark import learn_by_key

    (folder / "in").mkdir(parents=True, exist_ok=True)
    part.to_parquet(folder / "in" / f"{part.index[0]}.parquet")
    stream = spark.readStream.schema(spark.createDataFrame(part.head(2)).schema).parquet(str(folder / "in"))
    scored = learn_by_key(stream, parent, key="key", label="label", columns=["a", "b"], order="at", ttl=ttl)
    writer = scored.writeStream.format("parquet").option("path", str(folder / "out"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).outputMode("append")
    writer.trigger(availableNow=True).start().awaitTermination()
    return spark.read.parquet(str(folder / "out")).toPandas().sort_values("at", ignore_index=True)


def on_one_machine(frame, parent):
    """The probabilities of a model per key, each row predicted before it is learned."""
    expected = np.zeros((len(frame), 2))
    models = {key: from_bytes(parent.to_bytes()) for key in frame["key"].unique()}
    for row, (key, label) in enumerate(zip(frame["key"], frame["label"], strict=True)):
        x = frame[["a", "b"]].iloc[[row]]
        expected[row] = models[key].predict_proba(x)[0]
        if label is not None:
            models[key].partial_fit(x, [label])
    return expected


def check_a_model_per_key(spark, folder):
    """The bits of a model per key on one machine, over a restart; keys that are new begin with the parent."""
    frame, parent = shops(240)
    frame.loc[239, "label"] = None
    learn_a_file(spark, folder, frame[:120], parent)
    found = learn_a_file(spark, folder, frame[120:], parent)
    expected = on_one_machine(frame, parent)
    np.testing.assert_array_equal(np.array(found["probability"].tolist()), expected)
    assert found["prediction"].tolist() == np.array(["no", "yes"])[expected.argmax(axis=1)].tolist()
    states = spark.read.format("statestore").option("stateVarName", "model").load(str(folder / "checkpoint"))
    assert states.count() == 3


def check_quiet_keys_are_forgotten(spark, folder):
    """A key without rows for longer than the ttl begins with the parent again; within it, it goes on."""
    frame, parent = shops(60)
    parts = [frame[:30], frame[30:]]
    spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")  # else `availableNow` has no end
    anew = np.concatenate([on_one_machine(part, parent) for part in parts])
    for ttl, expected in ((0.2, anew), (3600.0, on_one_machine(frame, parent))):
        learn_a_file(spark, folder / str(ttl), parts[0], parent, ttl)
        time.sleep(0.2)
        found = learn_a_file(spark, folder / str(ttl), parts[1], parent, ttl)
        np.testing.assert_array_equal(np.array(found["probability"].tolist()), expected)
    spark.conf.unset("spark.sql.streaming.noDataMicroBatches.enabled")


def test_on_two_workers(spark, tmp_path):
    """One test, since a cluster takes long to start and test processes share none."""
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            (tmp_path / name).mkdir()
            check(spark, tmp_path / name)
