"""`onlineboost train` and `run`: the model is the library's own, whatever happens on the way."""

import array
import bz2
import fcntl
import gzip
import io
import itertools
import json
import lzma
import signal
import subprocess
import sys
import termios
import time

import pytest
from command_line import libsvm_lines, run, table_rows, write_csv
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
from onlineboost.cli.session import Session
from onlineboost.persistence import load_with_extra

pytestmark = pytest.mark.quick


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "s.libsvm"
    path.write_text("\n".join(libsvm_lines(600)) + "\n")
    return path


def _dicts(lines):
    for line in lines:
        label, *cells = line.split()
        yield {int(c.split(":")[0]): float(c.split(":")[1]) for c in cells}, int(label)


def _learned(model, lines):
    for x, y in _dicts(lines):
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


@pytest.mark.parametrize("every", ["7", "599", "0.00001s"])
def test_checkpoints_change_nothing(stream, tmp_path, every):
    assert run("train", stream, "--n-learners", 5, "--model", tmp_path / "a.ob") == 0
    assert run("train", stream, "--n-learners", 5, "--model", tmp_path / "b.ob", "--checkpoint", every) == 0
    assert (tmp_path / "a.ob").read_bytes() == (tmp_path / "b.ob").read_bytes()
    assert (tmp_path / "b.ob.1").exists()
    assert not (tmp_path / "b.ob.lock").exists()


@pytest.mark.parametrize("kind", ["libsvm", "csv", "jsonl", "parquet"])
def test_resume_after_each_stop_gives_the_same_bytes(tmp_path, kind, capsys):
    """The stream ends early at every kind of place; what was saved goes on with the rest."""
    rows = table_rows(400)
    whole, part = tmp_path / f"whole.{kind}", tmp_path / f"part.{kind}"
    options = ["--n-learners", 4, "--checkpoint", 50]

    def write(path, many):
        if kind == "libsvm":
            path.write_text("\n".join(libsvm_lines(400)[:many]) + "\n")
        elif kind == "csv":
            write_csv(path, rows[:many])
        elif kind == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows[:many]))
        else:
            pa = pytest.importorskip("pyarrow")
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist(rows[:many]), path, row_group_size=64)

    if kind != "libsvm":
        options += ["--label", "spam", "--text", "body:6", "--weight", "w", "--ignore", "age"]
    write(whole, 400)
    assert run("train", whole, *options, "--model", tmp_path / "a.ob") == 0
    truth = (tmp_path / "a.ob").read_bytes()
    if kind == "parquet":  # another number of rows is another file from its first bytes on
        assert run("train", whole, *options, "--model", tmp_path / "a.ob", "--resume") == 0
        assert (tmp_path / "a.ob").read_bytes() == truth
        return
    for many in (1, 63, 399):
        write(part, many)
        for path in tmp_path.glob("b.ob*"):
            path.unlink()
        assert run("train", part, *options, "--model", tmp_path / "b.ob", "--resume") == 0
        size = part.stat().st_size
        if size < 4096:  # a short input is known by all of it
            assert whole.read_bytes().startswith(part.read_bytes())
        assert run("train", whole, *options, "--model", tmp_path / "b.ob", "--resume") == 0
        assert (tmp_path / "b.ob").read_bytes() == truth
    said = capsys.readouterr().err
    assert "there is no checkpoint" in said
    assert "resuming after 399 examples" in said


def test_resume_on_more_files(tmp_path):
    lines = libsvm_lines(300)
    files = [tmp_path / f"{k}.libsvm" for k in range(3)]
    for k, path in enumerate(files):
        path.write_text("\n".join([*lines[100 * k : 100 * (k + 1)], "malformed"]) + "\n")
    base = ("--n-learners", 3, "--model", tmp_path / "m.ob", "--resume")
    assert run("train", files[0], *base) == 0
    assert run("train", *files[:2], *base) == 0
    assert run("train", *files, *base) == 0
    assert run("train", *files, "--n-learners", 3, "--model", tmp_path / "n.ob") == 0
    assert (tmp_path / "m.ob").read_bytes() == (tmp_path / "n.ob").read_bytes()
    assert load_with_extra(tmp_path / "m.ob")[1]["position"]["bad_before"] == 2
    files[0].write_text("1 1:1\n")
    assert run("train", *files, *base) == 2
    assert run("train", files[1], *base) == 2


@pytest.mark.parametrize("kind", ["libsvm", "csv"])
def test_resumed_again_and_again(tmp_path, kind):
    """An input that grows: each time it is known by its beginning, also where the last time added to it."""
    path, model = tmp_path / f"s.{kind}", tmp_path / "m.ob"
    options = ["--n-learners", 3, *(["--label", "spam"] if kind == "csv" else [])]

    def write(many):
        if kind == "csv":
            write_csv(path, table_rows(400)[:many])
        else:
            path.write_text("\n".join(libsvm_lines(400)[:many]) + "\n")

    for many in (3, 40, 41, 41, 200, 400):
        write(many)
        assert run("train", path, *options, "--model", model, "--resume") == 0
        assert onlineboost.load(model).n_examples_ == many
    assert run("train", path, *options, "--model", tmp_path / "whole.ob") == 0
    assert model.read_bytes() == (tmp_path / "whole.ob").read_bytes()


@pytest.mark.parametrize("rows", [5, 900])
def test_a_finished_checkpoint_knows_its_input(tmp_path, capsys, rows):
    """There is nothing left to learn, and yet another file of the same length is refused; a second time too."""
    path, model = tmp_path / "s.libsvm", tmp_path / "m.ob"
    text = "\n".join(libsvm_lines(rows)) + "\n"
    path.write_text(text)
    base = ("train", path, "--n-learners", 2, "--model", model, "--resume")
    for _ in range(2):
        assert run(*base) == 0
    before = model.read_bytes()
    path.write_text(text.translate(str.maketrans("56", "65")))
    for _ in range(2):
        assert run(*base) == 2
        assert "does not begin as the input of the checkpoint did" in capsys.readouterr().err
    assert model.read_bytes() == before


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


