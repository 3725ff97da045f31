"""CSV, TSV, JSON lines and VW text, held to the standard library; and the rules of the schema."""

import csv
import io
import json
import math
import re
from pathlib import Path

import naive_readers as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_reliability.fuzz_streams import plain_rows

from onlineboost import _core
from onlineboost.streams import FormatError, Schema, open_stream

pytestmark = [pytest.mark.engine, pytest.mark.quick]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def read(folder, data, kind, schema=None, **options):
    path = folder / f"input.{kind}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    stream = open_stream(path, kind, schema, **options)
    rows = [row for batch in stream for row in plain_rows(batch)]
    return [(dict(pairs), label) for _, label, _, pairs in rows], stream


plain = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=8)
infinite = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)  # refused, with a problem: another test's matter
cells = st.one_of(
    plain.filter(lambda text: not infinite.fullmatch(text.strip())),
    st.sampled_from(["", "NA", "1", "-2.5", "1e3", '"', 'a"b', "x,y", "two\nlines", "é", "Word word"]),
    st.floats(-1e9, 1e9).map(repr),
).map(str.strip)
kinds = st.sampled_from([None, "category", "hash:3", "text:5", "counts:5"])


@given(
    rows=st.lists(
        st.tuples(cells, cells, st.integers(-3, 3).map(str), st.sampled_from(["yes", "no", "1", "0"])), max_size=12
    ),
    declared=st.tuples(kinds, kinds),
    separator=st.sampled_from([",", ";", "\t"]),
    batch_rows=st.integers(1, 5),
)
def test_csv_as_the_standard_library_reads_it(folder, rows, declared, separator, batch_rows):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(["a", "b", "n", "label"])
    writer.writerows(rows)
    columns = {name: kind for name, kind in zip("ab", declared, strict=True) if kind}
    found, stream = read(
        folder, text.getvalue(), "csv", Schema(columns=columns, separator=separator), batch_rows=batch_rows
    )
    wanted = oracle.read_csv(text.getvalue(), declared=columns, separator=separator)
    assert [label for _, label in found] == [label for _, label in wanted]
    for (features, _), (expected, _) in zip(found, wanted, strict=True):
        assert {key: math.nan if value is None else value for key, value in features.items()} == pytest.approx(
            {key: math.nan if value is None else value for key, value in expected.items()}, rel=1e-15, nan_ok=True
        )
    assert not stream.problems


def test_unquoted_cells_are_trimmed_and_quoted_ones_are_not(folder):
    found, stream = read(folder, 'a, b ,label\n x , y z,0\n" x ",  "q""r"  ,1\n', "csv")
    assert found == [({"a=x": 1, "b=y z": 1}, 0), ({"a= x ": 1, 'b=q"r': 1}, 1)]
    assert not stream.problems


def test_line_numbers_with_quoted_newlines(folder):
    text = 'a,label\n"1\n2\n3",0\nbad\n"4",1\nx,y,z\n5,0\n'
    path = folder / "lines.csv"
    path.write_text(text)
    stream = open_stream(path)
    (batch,) = stream
    assert batch.lines.tolist() == [2, 6, 8]
    assert [problem.line for problem in stream.problems] == [5, 7]


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("1,2", "", "2 cells where the header has 3"),
        ("1,2,3,4", "", "4 cells"),
        ("x,y,0", "n", "not a finite number"),
        ("inf,y,0", "n", "not a finite number"),
        ("1e101,y,0", "n", "1e100"),
        ("1,y,", "label", "label is missing"),
        ("1,y,99999999999999999999", "label", "2^53"),
        ("1,y," + "x" * 2000, "label", "longer than 1000"),
        ("1," + "y" * 20000 + ",0", "c", "longer than 10000 bytes"),
        ('1,"y"z,0', "", "closing quote"),
        ("1,\xff,0", "", "UTF-8"),
        ("1,\0,0", "", "UTF-8"),
    ],
)
def test_malformed_lines_of_csv(folder, line, column, word):
    text = f"n,c,label\n1,x,0\n{line}\n2,y,1\n".encode("latin-1")
    found, stream = read(folder, text, "csv", Schema(columns={"n": "number", "c": "category"}))
    assert found == [({"n": 1, "c=x": 1}, 0), ({"n": 2, "c=y": 1}, 1)]
    (problem,) = stream.problems
    assert (problem.line, problem.column) == (3, column)
    assert word in problem.message
    assert stream.names == ["n", "c=x", "c=y"]


