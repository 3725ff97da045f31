"""`onlineboost train` and `run`: the model is the library's own, whatever happens on the way."""

import array
import bz2
import fcntl
import gzip
import io
import json
import lzma
import signal
import subprocess
import sys
import termios
import time

import pytest
from command_line import libsvm_lines, read_libsvm, run
from sklearn.base import clone

import onlineboost
from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    GradientBoostClassifier,
    HoeffdingTree,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RegressionTree,
)
from onlineboost.persistence import load_with_extra

pytestmark = pytest.mark.quick


def _learned(model, lines):
    for x, y in read_libsvm(lines):
        model.learn_one(x, y)
    return model


def _as_file(model, tmp_path, name="truth.ob"):
    model.save(tmp_path / name, extra=load_with_extra(tmp_path / "m.ob")[1])
    return (tmp_path / name).read_bytes()


def test_model_is_that_of_learn_one(stream, tmp_path, capsys):
    options = ("--booster", "ozaboost", "--learner", "perceptron", "--n-learners", 9, "--seed", 3)
    assert run("train", stream, *options, "--param", "update=weight", "--model", tmp_path / "m.ob") == 0
    truth = _learned(
        OzaBoostClassifier(Perceptron(), 9, update="weight", random_state=3), stream.read_text().splitlines()
    )
    assert _as_file(truth, tmp_path) == (tmp_path / "m.ob").read_bytes()
    said = capsys.readouterr()
    assert "OzaBoost over 9 × Perceptron, 600 examples" in said.out
    assert said.err == ""
    assert all(len(line) <= 80 for line in said.out.splitlines()[:-1])


@pytest.mark.parametrize(
    ("options", "truth", "said"),
    [
        (("--vote", "eg", "--n-learners", 4), OSBoostClassifier(Perceptron(), 4, vote="eg"), "OSBoost over 4 × "),
        (("--booster", "bbm", "--param", "edge=0.2"), BBMClassifier(Perceptron(), edge=0.2), "BBM over 100 × "),
        (
            ("--booster", "adaboost-ol", "--n-learners", 4, "--param", "update=sample"),
            AdaBoostOLClassifier(Perceptron(), 4, update="sample"),
            "AdaBoostOL over 4 × ",
        ),
        (("--booster", "defensive"), DefensiveClassifier(Perceptron()), "Defensive over "),
    ],
)
def test_boosters_by_their_names(options, truth, said, stream, tmp_path, capsys):
    assert run("train", stream, *options, "--seed", 3, "--model", tmp_path / "m.ob") == 0
    truth = _learned(clone(truth).set_params(random_state=3), stream.read_text().splitlines())
    assert _as_file(truth, tmp_path) == (tmp_path / "m.ob").read_bytes()
    assert f"{said}Perceptron, 600 examples" in capsys.readouterr().out


def test_gradient_boosting_by_its_name(stream, tmp_path):
    options = ("--booster", "gradient-boost", "--learner", "regression-tree", "--n-learners", 3, "--seed", 3)
    assert run("train", stream, *options, "--param", "learning_rate=0.5", "--model", tmp_path / "m.ob") == 0
    truth = GradientBoostClassifier(RegressionTree(), 3, learning_rate=0.5, random_state=3)
    truth = _learned(truth, stream.read_text().splitlines())
    assert _as_file(truth, tmp_path) == (tmp_path / "m.ob").read_bytes()


def test_trees_by_their_name(stream, tmp_path):
    options = ("--learner", "hoeffding-tree", "--param", "learner__grace_period=20", "--n-learners", 3, "--seed", 3)
    assert run("train", stream, *options, "--model", tmp_path / "m.ob") == 0
    truth = OSBoostClassifier(HoeffdingTree(grace_period=20), 3, random_state=3)
    truth = _learned(truth, stream.read_text().splitlines())
    assert _as_file(truth, tmp_path) == (tmp_path / "m.ob").read_bytes()


