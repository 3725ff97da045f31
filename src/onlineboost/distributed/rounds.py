"""One model learned from shards in rounds: make shards, learn each from a base, merge; again from the merged model.

    base ─┬─ shard 1: the next `every` rows ─┐
          ├─ shard 2: the next `every` rows ─┼─ merge ── base of the next round
          └─ shard M: the next `every` rows ─┘

This is iterative parameter mixing (McDonald, Hall and Mann, NAACL 2010) for the learners that are averaged, and exact
for those whose state is a sum. Models that have learned nothing go their own ways at first, so early rounds are short:
`warm_up` rows, or a quarter of those before, up to `every`. The result depends on the shards and on these two,
not on the engine or its workers: many shards are merged by a tree whose shape follows from their numbers.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

from onlineboost.distributed.checkpoint import Checkpoint
from onlineboost.distributed.engines import engine as engine_context
from onlineboost.distributed.rows import BadRow, arrow_bytes, check_policy, learn_table, without_bad_rows
from onlineboost.machine.frames import Frame, tabular
from onlineboost.merging import merge
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from onlineboost.distributed.shards import Batch, Shard
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine.schema import ColumnSchema

FAN = 32  # models that are merged at a time
FIRST_ROWS = 1000  # decide the kinds of columns
WARM_UP = 10


class ShardError(ValueError):
    """A shard holds rows that cannot be learned; the message says which shard and which row."""


@dataclass(frozen=True)
class Learned:
    """What a worker hands back: its model, and the rows that it could not learn."""

    shard: int
    model: bytes
    bad: list[BadRow] = field(default_factory=list)


def train_shards(
    model: OnlineEstimator,
    shards: Sequence[Shard],
    *,
    every: int | None = 1000,
    warm_up: int | None = WARM_UP,
    classes: Any = None,
    engine: str = "local",
    address: str | None = None,
    n_jobs: int = -1,
    bad_rows: str = "stop",
    on_problem: Callable[[str], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    fan: int = FAN,
) -> OnlineEstimator:
    """The model that has learned all shards, each on a worker.

    Parameters
    ----------
    model : estimator
        What the first round begins with, fitted or not; it stays as it is. It must be one that can be merged and saved.
    shards : list of shards
        As `array_shards` and `parquet_shards` make them, or anything with a length and `rows(start, stop)`.
    every : int or None, default=1000
        Rows that each shard learns between two merges; None merges once, at the end.
    warm_up : int or None, default=10
        Rows of the first rounds of a model that has learned nothing; later ones have a quarter of the rows before
        them, up to `every`. None: all rounds are alike.
    classes : array-like, default=None
        All labels, where a shard's part of a round may lack some.
    engine : {"local", "dask", "ray"}, default="local"
        Where shards are learned.
    address : str, default=None
        Of a cluster that is there; None starts one on this machine.
    n_jobs : int, default=-1
        Workers at a time on this machine; -1 is one per core.
    bad_rows : {"stop", "skip", "missing"}, default="stop"
        Whether a row that cannot be learned is an error, is skipped, or has its bad cells taken as missing.
    on_problem : callable, default=None
        Called with a sentence for each bad row.
    checkpoint : path, default=None
        A model file that is written after every round. Where it exists, training resumes behind its last round.
    fan : int, default=32
        Shards beyond this number are merged by a tree, so many at a time.

    """
    if not shards:
        raise ValueError("There are no shards: give at least one.")
    check_policy(bad_rows)
    longest = max(len(one) for one in shards)
    for name, rows in (("every", every), ("warm_up", warm_up)):
        if rows is not None and rows < 1:
            raise ValueError(f"{name} must be at least 1 row, not {rows!r}.")
    begun = model.machine_to_learn().begun
    stops = ends_of_rounds(longest, every, None if begun else warm_up)
    saved = Checkpoint(checkpoint, {"shards": [len(one) for one in shards], "every": every, "warm_up": warm_up})
    base, first = saved.load() or (start_of(model), 0)
    columns = None
    if not base.machine_to_learn().begun:
        batch = shards[0].rows(0, min(FIRST_ROWS, len(shards[0])))
        columns = columns_of(base, batch, bad_rows)
    with engine_context(engine, address), Parallel(n_jobs=n_jobs, batch_size=1) as parallel:
        for start, stop in zip([0, *stops], stops, strict=False):
            if start < first:
                continue
            data = base.to_bytes()
            left = [(k, one) for k, one in enumerate(shards) if start < len(one)]
            learned = parallel(
                delayed(learn_part)(data, one, start, min(stop, len(one)), classes, k, bad_rows, columns)
                for k, one in left
            )
            base = merge_tree([(one.shard, one.model) for one in learned], base, fan)
            report(learned, "Shard", on_problem)
            saved.save(base, stop)
    return base


def ends_of_rounds(longest: int, every: int | None, warm_up: int | None) -> list[int]:
    """The row behind each round, up to that behind the last row of the longest shard."""
    most = longest if every is None else every
    least = most if every is None or warm_up is None else warm_up
    stops = [0]
    while stops[-1] < longest:
        stops.append(stops[-1] + min(most, max(least, stops[-1] // 4)))
    return stops[1:]


def start_of(model: OnlineEstimator) -> OnlineEstimator:
    """A copy of the model to begin with; its seed is the same for all shards."""
    base = from_bytes(model.to_bytes())
    if base.get_params()["random_state"] is None and not base.machine_to_learn().begun:
        base.set_params(random_state=secrets.randbits(32))
    return base


def columns_of(model: OnlineEstimator, batch: Batch, bad_rows: str) -> ColumnSchema | None:
    """The kinds of the columns by a shard's first rows, for all shards to begin with."""
    if tabular(batch[0]) is None:
        return None
    probe = from_bytes(model.to_bytes())
    learn_rows(probe, batch, bad_rows="skip" if bad_rows == "stop" else bad_rows)
    machine = probe.machine_to_learn()
    return machine.features.schema if machine.begun else None


