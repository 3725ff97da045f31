"""Rounds of learning and merging on the partitions of a data frame: `onlineboost.distributed`'s three verbs on Spark.

    data frame ── cut into chunks of `every` rows, kept ──▶ round r: learn chunk r of each partition from the base
                                                           (mapInArrow), merge by a tree ──▶ base of round r + 1

A partition is a shard. A task that is lost is run again from the base, so an example is learned once. Workers hand bad
rows back as data: an error in a task would be tried four times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import StorageLevel, TaskContext
from pyspark.sql import functions as F  # noqa: N812  # Spark's own name for it

from onlineboost.distributed.checkpoint import Checkpoint
from onlineboost.distributed.learning import ShardError
from onlineboost.distributed.rounds import start_of
from onlineboost.distributed.rows import BadRowError, learn_table, without_bad_rows
from onlineboost.distributed.tree import FAN, merge_group, merge_tree
from onlineboost.persistence import from_bytes
from onlineboost.spark.vectors import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame

    from onlineboost.distributed.rows import BadRow
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.schema import ColumnSchema

CHUNKS = "shard int, round int, start long, size int, rows binary"
MODELS = "shard int, model binary, problems array<string>, error string"
CHUNK_NAMES = ["shard", "round", "start", "size", "rows"]
_CHUNK_ROWS = 10_000


@dataclass(frozen=True)
class Reading:
    """Which columns are learned, and what is done with bad rows."""

    label: str
    weight: str | None
    features: str | None  # a column of vectors
    columns: tuple[str, ...]  # plain columns
    bad_rows: str

    def of(self, frame: DataFrame) -> DataFrame:
        """The columns that are needed."""
        names = [self.features] if self.features else [*self.columns]
        return frame.select(*names, self.label, *([self.weight] if self.weight else []))

    def learn(self, model: OnlineEstimator, rows: bytes, first_row: int, columns: ColumnSchema | None) -> list[BadRow]:
        """Learn a chunk."""
        if not self.features:
            return learn_table(
                model,
                rows,
                label=self.label,
                weight=self.weight,
                columns=columns,
                bad_rows=self.bad_rows,
                first_row=first_row,
            )
        table = pa.ipc.open_stream(rows).read_all().combine_chunks()
        X = rows_of(table[self.features].chunk(0))
        weights = table[self.weight].to_numpy() if self.weight else None
        y = table[self.label].to_numpy(zero_copy_only=False)
        bad: list[BadRow]
        X, y, weights, bad = without_bad_rows(X, y, weights, self.bad_rows, first_row)
        if len(y):
            labels = y.astype("int64") if y.dtype.kind == "f" and (y == y.astype("int64")).all() else y
            model.learn_batch(X, labels, None, weights, grow=True)
        return bad


def train(
    frame: DataFrame,
    model: OnlineEstimator,
    reading: Reading,
    *,
    every: int | None,
    checkpoint: str | None = None,
    on_problem: Callable[[str], None] | None = None,
    fan: int = FAN,
) -> OnlineEstimator:
    """The model that has learned all partitions; `every` rows of each between two merges, None once at the end."""
    chunks = reading.of(frame).mapInArrow(_cutter(every), CHUNKS).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        found = chunks.groupBy("round").agg(F.max("shard"), F.count("*"), F.sum("size")).collect()
        tops = {row[0]: row[1] for row in found}
        if not tops:
            raise ValueError("The data frame has no rows: there is nothing to learn.")
        saved = Checkpoint(checkpoint, {"every": every, "rounds": sorted(map(list, found))})
        base, first = saved.load() or (start_of(model), 0)
        columns = None if base.machine_to_learn().begun else _columns_of(base, chunks, reading)
        for number in range(first, len(tops)):
            part = chunks.filter(F.col("round") == number)
            learned, problems = _learn_and_merge(part, base, reading, columns, tops[number], fan)
            base = merge_tree([(shard, from_bytes(data)) for shard, data in learned], base, fan)
            for problem in problems if on_problem is not None else ():
                on_problem(problem)  # type: ignore[misc]  # it is given
            saved.save(base, number + 1)
    finally:
        chunks.unpersist()
    return base


def _columns_of(base: OnlineEstimator, chunks: DataFrame, reading: Reading) -> ColumnSchema | None:
    """The kinds of plain columns by the first chunk, for all partitions to begin with."""
    if reading.features:
        return None
    first = chunks.orderBy("shard", "start").first()
    assert first is not None  # noqa: S101  # there are rows
    probe = from_bytes(base.to_bytes())
    learn_table(probe, bytes(first["rows"]), label=reading.label, weight=reading.weight, bad_rows="skip")
    machine = probe.machine_to_learn()
    return machine.features.schema if machine.begun else None


def _learn_and_merge(
    chunks: DataFrame, base: OnlineEstimator, reading: Reading, columns: ColumnSchema | None, top: int, fan: int
) -> tuple[list[tuple[int, bytes]], list[str]]:
    """A round on the workers: their models, merged there too until `fan` are left; and sentences about bad rows."""
    data = chunks.sparkSession.sparkContext.broadcast(base.to_bytes())
    try:
        frame = chunks.mapInArrow(_learner(data, reading, columns), MODELS)
        while top >= fan:
            node = F.floor(F.col("shard") / fan).cast("int").alias("node")
            frame = frame.groupBy(node).applyInArrow(_merger(data, fan), MODELS)
            top //= fan
        rows = sorted(frame.collect(), key=lambda row: row["shard"])
    finally:
        data.destroy()
    for row in rows:
        if row["error"]:
            raise ShardError(row["error"])
    return [(row["shard"], bytes(row["model"])) for row in rows], [one for row in rows for one in row["problems"]]


def _cutter(every: int | None) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Cuts the rows of a partition into chunks that belong to one round each."""

    def cut(batches: Iterable[Any]) -> Iterator[Any]:
        context = TaskContext.get()
        shard = 0 if context is None else context.partitionId()
        start, held, n_held = 0, [], 0
        size = min(every or _CHUNK_ROWS, _CHUNK_ROWS)

        def chunk(parts: list[Any], n_rows: int) -> Any:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, parts[0].schema) as writer:
                for part in parts:
                    writer.write_batch(part)
            number = 0 if every is None else start // every
            columns = [[shard], [number], [start], [n_rows], [sink.getvalue().to_pybytes()]]
            types = [pa.int32(), pa.int32(), pa.int64(), pa.int32(), pa.binary()]
            arrays = [pa.array(one, kind) for one, kind in zip(columns, types, strict=True)]
            return pa.RecordBatch.from_arrays(arrays, CHUNK_NAMES)

        for batch in batches:
            rest = batch
            while rest.num_rows:
                room = size - n_held
                if every is not None:
                    room = min(room, every - (start + n_held) % every)
                held.append(rest.slice(0, room))
                n_held += held[-1].num_rows
                rest = rest.slice(room)
                if n_held == size or (every is not None and (start + n_held) % every == 0):
                    yield chunk(held, n_held)
                    start, held, n_held = start + n_held, [], 0
        if held:
            yield chunk(held, n_held)

    return cut


