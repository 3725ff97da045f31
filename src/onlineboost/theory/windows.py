"""Certificates of the recent stream, for streams that drift.

The engine's sums are over the whole stream, so a window is the difference of two certificates (`later.since(earlier)`).
A keeper holds the earlier ones: a few per window, each 6 N numbers, however long the stream. A model with
`history=True` holds a few for every doubling of their age itself: `certificate(last=n)`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.theory.certificate import Certificate, read

if TYPE_CHECKING:
    from onlineboost.estimators import OSBoostClassifier


class Windows:
    """The certificate of the last examples that a model has learned.

    Call `keep()` between batches. A window starts where a certificate was kept, so it has at least `size` examples
    (once there are that many since the keeper was made) and less than `size` + size/parts + two batches; `n_examples`
    of the certificate says how many. The prefixes' bounds are proved example by example and hold in a window;
    regret bounds are about whole streams, and are left out.

    Parameters
    ----------
    model : OSBoostClassifier
        Fitted or not; what it has learned before is not part of any window.
    size : int
        Examples in a window.
    parts : int, default=10
        Certificates kept per window.

    """

    def __init__(self, model: OSBoostClassifier, size: int, parts: int = 10) -> None:
        self.model = model
        self.size = checks.integer("size", size, 1, 10**15)
        self.parts = checks.integer("parts", parts, 1, 10**6)
        self._kept: deque[Certificate] = deque()
        self._start = self._learned()
        self.keep()

    def _learned(self) -> int:
        return self.model.n_examples_ if self.model.__sklearn_is_fitted__() else 0

    def keep(self) -> None:
        """Remember the state of the stream, if enough of it went by; forget what no window needs any more."""
        n = self._learned()
        if n == 0 or (self._kept and n - self._kept[-1].n_examples < self.size / self.parts):
            return
        self._kept.append(self.model.certificate())
        while len(self._kept) > 1 and n - self._kept[1].n_examples >= self.size:
            self._kept.popleft()

    def certificate(self) -> Certificate | None:
        """That of the last `size` examples or a few more; of fewer while there are not so many; None of none.

        ValueError where they weigh less than a millionth of what came before: see `Certificate.since`.
        """
        n = self._learned()
        if n == self._start:
            return None
        now: Certificate = self.model.certificate()
        enough = [c for c in self._kept if n - c.n_examples >= self.size]
        earlier = enough[-1] if enough else None
        if earlier is None:
            if self._start == 0:
                return now
            earlier = self._kept[0]
        return now.since(earlier)


def read_checkpoint(state: dict[str, Any], spec: dict[str, Any], last: int) -> Certificate | None:
    """The certificate at least `last` examples ago, from the youngest checkpoint that is old enough; None: at 0."""
    ages = int(state["rounds"][0]) - state["checkpoint_examples"]
    old_enough = np.flatnonzero(ages >= last)
    if not len(old_enough):
        return None
    k, n = old_enough[-1], len(state["prefix_mistakes"])
    values = state["checkpoint_sums"].reshape(len(ages), -1)[k]
    names = ("weight_mass", "weight_squares", "weighted_edges", "margin_shortfalls", "margin_errors", "prefix_mistakes")
    parts = np.split(values, np.cumsum([n + 1, *[n] * 5, 1]))
    earlier = dict(zip((*names, "vote_mistakes"), parts, strict=False))
    losses = dict.fromkeys(("ocp_loss", "eg_loss", "expected_mistakes"), parts[-1])
    return read(state | earlier | losses | {"rounds": state["checkpoint_examples"][k : k + 1]}, spec)