def learn_shard(base: bytes, shard: Shard, start: int, stop: int, classes: Any = None, number: int = 0) -> bytes:
    """The bytes of a model that has gone on from a base with these rows of a shard: what a worker does."""
    return learn_part(base, shard, start, stop, classes, number).model


def learn_part(
    base: bytes,
    shard: Shard,
    start: int,
    stop: int,
    classes: Any = None,
    number: int = 0,
    bad_rows: str = "stop",
    columns: ColumnSchema | None = None,
) -> Learned:
    """The same, with the rows that it could not learn."""
    model = from_bytes(base)
    try:
        bad = learn_rows(
            model, shard.rows(start, stop), classes=classes, bad_rows=bad_rows, columns=columns, first_row=start
        )
    except ValueError as error:
        raise ShardError(f"Shard {number}, rows {start:,} to {stop:,}: {error}") from None
    return Learned(number, model.to_bytes(), bad)


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
    table = tabular(X)
    if isinstance(table, Frame) and bad_rows != "stop":
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
        if table is None or (isinstance(table, Frame) and table.numeric):
            without_bad_rows(X, y, weights, "stop", first_row)  # names the row
        raise
    return found


def merge_tree(models: list[tuple[int, bytes]], base: OnlineEstimator, fan: int = FAN) -> OnlineEstimator:
    """One model from those of shards, with their numbers: neighbours are merged, at most `fan` at a time."""
    while max(number for number, _ in models) >= fan:
        groups: dict[int, list[bytes]] = {}
        for number, data in sorted(models):
            groups.setdefault(number // fan, []).append(data)
        models = [(number, merge_group(group, base)) for number, group in groups.items()]
    return from_bytes(merge_group([data for _, data in sorted(models)], base))


def merge_group(group: list[bytes], base: OnlineEstimator) -> bytes:
    """A node of the tree; a single model stays as it is."""
    if len(group) == 1:
        return group[0]
    merged: bytes = merge([from_bytes(data) for data in group], base).to_bytes()
    return merged


def report(learned: Sequence[Learned], what: str, on_problem: Callable[[str], None] | None) -> None:
    """Tell of bad rows, in the order of shards and rows."""
    if on_problem is not None:
        for one in learned:
            for bad in one.bad:
                on_problem(f"{what} {one.shard}, {bad}")
