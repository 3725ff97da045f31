"""One against the rest: a binary booster for each class, in one walk over the rows.

    class k:  a booster that is taught +1 for its own examples and -1 for all others
    predict:  the class with the largest margin        P(k | x) ∝ the calibrated probability of class k against the rest

Which variant: a class begins with its own first example. Its booster is bit for bit the binary one that learned the
stream from there on, with the labels "this class" and "another", and the seed of the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from onlineboost.boosters.base import Booster
from onlineboost.boosters.osboost import OSBoost
from onlineboost.declarations import Object

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.boosters.class_costs import Weighing
    from onlineboost.machine.labels import LabelCodec


def of_the_pattern(name: str) -> Any:
    """A parameter of the whole that is read from the booster of one class."""
    return property(lambda self: getattr(self.pattern(), name), doc=f"The booster's {name}.")


class OneVsRest(Booster, estimator="OneVsRest"):
    """Any number of classes with any binary booster of this package."""

    many_classes = True
    unless_given: ClassVar[type[Booster]] = OSBoost  # the booster that None stands for

    booster = Object(
        default=None,
        kind="estimator of this package for two classes",
        text="`OSBoostClassifier(Perceptron())` or another; None stands for `OSBoostClassifier()`. Its `threshold`, "
        "`random_state`, `n_jobs`, `shuffle`, `n_passes`, `schema`, `max_features`, `missing_columns` and `verbose` "
        "are those of the whole; it is a pattern, and learns nothing itself.",
        positional=True,
    )
    learner, n_learners, threshold, shuffle, n_passes, random_state, n_jobs = map(
        of_the_pattern, ("learner", "n_learners", "threshold", "shuffle", "n_passes", "random_state", "n_jobs")
    )
    schema, max_features, missing_columns, verbose = map(
        of_the_pattern, ("schema", "max_features", "missing_columns", "verbose")
    )

    def pattern(self) -> Booster:
        """The booster of one class."""
        pattern: Any = self.booster
        if pattern is None:
            return self.unless_given()
        if not isinstance(pattern, Booster) or pattern.many_classes:
            raise TypeError(
                "booster must be an onlineboost estimator for two classes such as OSBoostClassifier(Perceptron()), "
                f"not {pattern!r}."
            )
        return pattern

    def weighing(self, labels: LabelCodec) -> Weighing | None:
        """That of the pattern, by the probabilities of all classes."""
        return self.pattern().weighing(labels)

    def size(self) -> int:
        """Learners of one class."""
        return self.pattern().size()

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds the bank of one class from."""
        return self.pattern().bank_spec(n_features, seed, retired)

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        return {"kind": "one_vs_rest"}

    def engine_spec(self, seed: int) -> dict[str, Any]:
        """The same: classes are calibrated one by one."""
        return self.booster_spec(seed)

    def class_spec(self, seed: int) -> dict[str, Any] | None:
        """What the booster of one class is built from."""
        return self.pattern().engine_spec(seed)
