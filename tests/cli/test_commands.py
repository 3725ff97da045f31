"""The command line, called in this process: what it prints, writes and returns."""

import os

import pytest

from onlineboost import FTRL, cli, datasets
from onlineboost.boosters import BBM
from onlineboost.cli import reproduce

SMALL = ["--sets", "diabetes", "german", "--trials", "2", "--jobs", "1"]


def test_reproduce_writes_everything(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    out = tmp_path / "out"
    once = ["--sets", "diabetes", "german", "--trials", "1", "--jobs", "1"]
    assert cli.main(["reproduce", *once, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    for number in range(1, 5):
        assert f"Table {number}" in printed
    assert "The paper's claims" in printed
    assert "of 12 cells agree with the paper" in printed
    names = {path.name for path in out.iterdir()}
    assert names == {
        *("results.jsonl", "tables.md", "tables.tex", "tables.csv", "tables.json", "claims.json"),
        *("report.html", "figures"),
    }
    assert "diabetes" in (out / "report.html").read_text(encoding="utf8")
    assert any(path.name.startswith("size-german") for path in (out / "figures").iterdir())


@pytest.mark.parametrize("command", cli.parser()._subparsers._group_actions[0].choices)
def test_help_fits_a_terminal(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_shard_writes_no_tables(tmp_path, capsys):
    assert cli.main(["reproduce", *SMALL, "--no-figures", "--shard", "1/40", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("6 of 204 cells are in")
    assert [path.name for path in tmp_path.iterdir()] == ["results-1-of-40.jsonl"]


def test_embedded_sets_are_taken_where_there_is_no_folder(monkeypatch):
    monkeypatch.delenv("ONLINEBOOST_DATA", raising=False)
    monkeypatch.setenv("ONLINEBOOST_CACHE", os.devnull + "-nothing")
    arguments = cli.parser().parse_args(["reproduce"])
    plan = reproduce.make_plan(arguments)
    assert set(plan.loaded) >= {"breast-cancer", "diabetes", "german", "splice"}
    assert plan.studies[0][0] in {"adult", "splice"}


def test_nothing_found_says_what_to_do(monkeypatch, capsys, tmp_path):
    def missing(name, **_):
        raise datasets.DatasetNotFoundError(f"{name} is nowhere")

    monkeypatch.setattr(datasets, "load", missing)
    assert cli.main(["reproduce", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "onlineboost: none of the data sets was found: give --data DIR or --download\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--sets", "germann"], "german"),
        (["--sets", "diabetes", "--data", "/nowhere/at/all"], "/nowhere/at/all"),
        (["--trials", "0"], "--trials must be at least 1"),
        (["--shard", "3/2"], "for example 2/5"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, capsys, arguments, sentence):
    assert cli.main(["reproduce", "--out", str(tmp_path / "out"), *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_no_permission(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert cli.main(["reproduce", *SMALL, "--out", str(tmp_path / "file" / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_datasets(capsys):
    assert cli.main(["datasets"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name} " in printed for name in datasets.names())


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "stopped; what was finished is kept"),
        (OSError(28, "No space left on device", "out/tables.md"), 2, "out/tables.md: No space left on device"),
        (PermissionError(13, "Permission denied"), 2, "Permission denied"),
        (ValueError("two\n  lines"), 2, "two lines"),
    ],
)
def test_errors_end_in_a_sentence(monkeypatch, capsys, error, code, said):
    def fail(_):
        raise error

    monkeypatch.setattr(datasets, "status", fail)
    assert cli.main(["datasets"]) == code
    assert said in capsys.readouterr().err


def test_missing_extra(monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "NEEDS", ("no_such_package",))
    assert cli.main(["reproduce"]) == 2
    assert 'pip install "onlineboost[experiments]"' in capsys.readouterr().err


def test_parameters_with_their_ranges(capsys):
    """From the declarations: every parameter that `--param` takes, and how it is written."""
    with pytest.raises(SystemExit) as end:
        cli.main(["run", "none.csv", "--booster", "bbm", "--learner", "ftrl", "--param", "help"])
    said = capsys.readouterr().out
    assert end.value.code == 0
    assert "edge: float in (0, 0.5) (default 0.1)" in said
    assert "learner__l1: float in [0, 1e+06] (default 0.0)" in said
    named = [line.split(":")[0] for line in said.splitlines() if not line.startswith(" ")]
    wanted = {*BBM.parameters} - {
        "learner",
        "shuffle",
        "n_passes",
        "random_state",
        "schema",
        "missing_columns",
        "verbose",
    }
    assert {*named} == wanted | {f"learner__{name}" for name in FTRL.parameters}
