"""The completion script, run by bash itself."""

import shutil
import subprocess

import pytest
from command_line import run


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


def _ask(shell, kind, capsys, tmp_path, question):
    """What a shell answers that has read its own script."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"there is no {shell}")
    assert run("completion", shell) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    order = [path, *kind, question.format(script=tmp_path / "script", dump=tmp_path / "dump")]
    done = subprocess.run(order, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stderr == ""
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


def test_zsh(capsys, tmp_path):
    # bashcompinit calls the function like this, with arrays that begin at 0, and looks for what fits afterwards.
    question = (
        "autoload -Uz compinit; compinit -u -d {dump}; source {script}; setopt ksh_arrays sh_word_split; "
        "COMP_WORDS=(onlineboost train --booster o); COMP_CWORD=3; _onlineboost; print -l -- ${{COMPREPLY[@]}}"
    )
    assert _ask("zsh", ["-f", "-c"], capsys, tmp_path, question) >= {"ogboost", "osboost", "ozaboost"}


def test_fish(capsys, tmp_path):
    question = "source {script}; complete -C 'onlineboost train --booster o'"
    assert _ask("fish", ["--no-config", "-c"], capsys, tmp_path, question) == {"ogboost", "osboost", "ozaboost"}
