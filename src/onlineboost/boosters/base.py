"""What every booster declares: its weak learner, what the engine builds from it, and what all boosters share.

A booster here is a recipe: parameters, and what they mean to the engine. `onlineboost.machine` learns with it, and
`onlineboost.estimators` gives it the face of a scikit-learn classifier.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from onlineboost.declarations import Choice, Component, Flag, Integer, Object, Real
from onlineboost.learners import Learner, Perceptron

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.boosters.class_costs import Weighing
    from onlineboost.machine import Machine
    from onlineboost.machine.labels import LabelCodec

MOST_LEARNERS = 1_000_000
MOST_CLASSES = 10_000
WHILE_LEARNING = (
    "shuffle",
    "n_passes",
    "n_jobs",
    "missing_columns",
    "verbose",
)  # they say how to work, and may change at any time

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
    many_classes: ClassVar[bool] = False  # made of one ensemble per class
    label_sets: ClassVar[bool] = False  # an example has any number of labels
    ranks: ClassVar[bool] = False  # its margins are scores to rank labels by
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
    shuffle: Any = Flag(
        default=None,
        optional=True,
        text="`fit` only: learn the rows in a random order. None: only where they come class by class, as in a file "
        "that is sorted by label; such an order says nothing about time, and the last class would be learned best.",
    )
    n_passes: Any = Integer(default=1, low=1, high=1_000_000, text="`fit` only: how often to go over the rows.")
    schema: Any = Object(
        default=None,
        kind="dict or None",
        text="Kinds of columns by name, for those that the data shall not decide: number, flag, category, text, time, "
        'ignored, as in `{"city": "category"}`. For data frames and dicts (docs/data.md).',
    )
    max_features: Any = Integer(
        default=None,
        low=1,
        high=2**30,
        optional=True,
        text="If given, named features share so many by hashing their names: memory is bounded whatever names come.",
    )
    missing_columns: Any = Choice(
        default="refuse",
        of=("refuse", "ignore"),
        text="What happens to a data frame without a column that the model has learned from. Ignore: its values are "
        "missing.",
    )
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

    verbose: Any = Flag(
        default=False,
        text="`fit` and `partial_fit`, in a terminal or a notebook: show rows, rate, error so far and time left, as "
        "`onlineboost.progress` does. A model file does not hold it.",
    )

    def __init_subclass__(cls, *, name: str | None = None, estimator: str = "", **rest: Any) -> None:
        """Take the booster into the table."""
        super().__init_subclass__(name=name, **rest)
        cls.estimator = estimator
        cls.declared[estimator] = cls

    def most_classes(self) -> int:
        """How many classes it can tell apart."""
        return MOST_CLASSES

    def against_the_rest(self) -> Booster | Shared | None:
        """What more than two classes are learned by, if each has a bank of its own: one against the rest, or one
        booster for all; None where the engine's booster takes any number.
        """
        from onlineboost.boosters.one_vs_rest import OneVsRest  # noqa: PLC0415  # it is a booster, too

        return OneVsRest(self)

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

    def member_mistakes(self, state: dict[str, Any]) -> dict[str, float]:
        """The summed weight of the examples on which each prefix or family erred, by name; empty if not counted."""
        return {}

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

    def decision(self, labels: LabelCodec) -> tuple[float, float, float] | None:
        """How the engine is to weigh its two classes, for boosters that are told."""
        return None

    def weighing(self, labels: LabelCodec) -> Weighing | None:
        """How the opinion on more than two classes is weighed, if it is; ValueError for labels that cannot be."""
        return None

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

    def check_draws(self) -> None:
        """Raise an error if tests of more than two classes cannot be judged by the algorithm's draw."""
        alone = self.against_the_rest()
        if self.sampled() and (not self.expected() or (alone is not None and alone.class_spec(0) is not None)):
            raise ValueError(
                f'expert_mode="{self.get_params(deep=False)["expert_mode"]}" judges two classes only: with more, use '
                'expert_mode="vote".'
            )

    def certificate(self, machine: Machine, *, faded: bool, last: int | None = None) -> Any:
        """What the theory guarantees for the stream so far; None for boosters without certificates."""
        return None


@dataclass(frozen=True)
class Shared:
    """One booster over a bank for each class, which takes over from a booster of two classes.

    Attributes
    ----------
    pattern : the booster of two classes.
    spec : what the engine builds the booster of all classes from.
    kept : fields of its state that it begins with, by their names in that of two classes.
    calibrated : whether each class has a calibration, the first two that of the two.

    """

    pattern: Booster
    spec: dict[str, Any]
    kept: tuple[str, ...] = ()
    calibrated: bool = False

    def size(self) -> int:
        """Learners of one class."""
        return self.pattern.size()

    def bank_spec(self, n_features: int, seed: int) -> dict[str, Any]:
        """What the engine builds the bank of one class from."""
        return self.pattern.bank_spec(n_features, seed)

    def engine_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return self.spec

    def class_spec(self, seed: int) -> None:
        """A class has no booster of its own."""


def freeze(value: Any) -> Any:
    """A copy of a parameter whose components are copies, too."""
    if isinstance(value, list | tuple):
        parts = [freeze(one) for one in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, Component):
        return type(value)(**{name: freeze(one) for name, one in value.get_params(deep=False).items()})
    return value if not isinstance(value, dict) else copy.deepcopy(value)
