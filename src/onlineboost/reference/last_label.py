"""The label before, said again by how often it was followed by itself."""

from dataclasses import dataclass

import numpy as np

from .learners import Bank, Floats


@dataclass(eq=False, kw_only=True)
class LastLabel(Bank):
    """h = l (2 p - 1), p = (s_l + 1/2) / (n_l + 1), l the label before; s_l of the n_l that followed it were l again.

    A learner hears a label when it is taught with a weight above 0; until the next row, `now` is the label before it.
    """

    def __post_init__(self) -> None:
        self.before, self.now = np.zeros((2, self.n_learners))
        self.n, self.s = np.zeros((2, 2, self.n_learners))

    def _output(self, last: Floats) -> Floats:
        side, i = (last > 0).astype(int), np.arange(self.n_learners)
        return np.asarray(last * (2 * (self.s[side, i] + 0.5) / (self.n[side, i] + 1) - 1))

    def predict(self, x: Floats) -> Floats:
        return self._output(self.now)

    def meet(self, x: Floats) -> None:
        self.before = self.now.copy()

    def update(self, x: Floats, y: int, w: Floats) -> None:
        for i in np.flatnonzero(w > 0):
            side = int(self.before[i] > 0)
            self.n[side, i] += w[i] * (self.before[i] != 0)
            self.s[side, i] += w[i] * (self.before[i] == y)
            self.now[i] = y

    def step(self, i: int, x: Floats, y: int, w: float, times: int) -> float:
        self.update(x, y, self._only(i, w * times))
        return float(self._output(self.before)[i])
