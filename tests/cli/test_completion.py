"""The completion scripts, run by the shells themselves."""

import os
import shutil
import subprocess
import sys

import pytest
from command_line import run

from onlineboost.cli import parser

pytest.importorskip("argcomplete")


@pytest.fixture
def ask(capsys, tmp_path):
    """What a shell answers that has read its own script, in a folder with one file."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "onlineboost"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m onlineboost \"$@\"\n")
    program.chmod(0o755)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "clicks.libsvm").touch()

    def answer(shell, question, *order):
        path = shutil.which(shell)
        if path is None:
            pytest.skip(f"there is no {shell}")
        assert run("completion", shell) == 0
        script = tmp_path / "script"
        script.write_text(capsys.readouterr().out)
        done = subprocess.run(
            [path, *order, question.format(script=script, dump=tmp_path / "dump")],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path / "here",
            env=os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        )
        assert done.stderr == ""
        return {line.split("\t")[0].strip() for line in done.stdout.splitlines()}

    return answer


def bash(line):
    return (
        f"source {{script}}; COMP_TYPE=9; COMP_LINE='{line}'; COMP_POINT={len(line)}; "
        '_python_argcomplete onlineboost; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("onlineboost tr", {"train"}),
        ("onlineboost ", {"run", "train", "predict", "evaluate", "convert", "inspect", "reproduce", "--help"}),
        ("onlineboost run s.csv --booster ", {"osboost", "ozaboost", "gradient-boost", "ogboost", "single"}),
        ("onlineboost run --learner na", {"naive-bayes"}),
        ("onlineboost train x --model cl", {"clicks.libsvm"}),
    ],
)
def test_bash(ask, line, some):
    found = ask("bash", bash(line), "--norc", "-c")
    assert some <= found
    if not line.endswith(" "):
        assert found == some


def test_zsh(ask):
    question = "autoload -Uz compinit; compinit -u -d {dump}; source {script}; print -l -- $_comps[onlineboost]"
    assert ask("zsh", question, "-f", "-c") == {"_python_argcomplete"}


def test_fish(ask):
    question = "source {script}; complete -C 'onlineboost train --booster o'"
    assert ask("fish", question, "--no-config", "-c") == {"ogboost", "osboost", "ozaboost"}


def _words(line, found):
    settings = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(found), "_ARGCOMPLETE_IFS": "\n"}
    settings |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    found.touch()
    subprocess.run([sys.executable, "-m", "onlineboost"], check=True, env=os.environ | settings)
    return {word.strip() for word in found.read_text().split("\n")}


@pytest.mark.parametrize("command", ["run", "train", "convert", "reproduce"])
def test_every_option_is_there(command, tmp_path, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    flags = {word.strip(",[]") for word in capsys.readouterr().out.split() if word.startswith(("--", "[--"))}
    assert len(flags) > 5
    assert flags <= _words(f"onlineboost {command} --", tmp_path / "found")


def test_without_argcomplete(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    assert run("completion", "bash") == 2
    assert capsys.readouterr().err == (
        'onlineboost: Completion needs argcomplete: pip install "onlineboost[completion]".\n'
    )
