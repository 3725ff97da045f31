"""Cells of odd types: the same bits from frames, dicts, Arrow and Parquet, or one sentence with column and row."""

import datetime as dt
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onlineboost
from onlineboost import AROW, OnlineClassifier, OSBoostClassifier, Perceptron
from onlineboost.streams import Feed, Schema, open_stream

pytestmark = [pytest.mark.engine, pytest.mark.quick]

N = 24
Y = np.arange(N) % 3 % 2
RANDOM = np.random.default_rng(0)
WHOLE = RANDOM.integers(0, 5, N)
DAYS = pd.to_datetime(WHOLE, unit="D")
THERE = np.arange(N) % 5 > 0
MICROS = RANDOM.integers(-(10**12), 10**12, N)
LARGE = 2**60  # neighbours are one double
COLUMNS = {
    "durations": ("number", pd.Series(pd.to_timedelta(MICROS, unit="us"))),
    "durations, some missing": ("number", pd.Series(pd.to_timedelta(MICROS, unit="us")).where(THERE)),
    "durations of pandas": ("number", pd.Series([pd.Timedelta(microseconds=int(k)) for k in MICROS], dtype=object)),
    "durations of Python": ("number", pd.Series([dt.timedelta(microseconds=int(k)) for k in MICROS], dtype=object)),
    "durations of NumPy": ("number", pd.Series([np.timedelta64(int(k), "us") for k in MICROS], dtype=object)),
    "durations of Arrow": ("number", pd.Series(pd.to_timedelta(MICROS, unit="us"), dtype="duration[us][pyarrow]")),
    "large integers of Arrow": ("number", pd.Series(MICROS * 10**6, dtype="int64[pyarrow]").where(THERE)),
    "large integers of Arrow as categories": ("category", pd.Series(WHOLE + LARGE, dtype="int64[pyarrow]")),
    "ancient times": ("time", pd.Series((MICROS - 2 * 10**16).astype("datetime64[us]")).where(THERE)),
    "nothing": ("number", pd.Series([None] * N, dtype=object)),
    "no time": ("time", pd.Series([None] * N, dtype=object)),
    "categories of integers": ("category", pd.Series(pd.Categorical(WHOLE))),
    "categories of large integers": ("category", pd.Series(pd.Categorical(WHOLE + LARGE))),
    "categories of floats": ("category", pd.Series(pd.Categorical(WHOLE / 4))),
    "categories of flags": ("category", pd.Series(pd.Categorical(WHOLE > 2))),
    "categories of times": ("category", pd.Series(pd.Categorical(DAYS))),
    "categories of times with a zone": ("category", pd.Series(pd.Categorical(DAYS.tz_localize("Europe/Oslo")))),
    "categories of days": ("category", pd.Series(pd.Categorical(DAYS.date))),
    "categories of durations": ("category", pd.Series(pd.Categorical(pd.to_timedelta(WHOLE, unit="h")))),
    "categories with unused levels": ("category", pd.Series(pd.Categorical(WHOLE, categories=range(99)))),
    "integers as categories": ("category", pd.Series(WHOLE)),
    "large integers as categories": ("category", pd.Series(WHOLE + LARGE)),
    "large integers": ("number", pd.Series(WHOLE + LARGE)),
    "unsigned integers": ("number", pd.Series(WHOLE.astype(np.uint64) + np.uint64(2**63))),
    "floats as categories": ("category", pd.Series(WHOLE / 4)),
    "flags as categories": ("category", pd.Series(WHOLE > 2)),
    "decimals": ("number", pd.Series([decimal.Decimal(int(k)) / 4 for k in WHOLE], dtype=object)),
    "nullable integers": ("number", pd.Series(WHOLE, dtype="Int64").where(THERE)),
    "nullable flags": ("flag", pd.Series(WHOLE > 2, dtype="boolean").where(THERE)),
    "times with a zone": ("time", pd.Series(DAYS.tz_localize("America/New_York"))),
    "times as categories": ("category", pd.Series(DAYS)),
    "days": ("time", pd.Series(DAYS.date, dtype=object)),
    "times of NumPy": ("time", pd.Series([np.datetime64(int(k), "h") for k in WHOLE], dtype=object)),
    "times of the day": ("category", pd.Series([dt.time(int(k), 30) for k in WHOLE], dtype=object)),
    "numbers among texts": ("number", pd.Series([int(k) if k % 2 else str(k) for k in WHOLE], dtype=object)),
    "words and numbers": ("category", pd.Series([int(k) if k % 2 else f"v{k}" for k in WHOLE], dtype=object)),
}  # fmt: skip
MIXED = {"numbers among texts", "words and numbers", "times of NumPy"}  # Arrow has no columns of them