def _learner(base: Any, reading: Reading, columns: ColumnSchema | None) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Learns the chunks of a partition from the base."""

    def learn(batches: Iterable[Any]) -> Iterator[Any]:
        model, shard, error, problems = None, 0, None, []
        for batch in batches:
            for row in batch.to_pylist():
                if error is not None:
                    continue
                if model is None:
                    model, shard = from_bytes(base.value), row["shard"]
                try:
                    bad = reading.learn(model, row["rows"], row["start"], columns)
                    problems += [f"Partition {shard}, {one}" for one in bad]
                except BadRowError as found:
                    error = f"Partition {shard}, {found}"
                except ValueError as found:
                    error = f"Partition {shard}, rows from {row['start']:,}: {found}"
        if model is not None:
            yield _models(shard, model.to_bytes(), problems, error)

    return learn


def _merger(base: Any, fan: int) -> Callable[[Any], Any]:
    """Merges the models of neighbouring partitions."""

    def merged(table: Any) -> Any:
        rows = sorted(table.to_pylist(), key=lambda row: row["shard"])
        problems = [one for row in rows for one in row["problems"]]
        error = next((row["error"] for row in rows if row["error"]), None)
        models = [from_bytes(row["model"]) for row in rows]
        data = merge_group(models, from_bytes(base.value)).to_bytes()
        return pa.Table.from_batches([_models(rows[0]["shard"] // fan, data, problems, error)])

    return merged


def _models(shard: int, model: bytes, problems: list[str], error: str | None) -> Any:
    arrays = [
        pa.array([shard], pa.int32()),
        pa.array([model], pa.binary()),
        pa.array([problems], pa.list_(pa.string())),
        pa.array([error], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(arrays, ["shard", "model", "problems", "error"])
