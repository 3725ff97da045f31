"""The cache of files that were parsed."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from onlineboost import datasets
from onlineboost.datasets import cache, files, readers

pytestmark = pytest.mark.quick


REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ONLINEBOOST_DATA") or REPOSITORY.parent / "shared" / "data")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setenv("ONLINEBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


@pytest.fixture
def parses(monkeypatch):
    """How often text was parsed."""
    calls = []
    for name in ("read_libsvm", "read_csv"):
        original = getattr(readers, name)
        monkeypatch.setattr(readers, name, lambda *a, _o=original, **k: calls.append(1) or _o(*a, **k))
    return calls


def test_text_is_parsed_once(parses):
    first = datasets.load_file(write("a.csv", "1,no\n0,yes\n"))
    again = datasets.load_file("a.csv")
    assert len(parses) == 1
    assert Path("a.csv.onlineboost.npz").is_file()
    assert not Path("cache").exists()
    np.testing.assert_array_equal(first.X.toarray(), again.X.toarray())
    np.testing.assert_array_equal(first.y, again.y)
    assert first.labels == again.labels == ("no", "yes")


def test_other_content_or_another_label_is_parsed_anew(parses):
    datasets.load_file(write("a.csv", "1,2\n2,1\n"))
    assert datasets.load_file(write("a.csv", "5,2\n2,1\n")).X.toarray()[0, 0] == 5
    assert datasets.load_file("a.csv", label=0).labels == (2, 5)
    assert len(parses) == 3
    assert datasets.load_file("a.csv", label=0).labels == (2, 5)
    assert len(parses) == 3
    assert sorted(path.name for path in Path().iterdir()) == ["a.csv", "a.csv.onlineboost.npz"]


def test_another_layout_is_parsed_anew(parses, monkeypatch):
    datasets.load_file(write("a.csv", "1,2\n2,1\n"))
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    datasets.load_file("a.csv")
    assert len(parses) == 2


def one_array():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


def bent(**changes):
    def bend(path):
        with np.load(path) as stored:
            fields = dict(stored)
        fields.update(changes)
        np.savez(path, **{name: value for name, value in fields.items() if value is not None})

    return bend


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK\x03\x04 nonsense"),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"\xf0\x3f", b"\xf0\x40")),
        lambda path: path.write_bytes(one_array()),
        lambda path: path.write_bytes(b"\x80\x04\x95 a pickle"),
        bent(indices=None),
        bent(indices=np.array([0, 9], dtype=np.int32)),
        bent(labels=np.zeros(7)),
        bent(data=np.zeros(2, dtype=np.float32)),
        bent(shape=np.array([2])),
        bent(labels=np.array([{}, {}], dtype=object)),
    ],
)
def test_a_damaged_cache_is_rebuilt_silently(parses, damage):
    first = datasets.load_file(write("a.csv", "1,2\n2,1\n"))
    place = Path("a.csv.onlineboost.npz")
    good = place.read_bytes()
    damage(place)
    assert place.read_bytes() != good
    again = datasets.load_file("a.csv")
    assert len(parses) == 2
    np.testing.assert_array_equal(first.X.toarray(), again.X.toarray())
    datasets.load_file("a.csv")
    assert len(parses) == 2


@pytest.fixture
def read_only(tmp_path):
    folder = tmp_path / "fixed"
    folder.mkdir()
    write(folder / "a.csv", "1,2\n2,1\n")
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_a_read_only_folder_is_left_alone(parses, read_only):
    for _ in range(2):
        datasets.load_file(read_only / "a.csv")
    assert len(parses) == 1
    assert [path.name for path in read_only.iterdir()] == ["a.csv"]
    assert len(list(Path("cache/parsed").glob("a.csv-*.npz"))) == 1


def test_without_any_place_for_the_cache(parses, read_only, monkeypatch):
    write("flat", "")
    monkeypatch.setenv("ONLINEBOOST_CACHE", "flat/below")
    for _ in range(2):
        assert datasets.load_file(read_only / "a.csv").X.shape == (2, 1)
    assert len(parses) == 2


def test_a_folder_that_cannot_be_asked():
    assert not files.may_write(Path("nowhere"))


def test_a_full_disk_leaves_no_half_cache(monkeypatch):
    def fill(stream, **_):
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", fill)
    assert datasets.load_file(write("a.csv", "1,2\n2,1\n")).X.shape == (2, 1)
    assert [path.name for path in Path().iterdir() if path.is_file()] == ["a.csv"]
    assert not [path for path in Path("cache").rglob("*") if path.is_file()]


def test_the_cache_folder(monkeypatch, tmp_path):
    assert cache.folder() == tmp_path / "cache"
    monkeypatch.setenv("ONLINEBOOST_CACHE", "~/x")
    assert cache.folder() == Path.home() / "x"
    monkeypatch.setenv("ONLINEBOOST_CACHE", "")
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg" / "onlineboost"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder() == Path.home() / ".cache" / "onlineboost"


def test_the_cache_folder_is_poochs(monkeypatch):
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("ONLINEBOOST_CACHE")
    assert cache.folder() == Path(pooch.os_cache("onlineboost"))


@pytest.mark.skipif(not (SHARED / "libsvm" / "a9a.xz").is_file(), reason=f"the paper's files are not in {SHARED}")
def test_adult_comes_from_the_cache_within_a_tenth_of_a_second():
    datasets.load("adult", data=SHARED)
    took = []
    for _ in range(3):
        start = time.perf_counter()
        datasets.load("adult", data=SHARED)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.1


@pytest.mark.slow
def test_two_processes_at_once():
    write("a.csv", "".join(f"{k},{k % 2}\n" for k in range(20000)))
    code = "from onlineboost import datasets; print(datasets.load_file('a.csv').X.sum())"
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert {run.communicate()[0].strip() for run in runs} == {"199990000.0"}
    assert sorted(path.name for path in Path().iterdir() if path.is_file()) == ["a.csv", "a.csv.onlineboost.npz"]
