"""`onlineboost inspect` and `onlineboost certify` on files that models were saved to."""

from __future__ import annotations

import json
import sys

import pytest
from table import each_native_pair, make, stream

from onlineboost import cli

X, Y = stream(60)
NOT_TOLD = {
    "neighbours",
    "LastLabel",
    "repeats",
    "bayes-typed",
    "fourier",
    "subsets",
    "scaled",
    "scaled-maxabs",
}  # which features weigh most
EXTRA = {
    "schema": {"label": "y"},
    "position": {"bytes": 4321, "rows": 61, "bad": 1},
    "progress": {"examples": 60, "mistakes": 15, "weight": 30.0, "weighted_mistakes": 6.0},
}


@pytest.fixture
def saved(tmp_path):
    def save(model, extra=None):
        model.save(tmp_path / "m.ob", extra)
        return str(tmp_path / "m.ob")

    return save


@each_native_pair
def test_inspect_every_model(booster, learner, saved, capsys):
    path = saved(make(booster, learner).fit(X, Y), EXTRA)
    assert cli.main(["inspect", path]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines()[1:])) <= 80
    assert "60 examples" in text
    assert "61 rows, 1 bad, 4,321 bytes" in text
    assert "0.2000 so far" in text
    told = learner not in NOT_TOLD and booster != "iboost"
    assert ("  column " in text) == told  # a tree need not test every column
    assert ("Certificate" in text) == (booster in {"osboost", "ocp", "eg", "experts"})
    assert cli.main(["inspect", path, "--json", "--features", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_examples"] == 60
    assert found["error"] == 0.2
    assert found["labels"] == [0, 1]
    assert len(found["heaviest"]) == (2 if told else 0)
    assert (found["heaviest_are"] is not None) == told
    assert (found["certificate"] is None) == (booster not in {"osboost", "ocp", "eg", "experts"})


def test_inspect_names_and_what_they_may_hide(saved, capsys):
    model = make("osboost", "bayes-auto")
    for k in range(20):
        model.learn_one(
            {"word=free": 1.0, "\x1b[31mred" * 40: float(k % 2), f"w{k % 3}": 1.0}, "spam" if k % 3 else "ham"
        )
    path = saved(model)
    assert cli.main(["inspect", path]) == 0
    text = capsys.readouterr().out
    assert "w0" in text
    assert "towards ham" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("progress", "error"),
    [
        (None, None),
        ([], None),
        ({"examples": 0, "mistakes": 0}, None),
        ({"examples": 4, "mistakes": 1}, 0.25),
        ({"examples": "4"}, None),
    ],
)
def test_the_error_so_far(progress, error, saved, capsys):
    assert cli.main(["inspect", saved(make("osboost").fit(X, Y), {"progress": progress}), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] == error


@pytest.mark.parametrize("extra", [None, [1], "text", {"position": 3, "progress": 4}])
def test_any_extra_will_do(extra, saved, capsys):
    assert cli.main(["inspect", saved(make("osboost").fit(X, Y), extra)]) == 0
    assert "tested before it was learned" not in capsys.readouterr().out


def test_inspect_a_model_that_has_learned_nothing(saved, capsys):
    assert cli.main(["inspect", saved(make("osboost"))]) == 0
    assert "nothing yet" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["inspect", "certify"])
def test_what_is_no_model_gets_a_sentence(command, tmp_path, capsys):
    (tmp_path / "x.ob").write_bytes(b"hello")
    assert cli.main([command, str(tmp_path / "x.ob")]) == 2
    assert capsys.readouterr().err.startswith(f"onlineboost: {tmp_path / 'x.ob'}: Not a model file")
    assert cli.main([command, str(tmp_path / "absent.ob")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_certify(saved, capsys, tmp_path):
    model = make("ocp", fading=20).fit(X, Y)
    path = saved(model)
    assert cli.main(["certify", path]) == 0
    text = capsys.readouterr().out
    assert " ".join(text.split()) == " ".join(model.certificate().summary().split())
    assert max(map(len, text.splitlines())) <= 80
    assert cli.main(["certify", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == model.certificate().to_dict()
    assert cli.main(["certify", path, "--faded", "--plot", str(tmp_path / "c.png")]) == 0
    assert "halving every 20" in capsys.readouterr().out
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_certify_without_matplotlib(saved, capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["certify", saved(make("osboost").fit(X, Y)), "--plot", str(tmp_path / "c.png")]) == 2
    assert 'pip install "onlineboost[plot]"' in capsys.readouterr().err


@pytest.mark.parametrize("booster", ["ozaboost", "ogboost", "bbm", "adaboost-ol", "defensive", "single"])
def test_models_without_a_certificate(booster, saved, capsys):
    assert cli.main(["certify", saved(make(booster).fit(X, Y))]) == 2
    assert "there is no certificate for" in capsys.readouterr().err


def test_certify_a_model_that_has_learned_nothing_or_does_not_fade(saved, capsys):
    assert cli.main(["certify", saved(make("osboost"))]) == 2
    assert "has learned nothing yet" in capsys.readouterr().err
    assert cli.main(["certify", saved(make("osboost").fit(X, Y)), "--faded"]) == 2
    assert "keeps no fading sums" in capsys.readouterr().err
