"""What a stream gives does not depend on how its bytes were cut, nor on where reading was taken up again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_reliability.fuzz_streams import SEEDS, fuzz, read

from onlineboost.streams import text

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("kind", [*SEEDS, "parquet", "arrow"])
def test_damaged_files(kind):
    counts = fuzz(kind, 150, seed=1)
    assert counts.tried == 150
    assert counts.rows > 0
    assert counts.refused > 0
    assert not counts.failures, counts.failures[0]


PIECES = {
    "libsvm": [
        b"1",
        b"-1",
        b" ",
        b" 1:1",
        b" 2:",
        b"3",
        b":",
        b"#",
        b"\n",
        b"\r\n",
        b"x" * 120,
        b"\xef\xbb\xbf",
        b"\0",
    ],
    "vw": [b"1", b" ", b"|", b"|n", b" a", b" b:2", b":", b"'t", b"\n", b"\r\n", b"y" * 120, b"\xc3", b"\xc3\xa9"],
    "csv": [b"1", b",", b'"', b'""', b"x", b"\n", b"\r\n", b" ", b"NA", b"2,y,0\n", b'"q\nr"', b"z" * 120, b"\xff"],
    "jsonl": [
        b'{"a":1,"label":0}\n',
        b'{"b":"x","label":1}',
        b"{",
        b"}",
        b'"',
        b":",
        b",",
        b"\n",
        b"[",
        b"\\",
        b"w" * 120,
    ],
}


@pytest.mark.parametrize("kind", PIECES)
@given(data=st.data())
def test_any_cut_gives_the_same_rows(kind, tmp_path_factory, data):
    content = b"".join(data.draw(st.lists(st.sampled_from(PIECES[kind]), max_size=60)))
    if kind == "csv":
        content = b"a,b,label\n" + content
    path = tmp_path_factory.mktemp("cuts") / "input"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_LOOK_ROWS", 2)  # so that columns are decided late as well
        whole = read(path, kind)
        cut = read(path, kind, block=data.draw(st.integers(1, 40)), batch_rows=data.draw(st.integers(1, 3)))
        assert (cut.rows, cut.problems, cut.error, cut.end) == (whole.rows, whole.problems, whole.error, whole.end)
        for position, schema, rows, problems in cut.positions:
            rest = read(path, kind, schema=schema, start=position)
            assert rest.rows == cut.rows[rows:]
            assert rest.problems == cut.problems[problems:]
            assert rest.end == cut.end


def test_records_over_several_lines_have_a_limit(tmp_path):
    path = tmp_path / "input.csv"
    path.write_bytes(b'a,label\n"' + b"x\n" * 200 + b'",1\n2,0\n')
    whole = read(path, "csv")  # a record of more than 300 bytes
    assert [row[0] for row in whole.rows] == [203]
    assert "not closed within 300 bytes" in whole.problems[0]
    for block in (1, 17, 299, 300, 301):
        cut = read(path, "csv", block=block)
        assert (cut.rows, cut.problems) == (whole.rows, whole.problems)
