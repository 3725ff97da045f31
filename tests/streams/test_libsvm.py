"""LIBSVM text, held to scikit-learn's reader; and numbers, held to Python's."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from onlineboost import _core
from onlineboost.streams import MalformedLineError, Schema, open_stream

pytestmark = pytest.mark.engine


def write(folder, data, name="input.libsvm"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read(path, **options):
    stream = open_stream(path, **options)
    batches = list(stream)
    width = max((batch.X.shape[1] for batch in batches), default=0)
    for batch in batches:
        batch.X.resize(batch.X.shape[0], width)
    X = sp.vstack([batch.X for batch in batches]) if batches else sp.csr_array((0, 0))
    y = np.concatenate([batch.y for batch in batches]) if batches and batches[0].y is not None else None
    return X, y, stream


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([-1, 1]),
            st.dictionaries(st.integers(1, 50), st.floats(-1e99, 1e99, allow_subnormal=True), max_size=6),
        ),
        min_size=1,
        max_size=20,
    ),
    batch_rows=st.integers(1, 7),
)
def test_same_as_scikit_learn(tmp_path_factory, rows, batch_rows):
    path = tmp_path_factory.mktemp("libsvm") / "input.libsvm"
    path.write_text("".join(f"{y} " + " ".join(f"{k}:{v!r}" for k, v in sorted(x.items())) + "\n" for y, x in rows))
    X, y, stream = read(path, batch_rows=batch_rows)
    X_true, y_true = load_svmlight_file(str(path), zero_based=True)
    assert stream.position.bad == 0
    assert np.array_equal(y, y_true)
    width = max(X.shape[1], X_true.shape[1])
    X.resize(X.shape[0], width)
    X_true.resize(X_true.shape[0], width)
    assert np.array_equal(X.toarray(), X_true.toarray())


def test_same_as_scikit_learn_on_a_file_it_wrote(tmp_path):
    X = sp.random_array((500, 300), density=0.05, rng=np.random.default_rng(0), format="csr")
    y = np.random.default_rng(1).integers(0, 2, 500)
    path = tmp_path / "written.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False, comment="a comment")
    X_read, y_read, stream = read(path)
    X_true, y_true = load_svmlight_file(str(path), zero_based=True)
    assert np.array_equal(y_read, y_true)
    assert (X_read != X_true).nnz == 0
    assert not stream.problems


def test_lines_that_are_no_examples(tmp_path):
    data = b"\xef\xbb\xbf# a comment\r\n\r\n  \t\n1 1:2 # \xff\xfe not UTF-8\r\n-1   3:4\t5:6   \n+1"
    X, y, stream = read(write(tmp_path, data))
    assert y.tolist() == [1, -1, 1]
    assert X.toarray().tolist() == [[0, 2, 0, 0, 0, 0], [0, 0, 0, 4, 0, 6], [0] * 6]
    assert stream.position.lines == 6
    assert stream.position.bytes == len(data)
    assert stream.position.bad == 0


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf", b"\xef\xbb", b"\r\n"])
def test_no_examples(tmp_path, data):
    _, _, stream = read(write(tmp_path, data))
    assert stream.position.rows == 0
    assert stream.position.bad == (data == b"\xef\xbb")


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("spam 1:1", "1", "label"),
        ("nan 1:1", "1", "label"),
        ("1,2 1:1", "1", "label"),
        ("99999999999999999999 1:1", "1", "label"),
        ("9007199254740992 1:1", "1", "label"),
        ("1:1 2:2", "1", "no label"),
        ("1 2", "3", "index:value"),
        ("1 a:2", "3", "index"),
        ("1 -1:2", "3", "index"),
        ("1 +1:2", "3", "index"),
        ("1 1.5:2", "3", "index"),
        ("1 2147483648:2", "3", "2147483647"),
        ("1 99999999999999999999999:2", "3", "2147483647"),
        ("1 :2", "3", "index"),
        ("1 1:", "5", "value"),
        ("1 1:x", "5", "value"),
        ("1 1:nan", "5", "finite"),
        ("1 1:-inf", "5", "finite"),
        ("1 1:1e101", "5", "1e100"),
        ("1 1:1e999", "5", "1e100"),
        ("1 1:0x10", "5", "value"),
        ("1 1:1_0", "5", "value"),
        ("1 1:1,5", "5", "value"),
        ("1 1:2 1:3", "7", "twice"),
        ("1 2:2 1:3", "7", "increase"),
        ("1 1:2:3", "5", "value"),
        ("1 1:\0", "5", "value"),
    ],
)
def test_malformed_lines(tmp_path, line, column, word):
    path = write(tmp_path, f"1 1:1\n{line}\n-1 2:2\n")
    X, y, stream = read(path)
    assert y.tolist() == [1, -1]
    assert X.toarray().tolist() == [[0, 1, 0], [0, 0, 2]]
    (problem,) = stream.problems
    assert (problem.line, problem.column) == (2, column)
    assert word in problem.message
    assert problem.message.endswith(".")
    with pytest.raises(MalformedLineError, match=f"line 2, column {column}: .*{word}") as caught:
        list(open_stream(path, strict=True))
    assert caught.value.line == 2


def test_a_line_beyond_the_limit_is_malformed(tmp_path):
    long = b"1 " + b" ".join(b"%d:1" % k for k in range(1, 3000)) + b"\n"
    path = write(tmp_path, b"1 1:1\n" + long + b"-1 1:1\n" + long[:-1])
    _, y, stream = read(path, longest_line=1000)
    assert "the line is longer than 1000 bytes: allow more with longest_line" in str(stream.problems[0])
    assert y.tolist() == [1, -1]
    assert [problem.line for problem in stream.problems] == [2, 4]
    assert len(read(path, longest_line=len(long) - 1)[1]) == 4


def test_a_huge_token(tmp_path):
    path = write(tmp_path, b"1 1:" + b"1" * 10_000_000 + b"\n" + b"2" * 10_000_000 + b" 1:1\n1 1:1\n")
    _, y, stream = read(path)
    assert y.tolist() == [1]
    assert all(len(str(problem)) < 200 for problem in stream.problems)


def test_query_ids_are_passed_over(tmp_path):
    X, y, _ = read(write(tmp_path, "2 qid:7 1:5\n1 qid:8\n"))
    assert y.tolist() == [2, 1]
    assert X.toarray().tolist() == [[0, 5], [0, 0]]


def test_labels(tmp_path):
    path = write(tmp_path, "+1 1:1\n1.0 1:1\n1e0 1:1\n-0 1:1\n0 1:1\n")
    _, y, _ = read(path)
    assert y.tolist() == [1, 1, 1, 0, 0]
    assert y.dtype == np.int64
    _, y, _ = read(path, schema=Schema(positive="0"))
    assert y.tolist() == [0, 0, 0, 1, 1]
    path = write(tmp_path, "1 1:1\n0.5 1:1\n")
    assert read(path)[1].tolist() == [1.0, 0.5]
    assert [batch.y.tolist() for batch in open_stream(path, batch_rows=1)] == [[1], [0.5]]


def test_labels_that_are_not_there(tmp_path):
    path = write(tmp_path, "1:1 2:2\nspam 1:1\n1 1:3\n")
    X, y, stream = read(path, labels="ignored")
    assert y is None
    assert X.toarray().tolist() == [[0, 1, 2], [0, 1, 0], [0, 3, 0]]
    _, y, stream = read(path, labels="optional")
    assert y.tolist() == [None, 1]
    assert [problem.line for problem in stream.problems] == [2]
    _, y, stream = read(path)
    assert [problem.line for problem in stream.problems] == [1, 2]


def test_too_many_malformed_lines(tmp_path):
    path = write(tmp_path, "1 1:1\nx\n-1 1:1\ny\n1 1:1\nz\n1 1:1\n")
    seen = []
    stream = open_stream(path, max_bad=2, on_problem=seen.append)
    batch = next(stream)
    assert batch.lines.tolist() == [1, 3, 5]
    assert batch.position.bad == 2
    assert [problem.line for problem in seen] == [2, 4]
    with pytest.raises(MalformedLineError, match=r"line 6, column 1: .* 2 malformed lines were passed over"):
        next(stream)
    assert [problem.line for problem in seen] == [2, 4, 6]
    assert [len(batch) for batch in open_stream(path, max_bad=3)] == [4]
    resumed = open_stream(path, max_bad=2, start=batch.position)
    with pytest.raises(MalformedLineError, match="line 6"):
        next(resumed)


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.integers().map(str),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?0{0,400}\.0{0,400}[0-9]{0,30}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.text(st.sampled_from("0123456789.+-eExnaif_ "), max_size=8),
)


@given(numbers)
def test_numbers_are_read_as_python_reads_them(text):
    try:
        wanted = float(text)
    except ValueError:
        wanted = None
    if "_" in text or text != text.strip():
        wanted = None  # Python's own liberties
    found = _core.parse_number(text.encode())
    if wanted is None:
        assert found is None
    elif not abs(wanted) <= 1e100:
        assert found == "beyond"
    else:
        assert isinstance(found, float)
        assert found == wanted
        assert math.copysign(1, found) == math.copysign(1, wanted)
