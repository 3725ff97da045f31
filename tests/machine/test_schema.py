"""One schema for frames, dicts and files: the same bits from each, and one sentence for what does not fit."""

import csv
import json

import compare_columns
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st
from table import make

import onlineboost
from onlineboost import (
    AROW,
    GradientBoostClassifier,
    HoeffdingTree,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    RegressionTree,
    prequential,
)
from onlineboost.reference import missing

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def frame(n=60, seed=0):
    """Twenty columns: numbers on six scales, categories, times, texts, flags, 10 % missing, a constant."""
    random = np.random.default_rng(seed)
    columns = {f"n{k}": random.normal(size=n) * 10.0 ** (3 * k - 6) for k in range(6)}
    columns |= {f"c{size}": random.integers(0, size, n).astype(str).astype(object) for size in (2, 5, 100, 10_000)}
    columns = {name: np.char.add("v", values.astype(str)).astype(object) if name[0] == "c" else values
               for name, values in columns.items()}  # fmt: skip
    X = pd.DataFrame(columns)
    X["when"] = pd.Timestamp("2024-02-27") + pd.to_timedelta(random.integers(0, 10**6, n), unit="s")
    X["day"] = pd.Series(["2023-12-31", "2024-01-01", "2024-02-29"] * n)[:n].astype(object)
    X["words"] = [" ".join(random.choice(["the", "red", "Fox", "runs"], 5)) for _ in range(n)]
    X["flag"], X["other"] = random.random(n) < 0.5, random.random(n) < 0.1
    X["whole"], X["small"] = random.integers(0, 9, n), random.integers(0, 2, n).astype(np.int8)
    X["kind"] = pd.Categorical(random.choice(["a", "b"], n), categories=["a", "b", "unused"])
    X["same"], X["count"] = 7.0, random.poisson(2, n).astype(float)
    for name in ("n0", "n3", "c5", "when", "count"):
        X.loc[random.random(n) < 0.1, name] = None
    y = (X["n3"].fillna(0.0).to_numpy() / 1e3 + X["flag"].to_numpy() > 0.5).astype(int)
    return X, y


SCHEMA = {"words": "text"}
KINDS = {"number": 10, "flag": 2, "category": 5, "text": 1, "time": 2}


def model(**more):
    return OSBoostClassifier(Perceptron(), 5, random_state=0, schema=SCHEMA, **more)


def test_kinds_are_found():
    X, y = frame()
    found = model().fit(X, y).schema_
    assert {kind: len(names) for kind, names in found.by_kind().items()} == KINDS
    assert found.declared == {"words"}
    assert len(X.columns) == 20


@pytest.mark.parametrize(
    "way", ["polars", "arrow", "record batch", "dicts", "list of dicts", "batches", "another order", "loaded"]
)
def test_every_way_gives_the_same_bits(way):
    X, y = frame()
    wanted = model().fit(X, y)
    found = model()
    if way in {"polars", "arrow", "record batch"}:
        arrow = pa.RecordBatch if way == "record batch" else pa.Table
        given_ = pl.from_pandas(X) if way == "polars" else arrow.from_pandas(X, preserve_index=False)
        found.fit(given_, y)
        assert np.array_equal(found.predict_proba(given_), wanted.predict_proba(X))
    elif way == "dicts":
        for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
            found.learn_one(row, label)
    elif way == "list of dicts":
        found.partial_fit(X.to_dict("records"), y)
    elif way == "loaded":
        found = onlineboost.from_bytes(model().partial_fit(X[:20], y[:20]).to_bytes()).partial_fit(X[20:], y[20:])
    else:
        for start in range(0, len(X), 7):
            part = X[start : start + 7]
            found.partial_fit(
                part[part.columns[::-1]] if way == "another order" and start else part, y[start : start + 7]
            )
    assert np.array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert np.array_equal(found.predict_proba(X.to_dict("records")), wanted.predict_proba(X))
    probable = [found.predict_proba_one(row)[1] for row in X[:3].to_dict("records")]
    assert probable == wanted.predict_proba(X)[:3, 1].tolist()


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_what_python_trains_the_command_line_scores_and_the_other_way_round(tmp_path, kind):
    X, y = frame()
    wanted = model().fit(X, y)
    wanted.save(tmp_path / "python.ob")
    path, table = tmp_path / f"data.{kind}", X.assign(label=y)
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        rows = json.loads(table.to_json(orient="records", date_format="iso", double_precision=15))
        exact = [row | {name: float(x) for name, x in record.items() if isinstance(x, float) and x == x}  # noqa: PLR0124
                 for row, record in zip(rows, table.to_dict("records"), strict=True)]  # fmt: skip
        path.write_text("\n".join(map(json.dumps, exact)) + "\n")
    out = tmp_path / "scores.csv"
    assert run("predict", tmp_path / "python.ob", path, "--output", "probability", "--out", out) == 0
    with out.open(newline="") as scores:  # before pandas 3, read_csv is not exact
        probabilities = [float(row["probability"]) for row in csv.DictReader(scores)]
    assert probabilities == wanted.predict_proba(X)[:, 1].tolist()
    options = ["--learner", "perceptron", "--n-learners", 5, "--text", "words"]
    assert run("train", path, "--model", tmp_path / "command.ob", *options) == 0
    assert run("evaluate", tmp_path / "python.ob", path) == 0
    assert run("run", path, *options) == 0
    assert run("inspect", tmp_path / "command.ob") == 0
    loaded = onlineboost.load(tmp_path / "command.ob")
    assert np.array_equal(loaded.predict_proba(X), wanted.predict_proba(X))


