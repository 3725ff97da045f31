"""Where work runs: this machine's processes, a Dask cluster or a Ray cluster; the same results on each."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from joblib import parallel_config

from onlineboost.declarations.extras import require

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

ENGINES = ("local", "dask", "ray")


def engine(name: str, address: str | None = None) -> AbstractContextManager[object]:
    """The context in which joblib runs its work on an engine.

    Parameters
    ----------
    name : {"local", "dask", "ray"}
        The engine.
    address : str, default=None
        Of a cluster that is there; None starts one on this machine.

    """
    if name not in ENGINES:
        raise ValueError(f"The engine must be one of {', '.join(ENGINES)}, not {name!r}.")
    stack = ExitStack()
    if name == "dask":
        make_client = require("dask.distributed", "dask", "The Dask backend").Client
        stack.enter_context(make_client(address) if address else make_client(processes=True, dashboard_address=":0"))
        stack.enter_context(parallel_config(backend="dask"))
    elif name == "ray":
        ray = require("ray", "ray", "The Ray backend")
        if not ray.is_initialized():
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
            stack.callback(ray.shutdown)
        require("ray.util.joblib", "ray", "The Ray backend").register_ray()
        stack.enter_context(parallel_config(backend="ray"))
    return stack