@pytest.mark.parametrize(("most", "code"), [(3, 2), (4, 0)])
@pytest.mark.parametrize("grown", [True, False])
def test_malformed_lines_are_counted_over_resumed_runs(tmp_path, capsys, most, code, grown):
    """Two malformed lines before the run is resumed and two after: in a file that has grown, or in a second file."""
    first, second = libsvm_lines(10), libsvm_lines(10, seed=1)
    parts = [[*lines, "malformed", "malformed"] for lines in (first, second)]
    paths = [tmp_path / "0.libsvm", tmp_path / "1.libsvm"]
    base = ("--n-learners", 2, "--model", tmp_path / "m.ob", "--max-bad", most, "--resume")
    paths[0].write_text("\n".join(parts[0]) + "\n")
    assert run("train", paths[0], *base) == 0
    if grown:
        paths[0].write_text("\n".join([*parts[0], *parts[1]]) + "\n")
    else:
        paths[1].write_text("\n".join(parts[1]) + "\n")
    inputs = paths[:1] if grown else paths
    for _ in range(2):  # what the error left behind is resumed as well
        assert run("train", *inputs, *base) == code
        assert onlineboost.load(tmp_path / "m.ob").n_examples_ == 20
    assert "malformed" in capsys.readouterr().err.splitlines()[-1]


def test_threads_after_resume_are_those_of_the_command(stream, tmp_path, monkeypatch):
    seen, go = [], Session.go

    def watched(self, after_step):
        finished = go(self, after_step)
        seen.append((self.machine.threads, self.machine.engine.core.threads))
        return finished

    monkeypatch.setattr(Session, "go", watched)
    lines = stream.read_text().splitlines()
    for rows, jobs in ((100, 1), (200, 2), (300, 3), (400, None)):
        stream.write_text("\n".join(lines[:rows]) + "\n")
        options = () if jobs is None else ("--param", f"n_jobs={jobs}")
        assert run("train", stream, "--n-learners", 9, "--model", tmp_path / "m.ob", "--resume", *options) == 0
    assert seen == [(1, 1), (2, 2), (3, 3), (1, 1)]
    assert run("train", stream, "--n-learners", 9, "--model", tmp_path / "n.ob") == 0
    assert (tmp_path / "m.ob").read_bytes() == (tmp_path / "n.ob").read_bytes()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (["--gamma", "0.2"], "made with gamma=0.1 and this command has 0.2"),
        (["--learner", "naive-bayes"], "made with learner=Perceptron"),
        (["--param", "learner__init=zero"], "learner__init=random"),
        (["--seed", "5"], "random_state=0"),
        (["--positive", "1"], "other columns (positive"),
        (["--format", "vw"], "made from libsvm and this input is vw"),
    ],
)
def test_resume_with_another_command_is_refused(stream, tmp_path, capsys, change, sentence):
    model = tmp_path / "m.ob"
    assert run("train", stream, "--n-learners", 3, "--model", model) == 0
    before = model.read_bytes()
    capsys.readouterr()
    assert run("train", stream, "--n-learners", 3, "--model", model, "--resume", *change) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert model.read_bytes() == before


def test_resume_of_another_input_is_refused(stream, tmp_path, capsys):
    model = tmp_path / "m.ob"
    assert run("train", stream, "--n-learners", 3, "--model", model) == 0
    before = model.read_bytes()
    stream.write_text("\n".join(libsvm_lines(900, seed=1)) + "\n")
    assert run("train", stream, "--n-learners", 3, "--model", model, "--resume") == 2
    assert "does not begin as the input of the checkpoint did" in capsys.readouterr().err
    stream.write_text("1 1:1\n")
    assert run("train", stream, "--n-learners", 3, "--model", model, "--resume") == 2
    assert "another input" in capsys.readouterr().err
    assert model.read_bytes() == before


def test_damaged_checkpoints(stream, tmp_path, capsys):
    model = tmp_path / "m.ob"
    base = ("train", stream, "--n-learners", 3, "--model", model, "--checkpoint", 100)
    assert run(*base) == 0
    truth = model.read_bytes()
    model.write_bytes(truth[:1000])
    assert run(*base, "--resume") == 0
    assert model.read_bytes() == truth
    assert "m.ob: " in capsys.readouterr().err
    model.write_bytes(truth[:1000])
    (tmp_path / "m.ob.1").write_bytes(b"")
    assert run(*base, "--resume") == 2
    assert "No checkpoint of" in capsys.readouterr().err
    other = onlineboost.from_bytes(truth)
    other.save(model)
    assert run(*base, "--resume") == 2
    assert "not made by `onlineboost train`" in capsys.readouterr().err
    other.save(model, extra={**load_with_extra(model)[1]} if load_with_extra(model)[1] else {"format": "libsvm"})
    assert run(*base, "--resume") == 2


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


def test_run_reports_as_text_json_and_page(stream, tmp_path, capsys):
    page, data = tmp_path / "r.html", tmp_path / "r.json"
    assert run("run", stream, "--n-learners", 5, "--json", data, "--html", page) == 0
    said = capsys.readouterr().out
    found = json.loads(data.read_text())
    assert f"{found['error']:.4f}"[1:] in said
    model, mistakes = OSBoostClassifier(Perceptron(), 5, random_state=0), 0
    for x, y in _dicts(stream.read_text().splitlines()):
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
