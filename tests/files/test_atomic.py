"""Atomic writing: whole or not at all, through links, to what is no file, with the permissions kept."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from onlineboost import files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("content", [b"\x00\xff", "caf\u00e9\r\n"])
def test_bytes_and_text(tmp_path, content):
    path = tmp_path / "a"
    path.write_text("before, and longer than what comes")
    files.write(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("way", [files.whole, files.whole_text])
@pytest.mark.parametrize("raised", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_nothing(tmp_path, way, raised):
    def interrupted():
        with way(tmp_path / "a") as stream:
            stream.write(b"half" if way is files.whole else "half")
            raise raised

    (tmp_path / "a").write_text("before")
    with pytest.raises(raised):
        interrupted()
    assert (tmp_path / "a").read_text() == "before"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch, step):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "a").write_text("before")
    target = (os, "fsync") if step == "fsync" else (type(tmp_path), "replace")
    monkeypatch.setattr(*target, full)
    with pytest.raises(OSError, match="No space left"):
        files.write(tmp_path / "a", "after")
    assert (tmp_path / "a").read_text() == "before"
    assert names(tmp_path) == ["a"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "a").write_text("before")
    (tmp_path / "link").symlink_to("a")
    files.write(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == "after"


def test_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        files.write(tmp_path / "a", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    (tmp_path / "a").chmod(0o604)
    files.write(tmp_path / "a", "again")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o604


def test_what_is_no_file_is_written_to(tmp_path):
    device = Path(os.devnull).stat()
    files.write(os.devnull, "gone")
    assert os.path.samestat(Path(os.devnull).stat(), device)
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    files.write(pipe, "through")
    reader.join()
    assert found == [b"through"]
    assert pipe.is_fifo()


def test_standard_output_by_its_path():
    code = "from onlineboost import files; files.write('/dev/stdout', 'through')"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout == b"through"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        files.write(tmp_path, "x")


def test_before_runs_when_all_is_written_and_nothing_replaced(tmp_path):
    (tmp_path / "a").write_text("before")
    seen = []
    files.write(tmp_path / "a", "after", before=lambda: seen.append((tmp_path / "a").read_text()))
    assert seen == ["before"]
    assert (tmp_path / "a").read_text() == "after"


def test_what_a_killed_process_left_can_be_removed(tmp_path):
    (tmp_path / "[a]").write_text("kept")
    other = tmp_path / ".b.0123456789abcdef.part"
    other.touch()
    with files.unfinished(tmp_path / "[a]") as part:
        assert part.parent == tmp_path
        files.remove_unfinished(tmp_path / "[a]")
        assert not part.exists()
    assert names(tmp_path) == [other.name, "[a]"]
