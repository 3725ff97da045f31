"""The commands on sets of labels: as Python has it, to the last bit."""

import csv
import io
import json
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import run

import onlineboost
from onlineboost import (
    AdaOLMRClassifier,
    MultiLabelClassifier,
    NaiveBayes,
    OnlineBMRClassifier,
    OSBoostClassifier,
    Perceptron,
    prequential,
)
from onlineboost.persistence import load_with_extra
from onlineboost.streams import Feed, FormatError, Schema, open_stream

pytestmark = pytest.mark.quick

SMALL = ("--learner", "naive-bayes", "--n-learners", 5, "--label-separator")


def _examples(count, labels):
    """Dicts and sets; some sets are empty, and the last label comes late."""
    rng, made = random.Random(4), []
    for t in range(count):
        there = {label for k, label in enumerate(labels) if rng.random() < 0.4 and (k < len(labels) - 1 or t > 60)}
        x = {k + 1: round(rng.gauss(label in there, 0.7), 3) for k, label in enumerate(labels)}
        made.append((x, there))
    return made


def _lines(examples):
    for x, there in examples:
        cells = " ".join(f"{k}:{v!r}" for k, v in x.items())
        yield f"{','.join(map(str, sorted(there)))} {cells}".strip()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    (folder / "s.libsvm").write_text("\n".join(_lines(_examples(150, [1, 3, 7]))) + "\n")
    rows = [f"{'; '.join(sorted(there))},{x[1]},{x[2]},{x[3]}" for x, there in _examples(150, ["sun", "sea", "rain"])]
    (folder / "s.csv").write_text("\n".join(["tags,a,b,c", *rows]) + "\n")
    assert run("train", folder / "s.libsvm", *SMALL, ",", "--model", folder / "libsvm.ob") == 0
    assert run("train", folder / "s.csv", "--label", "tags", *SMALL, ";", "--model", folder / "csv.ob") == 0
    return folder


def _learned(model, examples):
    for x, there in examples:
        model.learn_one(x, there)
    return model


def _same(file, model, tmp_path):
    model.save(tmp_path / "truth.ob", extra=load_with_extra(file)[1])
    return (tmp_path / "truth.ob").read_bytes() == file.read_bytes()


def test_train_is_that_of_python(files, tmp_path):
    model = MultiLabelClassifier(OSBoostClassifier(NaiveBayes(), 5, random_state=0))
    assert _same(files / "libsvm.ob", _learned(model, _examples(150, [1, 3, 7])), tmp_path)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("ada-olmr", AdaOLMRClassifier(Perceptron(), 4, random_state=0)),
        ("online-bmr", OnlineBMRClassifier(Perceptron(), 4, random_state=0)),
    ],
)
def test_rankers_have_names(files, name, model, tmp_path, capsys):
    options = ("--booster", name, "--learner", "perceptron", "--n-learners", 4)
    assert run("train", files / "s.libsvm", *options, "--label-separator", ",", "--model", tmp_path / "m.ob") == 0
    assert _same(tmp_path / "m.ob", _learned(model, _examples(150, [1, 3, 7])), tmp_path)
    assert run("train", files / "s.libsvm", *options, "--model", tmp_path / "m.ob") == 2
    assert "--label-separator" in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "separator"), [("csv", ";"), ("libsvm", ",")])
def test_predict_is_that_of_python(files, kind, separator, capsys):
    columns = ("--output", "label,probability,margin")
    assert run("predict", files / f"{kind}.ob", files / f"s.{kind}", *columns) == 0
    header, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    model = onlineboost.load(files / f"{kind}.ob")
    labels = model.classes_.tolist()
    assert header == ["label", *(f"{name}_{one}" for name in ("probability", "margin") for one in labels)]
    names = {"csv": ["sun", "sea", "rain"], "libsvm": [1, 3, 7]}[kind]
    keys = {1: "a", 2: "b", 3: "c"} if kind == "csv" else {1: 1, 2: 2, 3: 3}
    for (x, _), row in zip(_examples(150, names), rows, strict=True):
        x = {keys[k]: value for k, value in x.items()}  # noqa: PLW2901  # by the names of the columns
        assert row[0] == separator.join(str(one) for one in labels if one in model.predict_one(x))
        given = model.predict_proba_one(x)
        assert [float(cell) for cell in row[1:4]] == [given[one] for one in labels]


def test_formats_give_the_same_sets(files, tmp_path):
    frame = pd.read_csv(files / "s.csv", keep_default_na=False)
    frame.to_parquet(tmp_path / "s.parquet")
    frame.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    (tmp_path / "s.tsv").write_text((files / "s.csv").read_text().replace(",", "\t"))
    given = [there for _, there in _examples(150, ["sun", "sea", "rain"])]
    for path in (files / "s.csv", *(tmp_path / f"s.{kind}" for kind in ("parquet", "jsonl", "tsv"))):
        with open_stream(path, schema=Schema(label="tags", label_separator=";"), batch_rows=40) as stream:
            assert [one for batch in stream for one in batch.y] == given


