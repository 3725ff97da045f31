"""`onlineboost explain`: of a model, and of examples in a file."""

import json

import pytest

import onlineboost
from onlineboost import cli

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    lines = [f"{k % 3},{'free' if k % 2 else 'noon'},{'yes' if k % 2 else 'no'}" for k in range(90)]
    (folder / "mail.csv").write_text("\n".join(["links,word,spam", *lines]) + "\n")
    (folder / "new.csv").write_text("links,word\n1,free\n2,noon\n")
    model = str(folder / "m.ob")
    assert (
        cli.main(["train", str(folder / "mail.csv"), "--label", "spam", "--booster", "mixture", "--model", model]) == 0
    )
    return model, str(folder / "new.csv")


def test_of_an_example(files, capsys, tmp_path):
    model, new = files
    assert cli.main(["explain", model, "--row", new, "--plot", str(tmp_path / "e.svg")]) == 0
    text = capsys.readouterr().out
    assert text.startswith("line 2: margin +")
    assert "word=free = 1" in text
    assert (tmp_path / "e.svg").exists()
    assert cli.main(["explain", model, "--row", new, "--count", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["line"] for one in found] == [2, 3]
    for one, x in zip(found, ({"links": 1, "word=free": 1}, {"links": 2, "word=noon": 1}), strict=True):
        assert one["base"] + sum(one["contributions"].values()) == pytest.approx(one["margin"], abs=1e-9)
        assert one["margin"] == onlineboost.load(model).explain(x).margin
        assert sum(family["share"] for family in one["families"].values()) == pytest.approx(1)


def test_of_a_model(files, capsys, tmp_path):
    model, _ = files
    assert cli.main(["explain", model]) == 0
    text = capsys.readouterr().out
    assert "word=" in text
    assert "onlineboost certify" in text
    assert cli.main(["explain", model, "--json"]) == 0
    assert sum(json.loads(capsys.readouterr().out)["importances"].values()) == pytest.approx(1)
    assert cli.main(["explain", model, "--plot", str(tmp_path / "x.png")]) == 2
    assert "name one with --row FILE" in capsys.readouterr().err
    (tmp_path / "empty.csv").write_text("links,word\n")
    assert cli.main(["explain", model, "--row", str(tmp_path / "empty.csv")]) == 2
    assert "nothing to explain" in capsys.readouterr().err