@settings(max_examples=15)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "x": st.one_of(st.none(), st.floats(-1e6, 1e6), st.integers(-(2**60), 2**60)),
                "c": st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)),
                "b": st.one_of(st.none(), st.booleans()),
                "t": st.one_of(st.none(), st.datetimes()),
            }
        ),
        min_size=4,
        max_size=12,
    ),
    st.integers(2, 4),
)
def test_drawn_frames(rows, labels):
    schema = {"x": "number", "c": "category", "b": "flag", "t": "time"}
    rows = [{name: row[name] for name in schema} for row in rows]  # features are numbered in this order
    y = [k % labels for k in range(len(rows))]
    by_dicts, by_frame, by_rows = (OSBoostClassifier(Perceptron(), 3, random_state=1, schema=schema) for _ in range(3))
    by_dicts.partial_fit(rows, y)
    by_frame.fit(pd.DataFrame(rows, columns=list(schema), dtype=object), y)
    for row, label in zip(rows, y, strict=True):
        by_rows.learn_one(row, label)
    wanted = by_dicts.predict_proba(rows)
    assert np.isfinite(wanted).all()
    assert wanted.shape == (len(rows), labels)
    assert np.array_equal(by_frame.predict_proba(rows), wanted)
    assert np.array_equal(by_rows.predict_proba(rows), wanted)


_CELL = {
    "a": st.one_of(st.none(), st.floats(-9, 9), st.just(float("nan"))),
    "b": st.sampled_from([None, "x", "y", ""]),
    "c": st.sampled_from([None, True, False]),
    "d=e": st.sampled_from([None, 0, 1, 2]),
}


@settings(max_examples=25)
@given(st.lists(st.fixed_dictionaries({}, optional=_CELL), min_size=2, max_size=8))
def test_drawn_dicts_of_columns_that_nobody_declared(rows):
    y = [k % 2 for k in range(len(rows))]
    batch, by_rows, saved = (OSBoostClassifier(AROW(), 3, random_state=1) for _ in range(3))
    batch.partial_fit(rows, y)
    for row, label in zip(rows, y, strict=True):
        by_rows.learn_one(row, label)
        saved.learn_one(row, label)
        saved = onlineboost.from_bytes(saved.to_bytes())
    wanted = batch.predict_proba(rows)
    assert np.array_equal(by_rows.predict_proba(rows), wanted)
    assert np.array_equal(saved.predict_proba(rows), wanted)
    if by_rows.schema_ is not None:
        assert saved.schema_.columns == by_rows.schema_.columns


