"""Run the cells of a grid that are not in the store yet: on this machine, or on a Dask or Ray cluster."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed, parallel_config

from onlineboost.declarations.extras import require
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


def _backend(name: str, address: str | None) -> ExitStack:
    """The joblib configuration of a backend; the same cells run on each."""
    stack = ExitStack()
    if name == "dask":
        make_client = require("dask.distributed", "dask", "The Dask backend").Client
        stack.enter_context(make_client(address) if address else make_client(processes=True, dashboard_address=None))
        stack.enter_context(parallel_config(backend="dask"))
    elif name == "ray":
        ray = require("ray", "ray", "The Ray backend")
        if not ray.is_initialized():
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
            stack.callback(ray.shutdown)
        require("ray.util.joblib", "ray", "The Ray backend").register_ray()
        stack.enter_context(parallel_config(backend="ray"))
    return stack


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
    with _backend(backend, address):
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
