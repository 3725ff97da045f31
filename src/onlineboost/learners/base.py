"""What boosters ask of weak learners, and how to bring your own.

A `Learner` holds parameters. Its `make_bank` makes a `Bank`: the state of N learners of that kind, which are
scored and taught together. A bank of your own is two methods:

    class Majority(Bank):
        def __init__(self, n_learners):
            self.n_learners = n_learners
            self.balance = np.zeros(n_learners)

        def predict(self, x):                 # x: float64, shape (n_features,)
            return np.sign(self.balance)      # shape (n_learners,), values in [-1, 1]

        def update(self, x, y, w):            # y: +1.0 or -1.0; w: shape (n_learners,), w >= 0
            self.balance += w * y

    class MajorityLearner(Learner):
        def make_bank(self, n_learners, n_features, seed):
            return Majority(n_learners)

    OSBoostClassifier(MajorityLearner())

The rules (docs/your-own-learner.md has a longer example): `predict` changes nothing; a weight of 0 leaves that
learner exactly as it was; all randomness comes from `seed`; the bank can be copied. Then pickling, copying and
`learn_one` work as for the built-in learners, as long as the bank itself can be pickled. If a call raises, what the row
has changed is taken back, in the engine and in the bank: it goes on with a copy of itself from before the row.
A bank that also has `forget(i)` resets learner i by it; for others the learner goes on in a fresh bank.
A bank that also has `regress(x, r, w)` is taught by `GradientBoostClassifier` the target r[i] with weight w[i] for each
learner i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from onlineboost.declarations import Component, Flag, Object, Real
from onlineboost.learners.undoable import UndoableBank

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTERCEPT = Flag(default=True, text="Add a feature that is always 1.")
UNIT_NORM = Flag(default=True, text="Divide each row, intercept included, by its Euclidean norm.")


def half_life(what: str) -> Real:
    """The parameter of learners that can forget; `what` says how."""
    return Real(
        default=None,
        low=1.0,
        high=1e12,
        optional=True,
        text=f"For streams that change: after so many further examples {what}. They count whatever their weights are. "
        "None forgets nothing.",
    )


def without_half_life(given: dict[str, Any]) -> dict[str, Any]:
    """The same parameters, where nothing is forgotten without the half-life."""
    return {name: value for name, value in given.items() if name != "half_life" or value is not None}


INNER = Object(
    default=None,
    kind="Learner",
    text="The learner inside, with a native bank; None stands for `AROW()`.",
    positional=True,
)


class Bank(ABC):
    """The state of N weak learners of one kind."""

    n_learners: int

    @abstractmethod
    def predict(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The N outputs for one row, each in [-1, 1]. Changes nothing."""

    @abstractmethod
    def update(self, x: NDArray[np.float64], y: float, w: NDArray[np.float64]) -> None:
        """Teach the row with label y (+1 or -1) to every learner i with weight w[i]; 0 teaches nothing."""

    def step(self, i: int, x: NDArray[np.float64], y: float, w: float, times: int) -> float:
        """Teach the row to learner i alone, `times` times, and give its output afterwards.

        OzaBoost and OGBoost call this once per learner. Override it where one learner can be taught at less
        than the price of a whole `update`.
        """
        weights = np.zeros(self.n_learners)
        weights[i] = w
        for _ in range(times):
            self.update(x, y, weights)
        return float(self.predict(x)[i])


class Learner(Component):
    """Parameters of a weak learner. A subclass defines `make_bank`."""

    declared: ClassVar[dict[str, type[Learner]]] = {}  # the package's native learners by class name
    knows_classes: Any = False  # whether one native bank tells many classes apart; otherwise there is one per class
    witness: ClassVar[str] = ""  # an array of the state whose last axis is the learners; none where a learner is inside

    def __init_subclass__(cls, *, name: str | None = None, witness: str = "", **rest: Any) -> None:
        """Take the learner into the table if the engine has a bank of it."""
        super().__init_subclass__(name=name, **rest)
        cls.witness = witness
        if witness or "learner" in cls.parameters:
            cls.declared[cls.__name__] = cls

    @property
    def native(self) -> bool:
        """Whether the engine has a bank of it."""
        return self.declared.get(type(self).__name__) is type(self)

    def witness_of(self) -> str:
        """The name of its witness, which may depend on its parameters."""
        return self.witness

    def make_bank(self, n_learners: int, n_features: int, seed: int) -> Bank:
        """A bank of fresh learners.

        Parameters
        ----------
        n_learners : int
            How many.
        n_features : int
            Features known at the start; a stream of dicts may bring more.
        seed : int
            The source of all randomness.

        """
        raise TypeError(
            f"{type(self).__name__} has no make_bank(n_learners, n_features, seed): define it, as "
            "onlineboost.learners.base shows."
        )

    def bank_spec(self, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank from. Learners with a native bank override this."""
        make = partial(self.make_bank, n_learners, n_features, seed)
        bank = make()
        for method in ("predict", "update", "step"):
            if not callable(getattr(bank, method, None)):
                raise TypeError(
                    f"{type(self).__name__}.make_bank returned a {type(bank).__name__} without {method}(); "
                    "derive it from onlineboost.learners.Bank."
                )
        return {"kind": "python", "bank": UndoableBank(bank, make), "features": n_features}


def inner_learner(outer: Any) -> Learner:
    """The learner inside a wrapper."""
    if outer.learner is None:
        return Learner.declared["AROW"]()
    if not isinstance(outer.learner, Learner):
        raise TypeError(f"{type(outer).__name__} needs an onlineboost learner such as AROW(), not {outer.learner!r}.")
    return outer.learner


def native_spec(outer: Any, n_learners: int, n_features: int, seed: int) -> dict[str, Any]:
    """The spec of the learner inside `outer`, which changes rows natively and so needs a native bank there."""
    inner = inner_learner(outer)
    spec = inner.bank_spec(n_learners, n_features, seed)
    if spec["kind"] == "python":
        raise TypeError(
            f"{type(outer).__name__} needs a learner with a native bank, and {type(inner).__name__} is in "
            "Python: change the rows inside its own bank."
        )
    return spec