def test_feed_answers_in_sets(files):
    model, single = onlineboost.load(files / "libsvm.ob"), OSBoostClassifier(NaiveBayes(), 2)
    with open_stream(files / "s.libsvm", schema=Schema(label_separator=",")) as stream:
        (batch,) = stream
    assert Feed(model).predict(batch).tolist() == [model.predict_one(x) for x, _ in _examples(150, [1, 3, 7])]
    with pytest.raises(ValueError, match="one label per example"):
        Feed(single).learn(batch)
    again = MultiLabelClassifier(OSBoostClassifier(NaiveBayes(), 5, random_state=0))
    assert Feed(again).prequential(batch).true.sum() == sum(len(there) for there in batch.y)
    with pytest.raises(ValueError, match="sets of labels: give"):
        Feed(again).learn(replace(batch, y=np.ones(len(batch), np.int64)))


def test_evaluate_counts_labels(files, capsys):
    assert run("evaluate", files / "libsvm.ob", files / "s.libsvm", "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    model, examples = onlineboost.load(files / "libsvm.ob"), _examples(150, [1, 3, 7])
    said = [model.predict_one(x) for x, _ in examples]
    pairs = list(zip(said, (there for _, there in examples), strict=True))
    assert found["error"] == np.mean([a != b for a, b in pairs])
    assert found["hamming_loss"] == pytest.approx(np.mean([len(a ^ b) / 3 for a, b in pairs]))
    hits, named = sum(len(a & b) for a, b in pairs), sum(len(a) + len(b) for a, b in pairs)
    assert found["f1_micro"] == pytest.approx(2 * hits / named)
    assert (found["examples"], found["labels"]) == (150, [1, 3, 7])


def test_run_tests_then_trains_as_prequential_does(files, tmp_path, capsys):
    assert (
        run("run", files / "s.csv", "--label", "tags", *SMALL, ";", "--json", "-", "--html", tmp_path / "r.html") == 0
    )
    found = json.loads(capsys.readouterr().out)
    examples = _examples(150, ["sun", "sea", "rain"])
    X = [[x[1], x[2], x[3]] for x, _ in examples]
    truth = prequential(
        MultiLabelClassifier(OSBoostClassifier(NaiveBayes(), 5, random_state=0)), X, [there for _, there in examples]
    )
    assert found["error"] == pytest.approx(1.0 - truth.subset_accuracy)
    assert found["hamming_loss"] == pytest.approx(truth.hamming_loss)
    assert found["f1_micro"] == pytest.approx(truth.f1_micro)
    assert "Hamming loss" in (tmp_path / "r.html").read_text()


def test_resume_ends_with_the_same_bytes(files, tmp_path):
    start, whole = tmp_path / "s.csv", (files / "s.csv").read_text().splitlines(keepends=True)
    options = ("--label", "tags", *SMALL, ";", "--model", tmp_path / "m.ob")
    start.write_text("".join(whole[:51]))  # before the last label comes
    assert run("train", start, *options) == 0
    start.write_text("".join(whole))
    assert run("train", start, *options, "--resume") == 0
    assert (tmp_path / "m.ob").read_bytes() == (files / "csv.ob").read_bytes()


def test_inspect_shows_the_booster_of_a_label(files, capsys):
    assert run("inspect", files / "csv.ob") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "MultiLabelClassifier over 5 NaiveBayes" in text
    assert "rain, sea, sun" in text
    assert run("inspect", files / "csv.ob", "--json") == 0
    assert json.loads(capsys.readouterr().out)["parameters"]["booster"] == "OSBoostClassifier"


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("1,,3", 'a label of the set "1,,3" is empty'),
        ("1,2.5", 'the label "2.5" is not a whole number'),
        ("3,1e300", "is not a whole number below 2^53"),
        ("1," + "x" * 1001, "is longer than 1000 bytes"),
        ("1," * 40_000 + "1", "is longer than 65536 bytes"),
        ("1,\udcff", "is not UTF-8"),
        ("1,a", "labels are all numbers or all texts"),
    ],
)
def test_a_bad_cell_gets_one_sentence(tmp_path, cell, sentence, capsys):
    (tmp_path / "s.libsvm").write_bytes(f"1 1:2\n{cell} 1:3\n".encode(errors="surrogateescape"))
    assert run("train", tmp_path / "s.libsvm", "--label-separator", ",", "--strict", "--model", tmp_path / "m.ob") == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert "line 2" in error


def test_what_does_not_go_with_sets(files, tmp_path, capsys):
    (tmp_path / "s.libsvm").write_text("1,9 1:2\n")
    (tmp_path / "s.vw").write_text("1 | a\n")
    for arguments, sentence in (
        (("evaluate", files / "libsvm.ob", tmp_path / "s.libsvm"), "does not know the label 9"),
        (("run", tmp_path / "s.vw", "--label-separator", ","), "one label per line"),
        (("run", files / "s.csv", "--label-separator", "."), "label separator must be"),
        (("run", files / "s.csv", "--label-separator", ",", "--positive", "a"), "positive"),
        (("explain", files / "libsvm.ob", "--row", files / "s.libsvm"), "any number of labels"),
        (("convert", files / "s.csv", tmp_path / "o.jsonl", "--label-separator", ","), "one label per example"),
    ):
        assert run(*arguments) == 2, arguments
        assert sentence in capsys.readouterr().err
    with pytest.raises(FormatError, match="label separator"):
        Schema(label_separator=3)