@pytest.mark.parametrize("columns", [["n2", "c5"], ["n2", "n4"]])
@pytest.mark.parametrize("table", [pa.Table.from_pandas, pa.RecordBatch.from_pandas, pl.from_pandas])
def test_tables_without_a_declared_schema(table, columns):
    X, y = frame()
    X = X[columns]
    wanted = OSBoostClassifier(Perceptron(), 3, random_state=0).fit(X, y)
    found = OSBoostClassifier(Perceptron(), 3, random_state=0).fit(table(X), y)
    assert found.schema_.columns == wanted.schema_.columns
    assert np.array_equal(found.margin(table(X)), wanted.margin(X))


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("table", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_texts_for_a_model_of_arrays(table):
    found = OSBoostClassifier(Perceptron(), 3, random_state=0).fit(np.eye(4)[:, :2], [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"column 'b', row 1: the value 'x' is not a number: this model has learned"):
        found.predict(table(pd.DataFrame({"a": [1.0, 2.0], "b": ["1", "x"]})))


def test_numbers_with_missing_columns():
    X, y = frame()
    X = X[["n2", "n4", "same"]]
    found = OSBoostClassifier(Perceptron(), 3, random_state=0, missing_columns="ignore").fit(X, y)
    wanted = found.margin(X.assign(n4=np.nan))
    with pytest.warns(UserWarning, match="does not know and ignores: 'more'"):
        assert np.array_equal(found.margin(X[["same", "n2"]].assign(more=1.0)), wanted)
    assert np.array_equal(found.margin(X[["same", "n4", "n2"]]), found.margin(X))
    found.partial_fit(X[["same", "n2"]], y)
    assert np.array_equal(onlineboost.from_bytes(found.to_bytes()).margin(X), found.margin(X))


def test_rows_by_name_leave_a_model_of_numbers_as_it_was():
    """What such a model has learned by name is saved, and it goes on taking arrays."""
    X, y = np.eye(4), [0, 1, 0, 1]
    found = OSBoostClassifier(Perceptron(), 3, random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    found.partial_fit([{"a": 1.0, "c": "2", "d": None}], [1])
    loaded = onlineboost.from_bytes(found.to_bytes())
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(loaded.partial_fit(X, y).margin(X), found.partial_fit(X, y).margin(X))


def test_hashed_features_are_of_many_columns(tmp_path, capsys):
    X, y = frame()
    hashed = model(max_features=64).fit(X, y)
    assert all(name.startswith("#") for name in hashed.importances())
    with pytest.raises(AttributeError, match="columns share features"):
        _ = hashed.feature_importances_
    X.assign(label=y).to_csv(tmp_path / "data.csv", index=False)
    assert run("run", tmp_path / "data.csv", "--param", "max_features=16", "--learner", "perceptron") == 0
    assert "moved by   #" in capsys.readouterr().out
    assert run("run", tmp_path / "data.csv", "--text", "words", "--category", "words") == 2
    assert "declared as category and as text" in capsys.readouterr().err


def test_four_labels(tmp_path):
    X, _ = frame()
    y = np.array(["north", "east", "south", "west"])[np.arange(len(X)) * 7 % 4]
    wanted, parts, rows = model().fit(X, y), model(), model()
    for start in range(0, len(X), 11):
        parts.partial_fit(X[start : start + 11], y[start : start + 11])
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        rows.learn_one(row, label)
    tested = model()
    assert len(prequential(tested, X, y)) == len(y)
    path, out = tmp_path / "data.csv", tmp_path / "labels.csv"
    X.assign(label=y).to_csv(path, index=False)
    options = ["--learner", "perceptron", "--n-learners", 5, "--text", "words"]
    assert run("train", path, "--model", tmp_path / "m.ob", *options) == 0
    for found in (parts, rows, tested, onlineboost.load(tmp_path / "m.ob")):
        assert np.array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert run("predict", tmp_path / "m.ob", path, "--out", out) == 0
    assert pd.read_csv(out).iloc[:, 0].tolist() == wanted.predict(X).tolist()
    for command in (("evaluate", tmp_path / "m.ob", path), ("run", path, *options), ("inspect", tmp_path / "m.ob")):
        assert run(*command) == 0


def test_pipelines_and_prequential():
    from sklearn.pipeline import make_pipeline

    X, y = frame()
    assert make_pipeline("passthrough", model()).fit(X, y).predict(X).shape == y.shape
    assert len(prequential(model(), X, y)) == len(y)


def test_what_does_not_fit_is_told_with_column_and_row():
    X, y = frame()
    fitted = model().fit(X, y)
    before = fitted.to_bytes()
    words = X.assign(n1=["many"] + ["1"] * (len(X) - 1))
    with pytest.raises(ValueError, match=r"X, column 'n1', row 0: the value \"many\" is not a finite number"):
        fitted.partial_fit(words, y)
    with pytest.raises(ValueError, match=r"no column 'flag', which the model has learned from.* Did you mean 'flga'"):
        fitted.predict(X.rename(columns={"flag": "flga"}))
    with pytest.raises(ValueError, match="column 'n2', row 3: the value is not a finite number"):
        fitted.predict(X.assign(n2=[0.0, 0, 0, np.inf] + [0] * (len(X) - 4)))
    with pytest.raises(ValueError, match="two columns named 'n1'"):
        fitted.predict(pd.concat([X, X[["n1"]]], axis=1))
    with pytest.raises(ValueError, match="0 rows"):
        fitted.predict(X[:0])
    with pytest.raises(ValueError, match="pass a data frame"):
        fitted.predict(np.zeros((2, 20)))
    with pytest.raises(ValueError, match=r"declares column 'wrods', which X does not have. Did you mean 'words'"):
        OSBoostClassifier(schema={"wrods": "text"}).fit(X, y)
    with pytest.raises(ValueError, match="has the kind 'txt': it must be number, flag"):
        OSBoostClassifier(schema={"words": "txt"}).fit(X, y)
    assert fitted.to_bytes() == before
    with pytest.warns(UserWarning, match="does not know and ignores: 'more'"):
        assert np.array_equal(fitted.margin(X.assign(more=1)), fitted.margin(X))
    assert np.isfinite(model(missing_columns="ignore").fit(X, y).margin(X.drop(columns=["n1", "when"]))).all()


def test_the_command_line_names_columns(tmp_path, capsys):
    X, y = frame()
    path = tmp_path / "data.csv"
    X.assign(label=y).to_csv(path, index=False)
    assert run("run", path, "--ignore", "wrods") == 2
    assert "Did you mean 'words'" in capsys.readouterr().err
    assert run("train", path, "--model", tmp_path / "m.ob") == 0
    X[["n1"]].rename(columns={"n1": "elsewhere"}).to_csv(tmp_path / "none.csv", index=False)
    for more in ((), ("--missing-columns", "ignore")):
        assert run("predict", tmp_path / "m.ob", tmp_path / "none.csv", *more) == 2
        assert "no column in common" in capsys.readouterr().err
    assert run("run", path, "--label", "lable") == 2
    assert "Did you mean 'label'" in capsys.readouterr().err
    X.assign(more=1, label=y, less=2).to_csv(tmp_path / "more.csv", index=False)
    assert run("predict", tmp_path / "m.ob", tmp_path / "more.csv", tmp_path / "more.csv") == 0
    assert capsys.readouterr().err == (
        "onlineboost: The input has columns that the model does not know and ignores: 'more', 'less'.\n"
    )
    X.assign(label=y, more=1).to_parquet(tmp_path / "more.parquet")
    assert run("evaluate", tmp_path / "m.ob", tmp_path / "more.parquet") == 0
    assert "ignores: 'more'." in capsys.readouterr().err


@pytest.mark.parametrize(("policy", "rows", "code"), [("skip", 3, 0), ("stop", 1, 2), ("missing", 4, 0)])
def test_a_column_that_changes_its_kind(tmp_path, capsys, policy, rows, code):
    path = tmp_path / "data.csv"
    path.write_text("x,label\n1,0\n" + "2,1\n" * 1000 + "many,0\n3,1\n")
    assert run("run", path, "--bad-rows", policy, "--json", tmp_path / "run.json") == code
    seen = json.loads((tmp_path / "run.json").read_text())["examples"]
    assert seen == 1000 + {"skip": 2, "stop": 1, "missing": 3}[policy], rows
    assert "line 1003, column x" in capsys.readouterr().err


def test_names_are_hashed_into_a_bounded_number_of_features():
    bounded = OSBoostClassifier(Perceptron(), 3, random_state=0, max_features=64)
    for start in range(0, 2000, 500):
        ids = [f"id{k}" for k in range(start, start + 500)]
        bounded.partial_fit(pd.DataFrame({"id": ids, "x": 1.0}), [k % 2 for k in range(500)])
    assert bounded.machine.n_features <= 64
    before = bounded.to_bytes()
    assert np.isfinite(bounded.margin([{"id": "new", "x": None}])).all()
    assert bounded.to_bytes() == before


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (pd.Series(["a", "b"]), r"X is one column: pass a table, as X.to_frame\(\)"),
        ({"a": [1, 2]}, "X is a dict: pass a list of dicts"),
        ([{"a": 1}, [2]], "X, row 1: it is a list, and the rows before it are dicts"),
        (pl.DataFrame({"a": [1, 2]}).lazy(), r"lazy frame: pass X.collect\(\)"),
        (np.array([(1, 2.0)] * 2, [("a", int), ("b", float)]), "array of records"),
        (pd.DataFrame(index=range(2)), "X has no columns"),
        (pa.array(["a", "b"]), "X is one column: pass a table"),
        ([[1, "a"], [2, "b"]], r"X is an array, without names: pass a data frame"),
    ],
)
def test_what_is_no_table(X, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        model().fit(X, [0, 1])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, 0.0, 2.0])}),
        pd.DataFrame({"a": np.array([0, 1, 0, 2], np.longdouble), "c": list("wxyz")}),
        pl.DataFrame({"a": pl.Series([2**100, 1, 0, 2], dtype=pl.Int128)}),
    ],
    ids=["sparse", "long double", "128 bits"],
)
def test_numbers_of_odd_types(X):
    odd = OSBoostClassifier(Perceptron(), 3, random_state=0).fit(X, [0, 1, 0, 1])
    assert odd.schema_.columns["a"] == "number"
    assert np.isfinite(odd.predict_proba(X)).all()


