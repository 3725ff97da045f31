"""What every booster declares: its weak learner, what the engine builds from it, and what all boosters share.

A booster here is a recipe: parameters, and what they mean to the engine. `onlineboost.machine` learns with it, and
`onlineboost.estimators` gives it the face of a scikit-learn classifier.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

from onlineboost.declarations import Choice, Component, Flag, Integer, Object, Real
from onlineboost.learners import Learner, Perceptron

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.machine import Machine

MOST_LEARNERS = 1_000_000
WHILE_LEARNING = ("shuffle", "n_passes", "n_jobs")  # they say how to work, and may change at any time

LEARNER = Object(
    default=None,
    kind="Learner",
    text="The weak learner: `Perceptron()`, `NaiveBayes()`, `HoeffdingTree()`, `BlackBox(...)`, your own …; None "
    "stands for `Perceptron()`.",
    positional=True,
)
N_LEARNERS = Integer(default=100, low=1, high=MOST_LEARNERS, text="How many weak learners, N.", positional=True)
GAMMA = Real(
    default=0.1,
    low=0.0,
    high=0.5,
    low_open=True,
    text="The advantage over guessing that the weak learners are assumed to have.",
)


class Booster(Component):
    """Base of all boosters."""

    declared: ClassVar[dict[str, type[Booster]]] = {}  # by the name of the estimator
    estimator: ClassVar[str] = ""
    many_classes: ClassVar[bool] = False
    default_learner: ClassVar[type[Learner]] = Perceptron

    learner: Any = LEARNER
    n_learners: Any = N_LEARNERS
    threshold: Any = Choice(
        default="calibrated",
        of=("calibrated", "vote"),
        text="What `predict` goes by. Calibrated: the most probable label, as `predict_proba` has it. Vote: the sign "
        "of the vote, which is the paper's prediction and what the theory speaks of; the calibration of two classes "
        "then has no intercept, and the two agree as well.",
    )
    shuffle: Any = Flag(default=False, text="`fit` only: learn the rows in a random order.")
    n_passes: Any = Integer(default=1, low=1, high=1_000_000, text="`fit` only: how often to go over the rows.")
    random_state: Any = Object(
        default=None,
        kind="int, RandomState or None",
        text="The seed. An integer makes everything reproducible, bit for bit.",
    )
    n_jobs: Any = Object(
        default=None,
        kind="int or None",
        text="Threads among which the work on one example is split, where N × (numbers in the row) is at least "
        "200,000; None is 1, -1 is all cores. No result depends on it, and a model file does not hold it.",
    )

    def __init_subclass__(cls, *, name: str | None = None, estimator: str = "", **rest: Any) -> None:
        """Take the booster into the table."""
        super().__init_subclass__(name=name, **rest)
        cls.estimator = estimator
        cls.declared[estimator] = cls

    def weak_learner(self) -> Any:
        """The learner, or the default one."""
        learner: Any = self.learner
        if learner is None:
            return self.default_learner()
        if not isinstance(learner, Learner):
            raise TypeError(
                f"learner must be an onlineboost learner such as Perceptron(), not {learner!r}. "
                "Wrap a classifier of another library as BlackBox(classifier)."
            )
        return learner

    def size(self) -> int:
        """How many weak learners the bank has."""
        n: int = self.parameters["n_learners"].check("n_learners", self.n_learners)
        return n

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds the bank from; of a mixture, without the families that have retired."""
        spec: dict[str, Any] = self.weak_learner().bank_spec(self.size(), n_features, seed)
        return spec

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from; ValueError for a parameter out of its range."""
        raise NotImplementedError

    def class_spec(self, seed: int) -> dict[str, Any] | None:
        """Of many classes: what the booster of one class is built from, where each has its own."""
        return None

    def engine_spec(self, seed: int) -> dict[str, Any]:
        """The booster's spec, with what the engine calibrates by."""
        through_zero = self.checked().get("threshold") == "vote"
        return self.booster_spec(seed) | ({"intercept_calibration": False} if through_zero else {})

    def check(self) -> None:
        """Check every parameter now, not at the first example."""
        self.engine_spec(0)
        self.class_spec(0)
        self.bank_spec(1, 0)

    def frozen(self) -> Self:
        """A copy that setting parameters of the original does not reach."""
        return type(self)(**{name: freeze(value) for name, value in self.get_params(deep=False).items()})

    def sampled(self) -> bool:
        """Whether a test-then-train round is judged by the algorithm's own draw."""
        given = self.get_params(deep=False)
        return bool(given.get("expert_mode", "vote") != "vote" and given.get("vote", "experts") == "experts")

    def expected(self) -> bool:
        """Whether it is judged by the exact chance of that draw to err."""
        given = self.get_params(deep=False)
        return bool(given.get("expert_mode") == "expected" and given.get("vote", "experts") == "experts")

    def certificate(self, machine: Machine, *, faded: bool) -> Any:
        """What the theory guarantees for the stream so far; None for boosters without certificates."""
        return None


def freeze(value: Any) -> Any:
    """A copy of a parameter whose components are copies, too."""
    if isinstance(value, list | tuple):
        parts = [freeze(one) for one in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, Component):
        return type(value)(**{name: freeze(one) for name, one in value.get_params(deep=False).items()})
    return value if not isinstance(value, dict) else copy.deepcopy(value)
