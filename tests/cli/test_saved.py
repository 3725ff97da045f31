"""`predict`, `evaluate` and `convert`: what they write is what the library says."""

import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from command_line import libsvm_lines, run, table_rows, write_csv
from sklearn.metrics import confusion_matrix, log_loss

import onlineboost
from onlineboost import NaiveBayes, OSBoostClassifier
from onlineboost.streams import Feed, Schema, open_stream

pytestmark = pytest.mark.quick

OPTIONS = ("--label", "spam", "--text", "body:6", "--weight", "w", "--learner", "naive-bayes", "--n-learners", 5)


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "t.csv", table_rows(400))


@pytest.fixture
def model(table, tmp_path):
    assert run("train", table, *OPTIONS, "--model", tmp_path / "m.ob") == 0
    return tmp_path / "m.ob"


def _features(path, **schema):
    """The rows as dicts, straight from the stream."""
    rows, labels = [], []
    for batch in open_stream(path, schema=Schema(**schema)):
        for k in range(len(batch)):
            a, b = batch.X.indptr[k : k + 2]
            row: dict = {}
            for j, v in zip(batch.X.indices[a:b].tolist(), batch.X.data[a:b].tolist(), strict=True):
                key = j if batch.names is None else batch.names[j]
                row[key] = row.get(key, 0.0) + v
            rows.append(row)
        labels += batch.y.tolist()
    return rows, labels


def test_predict_says_what_the_model_says(table, model, tmp_path, capsys):
    capsys.readouterr()
    assert run("predict", model, table, "--output", "probability,label,margin") == 0
    said = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    rows, _ = _features(table, label="spam", weight="w", columns={"body": "text:6"})
    loaded = onlineboost.load(model)
    assert [row["label"] for row in said] == [loaded.predict_one(x) for x in rows]
    truth = [loaded.predict_proba_one(x)["spam"] for x in rows]
    assert [float(row["probability"]) for row in said] == pytest.approx(truth, abs=1e-15)
    assert all((float(row["margin"]) > 0) == (row["label"] == "spam") for row in said)
    scores = tmp_path / "scores.csv"
    assert run("predict", model, table, "--out", scores) == 0
    assert scores.read_text().splitlines()[0] == "label,probability"
    assert len(scores.read_text().splitlines()) == 401
    assert not list(tmp_path.glob(".*"))


def test_predict_in_another_format_without_labels(table, model, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{k: v for k, v in row.items() if k not in {"spam", "w"}} for row in table_rows(400)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "new.parquet")
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    capsys.readouterr()
    outputs = []
    for path in (table, tmp_path / "new.parquet", tmp_path / "new.jsonl"):
        assert run("predict", model, path) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] == outputs[2]


def test_predict_leaves_a_gap_for_a_malformed_line(model, table, capsys):
    lines = table.read_text().splitlines()
    lines[3] = "spam,1e999,de,x,1"
    lines.append("only one cell")
    table.write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert run("predict", model, table) == 0
    said = capsys.readouterr()
    out = said.out.splitlines()
    assert len(out) == 402
    assert [k for k, line in enumerate(out) if line == ","] == [3, 401]
    assert "2 malformed lines were skipped" in said.err
    assert run("predict", model, table, "--output", "label", "--strict") == 2


def test_labels_with_commas_are_quoted(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("label,a\n" + '"x, ""y""",1\nz,2\n' * 20)
    assert run("train", path, "--learner", "naive-bayes", "--model", tmp_path / "m.ob") == 0
    capsys.readouterr()
    assert run("predict", tmp_path / "m.ob", path, "--output", "label") == 0
    assert {row[0] for row in csv.reader(io.StringIO(capsys.readouterr().out))} == {"label", 'x, "y"', "z"}


def test_evaluate_agrees_with_scikit_learn(table, model, tmp_path, capsys):
    capsys.readouterr()
    result = tmp_path / "e.json"
    assert run("evaluate", model, table, "--json", result) == 0
    said, found = capsys.readouterr().out, json.loads(result.read_text())
    rows, labels = _features(table, label="spam", weight="w", columns={"body": "text:6"})
    weights = [row["w"] for row in table_rows(400)]
    loaded = onlineboost.load(model)
    predicted = [loaded.predict_one(x) for x in rows]
    chances = [loaded.predict_proba_one(x)["spam"] for x in rows]
    wrong = np.array(predicted) != np.array(labels)
    assert found["error"] == pytest.approx(np.average(wrong, weights=weights))
    truth = log_loss(labels, chances, sample_weight=weights, labels=["ham", "spam"])
    assert found["log_loss"] == pytest.approx(truth, rel=1e-9)
    assert found["confusion"] == confusion_matrix(labels, predicted).tolist()
    assert f"{found['error']:.4f}"[1:] in said
    assert "said ham   said spam" in said
    assert loaded.n_examples_ == 400
    assert run("evaluate", model, table, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out) == {**found}


def test_evaluate_refuses_what_it_cannot_compare(table, model, tmp_path, capsys):
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines[:5], lines[5].replace("ham", "x").replace("spam", "x")]) + "\n")
    assert run("evaluate", model, table) == 2
    assert "line 6: the model does not know the label 'x'" in capsys.readouterr().err
    table.write_text(lines[0] + "\n")
    assert run("evaluate", model, table) == 2
    assert "no examples" in capsys.readouterr().err
    one = tmp_path / "one.libsvm"
    one.write_text("1 1:1\n")
    assert run("train", one, "--model", tmp_path / "one.ob") == 0
    assert run("evaluate", tmp_path / "one.ob", one) == 2
    assert "one label only" in capsys.readouterr().err


