"""Faults of `onlineboost train` that can be staged within one process: no room, a rival, signals."""

import errno
import os
import signal

import pytest
from command_line import libsvm_lines, run

import onlineboost
from onlineboost.cli import model_file, train
from onlineboost.cli.score import Score

pytestmark = pytest.mark.quick


def _train(stream, tmp_path, *more):
    return run("train", stream, "--n-learners", 3, "--model", tmp_path / "m.ob", *more)


def _no_room(_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_room_leaves_everything_as_it_was(stream, tmp_path, capsys, monkeypatch):
    assert _train(stream, tmp_path, "--checkpoint", 100) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr(model_file.os, "fsync", _no_room)
        assert _train(stream, tmp_path, "--checkpoint", 200, "--seed", 5) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.count("no checkpoint: ") for line in said] == [1, 1, 1, 0]
    assert "No space left on device" in said[-1]
    assert "has the last checkpoint" in said[-1]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_room_after_an_error_tells_the_error(stream, tmp_path, capsys, monkeypatch):
    stream.write_text(stream.read_text() + "0.5 1:1\n")
    monkeypatch.setattr(model_file.os, "fsync", _no_room)
    assert _train(stream, tmp_path) == 2
    said = capsys.readouterr().err.splitlines()
    assert "no checkpoint" in said[0]
    assert "not a whole number" in said[1]
    assert "saved" not in said[1]
    assert not (tmp_path / "m.ob").exists()


def test_a_file_system_without_links(stream, tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links")

    assert _train(stream, tmp_path) == 0
    truth = (tmp_path / "m.ob").read_bytes()
    monkeypatch.setattr(model_file.os, "link", no_links)
    assert _train(stream, tmp_path, "--checkpoint", 100) == 0
    assert (tmp_path / "m.ob").read_bytes() == truth
    assert onlineboost.load(tmp_path / "m.ob.1").n_examples_ == 600


def test_a_rival_is_refused(stream, tmp_path, capsys):
    with model_file.ModelPath(str(tmp_path / "m.ob")):
        assert _train(stream, tmp_path) == 2
    assert "Another process is writing" in capsys.readouterr().err
    assert _train(stream, tmp_path) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["train", "run"])
def test_a_signal_while_learning_ends_the_step(stream, tmp_path, capsys, monkeypatch, number, command):
    add, steps = Score.add, []

    def interrupted(self, *arguments, **named):
        add(self, *arguments, **named)
        steps.append(len(arguments[1].true))
        if len(steps) == 1:
            signal.raise_signal(number)

    monkeypatch.setattr("onlineboost.cli.session._STEP_SECONDS", 0.0)
    stream.write_text("\n".join(libsvm_lines(1200)) + "\n")
    with monkeypatch.context() as patched:
        patched.setattr(Score, "add", interrupted)
        if command == "run":
            assert run("run", stream, "--n-learners", 3) == 130
            assert "1,000 examples" in capsys.readouterr().out
            return
        assert _train(stream, tmp_path) == 130
    assert steps == [1000]
    assert "stopped after 1,000 examples" in capsys.readouterr().err
    assert _train(stream, tmp_path, "--resume") == 0
    assert run("train", stream, "--n-learners", 3, "--model", tmp_path / "n.ob") == 0
    assert (tmp_path / "m.ob").read_bytes() == (tmp_path / "n.ob").read_bytes()


def test_a_signal_while_waiting_ends_at_once(tmp_path, capsys, monkeypatch):
    read, write = os.pipe()
    os.write(write, ("\n".join(libsvm_lines(30)) + "\n").encode())
    waits = []

    def wait(self, deadline, original=onlineboost.streams.Source._raw):
        if waits:
            signal.raise_signal(signal.SIGTERM)
        waits.append(1)
        return original(self, deadline)

    monkeypatch.setattr(onlineboost.streams.Source, "_raw", wait)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert run("train", "-", "--format", "libsvm", "--n-learners", 3, "--model", tmp_path / "m.ob") == 130
    os.close(write)
    said = capsys.readouterr().err
    assert "stopped" in said
    assert "Traceback" not in said


def test_nothing_is_due_where_nothing_was_learned(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(train.time, "monotonic", lambda: now[0])
    schedule = train.Schedule("2s")
    schedule.begin(5)
    now[0] += 1.9
    assert not schedule.due(6)
    now[0] += 0.1
    assert schedule.due(6)
    assert not schedule.due(5)
