"""Tables drawn at random, of every kind of column and with odd cells: the same bits by every way to a model."""

import csv
import datetime as dt
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from command_line import run

import onlineboost
from onlineboost import HoeffdingTree, NaiveBayes, OSBoostClassifier, Perceptron, prequential
from onlineboost.streams import Feed, Schema, open_stream

pytestmark = [pytest.mark.engine, pytest.mark.quick]

WORDS = [
    "a",
    "b",
    "Ünï",
    "日本",
    "a b",
    "com,ma",
    'qu"ote',
    "new\nline",
    "tab\there",
    "?",
    "1",
    "2.0",
    "true",
    "NA",
    "",
]
WORDS += ["2024-01-01", "x" * 40, "they begin 1 and end", "they begin 2 and end", "=x", "#y", "@z", "null", "-0", "1e3"]
LEARNERS = {"perceptron": Perceptron, "naive-bayes": NaiveBayes, "hoeffding-tree": HoeffdingTree}
NUMBERS = [
    lambda rng, n: (rng.normal(size=n) * 10.0 ** rng.integers(-8, 9)).tolist(),
    lambda rng, n: rng.integers(-(2**62), 2**62, n).tolist(),
    lambda rng, n: rng.integers(0, 3, n).tolist(),
    lambda _, n: [7.0] * n,
    lambda _, n: ([5e-324, -1e100, 1e100, 0.1 + 0.2, -0.0] * n)[:n],
    lambda _, n: [None] * n,
]


def cells(rng, n, kind):
    if kind == "number":
        made = NUMBERS[rng.integers(len(NUMBERS))](rng, n)
    elif kind == "flag":
        made = (rng.random(n) < 0.5).tolist()
    elif kind == "time":
        first = dt.datetime.fromisoformat("0001-01-01" if rng.random() < 0.3 else "1999-01-01")
        made = [first + dt.timedelta(int(day), 0, int(day) ** 2 % 10**6) for day in rng.integers(0, 20_000, n)]
    else:
        made = [WORDS[k] for k in rng.integers(0, len(WORDS), n)]
    return [None if rng.random() < 0.1 else cell for cell in made] if rng.random() < 0.5 else made


def typed(rng, made, kind):
    """The cells as one of the types that pandas has for them."""
    types = {"flag": ["boolean"], "time": ["datetime64[us]"]}.get(kind, ["string", "str", "category"])
    if kind == "number":
        whole = all(cell is None or isinstance(cell, int) for cell in made)
        types = ["Int64", "int64[pyarrow]"] if whole else ["float64", "Float64", "float64[pyarrow]"]
    return pd.Series(made, dtype=str(rng.choice([*types, "object"])))


def write(path, rows, labels):
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*rows[0], "label"])
            plain = (
                [cell.isoformat() if isinstance(cell, dt.datetime) else cell for cell in row.values()] for row in rows
            )
            writer.writerows([*row, label] for row, label in zip(plain, labels, strict=True))
    else:
        lines = (json.dumps({**row, "label": label}, default=dt.datetime.isoformat)
                 for row, label in zip(rows, labels, strict=True))  # fmt: skip
        path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("seed", range(8))
def test_every_way_gives_the_same_bits(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n, kinds = int(rng.integers(20, 60)), ["number", "category", "flag", "time", "text", "hash:6"]
    names = rng.choice(["c", "größe", "a b", "x=y", "x#1", "p@q", "col,"], 6)
    schema = {f"{name}{k}": str(rng.choice(kinds)) for k, name in enumerate(names)}
    columns = {name: cells(rng, n, kind) for name, kind in schema.items()}
    labels = ["no", "yes", *rng.choice(["no", "yes"], n - 2).tolist()]
    learner = str(rng.choice(list(LEARNERS)))

    def fresh():
        return OSBoostClassifier(LEARNERS[learner](), 3, random_state=0, schema=schema)

    X = pd.DataFrame({name: typed(rng, made, schema[name]) for name, made in columns.items()})
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    wanted = fresh().fit(X, labels)
    bits = wanted.predict_proba(X)
    one, parts, tested = fresh(), fresh(), fresh()
    for row, label in zip(rows, labels, strict=True):
        one.learn_one(row, label)
    for start in range(0, n, 7):
        parts.partial_fit(X[start : start + 7], labels[start : start + 7], classes=["no", "yes"])
        parts = onlineboost.from_bytes(parts.to_bytes())
    prequential(tested, X, labels)
    table = pa.Table.from_pandas(X, preserve_index=False)
    for found in (one, parts, tested, fresh().partial_fit(rows, labels), fresh().fit(table, labels)):
        for given in (X, rows, table):
            assert np.array_equal(found.predict_proba(given), bits)
    X.assign(label=labels).to_parquet(tmp_path / "t.parquet")
    for kind in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"t.{kind}"
        if kind != "parquet":
            write(path, rows, labels)
        fed = fresh()
        feed = Feed(fed)
        for batch in open_stream(path, schema=Schema(columns=schema), batch_rows=11):
            feed.learn(batch)
        assert np.array_equal(fed.predict_proba(X), bits)
        flags = []
        for name, one_of in schema.items():
            flags += ["--hash", f"{name}:6"] if one_of == "hash:6" else [f"--{one_of}", name]
        options = ["--booster", "osboost", "--learner", learner, "--n-learners", 3, *flags]
        assert run("train", path, "--model", tmp_path / "m.ob", *options) == 0
        assert np.array_equal(onlineboost.load(tmp_path / "m.ob").predict_proba(X), bits)
        wanted.save(tmp_path / "w.ob")
        assert run("predict", tmp_path / "w.ob", path, "--out", tmp_path / "scores.csv") == 0
        with (tmp_path / "scores.csv").open() as scores:
            assert [float(row["probability"]) for row in csv.DictReader(scores)] == bits[:, 1].tolist()