def test_an_open_quote_costs_one_line(folder):
    found, stream = read(folder, 'a,label\n1,0\n"2,1\n3,0\n4,1\n', "csv")
    assert [label for _, label in found] == [0, 0, 1]
    assert [problem.line for problem in stream.problems] == [3]
    assert "not closed" in stream.problems[0].message


def test_headers(folder):
    with pytest.raises(FormatError, match=r"no column 'label' for the label: its columns are a, b"):
        read(folder, "a,b\n1,2\n", "csv")
    with pytest.raises(FormatError, match="two columns called 'a'"):
        read(folder, "a,a,label\n1,2,3\n", "csv")
    with pytest.raises(FormatError, match="It should be the header"):
        read(folder, b"a,\xff\n", "csv")
    with pytest.raises(FormatError, match="declares column 'z'"):
        read(folder, "a,label\n1,2\n", "csv", Schema(columns={"z": "number"}))
    found, _ = read(folder, "1,x,0\n2,y,1\n", "csv", Schema(header=False, label="2"))
    assert found == [({"0": 1, "1=x": 1}, 0), ({"0": 2, "1=y": 1}, 1)]
    found, _ = read(folder, ",label\n7,0\n", "csv")
    assert found == [({"column 1": 7}, 0)]
    for empty in ("", "a,label", "a,label\n", "\n\n"):
        assert read(folder, empty, "csv")[0] == []


def test_columns_go_by_name(folder):
    _, stream = read(folder, "a,b,label\n1,x,0\n2,y,1\n", "csv")
    schema = Schema.from_json(json.loads(json.dumps(stream.schema.to_json())))
    assert schema.decided
    assert schema.columns == {"a": "number", "b": "category"}
    again, _ = read(folder, "label,new,b,a\n0,5,x,1\n1,q,y,2\n", "csv", schema)
    assert again[0] == ({"new": 5, "b=x": 1, "a": 1}, 0)
    assert again[1:] == []  # `new` was decided by its first value, and q is not a number
    fewer, _ = read(folder, "b\nx\ny\n", "csv", schema, labels="ignored")
    assert fewer == [({"b=x": 1}, None), ({"b=y": 1}, None)]


def test_first_thousand_rows_decide(folder):
    rows = ["a,b,label", *(f"{k},NA,0" for k in range(1000)), "late,1,1", "7,x,1"]
    _, stream = read(folder, "\n".join(rows), "csv")
    assert [(problem.line, problem.column) for problem in stream.problems] == [(1002, "a")]
    assert stream.schema.columns == {"a": "number", "b": "category"}  # the malformed line decided nothing
    rows[1000] = "late,NA,0"
    _, stream = read(folder, "\n".join(rows), "csv")
    assert [(problem.line, problem.column) for problem in stream.problems] == [(1003, "b")]
    assert stream.schema.columns == {"a": "category", "b": "number"}


def test_roles(folder):
    text = "a,w,skip,y\n1,2,x,p\n2,0,y,q\n3,-1,z,r\n4,,z,p\n"
    schema = Schema(label="y", weight="w", ignore=("skip",), positive="p")
    path = folder / "roles.csv"
    path.write_text(text)
    stream = open_stream(path, schema=schema)
    (batch,) = stream
    assert batch.y.tolist() == [1, 0]
    assert batch.weight.tolist() == [2, 0]
    assert stream.names == ["a"]
    assert [(problem.line, problem.column) for problem in stream.problems] == [(4, "w"), (5, "w")]
    (batch,) = open_stream(path, schema=schema, labels="ignored")
    assert batch.y is None
    assert batch.weight is None
    assert len(batch) == 4


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"columns": {"a": "float"}}, "kind 'float'"),
        ({"columns": {"a": "hash:31"}}, "BITS from 1 to 30"),
        ({"columns": {"a": "text:0"}}, "BITS"),
        ({"columns": {"label": "number"}}, "twice"),
        ({"columns": [1]}, "columns must be"),
        ({"ignore": "a"}, "ignore must be"),
        ({"label": 3}, "label must be"),
        ({"weight": 3}, "weight must be"),
        ({"header": 1}, "header must be"),
        ({"positive": [1]}, "positive"),
        ({"separator": ",,"}, "separator"),
        ({"colums": {}}, "no field 'colums'"),
    ],
)
def test_wrong_schemas(fields, word):
    with pytest.raises(FormatError, match=word):
        Schema.from_json(fields)