class Mute:
    """An object that cannot say what it is."""

    __hash__ = None

    def __repr__(self):
        raise RuntimeError


def model(kind):
    return OSBoostClassifier(Perceptron(), 3, random_state=0, schema={"c": kind})


@pytest.mark.parametrize("name", COLUMNS)
def test_every_way_gives_the_same_bits(name, tmp_path):
    kind, column = COLUMNS[name]
    X = pd.DataFrame({"c": column, "x": RANDOM.normal(size=N)})
    wanted = model(kind).fit(X, Y).margin(X)
    rows = X.to_dict("records")
    ways = {"dicts": rows, "objects": X.astype(object)}
    if name not in MIXED:
        table = pa.Table.from_pandas(X, preserve_index=False)
        ways |= {
            "Arrow": table,
            "chunks": pa.concat_tables([table[:7], table[7:]]),
            "dicts of Arrow": table.to_pylist(),
        }
        with_labels = table.append_column("label", pa.array(Y))
        with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, with_labels.schema) as writer:
            writer.write_table(with_labels)
        fed = model(kind)
        feed = Feed(fed)
        for batch in open_stream(tmp_path / "t.arrow", schema=Schema(columns={"c": kind})):
            feed.learn(batch)
        assert np.array_equal(fed.margin(X), wanted)
        if not isinstance(column.dtype, pd.CategoricalDtype):
            ways["polars"] = pl.from_pandas(X)
    for way, given in ways.items():
        assert np.array_equal(model(kind).fit(given, Y).margin(given), wanted), way


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (b"x", r"column 'c', row 1: the value b'x' is a bytes"),
        ([1], r"column 'c', row 1: the value \[1\] is a list: a cell is a number, .* or None.$"),
        (uuid.UUID(int=1), r"row 1: the value UUID.* Declare the column as a category to take its text"),
        (np.inf, r"column 'c', row 1: the value is not a finite number"),
        ("\ud800", r"column 'c', row 1: the text is not UTF-8"),
        (pd.DataFrame(), r"column 'c', row 1: the value Empty DataFrame Columns: \[\] Index: \[\] is a DataFrame"),
        (["é" * 100], r"row 1: the value \['é{58}… is a list"),
        (np.complex128(1 + 2j), r"column 'c', row 1: the value np.complex128.* is a numpy.complex128: a cell is"),
        pytest.param(10**5000, r"column 'c', row 1: the value <int> is not a finite number", id="many digits"),
        (Mute(), r"column 'c', row 1: the value <Mute> is a Mute"),
        (
            pd.Timestamp(np.datetime64("12024-01-01", "s")),
            r"row 1: the time 12024-01-01T.* is not in the years 0 to 9999",
        ),
    ],
)
def test_cells_that_are_refused(cell, sentence):
    X = pd.DataFrame({"c": pd.Series([1.0, cell], dtype=object)})
    for given in (X, X.to_dict("records")):
        with pytest.raises(ValueError, match=sentence):
            OSBoostClassifier().fit(given, [0, 1])


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        pytest.param(10**5000, r"column 'c', row 0: the value <int> is not a finite number", id="many digits"),
        (10**200, r"feature 'c' is 1(0{59})…: replace infinity"),
        (np.complex64(1j), r"column 'c', row 0: the value np.complex64.* is a numpy.complex64"),
        (Mute(), r"column 'c', row 0: the value <Mute> is a Mute"),
    ],
)
def test_cells_of_a_dict_that_are_refused(cell, sentence):
    fitted = OSBoostClassifier(Perceptron(), 3)
    fitted.learn_one({"c": 1.0}, 0)
    before = fitted.to_bytes()
    for call in (lambda: fitted.learn_one({"c": cell}, 1), lambda: fitted.predict_one({"c": cell})):
        with pytest.raises(ValueError, match=sentence):
            call()
    assert fitted.to_bytes() == before


@pytest.mark.parametrize(
    "cells",
    [
        [np.timedelta64(k, "ns") for k in (10**9, 3 * 10**9, 10**10)],
        [np.timedelta64(k, "s") for k in (1, 3, 10)],
        [decimal.Decimal("nan"), decimal.Decimal(1), decimal.Decimal(3)],
        [np.float32("nan"), np.float32(1), np.float32(3)],
        [float("nan"), 1, 3.0],
    ],
)
def test_cells_one_by_one_are_those_of_a_batch(cells):
    rows = [{"c": cell, "x": k % 4} for k, cell in enumerate(cells * 4)]
    batch, one = model("number").set_params(schema=None), model("number").set_params(schema=None)
    batch.partial_fit(rows, Y[: len(rows)])
    for row, label in zip(rows, Y.tolist(), strict=False):
        one.learn_one(row, label)
    wanted = batch.predict_proba(rows)
    assert np.array_equal(one.predict_proba(rows), wanted)
    assert [one.predict_proba_one(row)[1] for row in rows] == wanted[:, 1].tolist()