KINDS_OF_CELLS = compare_columns.data()
WAYS = {'text cells "NA", "?", empty': {"a": "number"}, "text": {"words": "text"}}


@pytest.mark.parametrize("kind", KINDS_OF_CELLS)
def test_twelve_kinds_of_columns_and_cells(kind):
    """As the table of docs/data.md has it."""
    X, y, asked = KINDS_OF_CELLS[kind]
    fresh = OSBoostClassifier(HoeffdingTree(), 5, random_state=0, schema=WAYS.get(kind))
    if kind == "infinity":
        with pytest.raises(ValueError, match=r"not a finite number|infinity"):
            fresh.fit(X, y)
        return
    assert np.isfinite(fresh.fit(X, y).predict_proba(asked)).all()
    if kind in WAYS:
        right = fresh.predict(asked) == compare_columns.Y[compare_columns.LEARNED :]
        assert right.mean() > 0.75


def test_missing_values_as_the_reference_fills_them():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] > 0.3).astype(int)
    X[random.random(X.shape) < 0.2] = np.nan
    ours = prequential(OnlineClassifier(AROW(), random_state=0), X, y).margins
    wanted = prequential(OnlineClassifier(AROW(), random_state=0), missing.filled(X), y).margins
    np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("tree", [HoeffdingTree(), RegressionTree()])
