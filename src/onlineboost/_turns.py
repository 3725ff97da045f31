"""Many may read a model while one learns: readers see a whole model, as it was between two batches.

The engine has a reader–writer lock around its numbers. Labels, names and the model itself are Python's, and change
with a few batches only: the first one, one that brings the second label, one with names never met. Such a change
makes the count `epoch` odd for as long as it lasts. A reader that finds it odd, or changed at its end, reads again
when it is its turn. Otherwise readers wait for nothing but the engine.
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


class Turns:
    """Those of one estimator."""

    def __init__(self) -> None:
        self.lock: AbstractContextManager[Any] = threading.RLock()  # held by whoever learns or saves
        self.epoch = 0

    def after_fork(self) -> None:
        """In a forked child: whoever held the lock is gone, unless it is the thread that forked."""
        lock: Any = self.lock
        if isinstance(lock, _Lost):
            return
        if lock.acquire(blocking=False):
            lock.release()
        elif self.epoch % 2 == 0:  # at work in the engine only, whose own lock tells what became of it
            self.lock = threading.RLock()
        else:
            self.lock = _Lost()

    @contextmanager
    def change(self) -> Iterator[None]:
        """More than the engine's numbers is going to change."""
        with self.lock:
            self.epoch += 1
            try:
                yield
            finally:
                self.epoch += 1

    @contextmanager
    def learn(self, settled: Callable[[], bool]) -> Iterator[None]:
        """Learn in turn; a model that is settled changes in the engine only."""
        with self.lock:
            if settled():
                yield
            else:
                with self.change():
                    yield

    def read(self, action: Callable[[], T]) -> T:
        """What the action gives, having seen one state of everything."""
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
        with self.lock:
            return action()


class _Lost:
    """The lock of an estimator that was being changed by another thread when the process was forked."""

    def __enter__(self) -> None:
        raise RuntimeError(
            "This model was in use by another thread when the process was forked: load or copy it anew in the child."
        )

    def __exit__(self, *_: object) -> None:
        """Never reached."""


_all: weakref.WeakKeyDictionary[Any, Turns] = weakref.WeakKeyDictionary()


def turns_of(estimator: Any) -> Turns:
    """The estimator's. They are not an attribute: those are parameters and what was learned, and are copied."""
    return _all.get(estimator) or _all.setdefault(estimator, Turns())


def _after_fork() -> None:
    for turns in list(_all.values()):
        turns.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
