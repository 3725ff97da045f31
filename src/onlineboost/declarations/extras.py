"""Optional dependencies: imported when they are needed, or one sentence that says how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


def require(module: str, extra: str, purpose: str) -> Any:
    """Import a module that `pip install "onlineboost[EXTRA]"` brings; `purpose` is the subject of the error message."""
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise MissingExtraError(f'{purpose} needs {package}: pip install "onlineboost[{extra}]".') from None
