"""Where bytes come from: compression, cut files, pipes that are slow, positions in the middle."""

import bz2
import gc
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import time

import pytest
import zstandard

from onlineboost.streams import FormatError, Position, Schema, SourceError, guess_format, open_source, open_stream

pytestmark = pytest.mark.quick

LINES = b"".join(b"%d %d:1 %d:0.5\n" % (1 - 2 * (k % 2), k % 50 + 1, k % 50 + 60) for k in range(4000))


def gzip_members(data):
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:]) + b"\0" * 100


def zstd_frames(data):
    half = len(data) // 2
    return zstandard.compress(data[:half]) + zstandard.compress(data[half:])


PACKERS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip of two members": gzip_members,
    "bzip2": bz2.compress,
    "bzip2 of two streams": lambda data: bz2.compress(data[:999]) + bz2.compress(data[999:]),
    "xz": lzma.compress,
    "xz of two streams": lambda data: lzma.compress(data[:999]) + b"\0" * 8 + lzma.compress(data[999:]),
    "zstd": zstandard.compress,
    "zstd of two frames": zstd_frames,
}


def drain(source, **options):
    pieces = []
    while piece := source.read(**options):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("block", [1, 13, 1 << 18])
def test_compression_is_told_by_content(tmp_path, packer, block):
    data = LINES[: 3000 if block == 1 else None]
    path = tmp_path / "input"
    path.write_bytes(PACKERS[packer](data))
    with open_source(path, block=block) as source:
        assert source.peek(5) == data[:5]
        assert drain(source) == data
        assert source.read() == b""
        assert source.offset == len(data)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("offset", [0, 1, 5, 1000, len(LINES) - 1, len(LINES)])