def test_trees_learn_the_side_of_missing_values(tree, side):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    y = (X[:, 0] > 0).astype(int)
    X[(y == side) & (random.random(len(y)) < 0.6), 0] = np.nan
    kind = GradientBoostClassifier if isinstance(tree, RegressionTree) else OSBoostClassifier
    fitted = kind(tree, 1, random_state=0)
    assert prequential(fitted, X, y).error < 0.05
    tests = fitted.machine.engine.core.state()["tree_tests"]
    assert (-1 in tests.tolist()) == (side == 0), "left is -1 - slot"
    assert np.array_equal(onlineboost.from_bytes(fitted.to_bytes()).margin(X), fitted.margin(X))
    assert (fitted.predict([[np.nan, 0.0]]) == side).all()


def test_missing_values_of_arrays():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] > 0).astype(int)
    X[random.random(X.shape) < 0.2] = np.nan
    for name in ("osboost", "ozaboost"):
        fitted = make(name).fit(X, y)
        parts = make(name)
        for start in range(0, 300, 11):
            parts.partial_fit(X[start : start + 11], y[start : start + 11])
        one = make(name)
        for row, label in zip(X, y.tolist(), strict=True):
            one.learn_one(row, label)
        assert np.array_equal(fitted.margin(X), parts.margin(X))
        assert np.array_equal(fitted.margin(X), one.margin(X))
        assert np.array_equal(onlineboost.from_bytes(fitted.to_bytes()).margin(X), fitted.margin(X))
    assert (OnlineBoostClassifier(random_state=0).fit(X, y).predict(X) == y).mean() > 0.75
