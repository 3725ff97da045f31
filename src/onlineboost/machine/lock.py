"""Many threads may read a model while one learns; each reader sees one state of everything.

The engine has a reader–writer lock around its numbers. Labels, names and the engine itself are Python's, and change
with a few batches only: the first one, one that brings a label, one with names never seen. Such a change makes the
count `epoch` odd for as long as it lasts. A reader that finds it odd, or changed at its end, reads again in turn with
the writers. Otherwise readers wait for nothing but the engine.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class ModelLock:
    """Lock and change counter of one machine."""

    def __init__(self) -> None:
        self.writer = threading.RLock()  # held by whoever learns or saves
        self.epoch = 0

    @contextmanager
    def changing(self) -> Iterator[None]:
        """For a change of more than the engine's numbers."""
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
