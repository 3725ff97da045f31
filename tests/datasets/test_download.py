"""Downloads, against a server in this process that can be made to misbehave."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import hashlib
import lzma
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from onlineboost import datasets
from onlineboost.datasets import DataFile, download, loading

pooch = pytest.importorskip("pooch")

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("tiny", "place")]

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ONLINEBOOST_DATA") or REPOSITORY.parent / "shared" / "data")

TEXT = "".join(f"{'+1' if k % 3 else '-1'} 1:{k} 3:{k * 7919 % 1000}\n" for k in range(20000)).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        name = self.path.rsplit("/", 1)[-1]
        server.asked.append((name, self.headers.get("Range"), self.headers.get("If-Range")))
        if server.moved and not self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", f"/moved/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = server.content.get(name)
        if server.encoded and content is not None:
            content = gzip.compress(content)
        if content is None or server.status:
            self.send_error(server.status or 404)
            return
        start = 0
        if server.ranges and self.headers.get("Range"):
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            if start >= len(content) or server.unsatisfiable:
                server.unsatisfiable = False
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        if server.encoded:
            self.send_header("Content-Encoding", "gzip")
        if server.tag:
            self.send_header("ETag", server.tag)
        self.close_connection = True
        if server.length:
            self.send_header("Content-Length", str(len(content) - start))
        self.send_header("Connection", "close")
        self.end_headers()
        rest = content[start:]
        stop = server.cuts.pop(0) if server.cuts else len(rest)
        with contextlib.suppress(OSError):
            self.wfile.write(rest[:stop])
            self.wfile.flush()
        if stop < len(rest) and server.when_cut:
            server.when_cut()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.content, running.asked, running.cuts = {"tiny": TEXT, "tiny.t": b"+1 2:1\n"}, [], []
        running.ranges = running.length = True
        running.moved = running.unsatisfiable = running.encoded = False
        running.status, running.tag, running.when_cut = 0, '"one"', None
        running.url = f"http://127.0.0.1:{running.server_port}/binary/"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("ONLINEBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ONLINEBOOST_DATA", raising=False)
    monkeypatch.setattr(download, "_PAUSE", 0.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "files"


@pytest.fixture
def tiny(monkeypatch):
    """A data set of two files; of the second, only the number of lines is known."""
    parts = (DataFile("tiny", 20000, sha256=hashlib.sha256(TEXT).hexdigest()), DataFile("tiny.t", 1))
    entry = replace(datasets.info("heart"), name="tiny", files=parts, features=3)

    def find(name):
        return entry if name == "tiny" else datasets.info(name)

    for module in (download, loading):
        monkeypatch.setattr(module, "info", find)
    return entry


def fails(server, place, **options):
    """The one sentence of a download that fails, and that nothing is left of it."""
    with pytest.raises(datasets.DownloadError) as caught:
        datasets.fetch("tiny", base_url=server.url, folder=place, **options)
    assert isinstance(caught.value, OSError)
    assert list(place.iterdir()) == []
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_files_are_fetched_once(server, place):
    paths = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert paths == [place / "tiny", place / "tiny.t"]
    assert paths[0].read_bytes() == TEXT
    assert sorted(path.name for path in place.iterdir()) == ["tiny", "tiny.t"]
    assert datasets.fetch("tiny", base_url=server.url.rstrip("/"), folder=place) == paths
    assert [name for name, *_ in server.asked] == ["tiny", "tiny.t"]


def test_load_downloads_what_is_missing(server, place, monkeypatch):
    original = download.fetch_file
    monkeypatch.setattr(download, "fetch_file", lambda file, **k: original(file, base_url=server.url, **k))
    place.mkdir()
    (place / "tiny.t").write_text("-1 3:1\n")
    data = datasets.load("tiny", data=place, download=True)
    assert [name for name, *_ in server.asked] == ["tiny"]
    assert data.X.shape == (20001, 3)
    assert data.complete
    assert data.source == "folder"
    assert datasets.load("tiny", download=True).source == "downloaded"
    assert [name for name, *_ in server.asked] == ["tiny", "tiny.t"]
    datasets.load("tiny", download=True)
    assert len(server.asked) == 2


def test_load_leaves_alone_what_the_package_has_in_full(monkeypatch):
    asked = []

    def fetch_file(file, **_):
        asked.append(file.name)
        path = download.default_folder() / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("2 1:1 10:1\n4 2:1\n")

    monkeypatch.setattr(download, "fetch_file", fetch_file)
    assert datasets.load("german", download=True).source == "embedded"
    assert asked == []
    assert datasets.load("breast-cancer", download=True).source == "downloaded"
    assert asked == ["breast-cancer_scale"]


@pytest.mark.parametrize(("ending", "pack"), [(".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_files_are_verified_by_their_content(server, place, ending, pack):
    del server.content["tiny"]
    server.content["tiny" + ending] = pack(TEXT)
    path, _ = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert path == place / f"tiny{ending}"
    assert path.read_bytes() == pack(TEXT)


def test_the_ending_of_the_catalogue_is_asked_for_first(server, place):
    server.content["x.bz2"] = bz2.compress(TEXT)
    file = DataFile("x", 20000, sha256=hashlib.sha256(TEXT).hexdigest(), ending=".bz2")
    download.fetch_file(file, base_url=server.url, folder=place)
    assert [name for name, *_ in server.asked] == ["x.bz2"]


def test_a_redirection_is_followed(server, place):
    server.moved = True
    server.cuts = [len(TEXT) // 2]
    assert datasets.fetch("tiny", base_url=server.url, folder=place)[0].read_bytes() == TEXT


def test_a_server_that_compresses_although_it_was_asked_not_to(server, place):
    server.encoded = True
    long, short = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert long.read_bytes() == TEXT
    assert short.read_bytes() == server.content["tiny.t"]  # fewer bytes than were sent


# ---- a connection that breaks ----------------------------------------------------------------------------------


def test_a_cut_connection_is_taken_up_where_it_broke(server, place):
    first, second = 12 * 8192, 3 * 8192
    server.cuts = [first, second]
    path, _ = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert path.read_bytes() == TEXT
    assert server.asked[:3] == [
        ("tiny", None, None),
        ("tiny", f"bytes={first}-", '"one"'),
        ("tiny", f"bytes={first + second}-", '"one"'),
    ]


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_only_a_strong_tag_guards_the_rest(server, place, tag):
    server.tag = tag
    server.cuts = [98_304]
    datasets.fetch("tiny", base_url=server.url, folder=place)
    assert server.asked[1] == ("tiny", "bytes=98304-", None)


def test_a_server_without_ranges_is_asked_again_from_the_start(server, place):
    server.ranges = False
    server.cuts = [98_304, 200_000]
    path, _ = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert path.read_bytes() == TEXT
    assert len(server.asked) == 4


def test_nothing_remains_of_a_longer_file_that_was_replaced_meanwhile(server, place):
    def replaced():
        server.content["tiny"] = TEXT
        server.ranges = False

    server.content["tiny"] = TEXT + bytes(100_000)
    server.cuts = [len(TEXT) + 50_000]
    server.when_cut = replaced
    assert datasets.fetch("tiny", base_url=server.url, folder=place)[0].read_bytes() == TEXT


def test_a_range_that_is_refused_starts_over(server, place):
    server.cuts = [98_304]
    server.unsatisfiable = True
    path, _ = datasets.fetch("tiny", base_url=server.url, folder=place)
    assert path.read_bytes() == TEXT
    assert [asked for _, asked, _ in server.asked] == [None, "bytes=98304-", None, None]


def test_a_connection_that_always_breaks(server, place):
    server.cuts = [8192] * 100
    text = fails(server, place)
    assert f"the connection broke {download.ATTEMPTS} times, at last after 81,920 of {len(TEXT):,} bytes" in text
    assert len(server.asked) == download.ATTEMPTS


def test_a_short_body_counts_as_broken_even_if_requests_does_not_notice(server, place, monkeypatch):
    """Older urllib3 takes less than Content-Length without complaint."""
    original = pooch.HTTPDownloader.__call__
    short = [True]

    def stop_short(self, url, stream, *rest):
        original(self, url, stream, *rest)
        if short and short.pop():
            stream.truncate(1000)
            stream.seek(1000)

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", stop_short)
    assert datasets.fetch("tiny", base_url=server.url, folder=place)[0].read_bytes() == TEXT
    assert server.asked[1][1] == "bytes=1000-"


def test_a_cut_body_of_unknown_length_fails_by_its_hash(server, place):
    server.length = False
    server.cuts = [1000]
    assert "is not the file expected" in fails(server, place)


def test_nobody_listens(server, place):
    server.url = "http://127.0.0.1:9/"
    text = fails(server, place)
    assert text == "http://127.0.0.1:9/tiny could not be downloaded (no connection, ConnectionError); nothing was kept."


# ---- wrong answers ---------------------------------------------------------------------------------------------


def test_wrong_content(server, place, tiny):
    server.content["tiny"] = TEXT.replace(b"+1", b"-1", 1)
    text = fails(server, place)
    assert text.startswith(f"{server.url}tiny is not the file expected: sha256 ")
    assert tiny.files[0].sha256 in text


def test_wrong_number_of_lines_where_no_hash_is_known(server, place):
    server.content["tiny.t"] = b"<html>\nsorry\n</html>\n"
    with pytest.raises(datasets.DownloadError, match=r"tiny.t has 3 lines instead of 1; nothing was kept\.$"):
        datasets.fetch("tiny", base_url=server.url, folder=place)
    assert [path.name for path in place.iterdir()] == ["tiny"]


def test_damaged_compression(server, place):
    del server.content["tiny"]
    server.content["tiny.bz2"] = bz2.compress(TEXT)[:-100]
    assert fails(server, place) == f"{server.url}tiny.bz2 is damaged and cannot be uncompressed; nothing was kept."


def test_not_found(server, place):
    server.content.clear()
    assert fails(server, place) == f"{server.url} has no file tiny (HTTP status 404)."
    assert [name for name, *_ in server.asked] == ["tiny", "tiny.bz2", "tiny.xz"]


def test_a_server_in_trouble(server, place):
    server.status = 503
    assert fails(server, place) == f"{server.url}tiny could not be downloaded (HTTP status 503); nothing was kept."


# ---- the disk, and people --------------------------------------------------------------------------------------


def test_a_full_disk(server, place):
    """For real: the process may not write files beyond 64 kB."""
    code = (
        "import resource, sys\n"
        "from onlineboost import datasets\n"
        "from onlineboost.datasets import download\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "try:\n"
        "    download.fetch_file(datasets.DataFile('tiny', 20000), base_url=sys.argv[1], folder=sys.argv[2])\n"
        "except datasets.DownloadError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, server.url, str(place)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"There is no space left in {place} for tiny; nothing was kept.\n"
    assert list(place.iterdir()) == []


def test_no_space_as_the_system_says_it(server, place, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "no space left" in fails(server, place)


def test_a_folder_that_cannot_be_made(server, place):
    place.write_text("a file")
    with pytest.raises(datasets.DownloadError, match=r"^tiny cannot be stored in .*: (File exists|Not a directory)\.$"):
        datasets.fetch("tiny", base_url=server.url, folder=place)


@pytest.mark.usefixtures("control_c")
def test_control_c(server, place):
    """For real, in the middle of the body."""
    server.cuts = [98_304]
    server.when_cut = lambda: os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("tiny", base_url=server.url, folder=place)
    assert list(place.iterdir()) == []


def test_control_c_between_two_chunks(server, place, monkeypatch):
    def interrupted(*arguments):
        arguments[2].write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("tiny", base_url=server.url, folder=place)
    assert list(place.iterdir()) == []


# ---- extras ----------------------------------------------------------------------------------------------------


def test_without_pooch_a_sentence_names_the_extra(place, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(datasets.MissingExtraError) as caught:
        datasets.fetch("tiny", folder=place)
    assert str(caught.value) == 'Downloading needs pooch: pip install "onlineboost[experiments]".'
    assert isinstance(caught.value, ImportError)


def test_a_progress_bar(server, place, capsys):
    pytest.importorskip("tqdm")
    server.cuts = [98_304]
    datasets.fetch("tiny", base_url=server.url, folder=place, progress=True)
    shown = capsys.readouterr().err
    assert "tiny:" in shown
    assert "tiny.t:" in shown


def test_without_tqdm_there_is_no_bar(server, place, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    datasets.fetch("tiny", base_url=server.url, folder=place, progress=True)
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not (SHARED / "libsvm" / "a9a.xz").is_file(), reason=f"the paper's files are not in {SHARED}")
def test_the_catalogues_hashes_hold_for_the_papers_files(server, place):
    names = [name for name in datasets.names()[:9] if name != "ijcnn1"]
    for name in names:
        for file in datasets.info(name).files:
            server.content[file.name] = lzma.decompress((SHARED / "libsvm" / f"{file.name}.xz").read_bytes())
        datasets.fetch(name, base_url=server.url, folder=place)
    fetched, given = datasets.load("splice", data=place), datasets.load("splice", data=SHARED)
    np.testing.assert_array_equal(fetched.X.toarray(), given.X.toarray())
    assert fetched.complete
