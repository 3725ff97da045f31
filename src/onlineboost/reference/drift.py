"""Change: ADWIN, and banks whose learners can begin anew."""

import copy
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .learners import Bank, Floats


@dataclass
class ADWIN:
    """A window that is cut where its two parts have different means (Bifet and Gavaldà, SDM 2007).

    Buckets, oldest first, hold 1, 2, 4, ... values each; of six with the same size the two oldest become one. Every
    `clock` values, with n0 and n1 values on the sides of a cut between two buckets, at least 5 each, 1/m = 1/n0 + 1/n1
    and L = ln(2 ln(n) / delta), the oldest bucket goes if for some cut

        |mean0 - mean1| >= sqrt(2/m variance L) + 2/(3m) L,

    and this is repeated until there is none.
    """

    delta: float = 0.002
    clock: int = 32
    buckets: list[tuple[int, float, float]] = field(default_factory=list)  # size, sum, sum of squares
    ticks: int = 0
    rose: bool = False

    def update(self, x: float) -> bool:
        """Take the next value; whether the window was cut."""
        self.buckets.append((1, x, x * x))
        sizes = [size for size, *_ in self.buckets]
        for size in sorted(set(sizes)):
            if sizes.count(size) > 5:
                k = sizes.index(size)
                self.buckets[k : k + 2] = [tuple(a + b for a, b in zip(*self.buckets[k : k + 2], strict=True))]
                sizes = [size for size, *_ in self.buckets]
        self.ticks += 1
        if self.ticks < self.clock or sum(sizes) <= 10:
            return False
        self.ticks, cut = 0, False
        while sum(size for size, *_ in self.buckets) > 10 and self._differs():
            del self.buckets[0]
            cut = True
        return cut

    @property
    def mean(self) -> float:
        """Of the window."""
        return sum(value for _, value, _ in self.buckets) / max(sum(size for size, *_ in self.buckets), 1)

    def _differs(self) -> bool:
        n, total, squares = (sum(parts) for parts in zip(*self.buckets, strict=True))
        variance = max(squares / n - (total / n) ** 2, 0.0)
        L = math.log(2 * math.log(n) / self.delta)
        n0, left = 0, 0.0
        for size, value, _ in self.buckets:
            n0, left = n0 + size, left + value
            n1 = n - n0
            if n0 < 5 or n1 < 5:
                continue
            inverse = 1 / n0 + 1 / n1
            rise = (total - left) / n1 - left / n0
            if abs(rise) >= math.sqrt(2 * inverse * variance * L) + 2 / 3 * inverse * L:
                self.rose = rise > 0
                return True
        return False


class Understudies:
    """N learners, each with another that is taught from a warning on and takes its place at an alarm.

    Both come from a bank of 2 N learners, i and N + i, one of which speaks for learner i.
    """

    def __init__(self, bank: Bank) -> None:
        self.bank, self.n_learners, self.n_features = Forgetful(bank), bank.n_learners // 2, bank.n_features
        self.speaks = np.arange(self.n_learners)
        self.begun = np.zeros(self.n_learners, dtype=bool)

    @property
    def others(self) -> NDArray[np.intp]:
        return np.asarray((self.speaks + self.n_learners) % (2 * self.n_learners))

    def predict(self, x: Floats) -> Floats:
        return np.asarray(self.bank.predict(x)[self.speaks])

    def meet(self, x: Floats) -> None:
        self.bank.meet(x)

    def update(self, x: Floats, y: int, w: Floats) -> None:
        both = np.zeros(2 * self.n_learners)
        both[self.speaks], both[self.others] = w, w * self.begun
        self.bank.update(x, y, both)

    def prepare(self, i: int) -> None:
        self.bank.forget(int(self.others[i]))
        self.begun[i] = True

    def replace(self, i: int) -> None:
        if not self.begun[i]:
            self.prepare(i)
        self.speaks[i], self.begun[i] = self.others[i], False


class Forgetful:
    """A bank with `forget(i)`: learner i is as if nothing had been taught to it. All calls are kept and repeated."""

    def __init__(self, bank: Bank) -> None:
        self.fresh, self.bank = copy.deepcopy(bank), bank
        self.calls: list[tuple[str, list[object]]] = []
        self.n_learners, self.n_features = bank.n_learners, bank.n_features

    def predict(self, x: Floats) -> Floats:
        return self.bank.predict(x)

    def meet(self, x: Floats) -> None:
        self._call("meet", x.copy())

    def update(self, x: Floats, y: int, w: Floats) -> None:
        self._call("update", x.copy(), y, w.copy())

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        return float(self._call("step", i, x.copy(), y, w, times))  # type: ignore[arg-type]

    def forget(self, i: int) -> None:
        self.bank = copy.deepcopy(self.fresh)
        calls, self.calls = self.calls, []
        for name, arguments in calls:
            if name == "step" and arguments[0] == i:
                continue
            if name == "update":
                arguments[2][i] = 0.0  # type: ignore[index]
            self._call(name, *arguments)

    replace = forget

    def _call(self, name: str, *arguments: object) -> object:
        self.calls.append((name, list(arguments)))
        return getattr(self.bank, name)(*arguments)
