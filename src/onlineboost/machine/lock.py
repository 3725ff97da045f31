"""Many threads may read a model while one learns; each reader sees one state of everything.

The engine has a reader–writer lock around its numbers, for as long as one call of it lasts. Labels, names and the
engine itself are Python's, and a batch is learned by several calls. What changes more than one call does makes the
count `epoch` odd for as long as it lasts. A reader that finds it odd, or changed at its end, reads again in turn with
the writers. Otherwise readers wait for nothing but the engine.

A forked child has only the thread that forked. A lock that another thread held is free there, unless that thread was
in the middle of a change: then half of it is done, and the child is told so.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

T = TypeVar("T")


class ModelLock:
    """Lock and change counter of one machine."""

    def __init__(self) -> None:
        self.writer: AbstractContextManager[Any] = threading.RLock()  # held by whoever learns or saves
        self.epoch = 0
        _all.add(self)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """For a change that takes more than one call of the engine."""
        with self.writer:
            self.epoch += 1
            try:
                yield
            finally:
                self.epoch += 1

    def read(self, action: Callable[[], T]) -> T:
        """The action's result, computed on one state of everything."""
        before = self.epoch
        if before % 2 == 0:
            try:
                result = action()
            except Exception:
                if self.epoch == before:
                    raise
            else:
                if self.epoch == before:
                    return result
        with self.writer:
            return action()

    def after_fork(self) -> None:
        """In a forked child: free what no thread is left to free."""
        lock: Any = self.writer
        if isinstance(lock, _Lost):
            return
        if lock.acquire(blocking=False):
            lock.release()
        elif self.epoch % 2 == 0:  # in the engine only, whose own lock knows what became of it
            self.writer = threading.RLock()
        else:
            self.writer = _Lost()


class _Lost:
    """The lock of a machine that another thread was changing when the process was forked."""

    def __enter__(self) -> None:
        raise RuntimeError(
            "This model was in use by another thread when the process was forked: load or copy it anew in the child."
        )

    def __exit__(self, *_: object) -> None:
        """Never reached."""


_all: weakref.WeakSet[ModelLock] = weakref.WeakSet()


def _after_fork() -> None:
    for lock in list(_all):
        lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
