"""Parquet and Arrow, held to pyarrow's own reading of the same files."""

import decimal
import math
import os
import subprocess
import sys
import threading

import naive_readers as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_reliability.fuzz_streams import plain_rows

from onlineboost.streams import FormatError, MissingExtraError, Schema, SourceError, columnar, open_source, open_stream

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def write(table, path, kind, rows=3):
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=rows)
    else:
        maker = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with maker(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    return path


def read(path, kind, **options):
    stream = open_stream(path, "parquet" if kind == "parquet" else "arrow", **options)
    rows = [row for batch in stream for row in plain_rows(batch)]
    return [(dict(pairs), label) for _, label, _, pairs in rows], stream


KINDS = ["parquet", "arrow", "arrow stream"]
numbers = st.one_of(st.none(), st.floats(-1e9, 1e9), st.just(math.nan))
texts = st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5), st.just("NA"))


@pytest.mark.parametrize("kind", KINDS)
@given(
    rows=st.lists(st.tuples(numbers, texts, st.one_of(st.none(), st.integers(-9, 9)), st.booleans()), max_size=10),
    batch_rows=st.integers(1, 4),
    dictionary=st.booleans(),
)
def test_same_as_pyarrow(kind, tmp_path_factory, rows, batch_rows, dictionary):
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    text = pa.array(columns[1], pa.string())
    table = pa.table(
        {
            "x": pa.array(columns[0], pa.float64()),
            "t": text.dictionary_encode() if dictionary else text,
            "n": pa.array(columns[2], pa.int16()),
            "label": pa.array(columns[3], pa.bool_()),
        }
    )
    path = write(table, tmp_path_factory.mktemp("tables") / "table", kind)
    found, stream = read(path, kind, batch_rows=batch_rows)
    wanted = []
    for row in table.to_pylist():
        features = {}
        features["x"] = None if row["x"] is None or math.isnan(row["x"]) else row["x"]
        if row["t"] is not None and row["t"] not in oracle.MISSING:
            features[f"t={row['t']}"] = 1.0
        features["n"] = row["n"]
        wanted.append((features, str(row["label"]).lower()))
    assert found == wanted
    assert not stream.problems
    assert stream.position.lines == len(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_any_position_can_be_gone_on_from(tmp_path, kind):
    table = pa.table({"x": [1.0, 2, math.inf, 4, 5, 6, 7], "label": [0, 1, 0, 1, None, 1, 0]})
    path = write(table, tmp_path / "table", kind)
    whole = open_stream(path, kind.split()[0], batch_rows=1)
    batches = list(whole)
    rows = [row for batch in batches for row in plain_rows(batch)]
    assert [row[0] for row in rows] == [1, 2, 4, 6, 7]
    assert [(problem.line, problem.column) for problem in whole.problems] == [(3, "x"), (5, "label")]
    for k, batch in enumerate(batches):
        rest = open_stream(path, kind.split()[0], start=batch.position, schema=whole.schema)
        assert [row for part in rest for row in plain_rows(part)] == rows[k + 1 :]
        assert rest.position == whole.position
    shorter = write(table.slice(0, 4), tmp_path / "shorter", kind)
    with pytest.raises(FormatError, match="another input"):
        list(open_stream(shorter, kind.split()[0], start=whole.position, schema=whole.schema))


def test_types(tmp_path):
    table = pa.table(
        {
            "d": pa.array([decimal.Decimal("1.50"), None]),
            "u": pa.array([2**63 + 1, 3], pa.uint64()),
            "b": pa.array([True, None]),
            "c": pa.array([7, 8]),
            "nothing": pa.nulls(2),
            "large": pa.array(["x", "y z"], pa.large_string()),
            "label": pa.array([1.0, 0.0]),
        }
    )
    found, _ = read(
        write(table, tmp_path / "t", "parquet"),
        "parquet",
        schema=Schema(columns={"c": "category", "large": "counts:20"}),
    )
    x, y, z = (f"large#{oracle.bucket(word, 20)}" for word in "xyz")
    assert found[0] == ({"d": 1.5, "u": float(2**63 + 1), "b": 1, "c=7": 1, x: 1}, 1)
    assert found[1] == ({"d": None, "u": 3, "b": None, "c=8": 1, y: 1, z: 1}, 0)
    table = pa.table({"l": [[1], [2]], "label": [0, 1]})
    path = write(table, tmp_path / "l", "parquet")
    with pytest.raises(FormatError, match=r"Column 'l' .* has the type list.*ignore it"):
        read(path, "parquet")
    assert read(path, "parquet", schema=Schema(ignore=("l",)))[0] == [({}, 0), ({}, 1)]
    with pytest.raises(FormatError, match="no column 'y' for the label"):
        read(path, "parquet", schema=Schema(label="y"))


def test_weights(tmp_path):
    table = pa.table({"x": [1, 2, 3], "w": pa.array([1, None, 2]), "label": [0, 1, 0]})
    path = write(table, tmp_path / "t", "parquet")
    stream = open_stream(path, "parquet", Schema(weight="w"))
    (batch,) = stream
    assert batch.weight.tolist() == [1, 2]
    assert [(problem.line, problem.column) for problem in stream.problems] == [(2, "w")]


def test_arrow_through_a_pipe_and_parquet_not(tmp_path):
    table = pa.table({"x": list(range(1000)), "label": [k % 2 for k in range(1000)]})
    data = write(table, tmp_path / "t", "arrow stream").read_bytes()
    for content, what in (
        (data, None),
        (data[:-500], "cannot be read as Arrow"),
        (b"PAR1" + data, "cannot be read as Arrow"),
    ):
        out, into = os.pipe()
        thread = threading.Thread(target=lambda: (os.write(into, content), os.close(into)))  # noqa: B023  # joined below
        thread.start()
        try:
            stream = open_stream(open_source(out), "arrow")
            if what is None:
                assert sum(map(len, stream)) == 1000
            else:
                with pytest.raises(FormatError, match=what):
                    list(stream)
        finally:
            thread.join()
            os.close(out)
    with pytest.raises(SourceError, match="needs a plain file"):
        list(open_stream(open_source(os.open(os.devnull, os.O_RDONLY)), "parquet"))


def test_an_empty_file(tmp_path):
    (tmp_path / "empty").touch()
    assert list(open_stream(tmp_path / "empty", "arrow")) == []
    with pytest.raises(FormatError, match="cannot be read as Parquet"):
        list(open_stream(tmp_path / "empty", "parquet"))


def test_without_pyarrow_a_sentence_says_so(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "onlineboost\[streams\]"'):
        open_stream(tmp_path / "a.parquet")
    with pytest.raises(MissingExtraError):
        columnar.pyarrow()


def test_text_needs_no_extra(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n1,0\n")
    (tmp_path / "a.jsonl").write_text('{"x": 1, "label": 0}\n')
    script = (
        "import sys; sys.modules['pyarrow'] = sys.modules['zstandard'] = sys.modules['pandas'] = None\n"
        "from onlineboost.streams import open_stream\n"
        "print([len(next(open_stream(path))) for path in sys.argv[1:]])"
    )
    arguments = [sys.executable, "-c", script, str(tmp_path / "a.csv"), str(tmp_path / "a.jsonl")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[1, 1]"
