"""A stream into a model is `learn_one` with dicts, bit for bit."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_reliability.fuzz_streams import plain_rows
from states import is_fitted, keys_of, state_of
from table import BOOSTERS
from table import make as cell

from onlineboost import NaiveBayes, OSBoostClassifier, OzaBoostClassifier, Perceptron, prequential
from onlineboost.learners import Bank, Learner
from onlineboost.streams import Feed, Schema, open_source, open_stream

pytestmark = pytest.mark.engine


def make(learner, booster=OSBoostClassifier):
    return booster(learner, n_learners=7, random_state=3)


def same_state(one, other):
    assert keys_of(one) == keys_of(other)
    assert one.classes_.tolist() == other.classes_.tolist()
    state, wanted = state_of(one), state_of(other)
    assert state.keys() == wanted.keys()
    for name, value in state.items():
        assert np.array_equal(value, wanted[name]), name


names = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=2)
vw_rows = st.lists(
    st.tuples(
        st.sampled_from([1, -1]),
        st.sampled_from([1.0, 1.0, 0.0, 2.5]),
        st.dictionaries(names, st.sampled_from([1.0, -2.0, 0.0, 0.5]), min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=50)
@given(
    rows=vw_rows,
    batch_rows=st.integers(1, 8),
    learner=st.sampled_from([Perceptron(), NaiveBayes()]),
    booster=st.sampled_from([OSBoostClassifier, OzaBoostClassifier]),
)
def test_names_bit_for_bit(tmp_path_factory, rows, batch_rows, learner, booster):
    path = tmp_path_factory.mktemp("feed") / "input.vw"
    path.write_text("".join(f"{y} {w} | " + " ".join(f"{k}:{v}" for k, v in x.items()) + "\n" for y, w, x in rows))
    fed, single = make(learner, booster), make(learner, booster)
    feed = Feed(fed)
    for batch in open_stream(path, batch_rows=batch_rows):
        if is_fitted(fed):
            wanted = [single.predict_proba_one(dict(pairs)) for *_, pairs in plain_rows(batch)]
            found = feed.predict_proba(batch)
            assert [list(row.values()) for row in wanted] == found.tolist()
        result = feed.prequential(batch)
        for (_, label, weight, pairs), margin in zip(plain_rows(batch), result.margins, strict=True):
            if is_fitted(single):
                before = single.margin(pd.DataFrame([dict(pairs)]))[0]
                assert abs(margin) == abs(before)  # the larger label may only be known later
            single.learn_one(dict(pairs), label, weight)
        same_state(fed, single)


@settings(max_examples=50)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0, 1]),
            st.dictionaries(st.integers(0, 10**6), st.sampled_from([1.0, -2.0, 0.0, 0.5]), min_size=1, max_size=5),
        ),
        min_size=1,
        max_size=25,
    ),
    batch_rows=st.integers(1, 8),
)
def test_columns_bit_for_bit(tmp_path_factory, rows, batch_rows):
    path = tmp_path_factory.mktemp("feed") / "input.libsvm"
    path.write_text("".join(f"{y} " + " ".join(f"{k}:{v}" for k, v in sorted(x.items())) + "\n" for y, x in rows))
    fed, single = make(Perceptron()), make(Perceptron())
    feed = Feed(fed)
    for batch in open_stream(path, batch_rows=batch_rows):
        feed.learn(batch)
    for label, x in rows:
        single.learn_one(x, label)
    same_state(fed, single)
    stream = open_stream(path, labels="ignored")
    assert [feed.predict(batch).tolist() for batch in stream] == [[single.predict_one(x) for _, x in rows]]


def test_a_stream_taken_up_again_gives_the_same_model(tmp_path):
    path = tmp_path / "input.jsonl"
    random = np.random.default_rng(0)
    with path.open("w") as file:
        for k in range(300):
            late = f', "late{k // 100}": {random.normal()}' if k > 20 else ""
            file.write(
                f'{{"w": {int(k % 7 > 0)}, "c": "v{random.integers(9)}"{late}, "label": {random.integers(2)}}}\n'
            )
    schema = Schema(weight="w", columns={"c": "category"})
    whole = make(NaiveBayes())
    feed = Feed(whole)
    for batch in open_stream(path, schema=schema):
        feed.learn(batch)
    parts = make(NaiveBayes())
    start, at = None, schema
    for _ in range(6):
        stream = open_stream(path, schema=at, start=start, batch_rows=50)
        Feed(parts).learn(next(stream))
        start, at = stream.position, stream.schema
    same_state(parts, whole)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_every_booster_takes_streams(tmp_path, booster):
    path = tmp_path / "input.csv"
    path.write_text("x,c,label\n" + "".join(f"{k % 5},{'ab'[k % 2]},{'yn'[k % 2]}\n" for k in range(40)))
    model, single = (cell(booster) for _ in range(2))
    for batch in open_stream(path, batch_rows=7):
        Feed(model).learn(batch)
        for _, label, _, pairs in plain_rows(batch):
            single.learn_one(dict(pairs), label)
    same_state(model, single)
    assert model.classes_.tolist() == ["n", "y"]


def test_prequential_is_that_of_arrays(tmp_path):
    path = tmp_path / "input.libsvm"
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5)).round(3)
    y = (X[:, 0] > 0).astype(int)
    path.write_text(
        "".join(
            f"{label} " + " ".join(f"{k}:{v}" for k, v in enumerate(row)) + "\n"
            for row, label in zip(X, y, strict=True)
        )
    )
    (batch,) = open_stream(path)
    found = Feed(make(Perceptron(init="zero"))).prequential(batch)
    wanted = prequential(make(Perceptron(init="zero")), X, y)
    assert np.array_equal(found.margins, wanted.margins)
    assert np.array_equal(found.probabilities, wanted.probabilities)
    assert found.error == wanted.error


def test_a_third_label_names_its_line_and_changes_nothing(tmp_path):
    path = tmp_path / "input.csv"
    path.write_text("x,label\n1,a\n2,b\n\n3,c\n4,a\n")
    stream = open_stream(path, batch_rows=2)
    model = make(NaiveBayes())
    feed = Feed(model)
    feed.learn(next(stream))
    model.machine.labels.most = 2
    before = model.to_bytes()
    with pytest.raises(ValueError, match=r"Line 5 has the label 'c'\. Only binary"):
        feed.learn(next(stream))
    assert model.to_bytes() == before
    assert model.n_examples_ == 2
    path.write_text("x,label\n1,a\n2,\n")
    (batch,) = open_stream(path, labels="optional")
    with pytest.raises(ValueError, match="Line 3 has the label None"):
        Feed(make(NaiveBayes())).learn(batch)


class Breaking(Learner):
    def make_bank(self, n_learners, n_features, seed):
        return BreakingBank(n_learners)


class BreakingBank(Bank):
    def __init__(self, n):
        self.n, self.seen = n, 0

    def predict(self, x):
        return np.zeros(self.n)

    def update(self, x, y, w):
        self.seen += 1
        if self.seen > 3:
            raise RuntimeError("broken")


def test_a_bank_that_breaks_leaves_the_model_as_it_was(tmp_path):
    path = tmp_path / "input.vw"
    path.write_text("1 |a x\n-1 |a x\n1 |a y\n-1 |a z\n")
    stream = open_stream(path, batch_rows=2)
    model = OSBoostClassifier(Breaking(), n_learners=2, random_state=0)
    feed = Feed(model)
    first = next(stream)
    model.learn_one({"a^x": 1.0, "a^y": 1.0, "a^z": 1.0}, 1)
    feed.learn(first)
    with pytest.raises(RuntimeError, match="broken"):
        feed.learn(next(stream))
    assert model.n_examples_ == 3
    assert keys_of(model) == ["a^x", "a^y", "a^z"]


def test_models_of_another_kind_are_refused(tmp_path):
    (tmp_path / "a.libsvm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "a.vw").write_text("1 |a x\n-1 |a y\n")
    (columns,), (named,) = open_stream(tmp_path / "a.libsvm"), open_stream(tmp_path / "a.vw")
    model = make(Perceptron())
    Feed(model).learn(columns)
    with pytest.raises(ValueError, match="learned from numbered columns, and this stream has names"):
        Feed(model).learn(named)
    model = make(Perceptron())
    Feed(model).learn(named)
    with pytest.raises(ValueError, match="learned from named features, and this stream has numbered columns"):
        Feed(model).predict(columns)
    model = make(Perceptron()).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="learned from arrays of 1 columns"):
        Feed(model).predict(columns)
    (ignored,) = open_stream(tmp_path / "a.vw", labels="ignored")
    with pytest.raises(ValueError, match="Labels were ignored"):
        Feed(make(Perceptron())).learn(ignored)


def test_the_largest_column(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text("1 0:1 2147483647:2\n0 5:1\n1 2147483647:1\n")
    fed, single = make(Perceptron()), make(Perceptron())
    (batch,) = open_stream(path)
    assert batch.X.shape == (3, 2**31)
    Feed(fed).learn(batch)
    for _, label, _, pairs in plain_rows(batch):
        single.learn_one(dict(pairs), label)
    same_state(fed, single)
    Feed(fed).learn(next(open_stream(path, batch_rows=2)))
    assert fed.n_examples_ == 5


def test_an_empty_batch_changes_nothing():
    out, into = os.pipe()
    with open_stream(open_source(out), "vw", tick=0.01) as stream:
        batch = next(stream)
        os.close(into)
    os.close(out)
    assert len(batch) == 0
    model = make(Perceptron())
    Feed(model).learn(batch)
    assert not is_fitted(model)


def test_keys_learned_elsewhere_are_noticed(tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("1 | a\n-1 | b\n1 | c a\n")
    fed, single = make(Perceptron()), make(Perceptron())
    feed = Feed(fed)
    for k, batch in enumerate(open_stream(path, batch_rows=1)):
        feed.learn(batch)
        single.learn_one(dict(plain_rows(batch)[0][3]), int(batch.y[0]))
        if k == 0:
            fed.learn_one({"c": 1.0}, -1)
            single.learn_one({"c": 1.0}, -1)
    same_state(fed, single)