def test_reading_from_an_offset(tmp_path, packer, offset):
    path = tmp_path / "input"
    path.write_bytes(PACKERS[packer](LINES))
    with open_source(path) as source:
        source.skip_to(offset)
        assert source.offset == offset
        assert drain(source) == LINES[offset:]
    with open_source(path) as source:
        source.peek(50)
        source.skip_to(offset)
        assert drain(source) == LINES[offset:]
    with open_source(path) as source, pytest.raises(FormatError, match="another input"):
        source.skip_to(len(LINES) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("packer", [name for name in PACKERS if name in {"gzip", "bzip2", "xz", "zstd"}])
def test_a_cut_file_gives_its_whole_lines_first(tmp_path, packer):
    data = b"".join(b"1 %d:%d\n" % (k % 50 + 1, k * 2654435761 % 10**9) for k in range(100_000))
    packed = PACKERS[packer](data)
    path = tmp_path / "input.libsvm"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    stream = open_stream(path, batch_rows=1000)
    lines = []

    def read():
        for batch in stream:
            lines.extend(batch.lines.tolist())

    with pytest.raises(SourceError, match=f"ends in the middle of its {packer} data"):
        read()
    assert lines == list(range(1, len(lines) + 1))
    assert stream.position.bytes == len(b"".join(data.splitlines(keepends=True)[: len(lines)]))
    assert len(lines) > 10_000


@pytest.mark.parametrize("packer", ["gzip", "bzip2", "xz", "zstd"])
def test_a_damaged_file_is_an_error(tmp_path, packer):
    packed = bytearray(PACKERS[packer](LINES))
    middle = len(packed) // 2
    packed[middle : middle + 8] = b"\xaa" * 8
    path = tmp_path / "input.libsvm"
    path.write_bytes(packed)
    with pytest.raises(SourceError, match="damaged"):
        list(open_stream(path, max_bad=10**9))


def test_garbage_behind_compressed_data(tmp_path):
    path = tmp_path / "input.libsvm"
    path.write_bytes(gzip.compress(b"1 1:1\n") + b"garbage")
    stream = open_stream(path)
    assert len(next(stream)) == 1
    with pytest.raises(SourceError, match="damaged"):
        next(stream)


def test_a_bomb_is_read_piece_by_piece(tmp_path):
    for pack in (gzip.compress, bz2.compress, lzma.compress, zstandard.compress):
        path = tmp_path / "bomb"
        path.write_bytes(pack(bytes(20_000_000)))
        with open_source(path) as source:
            sizes = []
            while piece := source.read():
                sizes.append(len(piece))
        assert sum(sizes) == 20_000_000
        assert max(sizes) <= 1 << 24


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(SourceError, match="no file"):
        open_source(tmp_path / "none")
    with pytest.raises(SourceError, match="folder"):
        open_source(tmp_path)
    with pytest.raises(SourceError, match="cannot be read"):
        open_source("a\0b")
    (tmp_path / "a.csv.gz").write_text("a,b\n")
    with pytest.raises(SourceError, match="is not gzip data, as its ending says"):
        open_source(tmp_path / "a.csv.gz").read()
    source = open_source(tmp_path / "a.csv.gz")
    source.close()
    with pytest.raises(SourceError, match="closed"):
        source.read()


def test_descriptors_are_given_back(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1\n")
    stream = open_stream(path)
    fd = stream.source._fd
    assert os.fstat(fd)
    del stream
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    with pytest.raises(SourceError, match="not open"):
        open_source(987654)


def test_positions_to_json_and_back():
    position = Position(12, 3, 2, 1)
    assert Position.from_json(json.loads(json.dumps(position.to_json()))) == position
    for wrong in (None, {}, {"bytes": 1}, position.to_json() | {"bad": -1}, position.to_json() | {"rows": 1.5}):
        with pytest.raises(FormatError, match="position"):
            Position.from_json(wrong)


def test_a_position_of_another_input(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,label\n1,0\n")
    schema = Schema(columns={"a": "number"}, decided=True)
    with pytest.raises(FormatError, match="lies in its header"):
        list(open_stream(path, schema=schema, start=Position(3, 1, 1, 0)))
    with pytest.raises(FormatError, match="another input"):
        list(open_stream(path, schema=schema, start=Position(300, 1, 1, 0)))
    with pytest.raises(FormatError, match=r"save stream\.schema"):
        list(open_stream(path, start=Position(12, 2, 1, 0)))


def test_formats_by_name():
    names = {"a.libsvm": "libsvm", "A.SVM.XZ": "libsvm", "x/y.vw.gz": "vw", "a.csv.zst": "csv", "b.tsv": "tsv"}
    names |= {"c.jsonl": "jsonl", "d.parquet": "parquet", "e.arrow": "arrow", "f.feather": "arrow"}
    assert {name: guess_format(name) for name in names} == names
    for name in ("standard input", "a.txt", "csv", "a.gz"):
        with pytest.raises(FormatError, match="say which"):
            guess_format(name)


def feed_slowly(fd, pieces, pause):
    def run():
        for piece in pieces:
            os.write(fd, piece)
            time.sleep(pause)
        os.close(fd)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("kind", ["libsvm", "csv"])
def test_a_slow_pipe_ticks(kind):
    lines = (
        [b"1 1:1\n", b"-1 1:", b"2\n1 3:1\n", b"-1"]
        if kind == "libsvm"
        else [b"x,label\n1", b",1\n", b"2,0\n3", b",1\n4,0"]
    )
    out, into = os.pipe()
    thread = feed_slowly(into, lines, 0.15)
    try:
        batches = list(open_stream(open_source(out), kind, tick=0.02))
    finally:
        thread.join()
        os.close(out)
    assert sum(map(len, batches)) == 4
    assert sum(len(batch) == 0 for batch in batches) >= 3  # ticks
    if kind == "libsvm":
        assert max(map(len, batches)) <= 2  # what has arrived is not kept waiting
        assert [row for batch in batches for row in batch.y.tolist()] == [1, -1, 1, -1]
    positions = [batch.position.bytes for batch in batches]
    assert positions == sorted(positions)


def test_a_slow_compressed_pipe():
    packed = gzip.compress(LINES)
    out, into = os.pipe()
    thread = feed_slowly(into, [packed[k : k + 500] for k in range(0, len(packed), 500)], 0.001)
    try:
        rows = sum(map(len, open_stream(open_source(out), "libsvm", tick=0.001)))
    finally:
        thread.join()
        os.close(out)
    assert rows == 4000


def test_a_pipe_goes_on_from_a_position():
    out, into = os.pipe()
    first = LINES.index(b"\n") + 1
    thread = feed_slowly(into, [LINES[k : k + 4000] for k in range(0, len(LINES), 4000)], 0)
    try:
        stream = open_stream(open_source(out), "libsvm", start=Position(first, 1, 1, 0))
        lines = [line for batch in stream for line in batch.lines.tolist()]
    finally:
        thread.join()
        os.close(out)
    assert lines == list(range(2, 4001))


SCRIPT = """
import resource, sys
from onlineboost.streams import open_stream
rows, before = 0, 0
for batch in open_stream("-", "libsvm"):
    rows += len(batch)
    if not before and rows > 100_000:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_of_a_long_pipe_is_constant():
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(150):
        child.stdin.write(LINES)
    output, _ = child.communicate()
    rows, growth = map(int, output.split())
    assert rows == 600_000
    assert growth < 8_000  # kilobytes


def test_a_shell_may_hand_over_a_file_half_read(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"first line\n" + LINES)
    with path.open("rb", buffering=0) as file:
        file.read(11)
        source = open_source(file.fileno())
        source.skip_to(1000)
        assert drain(source) == LINES[1000:]


def test_standard_input_that_is_not_open(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(SourceError, match="Standard input"):
        open_source("-")


# ---- rows that would fill the memory ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "good", "wide"),
    [
        ("libsvm", "1 1:1 9:1", "1 1:1 2:1 3:1"),
        ("vw", "1 | a b", "1 | x y z"),
        ("jsonl", '{"label": 1, "a": 1, "b": 2}', '{"label": 1, "x": 1, "y": 2, "z": 3}'),
        ("csv", "1,x,NA,x", "1,x,y,x"),
    ],
)
def test_a_row_of_too_many_features_is_malformed_and_leaves_nothing(tmp_path, kind, good, wide):
    path = tmp_path / f"s.{kind}"
    path.write_text("\n".join([*(["label,a,b,c"] if kind == "csv" else []), good, wide, good]) + "\n")
    stream = open_stream(path, most_features=2)
    (batch,) = stream
    assert len(batch) == 2
    assert (stream.position.rows, stream.position.bad) == (2, 1)
    assert str(stream.problems[0]).count("the line has 3 features, more than 2: allow more with most_features")
    assert len(open_stream(path, most_features=3).__next__()) == 3
    if kind in {"vw", "jsonl"}:
        assert stream.names == ["a", "b"]


def test_columns_of_too_many_features(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"label": [0, 1], "a": [1.0, 1.0], "b": ["x", None]}), tmp_path / "t.parquet")
    stream = open_stream(tmp_path / "t.parquet", most_features=1)
    assert [batch.y.tolist() for batch in stream] == [[1]]
    assert stream.position.bad == 1


def test_a_small_file_with_a_huge_row(tmp_path):
    path = tmp_path / "bomb.libsvm.gz"
    row = "1 " + " ".join(f"{k}:1" for k in range(1, 300_001))
    path.write_bytes(gzip.compress(f"{row}\n0 1:1\n".encode()))
    stream = open_stream(path)
    assert [len(batch) for batch in stream] == [1]
    assert "the line has 300000 features, more than 262144" in str(stream.problems[0])


@pytest.mark.parametrize("name", ["longest_line", "most_features"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "9", 2**63])
def test_limits_are_checked(tmp_path, name, value):
    with pytest.raises(FormatError, match=f"^{name} must be a whole number of at least 1, not {value!r}"):
        open_stream(tmp_path / "s.libsvm", **{name: value})