@pytest.mark.parametrize(
    ("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_several_files_compressed_or_not_are_one_stream(tmp_path, ending, pack):
    lines = libsvm_lines(500)
    parts = []
    for k, cut in enumerate((slice(0, 120), slice(120, 121), slice(121, 500))):
        parts.append(tmp_path / f"{k}.libsvm{ending}")
        parts[-1].write_bytes(pack(("\n".join(lines[cut]) + "\n").encode()))
    assert run("train", *parts, "--n-learners", 5, "--model", tmp_path / "m.ob") == 0
    truth = _learned(OSBoostClassifier(Perceptron(), 5, random_state=0), lines)
    assert _as_file(truth, tmp_path) == (tmp_path / "m.ob").read_bytes()


@pytest.mark.parametrize(("most", "code"), [(3, 2), (4, 0)])
def test_malformed_lines_are_counted_over_all_inputs(tmp_path, capsys, most, code):
    lines = libsvm_lines(20)
    for k in range(2):
        (tmp_path / f"{k}.libsvm").write_text(
            "\n".join([*lines[10 * k : 10 * k + 10], "malformed", "malformed"]) + "\n"
        )
    inputs = [tmp_path / f"{k}.libsvm" for k in range(2)]
    assert run("train", *inputs, "--n-learners", 2, "--model", tmp_path / "m.ob", "--max-bad", most) == code
    capsys.readouterr()
    assert onlineboost.load(tmp_path / "m.ob").n_examples_ == 20


def test_wrong_label_is_named_and_what_came_before_is_saved(tmp_path, capsys):
    lines = libsvm_lines(250)
    path, model = tmp_path / "s.libsvm", tmp_path / "m.ob"
    path.write_text("\n".join([*lines[:200], "0.5 1:1", *lines[200:]]) + "\n")
    base = ("train", path, "--n-learners", 4, "--model", model)
    assert run(*base) == 2
    said = capsys.readouterr().err
    assert "line 201: the label 0.5 is not a whole number" in said
    assert "200 examples" in said
    assert (
        _as_file(_learned(OSBoostClassifier(Perceptron(), 4, random_state=0), lines[:200]), tmp_path)
        == model.read_bytes()
    )
    assert run(*base, "--resume") == 2  # nothing was fixed
    path.write_text("\n".join([*lines[:200], "1 1:1", *lines[200:]]) + "\n")
    assert run(*base, "--resume") == 0
    truth = _learned(OSBoostClassifier(Perceptron(), 4, random_state=0), [*lines[:200], "1 1:1", *lines[200:]])
    assert _as_file(truth, tmp_path) == model.read_bytes()


@pytest.mark.parametrize(("label", "sentence"), [("x", "all numbers or all texts"), ("2.5", "not a whole number")])
def test_labels_of_another_kind(tmp_path, capsys, label, sentence):
    path = tmp_path / "s.csv"
    path.write_text("label,a\n1,2\n1,3\n" + f"{label},1\n0,1\n")
    assert run("train", path, "--model", tmp_path / "m.ob") == 2
    said = capsys.readouterr().err
    assert f"line 4: the label {label!r}" in said.replace("2.5", repr(label)) or f"line 4: the label {label}" in said
    assert sentence in said
    assert onlineboost.load(tmp_path / "m.ob").n_examples_ == 2


def test_malformed_lines_are_shown_then_counted(tmp_path, capsys):
    path, model = tmp_path / "s.libsvm", tmp_path / "m.ob"
    lines = libsvm_lines(50)
    path.write_text("\n".join([*lines[:20], *["1 x:1"] * 9, *lines[20:]]) + "\n")
    assert run("train", path, "--n-learners", 2, "--model", model) == 0
    said = capsys.readouterr().err
    assert [f"line {n}" in said for n in (20, 21, 25, 26)] == [False, True, True, False]
    assert "there are more malformed lines" in said
    assert "9 malformed lines were skipped" in said
    assert run("train", path, "--n-learners", 2, "--model", model, "--max-bad", 9) == 0
    capsys.readouterr()
    for options in (["--max-bad", 3], ["--strict"]):
        model.unlink()
        assert run("train", path, "--n-learners", 2, "--model", model, *options) == 2
        said = capsys.readouterr().err
        assert "20 examples, is saved in" in said
        assert onlineboost.load(model).n_examples_ == 20


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--gamma", "0.9"], "gamma must be"),
        (["--booster", "single", "--n-learners", "3"], "--n-learners is not a parameter of single"),
        (["--param", "nonsense=1"], "write NAME=VALUE; mixture has"),
        (["--gamma", "0.2", "--param", "nonsense=1"], "write NAME=VALUE; osboost has"),
        (["--param", "learner__alpha=1"], "perceptron has learner__init, learner__intercept"),
        (["--checkpoint", "often"], "--checkpoint often: write a time"),
        (["--checkpoint", "0"], "--checkpoint 0"),
        (["--hash", "x"], "--hash x: write the column"),
        (["--seed", "-1"], "--seed must be"),
        (["--max-bad", "-1"], "--max-bad must be"),
        (["--weight", "w"], "has no columns"),
        (["--model", "no/such/folder/m.ob"], "There is no folder"),
        (["--model", "."], "is a folder"),
    ],
)
def test_bad_options_get_one_sentence(stream, tmp_path, capsys, arguments, sentence):
    model = [] if "--model" in arguments else ["--model", tmp_path / "m.ob"]
    assert run("train", stream, *model, *arguments) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "m.ob").exists()


