"""Shards learned on workers: the same bits on every engine, and exact where merging is."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from onlineboost import AROW, HoeffdingTree, NaiveBayes, OnlineClassifier, OSBoostClassifier, from_bytes, load, merge
from onlineboost.distributed import (
    ArrayShard,
    ShardError,
    array_shards,
    learn_shard,
    parquet_shards,
    train_shards,
    workers_of,
)
from onlineboost.distributed.frames import dask_shards, ray_shards
from onlineboost.distributed.learning import Rules, Worker
from onlineboost.distributed.rounds import end_of_short_rounds, ends_of_rounds
from onlineboost.distributed.tree import merge_tree
from onlineboost.distributed.workers import LocalWorkers
from onlineboost.merging import CannotMergeError

pytestmark = pytest.mark.engine


def stream(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)


@pytest.mark.quick
def test_naive_bayes_learns_what_one_machine_would():
    X, y = stream(400)
    X = (X > 0).astype(float)
    whole = OnlineClassifier(NaiveBayes(), random_state=0).fit(X, y)
    model = OnlineClassifier(NaiveBayes(), random_state=0)
    for every in (None, 30):
        found = train_shards(model, array_shards(X, y, 3), every=every, n_jobs=1)
        np.testing.assert_allclose(found.margin(X), whole.margin(X), atol=1e-9)
        assert found.n_examples_ == 400


@pytest.mark.quick
def test_certificates_hold_between_merges():
    X, y = stream(1200)
    model = OSBoostClassifier(AROW(), 10, gamma=0.2, random_state=0)
    found = train_shards(model, array_shards(X, y, 6), every=20, n_jobs=1)
    certificate = found.certificate()
    assert certificate.n_examples == 1200
    assert (certificate.observed_error <= certificate.certified_error).all()


@pytest.mark.slow
def test_engines_give_the_same_bytes(tmp_path):
    """In this process, in two others, and on Dask; from arrays and from Parquet."""
    X, y = stream(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.assign(label=y).to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    shards = parquet_shards(str(tmp_path / "rows.parquet"), "label", 2)
    assert [len(one) for one in shards] == [150, 150]
    model = OSBoostClassifier(AROW(), 5, random_state=0)
    expected = train_shards(model, shards, every=15, n_jobs=1).to_bytes()
    assert train_shards(model, shards, every=15, n_jobs=2).to_bytes() == expected
    for n_jobs in (1, 2):  # one merges by itself
        assert train_shards(model, shards, every=15, engine="dask", n_jobs=n_jobs).to_bytes() == expected
    assert train_shards(model, array_shards(frame, y, 2), every=15, n_jobs=1).to_bytes() == expected


class Far(ArrayShard):
    """Rows that are for workers only, for all that is known."""


@pytest.mark.slow
def test_short_rounds_are_learned_where_their_rows_are(tmp_path):
    """Rounds of the warm-up take no message, unless only workers may read; the bits are the same."""

    class Counting(LocalWorkers):
        def learn(self, base, start, stop):
            asked.append(start)
            return super().learn(base, start, stop)

    X, y = stream(200)
    asked, found = [], set()
    model, near = OSBoostClassifier(AROW(), 3, random_state=0), array_shards(X, y, 2)
    with Counting(n_jobs=2) as workers:
        for shards in (near, [Far(one.X, one.y) for one in near]):
            found.add(train_shards(model, shards, every=15, engine=workers).to_bytes())
        assert asked == [62, 77, 92, 0, 10, 20, 30, 40, 50, 62, 77, 92]
        few = train_shards(model, near, every=900, engine=workers, checkpoint=tmp_path / "model.ob")
        assert len(asked) == 12
    assert load(tmp_path / "model.ob").to_bytes() == few.to_bytes()
    assert found == {train_shards(model, near, every=15, n_jobs=1).to_bytes()}


@pytest.mark.quick
def test_a_worker_with_all_shards_takes_turns():
    """However many rounds a turn has, and with shards that end early, the bits are those of one turn."""
    X, y = stream(130)
    shards = dict(enumerate([ArrayShard(X[:20], y[:20]), ArrayShard(X[20:50], y[20:50]), ArrayShard(X[50:], y[50:])]))
    base = OSBoostClassifier(AROW(), 3, random_state=0).to_bytes()
    worker = Worker(shards, Rules(stops=list(range(10, 90, 10))))
    whole = worker.take_turn(base, 0, 80, 32, math.inf)
    data, row = base, 0
    while row < 80:
        turn = worker.take_turn(data, row, 80, 32, 1e-9)
        assert turn.stop == row + 10
        data, row = turn.model, turn.stop
    assert whole.model == data
    rounds = [worker.learn(base, 0, 10)]
    for start in range(10, 80, 10):
        merged = merge_tree([(one.shard, from_bytes(one.model)) for one in rounds[-1]], from_bytes(base))
        base = merged.to_bytes()
        rounds.append(worker.learn(base, start, start + 10))
    assert rounds[-1][0].model == data


@pytest.mark.quick
def test_rows_that_are_read_ahead_are_those_of_the_file(tmp_path):
    """Asked for next or not, at the end of a row group or across it, and after a part that cannot be read."""
    X, y = stream(100)
    pd.DataFrame(X, columns=list("abcd")).assign(label=y).to_parquet(tmp_path / "rows.parquet", row_group_size=30)
    reader = parquet_shards(str(tmp_path / "rows.parquet"), "label", 1)[0].reader()
    for ahead, (start, stop) in (((0, 7), (0, 7)), ((7, 40), (7, 40)), ((40, 50), (60, 90)), ((95, 200), (20, 100))):
        reader.read_ahead(*ahead)
        rows, labels, _ = reader.rows(start, stop)
        np.testing.assert_array_equal(rows.to_numpy(), X[start:stop])
        np.testing.assert_array_equal(labels, y[start:stop])


@pytest.mark.quick
def test_a_poisoned_shard_is_named():
    X, y = stream(100)
    X[70, 2] = np.inf
    with pytest.raises(ShardError, match=r"^Shard 1, rows 20 to 30: row 20, .*inf"):
        train_shards(OSBoostClassifier(AROW(), 2, random_state=0), array_shards(X, y, 2), every=20, n_jobs=1)


@pytest.mark.quick
def test_a_poisoned_row_of_a_frame_is_named():
    """By its number in the shard, as of arrays."""
    frame, y = mixed()
    frame.loc[90, "a"] = np.inf
    with pytest.raises(ShardError, match=r"^Shard 1, rows 20 to 40: row 30, column 'a': "):
        train_shards(
            OSBoostClassifier(AROW(), 2, random_state=0), array_shards(frame, y, 2), every=20, warm_up=None, n_jobs=1
        )


@pytest.mark.quick
def test_a_worker_goes_on_from_the_base():
    X, y = stream(100)
    base = OSBoostClassifier(AROW(), 3, random_state=0).fit(X[:50], y[:50])
    learned = learn_shard(base.to_bytes(), ArrayShard(X, y), 50, 100)
    assert learned == base.partial_fit(X[50:], y[50:]).to_bytes()


@pytest.mark.quick
def test_bad_requests():
    X, y = stream(10)
    model = OSBoostClassifier(AROW(), 2)
    with pytest.raises(ValueError, match="cannot be made of 10 rows"):
        array_shards(X, y, 11)
    with pytest.raises(ValueError, match="no shards"):
        train_shards(model, [])
    with pytest.raises(ValueError, match="at least 1 row"):
        train_shards(model, array_shards(X, y, 2), every=0)
    with pytest.raises(ValueError, match="warm_up must be at least 1 row"):
        train_shards(model, array_shards(X, y, 2), warm_up=0)
    with pytest.raises(ValueError, match="one of local, dask, ray"):
        train_shards(model, array_shards(X, y, 2), engine="hadoop")
    with pytest.raises(CannotMergeError, match="HoeffdingTree"):
        train_shards(OSBoostClassifier(HoeffdingTree(), 2, random_state=0), array_shards(X, y, 2), n_jobs=1)
    assert train_shards(model, array_shards(X, y, 2), n_jobs=1).n_examples_ == 10


def mixed(n=120):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=n), "c": rng.choice(["x", "y", "z"], n)})
    frame["t"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.permutation(n), "h")
    return frame, ((frame["a"] > 0) ^ (frame["c"] == "x")).astype(int).to_numpy()


@pytest.mark.quick
def test_shards_agree_on_kinds_and_first_times():
    """Each shard alone would count years from its own first time, and such models cannot be merged."""
    frame, y = mixed()
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    found = train_shards(model, array_shards(frame, y, 3), every=20, n_jobs=1)
    assert found.n_examples_ == 120
    apart = [OSBoostClassifier(AROW(), 3, random_state=0).fit(frame[k::2], y[k::2]) for k in range(2)]
    with pytest.raises(CannotMergeError, match=r"Column 't' is time:.* declare its kind"):
        merge(apart)


@pytest.mark.quick
@pytest.mark.parametrize("bad_rows", ["skip", "missing"])
def test_bad_rows_by_policy(bad_rows):
    """As if they had not been there, or had NaN in that place; each is named."""
    X, y = stream(60)
    frame, labels = mixed(60)
    frame = frame.iloc[np.arange(60)]  # with an index that is no feature
    X[40, 2] = frame.loc[40, "a"] = np.inf
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    for rows, target in ((X, y), (frame, labels)):
        problems = []
        shards = array_shards(rows, target, 2)
        found = train_shards(
            model, shards, every=None, n_jobs=1, bad_rows=bad_rows, on_problem=problems.append, classes=[0, 1]
        )
        assert found.n_examples_ == (59 if bad_rows == "skip" else 60)
        assert rows is X or list(found.schema_.columns) == ["a", "c", "t"]
        assert [one.partition(": ")[0] for one in problems] == [f"Shard 1, row 10, column '{2 if rows is X else 'a'}'"]
    kept = np.arange(60) != 40
    clean = X[kept] if bad_rows == "skip" else np.where(np.isinf(X), np.nan, X)
    target = y[kept] if bad_rows == "skip" else y
    shards = [ArrayShard(clean[:30], target[:30]), ArrayShard(clean[30:], target[30:])]
    again = train_shards(model, shards, every=None, n_jobs=1, classes=[0, 1])
    found = train_shards(model, array_shards(X, y, 2), every=None, n_jobs=1, bad_rows=bad_rows, classes=[0, 1])
    assert found.to_bytes() == again.to_bytes()


@pytest.mark.quick
def test_early_rounds_are_short():
    assert ends_of_rounds(100, 15, 10) == [10, 20, 30, 40, 50, 62, 77, 92, 107]
    assert ends_of_rounds(1000, 300, None) == [300, 600, 900, 1200]
    assert ends_of_rounds(1000, None, 50) == [1000]
    X, y = stream(400)
    model, shards = OSBoostClassifier(AROW(), 3, random_state=0), array_shards(X, y, 2)
    assert end_of_short_rounds(shards, [10, 20, 30, 45, 60], 15) == 30
    assert end_of_short_rounds(shards, [1000, 2000, 4000], 9000) == 2000, "few rows of all shards"
    assert end_of_short_rounds(shards, [100], None) == 0
    learned = train_shards(model, shards, n_jobs=1)
    assert learned.to_bytes() != train_shards(model, shards, warm_up=None, n_jobs=1).to_bytes()
    again = [train_shards(learned, shards, warm_up=rows, n_jobs=1).to_bytes() for rows in (10, None)]
    assert again[0] == again[1], "a model that has learned needs no warm-up"
    alone = train_shards(model, array_shards(X, y, 1), every=150, n_jobs=1)
    assert alone.to_bytes() == OSBoostClassifier(AROW(), 3, random_state=0).partial_fit(X, y).to_bytes()


@pytest.mark.quick
def test_training_resumes_behind_the_last_round(tmp_path):
    X, y = stream(100)
    rounds = {"every": 20, "warm_up": 15}  # up to rows 15, 30, 45 and 60

    class Failing(ArrayShard):
        def rows(self, start, stop):
            if start >= 30 and not (tmp_path / "fixed").exists():
                raise OSError("the disk is gone")
            return super().rows(start, stop)

    shards = [Failing(X[:50], y[:50]), Failing(X[50:], y[50:])]
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    with pytest.raises(OSError, match="disk"):
        train_shards(model, shards, **rounds, n_jobs=1, checkpoint=tmp_path / "model.ob")
    (tmp_path / "fixed").touch()
    found = train_shards(model, shards, **rounds, n_jobs=1, checkpoint=tmp_path / "model.ob")
    assert found.to_bytes() == train_shards(model, array_shards(X, y, 2), **rounds, n_jobs=1).to_bytes()
    with pytest.raises(ValueError, match="other shards or another interval"):
        train_shards(model, shards, every=11, n_jobs=1, checkpoint=tmp_path / "model.ob")


@pytest.mark.quick
def test_a_tree_of_merges_merges_all():
    X, y = stream(210)
    X = (X > 0).astype(float)
    model = OnlineClassifier(NaiveBayes(), random_state=0)
    flat = train_shards(model, array_shards(X, y, 7), every=None, n_jobs=1)
    tree = train_shards(model, array_shards(X, y, 7), every=None, n_jobs=1, fan=2)
    np.testing.assert_allclose(tree.margin(X), flat.margin(X), atol=1e-9)
    assert tree.n_examples_ == 210


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask
def test_partitions_of_dask_are_shards(monkeypatch):
    array, dataframe = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    # Without it, what is left of a cluster that a test before had would be asked.
    monkeypatch.setitem(sys.modules["dask"].config.config, "scheduler", "synchronous")
    frame, y = mixed()
    frame["label"] = y
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    found = train_shards(model, dask_shards(dataframe.from_pandas(frame, npartitions=3), "label"), every=25, n_jobs=1)
    parts = [
        ArrayShard(one.drop(columns="label"), one["label"].to_numpy()) for one in (frame[:40], frame[40:80], frame[80:])
    ]
    assert found.to_bytes() == train_shards(model, parts, every=25, n_jobs=1).to_bytes()
    X, y = stream(90)
    blocks = dask_shards(array.from_array(X, chunks=(30, 4)), array.from_array(y, chunks=30))
    found = train_shards(model, blocks, every=25, n_jobs=1)
    assert found.to_bytes() == train_shards(model, array_shards(X, y, 3), every=25, n_jobs=1).to_bytes()
    with pytest.raises(ValueError, match="rechunk"):
        dask_shards(array.from_array(X, chunks=(30, 2)), array.from_array(y, chunks=30))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray
def test_blocks_of_ray_are_shards():
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    data = pytest.importorskip("ray.data", reason="Ray has no data library here")
    frame, y = mixed()
    frame["label"] = y
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        shards = ray_shards(data.from_pandas([frame[:60], frame[60:]]), "label")
        found = train_shards(model, shards, every=25, engine="ray").to_bytes()
        assert train_shards(model, shards, every=25, engine="ray", n_jobs=1).to_bytes() == found
        poisoned = frame[60:].assign(a=np.inf)
        with pytest.raises(ShardError, match=r"^Shard 1, rows 0 to 10: row 0, column 'a': "):
            train_shards(model, ray_shards(data.from_pandas([frame[:60], poisoned]), "label"), engine="ray")
    finally:
        ray.shutdown()
    parts = [ArrayShard(one.drop(columns="label"), one["label"].to_numpy()) for one in (frame[:60], frame[60:])]
    assert found == train_shards(model, parts, every=25, n_jobs=1).to_bytes()


class KillingShard(ArrayShard):
    """Kills its process by SIGKILL in the middle of a round, the first time."""

    def rows(self, start, stop):
        note = Path(self.sample_weight)
        if start == 30 and not note.exists():
            note.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.X[start:stop], self.y[start:stop], None


def drive(folder):
    X, y = stream(120)
    shards = [KillingShard(X[k : k + 60], y[k : k + 60], f"{folder}/killed") for k in (0, 60)]
    path = f"{folder}/model.ob"
    train_shards(OSBoostClassifier(AROW(), 3, random_state=0), shards, every=10, n_jobs=1, checkpoint=path)
    return load(path)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "n_jobs"), [("local", 2), ("dask", 2), ("dask", 1)])
def test_a_killed_worker_is_replaced(tmp_path, engine, n_jobs):
    X, y = stream(120)
    model = OSBoostClassifier(AROW(), 3, random_state=0)
    expected = train_shards(model, array_shards(X, y, 2), every=10, n_jobs=1).to_bytes()
    shards = [KillingShard(X[k : k + 60], y[k : k + 60], f"{tmp_path}/killed") for k in (0, 60)]
    with workers_of(engine, n_jobs=n_jobs) as workers:
        assert train_shards(model, shards, every=10, engine=workers).to_bytes() == expected
        assert (tmp_path / "killed").exists()
        X[110, 2] = np.inf  # the workers stay for another training
        with pytest.raises(ShardError, match=r"^Shard 1, rows 50 to 60: row 50, column '2'"):
            train_shards(model, array_shards(X, y, 2), every=10, engine=workers)


def test_a_killed_driver_resumes_with_the_same_bits(tmp_path):
    here = str(Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r}); import test_rounds; test_rounds.drive({str(tmp_path)!r})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    found = drive(tmp_path)
    X, y = stream(120)
    expected = train_shards(OSBoostClassifier(AROW(), 3, random_state=0), array_shards(X, y, 2), every=10, n_jobs=1)
    assert found.n_examples_ == 120
    assert found.to_bytes() == expected.to_bytes()
