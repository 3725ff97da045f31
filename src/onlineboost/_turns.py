"""Many may read a model while one learns: readers see a whole model, as it was between two batches.

The engine has a reader–writer lock around its numbers. Labels, names and the model itself are Python's, and change
with a few batches only: the first one, one that brings the second label, one with names never met. Such a change
makes the count `epoch` odd for as long as it lasts. A reader that finds it odd, or changed at its end, reads again
when it is its turn. Otherwise readers wait for nothing but the engine.
"""

from __future__ import annotations

import threading
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class Turns:
    """Those of one estimator."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # held by whoever learns or saves
        self.epoch = 0

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


_all: weakref.WeakKeyDictionary[Any, Turns] = weakref.WeakKeyDictionary()


def turns_of(estimator: Any) -> Turns:
    """The estimator's. They are not an attribute: those are parameters and what was learned, and are copied."""
    return _all.get(estimator) or _all.setdefault(estimator, Turns())
