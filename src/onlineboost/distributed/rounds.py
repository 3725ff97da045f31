"""One model learned from shards in rounds: make shards, learn each from a base, merge; again from the merged model.

    base ─┬─ shard 1: the next `every` rows ─┐
          ├─ shard 2: the next `every` rows ─┼─ merge ── base of the next round
          └─ shard M: the next `every` rows ─┘

This is iterative parameter mixing (McDonald, Hall and Mann, NAACL 2010) for the learners that are averaged, and exact
for those whose state is a sum. Models that have learned nothing go their own ways at first, so early rounds are short:
`warm_up` rows, or a quarter of those before, up to `every`. The result depends on the shards and on these two,
not on the engine or its workers: many shards are merged by a tree whose shape follows from their numbers.

Messages of an engine take some milliseconds, so the first rounds are learned here where this process can read their few
rows, and a single worker merges by itself.
"""

from __future__ import annotations

import math
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from onlineboost.distributed.checkpoint import Checkpoint
from onlineboost.distributed.learning import Rules, Worker, columns_of
from onlineboost.distributed.rows import check_policy
from onlineboost.distributed.shards import ArrayShard, ParquetShard
from onlineboost.distributed.tree import FAN, merge_tree
from onlineboost.distributed.workers import Workers, workers_of
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from onlineboost.distributed.learning import Learned, Turn
    from onlineboost.distributed.shards import Shard
    from onlineboost.estimators import OnlineEstimator

FIRST_ROWS = 1000  # decide the kinds of columns
FEW_ROWS = 2000  # of a round of all shards: they are learned sooner than sent
WARM_UP = 10


def train_shards(
    model: OnlineEstimator,
    shards: Sequence[Shard],
    *,
    every: int | None = 1000,
    warm_up: int | None = WARM_UP,
    classes: Any = None,
    engine: str | Workers = "local",
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
        Rows of the first rounds of a model that has learned nothing, where there are several shards; later ones have
        a quarter of the rows before them, up to `every`. None: all rounds are alike.
    classes : array-like, default=None
        All labels, where a shard's part of a round may lack some.
    engine : {"local", "dask", "ray", "spark"} or Workers, default="local"
        Where shards are learned. `workers_of` makes workers that stay for the next training. Spark is that of the
        active session, and learns in one barrier stage.
    address : str, default=None
        Of a cluster that is there; None starts one on this machine.
    n_jobs : int, default=-1
        At most so many workers; -1 is one per core, or all of the cluster.
    bad_rows : {"stop", "skip", "missing"}, default="stop"
        Whether a row that cannot be learned is an error, is skipped, or has its bad cells taken as missing.
    on_problem : callable, default=None
        Called with a sentence for each bad row.
    checkpoint : path, default=None
        A model file that is written after every round, or each second or so where one worker learns all. Where it
        exists, training resumes behind the round that it holds. On Spark a worker writes it, so all of them must reach
        its folder; rounds take a second more without it.
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
    if begun or len(shards) == 1:  # a single model cannot go another way
        warm_up = None
    stops = ends_of_rounds(longest, every, warm_up)
    saved = Checkpoint(checkpoint, {"shards": [len(one) for one in shards], "every": every, "warm_up": warm_up})
    start = start_of(model)
    columns = None if begun else columns_of(start, shards[0].rows(0, min(FIRST_ROWS, len(shards[0]))), bad_rows)
    rules = Rules(classes, bad_rows, columns, stops)
    base, first = saved.load() or (start, 0)

    def tell(learned: Sequence[Learned]) -> None:
        report(learned, "Shard", on_problem)

    def learn_first_rounds() -> tuple[OnlineEstimator, int]:
        here = end_of_short_rounds(shards, stops, every) if warm_up is not None else 0
        if first >= here:
            return base, first
        turn = Worker(dict(enumerate(shards)), rules).take_turn(base.to_bytes(), first, here, fan, math.inf)
        tell(turn.bad)
        learned = from_bytes(turn.model)
        saved.save(learned, turn.stop)
        return learned, turn.stop

    if engine == "spark":
        from onlineboost.spark.stage import train_in_a_stage  # noqa: PLC0415  # for those who have Spark

        return train_in_a_stage(*learn_first_rounds(), shards, rules, saved, tell, n_jobs, fan)
    with ExitStack() as stack:
        workers = engine if isinstance(engine, Workers) else stack.enter_context(workers_of(engine, address, n_jobs))
        workers.deal(shards, rules)
        if workers.alone:
            return run_turns(base, first, stops, workers.take_turn, tell, saved, fan)
        return run_rounds(*learn_first_rounds(), stops, workers.learn, tell, saved, fan)


def run_rounds(
    base: OnlineEstimator,
    first: int,
    stops: Sequence[int],
    learn: Callable[[bytes, int, int], Sequence[Learned]],
    tell: Callable[[Sequence[Learned]], None],
    saved: Checkpoint,
    fan: int,
) -> OnlineEstimator:
    """The model after the rounds that end at these rows, from the row `first` on.

    A checkpoint is written while the next round is learned: after a crash that round may be learned again, to the same
    bits.
    """
    data = base.to_bytes()
    with ThreadPoolExecutor(1) as writer:
        written: Future[None] | None = None
        for start, stop in pairwise([0, *stops]):
            if start < first:
                continue
            learned = sorted(learn(data, start, stop), key=lambda one: one.shard)
            base = merge_tree([(one.shard, from_bytes(one.model)) for one in learned], base, fan)
            data = base.to_bytes()
            tell(learned)
            if written is not None:
                written.result()
            written = writer.submit(saved.save, base, stop)
        if written is not None:
            written.result()
    return base


def run_turns(
    base: OnlineEstimator,
    first: int,
    stops: Sequence[int],
    take_turn: Callable[[bytes, int, int, int], Turn],
    tell: Callable[[Sequence[Learned]], None],
    saved: Checkpoint,
    fan: int,
) -> OnlineEstimator:
    """The same by one worker, which merges; a checkpoint is written after each of its turns."""
    while first < stops[-1]:
        turn = take_turn(base.to_bytes(), first, stops[-1], fan)
        base, first = from_bytes(turn.model), turn.stop
        tell(turn.bad)
        saved.save(base, first)
    return base


def end_of_short_rounds(shards: Sequence[Shard], stops: Sequence[int], every: int | None) -> int:
    """The row behind those rounds of the warm-up that are of few rows, which this process can read; 0 without them."""
    if every is None or not all(type(one) in {ArrayShard, ParquetShard} for one in shards):
        return 0
    most = min(every - 1, FEW_ROWS // len(shards))
    return max((stop for start, stop in pairwise([0, *stops]) if stop - start <= most), default=0)


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


def report(learned: Sequence[Learned], what: str, on_problem: Callable[[str], None] | None) -> None:
    """Tell of bad rows, in the order of shards and rows."""
    if on_problem is not None:
        for one in learned:
            for bad in one.bad:
                on_problem(f"{what} {one.shard}, {bad}")