def test_categories_take_the_text_of_any_value_with_a_name():
    cells = [uuid.UUID(int=k % 3) for k in range(N)]
    given, texts = ([{"c": make(cell)} for cell in cells] for make in (lambda x: x, str))
    assert np.array_equal(model("category").fit(given, Y).margin(texts), model("category").fit(texts, Y).margin(texts))
    cut = pd.DataFrame({"c": pd.cut(pd.Series(WHOLE), 3)})
    assert np.array_equal(
        model("category").fit(cut, Y).margin(cut), model("category").fit(cut.astype(str), Y).margin(cut)
    )


@pytest.mark.parametrize(
    ("dtype", "shown"), [("complex128", "complex128"), ("period[M]", r"period\[M\]")], ids=["complex", "periods"]
)
def test_types_that_are_refused_are_named(dtype, shown):
    column = pd.Series(pd.period_range("2024-01", periods=2, freq="M")) if shown[0] == "p" else pd.Series([1, 2j])
    assert str(column.dtype) == dtype
    with pytest.raises(ValueError, match=f"Column 'c' of X has the type {shown}: a column holds"):
        OSBoostClassifier().fit(pd.DataFrame({"c": column}), [0, 1])
    fitted = OSBoostClassifier(schema={"c": "ignored"}).fit(pd.DataFrame({"c": column, "x": [0.0, 1.0]}), [0, 1])
    assert fitted.schema_.columns == {"c": "ignored", "x": "number"}


def test_blocks_of_a_frame_have_the_bits_of_dicts():
    """Also where columns share names of features, cells are missing, values come late, or differ in the middle."""
    rng = np.random.default_rng(0)
    n = 1500
    words = np.array([f"w{k}" * (1 + k % 9) for k in range(300)], object)
    late = np.minimum(rng.integers(0, 300, n), np.arange(n) // 4)
    columns = {"a": words[late], "b": words[rng.integers(0, 5, n)], "x": rng.normal(size=n), "k": rng.integers(0, 9, n)}
    columns["m"] = np.array([f"they begin{k}and end" for k in range(7)], object)[rng.integers(0, 7, n)]
    gone = rng.random(n) < 0.1
    columns["b"] = np.where(gone, None, columns["b"])
    shared = {"a=w0": rng.normal(size=n), "b=w0": rng.normal(size=n)}
    whole = {name: columns[name] for name in ("m", "x", "k")}
    for one_of in (columns, columns | shared, whole):
        frame = pd.DataFrame(one_of)
        y = rng.integers(0, 2, n)
        schema = {"k": "category"}

        def fresh(schema=schema):
            return OSBoostClassifier(Perceptron(), 3, random_state=0, schema=schema)

        one = fresh()
        for row, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
            one.learn_one(row, label)
        typed = frame.astype({"m": "category", **dict.fromkeys({"a", "b"} & {*one_of}, "string")})
        for given in (frame, typed):
            assert np.array_equal(fresh().fit(given, y).margin(frame), one.margin(frame))


@pytest.mark.parametrize("buckets", [2, 5, 64])
def test_words_are_counted_apart_from_what_shares_their_bucket(buckets):
    """So the order of a row's columns decides no more than the rounding of sums."""
    rows = [{"t": "aa bb aa", "n": 0.5}, {"t": "cc aa", "n": 1.5}, {"t": "dd ee ff dd", "n": 2.5}] * 5
    fitted = OSBoostClassifier(Perceptron(), 3, random_state=0, schema={"t": "text"}, max_features=buckets)
    fitted.partial_fit(rows, [0, 1, 0] * 5)
    turned = [dict(reversed(row.items())) for row in rows]
    np.testing.assert_allclose(fitted.margin(turned), fitted.margin(rows), rtol=1e-12)


def test_memory_counts_the_tables_of_names():
    X = pd.DataFrame({"id": [f"user-{k}" for k in range(5000)]})
    fitted = OnlineClassifier(AROW()).fit(X, np.arange(5000) % 2)
    loaded = onlineboost.from_bytes(fitted.to_bytes())  # which has read nothing yet
    names = sum(map(len, fitted.machine.features.numbers))
    assert fitted.memory_ > loaded.memory_ + names
    loaded.predict(X)
    assert loaded.memory_ == pytest.approx(fitted.memory_, rel=0.05)