json_values = st.one_of(
    st.floats(-1e9, 1e9),
    st.integers(-(10**6), 10**6),
    plain.filter(lambda text: len(text) < 50),
    st.booleans(),
    st.none(),
).filter(lambda value: value != "?")


@given(
    rows=st.lists(st.dictionaries(st.sampled_from(["a", "b", "c", "dé"]), json_values), max_size=10),
    ascii_=st.booleans(),
    batch_rows=st.integers(1, 4),
)
def test_json_lines_as_the_standard_library_reads_them(folder, rows, ascii_, batch_rows):
    text = "".join(json.dumps({"label": k % 2, **row}, ensure_ascii=ascii_) + "\n" for k, row in enumerate(rows))
    found, stream = read(folder, text, "jsonl", batch_rows=batch_rows)
    given_rows = [
        {name: value for name, value in row.items() if value is not None and value not in oracle.MISSING}
        for row in rows
    ]
    numeric = {
        name: all(not isinstance(row[name], str) for row in given_rows if name in row)
        for name in {name for row in given_rows for name in row}
    }
    wanted = [
        (
            {
                (name if numeric[name] else f"{name}={value if isinstance(value, str) else json.dumps(value)}"): (
                    float(value) if numeric[name] else 1.0
                )
                for name, value in row.items()
            }
            | {name: None for name in rows[k] if numeric.get(name) and name not in row},
            k % 2,
        )
        for k, row in enumerate(given_rows)
    ]
    assert found == wanted
    assert not stream.problems


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("[1]", "not a JSON object"),
        ("{", "name in quotes"),
        ('{"a": 1', "comma or a closing brace"),
        ('{"a": 1} 2', "follows"),
        ('{"a": 1,}', "name in quotes"),
        ('{"a" 1}', "colon"),
        ('{"a": }', "not JSON"),
        ('{"a": [1]}', "list"),
        ('{"a": 01}', "not JSON"),
        ('{"a": +1}', "not JSON"),
        ('{"a": .5}', "not JSON"),
        ('{"a": tru}', "not JSON"),
        ('{"a": Infinity, "label": 0}', "finite"),
        ('{"a": 1, "a": 2, "label": 0}', "twice"),
        ('{"a": 1, "b.c": 2, "b": {"c": 1}, "label": 0}', "twice"),
        ('{"a": "x', "not closed"),
        ('{"a": "\\x"}', "escape"),
        ('{"a": "\\u12"}', "escape"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"a": "\\u0000"}', "NUL"),
        ('{"a": "\t"}', "control"),
        ('{"a": 1}', "label is missing"),
        ('{"label": null}', "label is missing"),
        ('{"a":' * 70 + "1" + "}" * 70, "too deeply"),
    ],
)
def test_malformed_json(folder, line, word):
    text = f'{{"a": 1, "label": 0}}\n{line}\n{{"a": 2, "label": 1}}\n'
    found, stream = read(folder, text, "jsonl", Schema(columns={"a": "number"}))
    assert found == [({"a": 1}, 0), ({"a": 2}, 1)]
    (problem,) = stream.problems
    assert problem.line == 2
    assert word in problem.message


def test_nested_objects_have_dotted_names(folder):
    found, _ = read(folder, '{"label": "x", "u": {"age": 3, "at": {"city": "Rom"}}, "e": {}}', "jsonl")
    assert found == [({"u.age": 3, "u.at.city=Rom": 1}, "x")]


vw_names = st.text(st.sampled_from("abxyz_019é^="), min_size=1, max_size=3)
vw_values = st.one_of(st.just(""), st.integers(-3, 3).map(":{}".format), st.floats(-1e6, 1e6).map(":{!r}".format))
vw_features = st.lists(st.tuples(vw_names, vw_values).map("".join), max_size=5).map(" ".join)
vw_spaces = st.one_of(
    vw_features.map("| {}".format),
    st.tuples(vw_names, st.sampled_from(["", ":2", ":-0.5"]), vw_features).map(lambda part: "|{}{} {}".format(*part)),
)
vw_heads = st.sampled_from(["1", "-1", "1 2", "-1 0.5 ", "1 'tag", "-1 3 0 'tag", "1 1 0"])
vw_lines = st.tuples(vw_heads, st.lists(vw_spaces, min_size=1, max_size=3).map(" ".join)).map(" ".join)