def test_models_that_cannot_be_used(table, model, tmp_path, capsys):
    libsvm = tmp_path / "s.libsvm"
    libsvm.write_text("1 1:1\n")
    assert run("predict", model, libsvm) == 2
    assert "use a stream of the same kind" in capsys.readouterr().err
    OSBoostClassifier(NaiveBayes(), 2).save(tmp_path / "new.ob")
    assert run("predict", tmp_path / "new.ob", libsvm) == 2
    assert "has learned nothing yet" in capsys.readouterr().err
    fitted = OSBoostClassifier(NaiveBayes(), 2, random_state=0).fit([[1.0], [2.0]], [0, 1])
    fitted.save(tmp_path / "arrays.ob")
    assert run("predict", tmp_path / "arrays.ob", libsvm) == 2
    assert "from arrays in Python" in capsys.readouterr().err
    assert run("predict", table, table) == 2
    assert "model file" in capsys.readouterr().err
    assert run("predict", model, table, "--output", "score") == 2
    assert "--output score" in capsys.readouterr().err
    named = OSBoostClassifier(NaiveBayes(), 2, random_state=0)
    named.learn_one({"age": 1.0}, "ham")
    named.learn_one({"age": 2.0}, "spam")
    named.save(tmp_path / "named.ob")  # without a record of a stream: the columns are as the data show them
    assert run("predict", tmp_path / "named.ob", table, "--output", "label") == 0
    assert len(capsys.readouterr().out.splitlines()) == 401


@pytest.mark.parametrize("kind", ["vw", "jsonl", "csv", "tsv", "parquet", "arrow"])
def test_convert_keeps_the_features(table, tmp_path, kind):
    if kind in {"parquet", "arrow"}:
        pytest.importorskip("pyarrow")
    out = tmp_path / f"out.{kind}"
    assert run("convert", table, out, "--label", "spam", "--positive", "spam", "--ignore", "w", "--text", "body:6") == 0
    truth, labels = _features(table, label="spam", positive="spam", ignore=("w",), columns={"body": "text:6"})
    rows, again = _features(out, **({} if kind == "vw" else {"label": "spam"}))
    assert [{k: v for k, v in row.items() if v} for row in rows] == truth
    assert [max(0, label) for label in again] == labels


def test_convert_to_libsvm_and_back(table, tmp_path):
    out, names = tmp_path / "out.libsvm", tmp_path / "out.names"
    options = ("--label", "spam", "--positive", "spam", "--ignore", "w")
    assert run("convert", table, out, *options, "--names", names) == 0
    known = dict(line.split("\t") for line in names.read_text().splitlines())
    truth, labels = _features(table, label="spam", positive="spam", ignore=("w",))
    rows, again = _features(out)
    assert [{known[str(k)]: v for k, v in row.items()} for row in rows] == truth
    assert again == labels
    dense = tmp_path / "dense.csv"
    assert run("convert", out, dense) == 0
    rows, again = _features(dense)
    assert [{known[k]: v for k, v in row.items() if v} for row in rows] == truth
    assert again == labels


