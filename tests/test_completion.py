"""The completion script, run by bash itself."""

import shutil
import subprocess

import pytest
from cli_streams import run


@pytest.fixture
def script(capsys):
    assert run("completion", "bash") == 0
    return capsys.readouterr().out


def _complete(script, *words, folder=None):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    listed = " ".join(f"'{word}'" for word in words)
    asked = f'COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _onlineboost; printf "%s\\n" "${{COMPREPLY[@]}}"'
    order = [bash, "--norc", "-eu", "-c", f"{script}\n{asked}"]
    return subprocess.run(order, capture_output=True, text=True, check=True, cwd=folder).stdout.split()


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (["onlineboost", "tr"], {"train"}),
        (["onlineboost", ""], {"run", "train", "predict", "evaluate", "convert", "inspect", "reproduce", "--help"}),
        (["onlineboost", "train", "--check"], {"--checkpoint"}),
        (
            ["onlineboost", "run", "s.csv", "--booster", ""],
            {"osboost", "ozaboost", "gradient-boost", "ogboost", "single"},
        ),
        (["onlineboost", "run", "--learner", "na"], {"naive-bayes"}),
        (["onlineboost", "completion", ""], {"bash", "zsh", "fish"}),
        (["onlineboost", "--v"], {"--version"}),
    ],
)
def test_words(script, words, some):
    found = set(_complete(script, *words))
    assert some <= found
    if words[-1]:
        assert found == some


def test_files(script, tmp_path):
    (tmp_path / "clicks.libsvm").touch()
    assert _complete(script, "onlineboost", "run", "cl", folder=tmp_path) == ["clicks.libsvm"]
    assert _complete(script, "onlineboost", "train", "x", "--model", "cl", folder=tmp_path) == ["clicks.libsvm"]


def test_every_option_is_there(script, capsys):
    from onlineboost.cli import parser
    from onlineboost.cli.completion import _commands

    assert run("completion", "fish") == 0
    fish = capsys.readouterr().out
    assert run("completion", "zsh") == 0
    assert capsys.readouterr().out.endswith(script)
    for name, command in _commands(parser()):
        for action in command._actions:
            for flag in action.option_strings:
                if flag.startswith("--"):
                    assert flag in _complete(script, "onlineboost", name, "--")
                    assert f"from {name}' -l {flag[2:]}" in fish
