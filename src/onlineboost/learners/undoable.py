"""A bank in Python whose last row can be taken back: whatever it raises, a row is learned whole or not at all.

The bank of a user may have taught some of its learners before it raises. So a copy is kept, with the calls since it was
made; to take a row back, the calls before it are repeated on the copy. The copy is renewed when learning has taken
`PATIENCE` times as long as copying, so it adds about a tenth to the time of a row, however large the bank grows.
Batches of several rows need none of this: they are learned by a copy of the whole engine.
"""

from __future__ import annotations

import copy
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PATIENCE = 10.0
MOST_BYTES = 2**24  # of rows that are kept


class UndoableBank:
    """What the engine calls in place of the user's `bank`."""

    def __init__(self, bank: Any, make: Callable[[], Any] | None = None) -> None:
        self.bank, self._make = bank, make
        self._saved: Any = None
        self._calls: list[tuple[str, tuple[Any, ...]]] = []  # that turn the saved bank into the present one
        self._before = 0  # calls before the row at hand
        self._copying = self._learning = 0.0  # seconds
        self._bytes = 0
        self._stale = False  # a row has to be taken back
        for name in ("meet", "regress"):
            if hasattr(bank, name):
                setattr(self, name, partial(self._change, name))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the bank, and nothing to take back."""
        return UndoableBank, (self._present(), self._make)

    def prepare(self) -> None:
        """Before a single row, and outside the engine: a copy may call the model that the bank belongs to."""
        self._present()
        if self._saved is None or self._learning > PATIENCE * self._copying or self._bytes > MOST_BYTES:
            began = time.perf_counter()
            try:
                self._saved = copy.deepcopy(self.bank)
            except TypeError as error:
                raise TypeError(
                    f"The bank {type(self.bank).__name__} cannot be copied ({error}): a row that fails could not be "
                    "taken back. Give it a method __deepcopy__."
                ) from None
            self._calls, self._copying = [], time.perf_counter() - began
            self._learning, self._bytes = 0.0, 0
        self._before = len(self._calls)

    def undo(self) -> None:
        """Take the row at hand back."""
        if self._saved is not None and len(self._calls) > self._before:
            del self._calls[self._before :]
            self._stale = True
            with suppress(Exception):  # what the row raised is told; this is tried again at the next use
                self._present()

    def predict(self, x: NDArray[np.float64]) -> Any:
        """As the bank does."""
        return self._present().predict(x)

    def update(self, x: NDArray[np.float64], y: float, w: NDArray[np.float64]) -> None:
        """As the bank does."""
        self._change("update", x, y, w)

    def step(self, i: int, x: NDArray[np.float64], y: float, w: float, times: int) -> Any:
        """As the bank does."""
        return self._change("step", i, x, y, w, times)

    def forget(self, i: int) -> None:
        """As the bank does, or else learner i goes on in a fresh bank."""
        if not hasattr(self._present(), "forget"):
            if self._make is None:
                raise TypeError(f"The bank {type(self.bank).__name__} has no forget(i) to reset a learner.")
            self.bank = Patchwork(self.bank, self._make)
            if self._saved is not None:
                self._saved = Patchwork(self._saved, self._make)
        self._change("forget", i)

    def _change(self, name: str, *arguments: Any) -> Any:
        bank = self._present()
        if self._saved is None:
            return getattr(bank, name)(*arguments)
        self._calls.append((name, tuple(map(_kept, arguments))))
        self._bytes += sum(one.nbytes for one in arguments if isinstance(one, np.ndarray))
        began = time.perf_counter()
        result = getattr(bank, name)(*arguments)
        self._learning += time.perf_counter() - began
        return result

    def _present(self) -> Any:
        """The bank, without a row that was to be taken back."""
        if self._stale:
            bank = copy.deepcopy(self._saved)
            for name, arguments in self._calls:
                getattr(bank, name)(*map(_kept, arguments))
            self.bank, self._stale = bank, False
        return self.bank


class Patchwork:
    """A bank without `forget` some of whose learners were reset: each of these lives in a fresh bank of its own."""

    def __init__(self, bank: Any, make: Callable[[], Any]) -> None:
        self.n_learners: int = bank.n_learners
        self.banks, self.make = [bank], make
        self.home = np.zeros(self.n_learners, dtype=int)

    def predict(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each learner's output, from its bank."""
        outputs = np.array([bank.predict(x) for bank in self.banks], dtype=np.float64)
        return np.asarray(outputs[self.home, np.arange(self.n_learners)])

    def meet(self, x: NDArray[np.float64]) -> None:
        """As the banks do, if they do."""
        for bank in self.banks:
            if hasattr(bank, "meet"):
                bank.meet(x)

    def update(self, x: NDArray[np.float64], y: float, w: NDArray[np.float64]) -> None:
        """Teach each learner in its bank."""
        for k, bank in enumerate(self.banks):
            bank.update(x, y, np.where(self.home == k, w, 0.0))

    def regress(self, x: NDArray[np.float64], r: NDArray[np.float64], w: NDArray[np.float64]) -> None:
        """Teach each learner its target in its bank."""
        for k, bank in enumerate(self.banks):
            bank.regress(x, r, np.where(self.home == k, w, 0.0))

    def step(self, i: int, x: NDArray[np.float64], y: float, w: float, times: int) -> Any:
        """As the learner's bank does."""
        return self.banks[self.home[i]].step(i, x, y, w, times)

    def forget(self, i: int) -> None:
        """Learner i goes on in a fresh bank; banks without learners are dropped."""
        self.banks.append(self.make())
        self.home[i] = len(self.banks) - 1
        used, self.home = np.unique(self.home, return_inverse=True)
        self.banks = [self.banks[k] for k in used]


def _kept(argument: Any) -> Any:
    """A bank may keep and change the arrays that it is given."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument
