"""OzaBoost under change: OzaBoostADWIN and BOLE."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import rng
from .boosters import NEGLIGIBLE, OzaBoost
from .drift import ADWIN, Forgetful
from .learners import Floats


@dataclass(eq=False, kw_only=True)
class _Watched(OzaBoost):
    """OzaBoost, learner by learner, with a window over the mistakes of each."""

    drift_delta: float = 0.002

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bank: Any = Forgetful(self.bank)
        self.windows = [ADWIN(self.drift_delta) for _ in range(self.N)]
        self.resets = np.zeros(self.N, dtype=int)

    def _teach(self, m: int, x: Floats, h: Floats, y: int, s: float, lam: float) -> tuple[bool, float]:
        """Whether learner m was right, and the next lambda."""
        said = h[m]
        k, w = (rng.poisson(lam, self.seed, m, self.rounds), s) if self.update == "poisson" else (1, s * lam)
        if k > 0 and w >= NEGLIGIBLE:
            after = self.bank.step(m, x, y, w, k)
            said = after if self.evaluate == "after" else said
        right = (1 if said > 0 else -1) == y
        side = self.sc if right else self.sw
        side[m] += s * lam
        total = self.sc[m] + self.sw[m] if self.denominator == "weights" else self.count
        return right, min(max(lam * float(total / (2 * side[m])), NEGLIGIBLE), 1e6)

    def _reset(self, m: int) -> None:
        self.bank.forget(m)
        self.windows[m] = ADWIN(self.drift_delta)
        self.resets[m] += 1


class OzaBoostADWIN(_Watched):
    """MOA's OzaBoostAdwin: when any window is cut for a risen mean, the learner with the largest mean begins anew."""

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        self.count += s
        lam, risen = 1.0, False
        for m in range(self.N):
            right, lam = self._teach(m, x, h, y, s, lam)
            risen |= self.windows[m].update(float(not right)) and self.windows[m].rose
        if risen:
            worst = int(np.argmax([window.mean for window in self.windows]))
            self._reset(worst)
            self.sc[worst] = self.sw[worst] = 0.0


@dataclass(eq=False, kw_only=True)
class BOLE(_Watched):
    """Barros, Santos and Goncalves, IJCNN 2016: learners in the order of their accuracy sc / (sc + sw).

    The worst comes first; after one that was right the best that is left, after one that was wrong the worst. A learner
    of error eps <= error_bound votes with log((1 - eps) / eps) + weight_shift. Equals keep the order of the last
    example.
    """

    error_bound: float = 0.5
    weight_shift: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.order = list(range(self.N))

    def votes(self) -> Floats:
        total = self.sc + self.sw
        eps = np.divide(self.sw, total, out=np.ones_like(total), where=total > 0)
        clamped = np.clip(eps, 1e-10, 1 - 1e-10)
        voting = (total > 0) & (eps <= self.error_bound)
        return np.where(voting, np.log((1 - clamped) / clamped) + self.weight_shift, 0.0)

    def _margin(self, h: Floats) -> float:
        a = self.votes()
        total = float(np.sum(np.abs(a)))
        return float(a @ np.where(h > 0, 1.0, -1.0)) / total if total > 0 else 0.0

    def _learn(self, x: Floats, h: Floats, y: int, s: float) -> None:
        self.count += s
        total = self.sc + self.sw
        accuracy = np.divide(self.sc, total, out=np.zeros_like(total), where=total > 0)
        self.order.sort(key=lambda m: -accuracy[m])  # stable
        left, right, lam = list(self.order), False, 1.0
        errors = np.zeros(self.N)
        while left:
            m = left.pop(0 if right else -1)
            right, lam = self._teach(m, x, h, y, s, lam)
            errors[m] = not right
        for m in range(self.N):
            if self.windows[m].update(float(errors[m])) and self.windows[m].rose:
                self._reset(m)
