"""The commands on a stream of five labels, which begin one after another: as Python has it, whatever the cuts."""

import csv
import html
import io
import json
import random

import numpy as np
import pandas as pd
import pytest
from command_line import run, write_csv
from sklearn.metrics import confusion_matrix, log_loss

import onlineboost
from onlineboost import OneVsRest, OnlineBoostClassifier, OSBoostClassifier, Perceptron, prequential
from onlineboost.persistence import load_machine, load_with_extra, to_bytes

pytestmark = pytest.mark.quick

LABELS = ["dog", "ant", "=elk", "bee", "cat"]  # in the order of their beginning
SMALL = ("--learner", "hoeffding-tree", "--n-learners", 3)


def _rows(count):
    rng = random.Random(3)
    rows = []
    for t in range(count):
        k = rng.randrange(min(5, 1 + t // 20))
        tail = {"colour": rng.choice(["red", "blue"]) if k < 3 else "green", "w": rng.choice([0, 1, 2])}
        rows.append({"kind": LABELS[k], "x": round(rng.gauss(k, 1), 3), "z": round(rng.gauss(-k * k, 2), 3), **tail})
    return rows


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A stream of 200 rows, and the model that each booster makes of it."""
    folder = tmp_path_factory.mktemp("classes")
    path = write_csv(folder / "s.csv", _rows(200))
    for name, options in (("mixture", ()), ("osboost", SMALL)):
        assert run("train", path, "--label", "kind", *options, "--model", folder / f"{name}.ob") == 0
    return folder


def _frame(path):
    frame = pd.read_csv(path)
    return frame.drop(columns="kind"), frame["kind"]


def _read(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("name", ["mixture", "osboost"])
def test_train_and_predict_are_those_of_python(files, name, capsys):
    X, _ = _frame(files / "s.csv")
    model = onlineboost.load(files / f"{name}.ob")
    assert model.classes_.tolist() == sorted(LABELS)
    columns = "label,probability,margin"
    assert run("predict", files / f"{name}.ob", files / "s.csv", "--output", columns, "--raw-labels") == 0
    header, *lines = _read(capsys.readouterr().out)
    assert header == ["label", *(f"{one}_{k}" for one in ("probability", "margin") for k in sorted(LABELS))]
    assert [line[0] for line in lines] == model.predict(X).tolist()
    numbers = np.array([line[1:] for line in lines], float)
    assert np.array_equal(numbers[:, :5], model.predict_proba(X))
    assert np.array_equal(numbers[:, 5:], model.margin(X))
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_predict_takes_what_python_trained(files, tmp_path, capsys):
    X, y = _frame(files / "s.csv")
    for model in (OSBoostClassifier(Perceptron(), 3, random_state=0), OneVsRest(OSBoostClassifier(random_state=0))):
        model.partial_fit(X, y)
        model.save(tmp_path / "p.ob")
        assert run("predict", tmp_path / "p.ob", files / "s.csv") == 0
        _, *lines = _read(capsys.readouterr().out)
        assert np.array_equal(np.array([line[1:] for line in lines], float), model.predict_proba(X))
        assert run("evaluate", tmp_path / "p.ob", files / "s.csv", "--label", "kind", "--json", "-") == 0
        error = json.loads(capsys.readouterr().out)["error"]
        assert error == pytest.approx(np.mean(model.predict(X) != y.to_numpy()))


@pytest.mark.parametrize("options", [(), ("--booster", "adaboost-ol", "--n-learners", 3), (*SMALL, "--weight", "w")])
def test_resumed_anywhere_ends_with_the_same_bytes(tmp_path, options):
    path, model = tmp_path / "s.csv", tmp_path / "m.ob"
    for count in (1, 21, 40, 43, 61, 130):  # 40 rows have two labels
        write_csv(path, _rows(count))
        assert run("train", path, "--label", "kind", *options, "--model", model, "--resume", "--checkpoint", 7) == 0
    assert run("train", path, "--label", "kind", *options, "--model", tmp_path / "whole.ob") == 0
    assert model.read_bytes() == (tmp_path / "whole.ob").read_bytes()


def test_run_reports_what_prequential_sees(files, tmp_path, capsys):
    X, y = _frame(files / "s.csv")
    truth = prequential(OnlineBoostClassifier(random_state=0), X, y)
    page = tmp_path / "r.html"
    assert run("run", files / "s.csv", "--label", "kind", "--html", page, "--json", tmp_path / "r.json") == 0
    assert "labels     '=elk', 'ant', 'bee', 'cat' and 'dog'" in capsys.readouterr().out
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["labels"] == sorted(LABELS)
    assert data["error"] == pytest.approx(truth.error, rel=1e-12)
    assert data["log_loss"] == pytest.approx(truth.log_loss, rel=1e-12)
    assert data["error_of_the_more_frequent_label"] == pytest.approx(1 - y.value_counts(normalize=True).max())
    confusion = confusion_matrix(y, truth.predictions, labels=sorted(LABELS))
    assert data["metrics"]["confusion_matrix"] == data["confusion_matrix"] == confusion.tolist()
    text = page.read_text()
    assert data["columns"]
    for line in data["columns"]:
        assert f"<li>{html.escape(line)}</li>" in text
    for label, counts in zip(sorted(LABELS), confusion.tolist(), strict=True):
        cells = "".join(f"<td>{n}</td>" for n in counts)
        assert f"<th>&#x27;{label}&#x27;</th>{cells}</tr>" in text
    counted = load_with_extra(files / "mixture.ob")[1]["progress"]
    assert counted["label_weights"] == [float(sum(y == label)) for label in LABELS]
    assert counted["weighted_mistakes"] == truth.losses.sum()


@pytest.mark.parametrize("options", [(), SMALL, ("--booster", "single", "--learner", "naive-bayes", "--weight", "w")])
def test_the_report_of_a_resumed_run_has_the_confusion_matrix(tmp_path, options):
    """Whatever had been seen: nothing, one label, two of them, or a file that is older than the counts."""
    path, model, page, told = (tmp_path / name for name in ("s.csv", "m.ob", "r.html", "r.json"))
    write_csv(path, _rows(130))
    read = ("--label", "kind", *options)
    assert run("run", path, *read, "--json", told) == 0
    expected = json.loads(told.read_text())["metrics"]["confusion_matrix"]
    assert sum(map(sum, expected)) > 100
    for count in (1, 21, 40, 61, 130):
        write_csv(path, _rows(count))
        assert run("train", path, *read, "--model", model, "--resume", "--json", told, "--html", page) == 0
    found = json.loads(told.read_text())
    assert found["metrics"] is None, "of its own part alone"
    np.testing.assert_allclose(found["confusion_matrix"], expected, rtol=1e-12)
    assert "<h2>Confusion matrix</h2>" in page.read_text()

    machine, _, extra = load_machine(model)
    del extra["progress"]["confusions"]
    model.write_bytes(to_bytes(machine, extra))
    assert run("train", path, *read, "--model", model, "--resume", "--json", told, "--html", page) == 0
    assert json.loads(told.read_text())["confusion_matrix"] is None
    assert "<h2>Confusion matrix</h2>" not in page.read_text()


def test_evaluate_counts_by_label(files, capsys):
    X, y = _frame(files / "s.csv")
    model, path = onlineboost.load(files / "osboost.ob"), files / "s.csv"
    assert run("evaluate", files / "osboost.ob", path, "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["confusion"] == confusion_matrix(y, model.predict(X), labels=sorted(LABELS)).tolist()
    assert found["log_loss"] == pytest.approx(log_loss(y, model.predict_proba(X), labels=sorted(LABELS)), rel=1e-9)
    assert run("evaluate", files / "osboost.ob", path) == 0
    assert "said =elk" in capsys.readouterr().out
    other = write_csv(files / "other.csv", [*_rows(2), {**_rows(1)[0], "kind": "yak"}])
    assert run("evaluate", files / "osboost.ob", other) == 2
    assert "line 4: the model does not know the label 'yak', only '=elk'" in capsys.readouterr().err


def test_inspect_explain_and_certify(files, capsys):
    X, _ = _frame(files / "s.csv")
    for name in ("mixture", "osboost"):
        model, file = onlineboost.load(files / f"{name}.ob"), files / f"{name}.ob"
        assert run("inspect", file, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert found["labels"] == sorted(LABELS)
        assert found["heaviest"][0]["feature"] in {"x", "z"}
        assert run("explain", file) == 0
        assert "%  z" in capsys.readouterr().out
        assert run("explain", file, "--row", files / "s.csv", "--json") == 0
        (one,) = json.loads(capsys.readouterr().out)
        assert list(one["margin"].values()) == model.margin(X[:1])[0].tolist()
        towards = one["towards"]
        assert one["base"][towards] + sum(one["contributions"].values()) == pytest.approx(one["margin"][towards])
    assert run("certify", files / "osboost.ob", "--json") == 0
    assert json.loads(capsys.readouterr().out)["certified_error"] == model.certificate().certified_error.tolist()


def test_convert_keeps_the_labels(files, tmp_path, capsys):
    assert run("convert", files / "s.csv", "--label", "kind", tmp_path / "s.jsonl") == 0
    lines = [json.loads(line)["kind"] for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert lines == [row["kind"] for row in _rows(200)]
    assert run("convert", files / "s.csv", "--label", "kind", tmp_path / "s.libsvm") == 2
    assert "--positive" in capsys.readouterr().err
