"""Who watches the engine while it learns a batch: it returns every few hundredths of a second, with the rows done."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    Watcher = Callable[[int, int, float], None]
    Wrong = Callable[[slice], NDArray[np.bool_]]

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def watched() -> bool:
    """Whether anybody watches: rows are then tested, too."""
    return _watcher.get() is not None


class Notices:
    """What the watcher is told of one batch: rows learned, of how many, and the share of wrong predictions so far.

    Parameters
    ----------
    total : int
        Rows of the batch.
    wrong : function or None
        Which predictions of a slice of rows, which are learned, were wrong; None where rows are not tested.

    """

    def __init__(self, total: int, wrong: Wrong | None) -> None:
        self._total, self._wrong = total, wrong
        self._done = self._mistakes = 0

    def tell(self, done: int) -> None:
        """Tell the watcher, if there is one."""
        watcher = _watcher.get()
        if watcher is None:
            return
        if self._wrong is not None:
            self._mistakes += int(self._wrong(slice(self._done, done)).sum())
        self._done = done
        watcher(done, self._total, self._mistakes / max(done, 1) if self._wrong is not None else float("nan"))


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """While this is open, a function is told of rows that were learned, and of the error over them."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