@given(lines=st.lists(vw_lines, max_size=8), batch_rows=st.integers(1, 4))
def test_vw_by_its_rules(folder, lines, batch_rows):
    path = folder / "input.vw"
    path.write_text("\n".join(lines), encoding="utf8")
    stream = open_stream(path, batch_rows=batch_rows)
    rows = [row for batch in stream for row in plain_rows(batch)]
    assert not stream.problems
    wanted = oracle.read_vw("\n".join(lines))
    assert [(label, weight) for _, label, weight, _ in rows] == [(label, weight) for _, label, weight in wanted]
    assert [list(pairs) for *_, pairs in rows] == [list(found.items()) for found, *_ in wanted]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("1 x:1", "no |"),
        ("|a x", "no label"),
        ("'tag |a x", "no label"),
        ("1|a x", "no label"),
        ("1:0.5:2 |a x", "label"),
        ("x |a x", "label"),
        ("1 -1 |a x", "importance"),
        ("1 1e16 |a x", "importance"),
        ("1 1 0.5 |a x", "bases are not supported"),
        ("1 1 0 7 |a x", "behind label"),
        ("1 'tag 2 |a x", "stand last"),
        ("1 |a x:y", "value"),
        ("1 |a x:", "value"),
        ("1 |a x:1:2", "value"),
        ("1 |a:b x", "value"),
        ("1 |a :1", "no name"),
        ("1 |:2 x", "no name"),
        ("1 |a x:nan", "finite"),
        ("1 |a:1e60 x:1e60", "1e100"),
        ("1 |a x:9e99 x:9e99", "1e100"),
        ("1 |a " + "x" * 20000, "longer than 10000"),
    ],
)
def test_malformed_vw(folder, line, word):
    path = folder / "wrong.vw"
    path.write_text(f"1 |n a\n{line}\n-1 |n b\n")
    stream = open_stream(path)
    (batch,) = stream
    assert batch.lines.tolist() == [1, 3]
    assert stream.names == ["n^a", "n^b"]
    (problem,) = stream.problems
    assert problem.line == 2
    assert word in problem.message


def test_hash_is_the_published_one():
    # FNV-1a of "", "a" and "foobar" is in RFC 9923 and on its authors' page; the finaliser is SplitMix64's.
    fnv = {b"": 0xCBF29CE484222325, b"a": 0xAF63DC4C8601EC8C, b"foobar": 0x85944171F73967E8}

    def mix(h):
        h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        h = (h ^ h >> 27) * 0x94D049BB133111EB % 2**64
        return h ^ h >> 31

    page = (Path(__file__).parents[2] / "docs" / "streams.md").read_text(encoding="utf8")
    for text, value in fnv.items():
        assert _core.stable_hash(text) == mix(value) == oracle.stable_hash(text)
        assert f"{mix(value):#018x}" in page
    assert _core.stable_hash("é\0".encode()) == oracle.stable_hash("é\0".encode())


def test_hashed_names_are_bounded(folder):
    text = "user,note,label\n" + "".join(f"u{k},word{k} Word{k},{k % 2}\n" for k in range(3000))
    _, stream = read(folder, text, "csv", Schema(columns={"user": "hash:4", "note": "text:6"}))
    assert len(stream.names) == 16 + 64
    assert all("#" in name for name in stream.names)


def test_what_does_not_fit_is_said(folder):
    path = folder / "a.libsvm"
    path.write_text("1 1:1\n")
    for options, word in [
        ({"format": "xml"}, "no format 'xml'"),
        ({"batch_rows": 0}, "batch_rows"),
        ({"max_bad": -1}, "max_bad"),
        ({"tick": -1}, "tick"),
        ({"labels": "no"}, "labels"),
        ({"schema": Schema(weight="w")}, "no columns"),
    ]:
        with pytest.raises(FormatError, match=word):
            open_stream(path, **options)
    with pytest.raises(FormatError, match="say which it is"):
        open_stream(folder / "a.txt") if (folder / "a.txt").write_text("") == 0 else None
    assert np.array_equal(next(open_stream(path)).y, [1])


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_line_of_exactly_the_longest_length_is_read(tmp_path, ending):
    path = tmp_path / f"s.{ending}"
    row = f"{'1' * 37}{',' if ending == 'csv' else chr(9)}1"
    path.write_text(f"x{',' if ending == 'csv' else chr(9)}label\n{row}\n{row}\n")
    assert sum(map(len, open_stream(path, longest_line=len(row)))) == 2
    problems = []
    assert sum(map(len, open_stream(path, longest_line=len(row) - 1, on_problem=problems.append))) == 0
    assert len(problems) == 2
