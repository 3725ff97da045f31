"""`onlineboost run`: what it reports."""

import itertools
import json

import pytest
from command_line import libsvm_lines, read_libsvm, run, write_csv

from onlineboost import (
    OSBoostClassifier,
    Perceptron,
)

pytestmark = pytest.mark.quick


def test_run_reports_as_text_json_and_page(stream, tmp_path, capsys):
    page, data = tmp_path / "r.html", tmp_path / "r.json"
    assert run("run", stream, "--n-learners", 5, "--json", data, "--html", page) == 0
    said = capsys.readouterr().out
    found = json.loads(data.read_text())
    assert f"{found['error']:.4f}"[1:] in said
    model, mistakes = OSBoostClassifier(Perceptron(), 5, random_state=0), 0
    for x, y in read_libsvm(stream.read_text().splitlines()):
        mistakes += len(getattr(model, "classes_", ())) == 2 and model.predict_one(x) != y
        model.learn_one(x, y)
    unsure = 10 / 600  # the few before the second label came
    assert mistakes / 600 <= found["error"] <= mistakes / 600 + unsure
    assert found["curve"]["examples"][-1] == 600
    assert found["certificate"].startswith("After 600 examples")
    html = page.read_text()
    assert "<polyline" in html
    assert "http" not in html.replace("http-equiv", "")
    assert run("run", stream, "--n-learners", 5, "--booster", "ogboost", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["certificate"] is None


def test_run_escapes_what_a_page_shows(tmp_path):
    path = write_csv(tmp_path / "<b>.csv", [{"label": "<script>" if k % 2 else "no", "a": k} for k in range(20)])
    assert run("run", path, "--html", tmp_path / "r.html", "--booster", "osboost", "--param", "fading=5") == 0
    html = (tmp_path / "r.html").read_text()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_one_label_and_no_examples_are_reported(tmp_path, capsys):
    path = tmp_path / "s.libsvm"
    path.write_text("1 1:1\n1 2:1\n")
    assert run("run", path, "--html", tmp_path / "r.html") == 0
    assert "the only one so far" in capsys.readouterr().out
    path.write_text("")
    assert run("run", path, "--html", tmp_path / "r.html", "--json", tmp_path / "r.json") == 0
    assert "no examples" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["error"] is None


def test_run_reports_what_was_seen_before_an_error(tmp_path, capsys):
    path = tmp_path / "s.libsvm"
    path.write_text("\n".join([*libsvm_lines(30), "0.5 1:1"]) + "\n")
    assert run("run", path, "--n-learners", 2) == 2
    said = capsys.readouterr()
    assert "30 examples" in said.out
    assert "not a whole number" in said.err


def test_run_says_what_it_is_worse_than_and_what_to_try(tmp_path, capsys):
    """Labels that repeat the one before, and a column that tells nothing."""
    rows = [{"label": "ab"[k // 150 % 2], "a": (k * 7919) % 13} for k in range(1500)]
    path = write_csv(tmp_path / "s.csv", rows)
    assert run("run", path, "--learner", "perceptron", "--json", tmp_path / "r.json") == 0
    text = capsys.readouterr().out
    assert "Worse than saying the label before (.00" in text.replace("0.00", ".00")
    assert "the default, without --booster and --learner" in " ".join(text.split())
    assert "curve      " in text
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["metrics"]["no_change_error"] == pytest.approx(10 / 1500)
    assert [row["examples"] for row in data["windows"]] == [1000, 1500]
    assert data["importances"] == {"a": 1.0}


def test_run_without_options_is_the_mixture_and_its_metrics_do_not_depend_on_batches(tmp_path, capsys):
    rows = [{"label": "no" if k < 40 or k % 3 else "yes", "a": k % 3, "b": k % 7} for k in range(300)]
    found = []
    for cuts in ([0, 300], [0, 1, 7, 39, 150, 300]):
        paths = [write_csv(tmp_path / f"{b}.csv", rows[a:b]) for a, b in itertools.pairwise(cuts)]
        assert run("run", *paths, "--json", tmp_path / "r.json") == 0
        assert "OnlineBoost, a mixture of" in capsys.readouterr().out
        found.append(json.loads((tmp_path / "r.json").read_text())["metrics"])
    assert found[0] == found[1]
    assert found[0]["error"] <= found[0]["majority_error"]
