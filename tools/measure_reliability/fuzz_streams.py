"""Damaged input files against the readers of streams.

Whatever the bytes are, a stream gives rows, counts malformed lines, or raises one clear error. And what it gives does
not depend on how the bytes were cut into blocks or the rows into batches, nor on whether reading was taken up again at
a position. Run as a script it prints the counts:

    python tools/measure_reliability/fuzz_streams.py --cases 10000
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from onlineboost.streams import Batch, Position, Schema, StreamError, open_source, open_stream

LONGEST = 300  # bytes of a line, so that small files reach the limit
SLOW = 20.0  # seconds for one file of a few hundred bytes: a hang

SEEDS = {
    "libsvm": (
        b"+1 1:0.5 3:1 7:-2e-3 # c\n-1 2:1 3:.25 10:1e5\r\n\n# only a comment\n1 qid:3 1:1 2:2\n"
        b"-1\n2 5:+4.5 2147483647:1"
    ),
    "vw": (
        b"1 2.5 'tag|a:2 x:3 y |b z\n-1 |x y y:2\n|a b\n1 1 0 'q |a b:-1e3 c d\r\n\n-1 0 |  one two:2\n1 |s a_b:0.5|t u"
    ),
    "csv": (
        b'age,"job, or so",label,text\n39,"a ""b""\nc",no,hello world\n,x,yes,\n4.5,NA,no," q"\r\n\n'
        b"7,y,yes,Hello\n1e3,z,no,w"
    ),
    "tsv": b'a\tlabel\tb\n1\t0\tx\n2\t1\t"y\tz"\n\t0\t\n3.5\t1\tw\n4\t0\tv',
    "jsonl": (
        b'{"a": 1, "b": "x", "label": "no", "in": {"c": true, "d": null}}\n'
        b'{"label": "yes", "b": "y\\u00e9\\ud83d\\ude00", "e": -1.5e2}\r\n\n'
        b'{"label":"no","a":2.0,"e":1}\n{"a":3,"label":"yes"}'
    ),
}
_PIECES = [
    *(b"\n", b"\r\n", b'"', b'""', b",", b"\t", b":", b"|", b" ", b"#", b"'", b"{", b"}", b"[", b"\\", b"\\u12", b"\0"),
    *(
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        b"1e999",
        b"-1e-999",
        b"nan",
        b"inf",
        b"9" * 30,
        b"2147483648",
        b"0x1p3",
        b"a" * 400,
    ),
    *(b"null", b"NA", b"1:1", b"1:2 1:3", b"|n f:1", b"+", b"-", b".", b"1_0", b"label", b"\x85", b"\xe2\x80\xa8"),
]


@dataclass
class Outcome:
    """What a stream gave, with names in place of ids."""

    rows: list[tuple[object, ...]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    error: str | None = None
    positions: list[tuple[Position, Schema, int, int]] = field(default_factory=list)
    end: Position | None = None


@dataclass
class Counts:
    """Files tried, and what became of them; `failures` holds one line for each file that went wrong."""

    tried: int = 0
    rows: int = 0
    malformed: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return len(self.failures)


def plain_rows(batch: Batch) -> list[tuple[object, ...]]:
    """The rows of a batch as line, label, weight, and pairs of name (or column) and value in the order of the input."""
    starts, names = batch.X.indptr, batch.names
    weights = [1.0] * len(batch) if batch.weight is None else batch.weight.tolist()
    labels = [None] * len(batch) if batch.y is None else batch.y.tolist()
    rows = []
    for r, line in enumerate(batch.lines.tolist()):
        part = slice(starts[r], starts[r + 1])
        ids = batch.X.indices[part].tolist()
        keys = ids if names is None else [names[k] for k in ids]
        values = [None if value != value else value for value in batch.X.data[part].tolist()]  # noqa: PLR0124  # NaN
        rows.append((line, labels[r], weights[r], tuple(zip(keys, values, strict=True))))
    return rows


def read(
    path: Path,
    kind: str,
    *,
    block: int = 1 << 18,
    batch_rows: int = 1000,
    schema: Schema | None = None,
    start: Position | None = None,
    **options: object,
) -> Outcome:
    """Read a file to its end. Anything but a StreamError is let through."""
    outcome = Outcome()
    try:
        with open_source(path, block=block) as source:
            stream = open_stream(
                source,
                kind,
                schema,
                start=start,
                batch_rows=batch_rows,
                longest_line=LONGEST,
                on_problem=lambda problem: outcome.problems.append(str(problem)),
                **options,
            )
            for batch in stream:
                outcome.rows += plain_rows(batch)
                outcome.positions.append((batch.position, stream.schema, len(outcome.rows), len(outcome.problems)))
            outcome.end = stream.position
    except StreamError as error:
        outcome.error = str(error)
    return outcome


def mutate(seed: bytes, random_: random.Random) -> bytes:
    """A damaged copy."""
    data = bytearray(seed)
    for _ in range(random_.choice((1, 1, 2, 4, 12))):
        at = random_.randrange(len(data) + 1)
        to = min(len(data), at + random_.choice((1, 1, 2, 8, 40)))
        choice = random_.randrange(6)
        if choice == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << random_.randrange(8)
        elif choice == 1:
            del data[at:to]
        elif choice == 2:
            data[at:at] = data[at:to] * random_.choice((1, 1, 3))
        elif choice == 3:
            data[at:at] = bytes(random_.randrange(256) for _ in range(random_.choice((1, 2, 6))))
        elif choice == 4:
            data[at:at] = random_.choice(_PIECES)
        else:
            data = data[:at] if random_.random() < 0.2 else data
    return bytes(data)


def _check(path: Path, kind: str, random_: random.Random, counts: Counts) -> str | None:
    """What is wrong with the reading of one file, or None."""
    labels = random_.choice(("required", "required", "optional", "ignored"))
    text = kind in SEEDS
    max_bad = random_.choice((None, None, 0, 2))
    options: dict[str, object] = {"labels": labels, "max_bad": max_bad}
    whole = read(path, kind, **options)
    counts.rows += len(whole.rows)
    counts.malformed += len(whole.problems)
    counts.refused += whole.error is not None
    cut = read(
        path, kind, block=random_.choice((1, 2, 3, 7, 50, 1000)), batch_rows=random_.choice((1, 2, 3, 1000)), **options
    )
    if text and (cut.rows, cut.problems, cut.error) != (whole.rows, whole.problems, whole.error):
        return "depends on how it was cut"
    if text and whole.end != cut.end and whole.error is None:
        return "ends somewhere else when cut"
    # What is found out about a damaged Parquet file while reading a row group is not found out by passing over it.
    if cut.positions and (text or cut.error is None):
        position, schema, rows, problems = random_.choice(cut.positions)
        rest = read(path, kind, block=random_.choice((1, 5, 1000)), schema=schema, start=position, **options)
        if rest.rows != cut.rows[rows:] or rest.problems != cut.problems[problems:]:
            return f"goes on differently from {position}"
        if (rest.error is None) != (cut.error is None):
            return f"ends differently from {position}"
    json.dumps([schema.to_json() for _, schema, _, _ in whole.positions[:1]])
    return None


def fuzz(kind: str, cases: int, seed: int = 0) -> Counts:
    """Damage a small file of the format `cases` times and read each."""
    random_ = random.Random(f"{kind} {seed}")  # noqa: S311  # not for secrets
    seeds = [SEEDS[kind]] if kind in SEEDS else table_files(kind)
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        for case in range(cases):
            data = mutate(random_.choice(seeds), random_)
            path.write_bytes(data)
            counts.tried += 1
            began = time.monotonic()
            try:
                wrong = _check(path, kind, random_, counts)
            except Exception as error:  # noqa: BLE001  # whatever it is, it should not have been raised
                wrong = f"raised {type(error).__name__}: {error}"
            if wrong is None and time.monotonic() - began > SLOW:
                wrong = "took too long"
            if wrong:
                counts.failures.append(f"case {case}: {wrong}: {data[:500]!r}")
    return counts


def table_files(kind: str) -> list[bytes]:
    """Small Parquet and Arrow files."""
    import pyarrow as pa  # noqa: PLC0415  # an extra
    import pyarrow.parquet as pq  # noqa: PLC0415  # an extra

    table = pa.table(
        {
            "a": pa.array([1.5, None, 3, 4, 5, 6], pa.float64()),
            "b": pa.array(["x", "y", None, "x", "é", ""]),
            "n": pa.array([1, 2, 3, 4, None, 6], pa.int32()),
            "label": pa.array([0, 1, 0, 1, 1, 0]),
        }
    )
    files = []
    if kind == "parquet":
        for codec in ("none", "snappy"):
            out = io.BytesIO()
            pq.write_table(table, out, row_group_size=2, compression=codec)
            files.append(out.getvalue())
    else:
        for writer in (pa.ipc.new_file, pa.ipc.new_stream):
            out = io.BytesIO()
            with writer(out, table.schema) as made:
                made.write_table(table, max_chunksize=2)
            files.append(out.getvalue())
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("formats", nargs="*", default=[*SEEDS, "parquet", "arrow"])
    arguments = parser.parse_args()
    failed = 0
    for kind in arguments.formats:
        counts = fuzz(kind, arguments.cases, arguments.seed)
        failed += counts.failed
        print(
            f"{kind}: {counts.tried:,} files, {counts.rows:,} rows, {counts.malformed:,} malformed lines, "
            f"{counts.refused:,} refused with a sentence, {counts.failed:,} failed"
        )
        for failure in counts.failures[:10]:
            print("   ", failure)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
