"""Run the cells of a grid that are not in the store yet: on this machine, or on a Dask or Ray cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

from onlineboost.distributed import engine
from onlineboost.experiments.grid import run_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from onlineboost.experiments.store import Store

RAY_BATCH = 64


def shard_of(configs: Sequence[dict[str, Any]], shard: tuple[int, int] | None) -> list[dict[str, Any]]:
    """The cells of shard i of n, i from 1: every n-th one, so long and short cells mix."""
    if shard is None:
        return list(configs)
    i, n = shard
    return list(configs[i - 1 :: n])


def parse_shard(text: str) -> tuple[int, int]:
    """'2/5' as (2, 5)."""
    try:
        i, n = (int(part) for part in text.split("/"))
    except ValueError:
        i, n = 0, 0
    if not 1 <= i <= n:
        raise ValueError(f"a shard is written i/n with 1 <= i <= n, for example 2/5, not {text!r}")
    return i, n


def _numbered(number: int, config: dict[str, Any], folder: str | None) -> tuple[int, dict[str, Any]]:
    return number, run_cell(config, folder)


def run(
    configs: Sequence[dict[str, Any]],
    store: Store,
    *,
    folder: str | None = None,
    jobs: int = -1,
    backend: str = "local",
    address: str | None = None,
    on_done: Callable[[dict[str, Any], dict[str, Any]], None] | None = None,
) -> None:
    """Run what is missing and add it to the store, each cell as it finishes."""
    missing = [config for config in configs if config not in store]
    if not missing:
        return
    with engine(backend, address):
        for number, result in _finished(missing, folder, jobs, one_by_one=backend != "ray"):
            store.add(missing[number], result)
            if on_done is not None:
                on_done(missing[number], result)


def _finished(
    missing: Sequence[dict[str, Any]], folder: str | None, jobs: int, *, one_by_one: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Results as they come. Ray's joblib backend gives them in lists only, so there they come a few at a time."""
    tasks = [delayed(_numbered)(number, config, folder) for number, config in enumerate(missing)]
    if one_by_one:
        yield from Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")(tasks)
        return
    for start in range(0, len(tasks), RAY_BATCH):
        yield from Parallel(n_jobs=jobs, batch_size=1)(tasks[start : start + RAY_BATCH])
