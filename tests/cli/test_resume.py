"""Checkpoints and `--resume`: the bytes of one run, or a sentence."""

import json

import pytest
from command_line import libsvm_lines, run, table_rows, write_csv

import onlineboost
from onlineboost.cli.session import Session
from onlineboost.persistence import load_with_extra

pytestmark = pytest.mark.quick


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
