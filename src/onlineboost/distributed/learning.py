"""What a worker does: it reads its shards' rows of a round, learns them from the base, and hands models back.

One that has all shards merges them, too, and goes on for about a second before it hands its model back.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onlineboost.distributed.rows import BadRow, arrow_bytes, learn_table, without_bad_rows
from onlineboost.distributed.tree import merge_tree
from onlineboost.machine.frames import Frame, tabular
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from onlineboost.distributed.shards import Batch, Rows, Shard
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.schema import ColumnSchema


TURN = 1.0  # seconds that a worker with all shards goes on by itself


class ShardError(ValueError):
    """A shard holds rows that cannot be learned; the message says which shard and which row."""


@dataclass(frozen=True)
class Learned:
    """What a worker hands back: its model, and the rows that it could not learn."""

    shard: int
    model: bytes
    bad: list[BadRow] = field(default_factory=list)


@dataclass(frozen=True)
class Turn:
    """What a worker with all shards hands back: the model, the row it came to, and rows that it could not learn."""

    model: bytes
    stop: int
    bad: list[Learned]


@dataclass(frozen=True)
class Rules:
    """How rows are learned, the same for all shards."""

    classes: Any = None
    bad_rows: str = "stop"
    columns: ColumnSchema | None = None
    stops: Sequence[int] = ()  # the row behind each round


class Worker:
    """Learns its shards' rows of each round; between rounds it keeps the readers, and nothing of the models.

    Parameters
    ----------
    shards : dict
        From the number of a shard to the shard.
    rules : Rules
        How rows are learned.

    """

    def __init__(self, shards: dict[int, Shard], rules: Rules) -> None:
        self.shards, self.rules = shards, rules
        self._readers: dict[int, Rows] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Readers stay where they are."""
        return self.__dict__ | {"_readers": {}}

    def learn(self, base: bytes, start: int, stop: int) -> list[Learned]:
        """The models that go on from the base with rows `start` to `stop` of the shards that have such rows."""
        found = []
        for number in self._active(start):
            model = from_bytes(base)
            bad = self._go_on(model, number, start, stop)
            found.append(Learned(number, model.to_bytes(), bad))
        self._read_ahead(stop)
        return found

    def take_turn(self, base: bytes, start: int, end: int, fan: int, seconds: float = TURN) -> Turn:
        """Rounds of these shards, which are all, up to the row `end` or for about so many seconds: one at least."""
        model, told, until, first = from_bytes(base), [], time.monotonic() + seconds, start
        while start < end and (start == first or time.monotonic() < until):
            stop = self.rules.stops[bisect_right(self.rules.stops, start)]
            active = list(self._active(start))
            data = model.to_bytes() if len(active) > 1 else b""
            learned = []
            for number in active:
                one = from_bytes(data) if data else model
                if bad := self._go_on(one, number, start, stop):
                    told.append(Learned(number, b"", bad))
                learned.append((number, one))
            model, start = merge_tree(learned, model, fan), stop
        return Turn(model.to_bytes(), start, told)

    def _active(self, start: int) -> Iterator[int]:
        """The numbers of the shards that go as far, each with a reader."""
        for number, shard in self.shards.items():
            if start < len(shard):
                if number not in self._readers:
                    self._readers[number] = shard.reader() if hasattr(shard, "reader") else shard
                yield number

    def _go_on(self, model: OnlineEstimator, number: int, start: int, stop: int) -> list[BadRow]:
        stop = min(stop, len(self.shards[number]))
        return go_on(model, self._readers[number], start, stop, number, self.rules)

    def _read_ahead(self, start: int) -> None:
        """Begin to read what the next round begins with, while models are merged; of one shard, for memory's sake."""
        following = bisect_right(self.rules.stops, start)
        number = next((k for k, shard in self.shards.items() if start < len(shard)), None)
        if number is None or following == len(self.rules.stops):
            return
        reader: Any = self._readers.get(number)
        if hasattr(reader, "read_ahead"):
            reader.read_ahead(start, min(self.rules.stops[following], len(self.shards[number])))


def learn_shard(base: bytes, shard: Shard, start: int, stop: int, classes: Any = None, number: int = 0) -> bytes:
    """The bytes of a model that has gone on from a base with these rows of a shard: what a worker does."""
    model = from_bytes(base)
    go_on(model, shard, start, stop, number, Rules(classes))
    return model.to_bytes()


def go_on(model: OnlineEstimator, shard: Rows, start: int, stop: int, number: int, rules: Rules) -> list[BadRow]:
    """Learn these rows of a shard; those that were bad."""
    try:
        return learn_rows(
            model,
            shard.rows(start, stop),
            classes=rules.classes,
            bad_rows=rules.bad_rows,
            columns=rules.columns,
            first_row=start,
        )
    except ValueError as error:
        raise ShardError(f"Shard {number}, rows {start:,} to {stop:,}: {error}") from None


def learn_rows(
    model: OnlineEstimator,
    batch: Batch,
    *,
    classes: Any = None,
    bad_rows: str = "stop",
    columns: ColumnSchema | None = None,
    first_row: int = 0,
) -> list[BadRow]:
    """Learn rows of a shard in their order; those that were bad."""
    X, y, weights = batch
    if bad_rows != "stop" and isinstance(tabular(X), Frame):
        data, label, weight = arrow_bytes(X, y, weights)
        return learn_table(
            model, data, label=label, weight=weight, columns=columns, bad_rows=bad_rows, first_row=first_row
        )
    found: list[BadRow] = []
    if bad_rows != "stop":
        X, y, weights, found = without_bad_rows(X, y, weights, bad_rows, first_row)
        if not len(y):
            return found
    machine = model.machine_to_learn()
    if columns is not None and not machine.begun:
        machine.features.schema = columns
    try:
        model.partial_fit(X, y, classes=classes, sample_weight=weights)
    except ValueError:
        _name_the_row(model, batch, columns, first_row)
        raise
    return found


def _name_the_row(model: OnlineEstimator, batch: Batch, columns: ColumnSchema | None, first_row: int) -> None:
    """BadRowError for the first row that cannot be learned, if it is a row; the model is of no use then."""
    table = tabular(batch[0])
    if table is None or (isinstance(table, Frame) and table.numeric):
        without_bad_rows(*batch, "stop", first_row)
    elif isinstance(table, Frame):
        data, label, weight = arrow_bytes(*batch)
        learn_table(model, data, label=label, weight=weight, columns=columns, bad_rows="stop", first_row=first_row)


def columns_of(model: OnlineEstimator, batch: Batch, bad_rows: str) -> ColumnSchema | None:
    """The kinds of the columns by a shard's first rows, for all shards to begin with."""
    if tabular(batch[0]) is None:
        return None
    probe = from_bytes(model.to_bytes())
    learn_rows(probe, batch, bad_rows="skip" if bad_rows == "stop" else bad_rows)
    machine = probe.machine_to_learn()
    return machine.features.schema if machine.begun else None