def test_inputs_that_cannot_be(tmp_path, capsys):
    model = tmp_path / "m.ob"
    (tmp_path / "empty.csv").write_text("label,a\n")
    for inputs, sentence in [
        (["none.libsvm"], "There is no file"),
        (["s.what"], "cannot be told by its name"),
        (["-"], "give --format"),
        (["a.csv", "b.libsvm"], "give files of one format"),
        (["-", "-", "--format", "csv"], "only once"),
        ([tmp_path / "empty.csv"], "no examples"),
    ]:
        assert run("train", *inputs, "--model", model) == 2
        assert sentence in capsys.readouterr().err


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals(stream, monkeypatch):
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert run("run", stream, "--n-learners", 2) == 0
    drawn = screen.getvalue()
    assert "examples, error ." in drawn
    assert drawn.endswith("\r\x1b[K")
    assert all(len(line.replace("\x1b[K", "")) < 80 for line in drawn.split("\r"))


def wait_until_read(pipe):
    """Until the process has taken everything, and a little longer."""
    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.05)
        fcntl.ioctl(pipe, termios.FIONREAD, left)
    time.sleep(0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number"), [("train", signal.SIGINT), ("train", signal.SIGTERM), ("run", signal.SIGINT)]
)
def test_signals_end_a_run_with_everything_saved(tmp_path, number, command):
    model = tmp_path / "m.ob"
    options = ["--model", str(model)] if command == "train" else ["--json", str(tmp_path / "r.json")]
    order = [sys.executable, "-m", "onlineboost", command, "-", "--format", "libsvm", "--n-learners", "3", *options]
    process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = libsvm_lines(40)
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    wait_until_read(process.stdin)
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    if command == "run":
        assert "stopped" in err
        assert json.loads((tmp_path / "r.json").read_text())["examples"] == 40
        assert "40 examples" in out
        return
    assert "stopped after 40 examples; they are saved in" in err
    source = tmp_path / "s.libsvm"
    source.write_text("\n".join(libsvm_lines(40) + libsvm_lines(20, seed=9)) + "\n")
    assert run("train", source, "--n-learners", 3, "--model", model, "--resume") == 0
    assert run("train", source, "--n-learners", 3, "--model", tmp_path / "n.ob") == 0
    assert model.read_bytes() == (tmp_path / "n.ob").read_bytes()


def test_the_program_does_without_scikit_learn(stream, tmp_path):
    """And its model is, bit for bit, that of a process with it."""
    code = (
        "import sys; from onlineboost.cli import program; sys.argv[0] = 'onlineboost'; code = program();"
        "print(code, 'sklearn' in sys.modules, 'scipy' in sys.modules)"
    )
    for booster in ("osboost", "ozaboost"):
        options = ["train", str(stream), "--booster", booster, "--learner", "naive-bayes", "--model"]
        order = [sys.executable, "-c", code, *options, str(tmp_path / "a.ob")]
        done = subprocess.run(order, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "0 False False", done.stderr
        assert run(*options, tmp_path / "b.ob") == 0
        assert (tmp_path / "a.ob").read_bytes() == (tmp_path / "b.ob").read_bytes()