def test_convert_weights_and_names(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("label,w,a b|c\n1,2,x:y\n0,1,50%\n")
    assert run("convert", path, "-", "--to", "vw", "--weight", "w") == 0
    assert capsys.readouterr().out == "1 2 | a%20b%7cc=x%3ay\n0 | a%20b%7cc=50%25\n"
    assert run("convert", path, "-", "--to", "jsonl", "--weight", "w") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == {"label": 1, "w": 2.0, "a b|c=x:y": 1}
    assert run("convert", path, tmp_path / "o.csv", "--weight", "w") == 0
    assert (tmp_path / "o.csv").read_text() == "label,w,a b|c=x:y,a b|c=50%\n1,2,1,0\n0,1,0,1\n"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_convert_keeps_column_0_and_weights_that_come_late(tmp_path, kind, monkeypatch):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr("onlineboost.cli.inputs.BATCH_ROWS", 2)
    path, out = tmp_path / "s.libsvm", tmp_path / f"s.{kind}"
    path.write_text("1 1:3\n0 0:5 2:7\n1 2:1\n")
    assert run("convert", path, out) == 0
    assert [{k: v for k, v in row.items() if v} for row in _features(out)[0]] == [{"1": 3}, {"0": 5, "2": 7}, {"2": 1}]
    late = tmp_path / "s.vw"
    late.write_text("1 | a\n0 | b:2\n1 3 | a\n0 | b\n")
    assert run("convert", late, out) == 0
    weights = [w for batch in open_stream(out, schema=Schema(weight="weight")) for w in batch.weight.tolist()]
    assert weights == [1, 1, 3, 1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["t.csv", "-"], "give --to"),
        (["t.csv", "o.what"], "cannot be told by its name"),
        (["t.csv", "o.csv.gz"], "compress behind a pipe"),
        (["t.csv", "o.vw", "--names", "n"], "--names is for libsvm"),
        (["t.csv", "o.libsvm", "--label", "spam"], "say with --positive"),
        (["t.csv", "o.libsvm", "--label", "age", "--weight", "w"], "libsvm has no weights"),
        (["-", "o.csv", "--format", "csv"], "from a file to a file"),
        (["t.csv", "-", "--to", "parquet"], "from a file to a file"),
        (["t.csv", "o.csv", "--label", "w", "--strict", "--number", "body"], "is not a finite number"),
        (["t.csv", "./t.csv", "--label", "w"], "./t.csv is the input, and would be lost"),
    ],
)
def test_convert_refuses_in_one_sentence(table, monkeypatch, capsys, arguments, sentence):
    monkeypatch.chdir(table.parent)
    assert run("convert", *arguments) == 2
    said = capsys.readouterr().err
    assert sentence in said.splitlines()[-1]
    assert sorted(path.name for path in table.parent.iterdir()) == ["t.csv"]


def test_convert_names_columns_once(tmp_path, capsys):
    path = tmp_path / "t.jsonl"
    path.write_text('{"label": 1, "a": {"b": 2}, "w": 3}\n{"label": 0, "weight": 1}\n')
    assert run("convert", path, tmp_path / "o.csv", "--weight", "w") == 0
    path.write_text('{"y": 1, "a": 2}\n')
    empty = tmp_path / "e.libsvm"
    empty.write_text("")
    assert run("convert", empty, tmp_path / "o.parquet") == 2
    assert "nothing to write" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(table, model, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        assert run("predict", model, table) == 0
        monkeypatch.undo()
        with contextlib.suppress(BrokenPipeError):
            gone.close()


def test_libsvm_model_predicts_libsvm(tmp_path, capsys):
    path = tmp_path / "s.libsvm"
    path.write_text("\n".join(libsvm_lines(100)) + "\n")
    assert run("train", path, "--n-learners", 3, "--model", tmp_path / "m.ob") == 0
    capsys.readouterr()
    assert run("predict", tmp_path / "m.ob", path, "--output", "label,margin") == 0
    said = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    loaded = onlineboost.load(tmp_path / "m.ob")
    rows, _ = _features(path)
    assert [int(row["label"]) for row in said] == [loaded.predict_one(x) for x in rows]
    (batch,) = open_stream(path)
    assert [float(row["margin"]) for row in said] == Feed(loaded).margin(batch).tolist()
    assert {float(row["margin"]) > 0 for row in said} == {True, False}


def test_predict_that_is_stopped_leaves_nothing_behind(model, tmp_path):
    order = [sys.executable, "-m", "onlineboost", "predict", model, "-", "--format", "csv", "--out", tmp_path / "o.csv"]
    before = sorted(tmp_path.iterdir())
    process = subprocess.Popen(order, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(list(tmp_path.iterdir())) == len(before):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert sorted(tmp_path.iterdir()) == before
