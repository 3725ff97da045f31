"""Files of any origin: LIBSVM and CSV, what is wrong with them, and the cache of what was parsed."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from onlineboost import datasets
from onlineboost.datasets import files, readers

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setenv("ONLINEBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def message(call, *arguments, kind=datasets.DatasetFormatError, **options):
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


# ---- LIBSVM ----------------------------------------------------------------------------------------------------


def test_libsvm():
    data = datasets.load_file(write("a.libsvm", "# head\n3 1:1.5 4:-2 # tail\r\n\n1 qid:7 2:0 3:1e-3\n3\n"))
    np.testing.assert_array_equal(data.X.toarray(), [[1.5, 0, 0, -2], [0, 0, 0.001, 0], [0, 0, 0, 0]])
    assert data.X.nnz == 3
    assert data.X.indices.dtype == np.int32
    assert data.y.tolist() == [1, -1, 1]
    assert data.labels == (1, 3)
    assert (data.name, data.source, data.notes, data.complete) == ("a.libsvm", "folder", (), True)


def test_libsvm_indices_from_zero():
    data = datasets.load_file(write("a.libsvm", "0.5 0:7 2:1\n-0.5 1:1\n"))
    np.testing.assert_array_equal(data.X.toarray(), [[7, 0, 1], [0, 1, 0]])
    assert data.labels == (-0.5, 0.5)


@pytest.mark.parametrize(
    ("line", "where", "what"),
    [
        ("x 1:1", 1, 'the label "x" is not a number'),
        ("nan 1:1", 1, 'the label "nan" is not a number'),
        ("1,2 1:1", 1, 'the label "1,2" is not a number'),
        ("1 1:1 oops", 7, '"oops" is not of the form index:value'),
        ("1 1:1 x:2", 7, 'the index "x" is not a whole number'),
        ("1 -3:2", 3, 'the index "-3" is not a whole number'),
        ("1 1:1 99999999999:2", 7, 'the index "99999999999" is not a whole number'),
        ("1 1:1 2:x", 9, 'the value "x" is not a finite number'),
        ("1 1:1 2:", 9, 'the value "" is not a finite number'),
        ("1 1:1 2:inf", 9, 'the value "inf" is not a finite number'),
        ("1 qid:3 2:x", 11, 'the value "x" is not a finite number'),
        ("1 1:1 2:nan", 9, 'the value "nan" is not a finite number'),
        ("1 1:1 2:3:4", 9, 'the value "3:4" is not a finite number'),
        ("1 1:1 5:1 5:2", 11, "the index 5 stands twice on one line"),
        ("1   7:1   2:2", 11, "the index 2 comes after 7, but indices must increase"),
        ("1 1:1e101", 5, "is not a finite number up to 1e100"),
    ],
)
def test_a_bad_libsvm_line_is_named(line, where, what):
    line = line if isinstance(line, bytes) else line.encode()
    write("clicks.libsvm", b"1 1:1 # fine\n\n-1 2:3\n" + line + b"\n1 2:x\n")
    text = message(datasets.load_file, "clicks.libsvm")
    assert text.startswith(f"clicks.libsvm, line 4, column {where}: ")
    assert what in text


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
@pytest.mark.parametrize("name", ["a.libsvm", "a.csv", "a"])
def test_a_file_without_examples(name, content):
    if name == "a.csv" and "#" in content:
        content = "a,b\n"
    assert message(datasets.load_file, write(name, content)) == f"{name} has no examples."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1 1:1\n1 2:1\n", "1 different labels (1)"),
        ("1 1:1\n2 2:1\n2.5 1:1\n", "3 different labels (1, 2, 2.5)"),
        ("".join(f"{k} 1:1\n" for k in range(9)), "9 different labels (0, 1, 2, 3, 4, …)"),
    ],
)
def test_exactly_two_labels(content, said):
    assert message(datasets.load_file, write("a.libsvm", content)) == f"a.libsvm has {said}; it must have exactly two."


# ---- CSV -------------------------------------------------------------------------------------------------------

TABLE = [[1.5, 0.0], [-2.0, 4.0], [0.0, 8.0]]


@pytest.mark.parametrize(
    ("content", "label", "labels"),
    [
        ("1.5,0,no\n-2,4,yes\n0,8,yes\n", None, ("no", "yes")),
        ("a,b,c\n1.5,0,no\n-2,4,yes\n0,8,yes\n", None, ("no", "yes")),
        ("a,b,c\r\n1.5,0,no\r\n\r\n-2,4,yes\r\n0,8,yes\r\n", "c", ("no", "yes")),
        ("\ufeffa;c;b\n1.5;1;0\n-2;2;4\n0;2.0;8\n", "c", (1, 2)),
        ("no\t1.5\t0\nyes\t-2\t4\nyes\t0\t8\n", 0, ("no", "yes")),
        ("1.5,no,0\n-2,yes,4\n0,yes,8\n", -2, ("no", "yes")),
        ('"1.5","no","0"\n-2, "yes" ,4\n0, yes ,8\n', 1, ("no", "yes")),
        ("0,1,target\n1.5,0,-1\n-2,4,+1\n0,8,1\n", "target", (-1, 1)),
        ("a,b,10\n1.5,0,-1\n-2,4,+1\n0,8,1\n", "10", (-1, 1)),
    ],
)
def test_csv(content, label, labels):
    data = datasets.load_file(write("a.csv", content), label=label)
    np.testing.assert_array_equal(data.X.toarray(), TABLE)
    assert data.y.tolist() == [-1, 1, 1]
    assert data.labels == labels
    assert [type(value) for value in data.labels] == [type(value) for value in labels]
    assert data.X.indices.dtype == np.int32


def test_a_file_in_several_batches(monkeypatch):
    monkeypatch.setattr(readers, "_BATCH_ROWS", 3)
    rows = "".join(f"{k},{k % 2}\n" for k in range(10))
    data = datasets.load_file(write("a.csv", rows))
    np.testing.assert_array_equal(data.X.toarray()[:, 0], range(10))
    assert "line 8, column 0" in message(datasets.load_file, write("a.csv", rows.replace("7,", "seven,")))
    libsvm = datasets.load_file(write("a.libsvm", "".join(f"{k % 2} {k + 1}:{k}\n" for k in range(10))))
    np.testing.assert_array_equal(libsvm.X.toarray(), np.diag(range(10)))


def test_columns_keep_their_places_where_values_are_missing_from_the_first_rows():
    data = datasets.load_file(write("a.csv", "b,a,c\n0,0,x\n0,7,y\n5,0,x\n"))
    np.testing.assert_array_equal(data.X.toarray(), [[0, 0], [0, 7], [5, 0]])
    assert data.X.nnz == 2


def test_a_csv_file_whose_first_line_is_long():
    names = [f"column{k}" for k in range(20_000)]
    rows = "".join(",".join(["1"] * 19_999 + [label]) + "\n" for label in ("no", "yes"))
    assert datasets.load_file(write("a.csv", ",".join(names) + "\n" + rows)).X.shape == (2, 19_999)


@pytest.mark.parametrize(
    ("content", "label", "said"),
    [
        ("age,c\n3,1\nx,2\n", None, ', line 3, column age: the value "x" is not a finite number up to 1e100.'),
        ("3,1,4\n5,2,oops\n", 0, ', line 2, column 2: the value "oops" is not a finite number up to 1e100.'),
        ("3,1\n,2\n", None, ', line 2, column 0: the value "" is not a finite number up to 1e100.'),
        ("3,1\ninf,2\n", None, ', line 2, column 0: the value "inf" is not a finite number up to 1e100.'),
        ("3,1\n4,\n5,x\n", None, ", line 2, column 1: the label is missing."),
        ("3,1\n\n4,2,5\n", None, ", line 3: the line has 3 cells where the header has 2."),
        (
            '3,1\n"4,2\n5,1\n',
            None,
            ", line 2: a quote is opened and not closed within 1048576 bytes or the rest of the input.",
        ),
        ("3\n4\n", None, ": one column is not enough for features and a label."),
        ("a,b\n1,2\n", "c", ' has no column "c": its columns are a, b.'),
        ("1,2\n", "c", ' has no column "c": it has no line of names.'),
        ("1,2\n", 2, " has 2 columns, so the label's must be from 0 to 1."),
        ("1,2\n", -3, " has 2 columns, so the label's must be from 0 to 1."),
        ("a,a,c\n1,2,3\n", None, " has two columns called 'a': rename one."),
        (b"1,2\n3,caf\xe9\n", None, ", line 2: the line is not text in UTF-8."),
    ],
)
def test_a_bad_csv_file_is_named(content, label, said):
    with pytest.raises(datasets.DatasetFormatError) as caught:
        datasets.load_file(write("a.csv", content), label=label)
    assert str(caught.value) == "a.csv" + said


# ---- either ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        *(("a.csv", "", "csv"), ("A.CSV.gz", "", "csv"), ("a.tsv.xz", "", "csv"), ("a.libsvm", "", "libsvm")),
        *(("a.svm.bz2", "", "libsvm"), ("a9a", "\n+1 2:3,\n", "libsvm"), ("a9a.t", "1\t2:3\n", "libsvm")),
        *(("x", "1,2\n", "csv"), ("x.txt", "1;2:3\n", "csv"), ("x", "a\tb\n", "csv"), ("x", "1\n", "libsvm")),
    ],
)
def test_the_format_is_guessed(name, content, kind):
    assert readers.guess_format(Path(write(name, content))) == kind


def test_the_format_may_be_given():
    write("a.libsvm", "1,2\n2,3\n")
    assert datasets.load_file("a.libsvm", format="csv").labels == (2, 3)
    with pytest.raises(ValueError, match='format must be "libsvm", "csv" or None, not \'arff\''):
        datasets.load_file("a.libsvm", format="arff")
    with pytest.raises(ValueError, match=r"label chooses a column of a CSV file, but a\.libsvm is read as LIBSVM"):
        datasets.load_file("a.libsvm", label=0)


def test_a_format_that_only_streams_read():
    with pytest.raises(ValueError, match=r"a\.vw is vw by its ending, not LIBSVM or CSV"):
        datasets.load_file(write("a.vw", "1 | x:1\n"))


def test_compression_is_known_by_content():
    write("a.csv", gzip.compress(b"1,2\n2,3\n"))
    assert datasets.load_file("a.csv").X.shape == (2, 1)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("damage", ["cut", "bent"])
def test_damaged_compression(pack, damage):
    text = "".join(f"{k % 2} 1:{k * 7919 % 1000}\n" for k in range(3000)).encode()
    packed = bytearray(pack(text))
    half = len(packed) // 2
    if damage == "cut":
        del packed[half:]
    else:
        packed[half : half + 40] = bytes(40)
    said = message(datasets.load_file, write("a.libsvm", bytes(packed)))
    assert said.startswith(("a.libsvm is damaged: its", "a.libsvm ends in the middle of its"))
    assert said.endswith("Get a whole copy.")


def test_no_file_no_permission_a_folder(monkeypatch):
    Path("sub").mkdir()
    assert message(datasets.load_file, "no.csv", kind=datasets.DatasetNotFoundError) == "There is no file no.csv."
    assert message(datasets.load_file, "no", kind=datasets.DatasetNotFoundError) == "There is no file no."
    assert message(datasets.load_file, "sub", kind=datasets.DatasetReadError) == "sub is a folder, not a file."

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "a.csv")

    write("a.csv", "1,2\n")
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    for call in (files.sha256, readers.read_libsvm):
        said = message(call, Path("a.csv"), kind=datasets.DatasetReadError)
        assert said == "a.csv cannot be read: Permission denied."


def test_the_count_of_lines():
    for content, lines in (("", 0), ("a\nb\n", 2), ("a\nb", 2)):
        assert files.sha256_unpacked(Path(write("a", content)))[1] == lines


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0), min_size=3, max_size=3),
        min_size=2,
        max_size=6,
    )
)
def test_libsvm_and_csv_give_the_same(rows):
    values = np.array(rows)
    labels = np.arange(len(values)) % 2
    dump_svmlight_file(values, labels, "drawn.libsvm", zero_based=False)
    Path("drawn.csv").write_text(
        "".join(",".join(map(repr, [*row, int(y)])) + "\n" for row, y in zip(rows, labels, strict=True))
    )
    one, two = readers.read_libsvm(Path("drawn.libsvm")), readers.read_csv(Path("drawn.csv"))
    np.testing.assert_array_equal(two.X.toarray(), values)
    np.testing.assert_allclose(one.X.toarray(), values[:, : one.X.shape[1]], rtol=1e-15)
    np.testing.assert_array_equal(one.labels, two.labels)
