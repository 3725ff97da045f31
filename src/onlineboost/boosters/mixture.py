"""The default: a few boosted families side by side, mixed online, so that nobody has to choose.

With p_k the calibrated probability of family k before the update and l_k its logit, there are K + 1 experts: the
families, and a stack of them, q_0 = σ(Σ_k m_k l_k), whose coefficients follow Bayesian logistic regression from
m_k = 1/K. q_0 is fixed share over this one and one that follows the stream: with two labels its coefficients walk at
random (`onlineboost.reference.mixture.TrackingStack`), with more its precision decays
(`onlineboost.reference.multiclass_mixture.TrackingSoftmax`). The prediction is

    p = Σ_k w_k q_k,    w half Bayes' rule, v_k ∝ exp(-cumulated log-loss), half fixed share at rate 1/t,

the halves weighted by Bayes' rule (`onlineboost.reference.ExpertTracker`). On every stream its log-loss is at most that
of the best expert plus ln(K + 1) + ln 2 nats in all, and on every interval of it at most 2 ln((K + 1) t) nats more than
that of the expert that was best there (docs/drift.md). Experts' probabilities are kept within logits of ±12, of many
classes above about 1e-6.

The stream may change: fresh copies of all families, a *generation* with a stack of its own, begin when the error rises
and at counts of examples that double. They enter through the share, so both bounds hold against them for as long as
they live. docs/mixture.md says how generations come, lead, rest and leave.

Sample weights are targets: an example of class y and weight s counts for r = s / b_y, where b_y = Σ s² / Σ s over the
examples of its class so far, and at the end the probability of class k is multiplied by b_k, of two classes the odds by
b₊ / b₋. With a weight per class, all is learned as without weights: only probabilities shift. A common factor of all
weights changes nothing. `onlineboost.reference.EffectiveWeights` is the twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from onlineboost.boosters.base import Booster, Shared
from onlineboost.boosters.bayes_vote import BayesVote
from onlineboost.boosters.class_costs import METRICS, Weighing, check_costs, odds_of, read_by_label, read_costs
from onlineboost.boosters.osboost import OSBoost
from onlineboost.boosters.single import Single
from onlineboost.boosters.window_boost import WindowBoost
from onlineboost.declarations import Choice, Flag, Integer, Object, Real, checks
from onlineboost.learners import (
    AROW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    HoeffdingTree,
    LastLabel,
    NaiveBayes,
    Neighbours,
    RandomFourier,
    Repeats,
    Scaled,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from onlineboost.boosters.class_costs import Costs
    from onlineboost.machine import Machine
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.theory.mixture import MixtureCertificate

MOST_FAMILIES = 64
GOLDEN = 0x9E3779B97F4A7C15

# Features that a family takes: beyond, its cost per example or its memory would be out of proportion.
_WITH_A_MATRIX, _WITH_ROWS, _WITH_A_TABLE, _ANY = 400, 1000, 2000, 2**31


EVENTS = ("alarm", "young generation leads", "earlier generation leads", "family retired")


class Change(NamedTuple):
    """Something that happened in the stream, or was done because of it."""

    example: int
    """How many examples had been learned."""
    kind: str
    """One of `EVENTS`; an alarm is a rise of the error."""
    family: str
    """The one that retired; otherwise the one that carried most of the prediction just then."""


class Family(NamedTuple):
    """One member of a mixture; when the stream brings more features than it takes, it retires."""

    name: str
    booster: Booster
    most_features: int = _ANY
    cost: float = 1.0
    """Of an example, beside that of the other families."""


def default_families(effort: str = "default", memory: int = 256, generations: int = 3) -> list[Family]:
    """The families of an effort; docs/mixture.md says how they were chosen.

    Of the memory, in MB and divided among the generations, trees take at most 1/4 and the window's rows 3/4. Costs are
    microseconds per example, of 10,000 rows of adult and web page.
    """
    each = memory * 2**20 // max(generations, 1)
    trees, rows = HoeffdingTree(max_bytes=each // 4), each * 3 // 4
    if effort == "low":
        return [
            Family("trees", OSBoost(trees, 5, gamma=0.5), cost=4),
            Family("naive bayes", Single(NaiveBayes(kind="typed", alpha=0.001)), _WITH_A_TABLE),
            Family("arow", Single(AROW())),
            Family("bayesian logistic", Single(Scaled(BayesianLogistic(covariance="diagonal")))),
        ]
    high = effort == "high"
    return [
        Family("trees", OSBoost(trees, 60 if high else 30, gamma=0.5, drift="background"), cost=40 if high else 20),
        Family("naive bayes", OSBoost(NaiveBayes(kind="typed", alpha=0.001), 20, late_learners=4), _WITH_A_TABLE, 5),
        Family("adagrad", OSBoost(Scaled(AdaGradLogistic(rate=0.5)), 20, late_learners=4), cost=3),
        Family("arow", Single(AROW())),
        Family("arow, full", Single(AROW(covariance="full")), _WITH_A_MATRIX, 5),
        Family("bayesian logistic", Single(Scaled(BayesianLogistic())), _WITH_A_MATRIX, 10),
        Family("random features", OSBoost(_waves(), 10, late_learners=4), _WITH_A_TABLE, 5),
        Family("neighbours", BayesVote(Scaled(Neighbours(15, 10_000 if high else 4000)), 4), _WITH_ROWS, 11),
        Family("window trees", _window_trees(rows, high=high), _WITH_ROWS, 75 if high else 25),
        Family("repeats", Single(Repeats())),
    ]


def _waves() -> Scaled:
    return Scaled(RandomFourier(AveragedPerceptron(), 300))


def _window_trees(most_bytes: int, *, high: bool) -> WindowBoost:
    shape = {"max_leaves": 255, "max_bins": 256, "max_bytes": most_bytes, "probabilities": "calibrated", "crowd": 8}
    return WindowBoost(1_000_000, 200, visits=384, **shape) if high else WindowBoost(200_000, 128, visits=192, **shape)


class Mixture(Booster, name="mixture", estimator="OnlineBoostClassifier"):
    """A mixture of boosted trees, linear learners, Naive Bayes, random features and neighbours."""

    families = Object(
        default=None,
        kind="list of (name, estimator)",
        text="What is mixed: classifiers of this package with native learners. A third entry of a family limits the "
        "features that it takes: when the stream brings more, it retires; a fourth says what it costs beside the "
        "others, 1 unless given. None stands for those of `effort`, "
        "see docs/mixture.md.",
        positional=True,
    )
    retire = Flag(
        default=True,
        text="Drop families that are not worth their cost. They are looked at after 4,000, 5,000, 6,000 … examples.",
    )
    price = Real(
        default=0.0005,
        low=0.0,
        high=1.0,
        text="What a family has to save: of the log-loss, this part of its part of the cost. So with 0.0005 one that "
        "costs as much as all others saves 1/4000 or more, or retires. 0: families retire after 4,000, 8,000, 16,000 … "
        "examples, those that contribute almost nothing, whatever they cost.",
    )
    generations = Integer(
        default=3,
        low=0,
        high=8,
        text="How many generations of the families may be at work at a time: the budget in time and memory for "
        "adapting to changes. 1: weights adapt, and no fresh copies are made. 0: Bayes' rule alone, which never "
        "forgets.",
    )
    effort = Choice(
        default="default",
        of=("low", "default", "high"),
        text="Which families stand for None: four cheap ones, ten, or ten with more trees and longer memories.",
    )
    memory = Integer(
        default=256,
        low=16,
        high=2**30,
        text="MB that the trees and the window of these families take at most, all generations together.",
    )
    stack = Choice(
        default="tracking",
        of=("fixed", "tracking"),
        text="Fixed: the stack weighs all examples alike. Tracking: with generations, a second stack follows the "
        "stream, and the better one at the time counts most.",
    )
    weights = Choice(
        default="targets",
        of=("targets", "repeats"),
        text="What sample weights mean. Targets: examples are evidence, and weights say which probabilities are meant; "
        "a common factor changes nothing. Repeats: an example of weight 2 counts as two.",
    )
    class_weight = Object(
        default=None,
        kind="dict, 'balanced' or None",
        text="Weights of labels, as in `{'spam': 10}`; others are 1. Balanced: all classes weigh the same in all, by "
        "the examples so far. Nothing but the probabilities depends on it; odds change by 10⁶ at most.",
    )
    cost = Object(
        default=None,
        kind="dict, matrix or None",
        text="`predict` takes the label of the least expected cost: what missing each label costs, others 1, or a "
        "matrix with a row per true label and a column per prediction, labels sorted, which counts once each has an "
        "example. Probabilities stay as they are.",
    )
    metric = Choice(
        default=None,
        of=METRICS,
        optional=True,
        text="`predict` keeps this metric high, by what the stream has shown so far. F1 is that of `classes_[1]`, of "
        "more than two labels the mean over them. Probabilities stay as they are.",
    )
    persistence = Flag(
        default=False,
        text="Another family, 'last label', says the label before, by how often labels were followed by themselves. It "
        "does not look at the rows: it pays where labels come in runs, and only if each label is known before the next "
        "prediction.",
    )
    learner = n_learners = property(lambda _: None, doc="A mixture has families instead.")

    @property
    def threshold(self) -> str | None:
        """With costs or a metric the vote decides; else the probabilities do."""
        return None if self.cost is None and self.metric is None else "vote"

    def most_classes(self) -> int:
        """How many classes it can tell apart: two where what is balanced or measured goes one against the rest."""
        as_one = isinstance(self.class_weight, str) or self.metric is not None
        return 2 if as_one and self.against_the_rest() is not None else super().most_classes()

    def weighing(self, labels: LabelCodec) -> Weighing | None:
        """How the opinion on more than two classes is weighed, if it is; ValueError for labels that cannot be."""
        if not isinstance(self.class_weight, dict) and self.cost is None:
            return None
        weights, costs = self._by_label()
        check_costs(costs, labels)

        def column(given: Any) -> NDArray[np.float64] | None:
            return given and np.array([given.get(label, 1.0) for label in labels.classes.tolist()])

        return Weighing(column(weights), np.array(costs) if isinstance(costs, list) else column(costs))

    def _by_label(self) -> tuple[dict[Any, float] | None, Costs | None]:
        """Weights and costs, where these are given."""
        weights = self.class_weight
        return (
            read_by_label("class_weight", weights) if isinstance(weights, dict) else None,
            None if self.cost is None else read_costs(self.cost),
        )

    def decision(self, labels: LabelCodec) -> tuple[float, float, float] | None:
        """How the engine is to weigh its two classes: odds, odds of the costs, and the class that a metric is about."""
        weights, costs = self._by_label()
        check_costs(costs, labels)
        return odds_of(weights, labels), odds_of(costs, labels), labels.orientation

    def against_the_rest(self) -> Booster | Shared | None:
        """Only where no family takes more than two classes; those that do not then retire with the third."""
        alone = [one.booster.against_the_rest() for one in self.members()]
        return None if any(one is None for one in alone) else super().against_the_rest()

    def members(self) -> list[Family]:
        """The families with their limits."""
        given = self.checked()
        if self.families is not None:
            found = read_families(self.families)
        else:
            found = default_families(given["effort"], given["memory"], given["generations"])
        return found + [Family("last label", Single(LastLabel()))] * given["persistence"]

    def size(self) -> int:
        """How many families all generations have room for."""
        generations: int = self.checked()["generations"]
        return len(self.members()) * max(generations, 1)

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds; families that have retired are not made."""
        return {
            "kind": "families",
            "members": [
                _member(one, n_features, seed + k * GOLDEN) | {"begins": k not in retired}
                for k, one in enumerate(self.members())
            ],
        }

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        follows = given["stack"] == "tracking" and given["generations"] > 0
        return {
            "kind": "mixture",
            "variance": 0.1,
            "walk": 1e-4 if follows else 0.0,
            "forgetting": 3e-4 if follows else 0.0,
            "first_look": 4000 if given["retire"] else 0,
            "least_weight": 1e-3,
            "least_share": 0.02,
            "price": given["price"],
            "every": 1000,
            # They learn slowly, and may come to carry most.
            "slow": sum(1 << k for k, one in enumerate(self.members()) if isinstance(one.booster, WindowBoost)),
            "slow_look": 16_000,
            "generations": given["generations"],
            "delta": 0.3,
            "clock": 4,
            "trial": 1000,
            "first_birth": 4000,
            "rest": 20_000,
            "lead": 0.9,
            "steady": self._steady(),
            "weights": given["weights"],
            "balanced": self._balanced(),
            "metric": given["metric"] or "none",
        }

    def member_mistakes(self, state: dict[str, Any]) -> dict[str, float]:
        """Of each family, as the generation that led had it."""
        names, counted = [one.name for one in self.members()], state.get("family_mistakes", ())[1:]
        return dict(zip(names, map(float, counted), strict=True)) if len(counted) else {}

    def _steady(self) -> int:
        """A bit for each family that does not retire for what it saves: it costs next to nothing.

        Repeats are of use only once rows repeat.
        """
        members = self.members()
        little = sum(one.cost for one in members) / 20 if self.checked()["price"] > 0 else 0.0
        return sum(
            1 << k for k, one in enumerate(members) if one.cost < little or isinstance(one.booster.learner, Repeats)
        )

    def _balanced(self) -> bool:
        given = self.checked()
        if given["cost"] is not None:
            read_costs(given["cost"])
            if given["metric"] is not None:
                raise ValueError("Give cost or metric, not both: each says how predict decides.")
        if given["class_weight"] is None:
            return False
        if isinstance(given["class_weight"], str):
            if given["weights"] == "repeats" or given["class_weight"] != "balanced":
                raise ValueError(
                    "class_weight must be a dict, None, or 'balanced' with weights='targets', not "
                    f"{given['class_weight']!r}."
                )
            return True
        read_by_label("class_weight", given["class_weight"])
        return False

    def certificate(self, machine: Machine, *, faded: bool, last: int | None = None) -> MixtureCertificate:
        """What the mixture guarantees for the stream so far, and which family carries the prediction."""
        from onlineboost.theory.mixture import read  # noqa: PLC0415  # the theory is loaded when it is asked for

        if faded or last is not None:
            raise ValueError("A mixture keeps no sums of the recent stream: ask for its certificate of the whole.")
        return read(machine, [one.name for one in self.members()], changes(machine))


def changes(machine: Machine) -> list[Change]:
    """The last 128 events of a mixture, oldest first."""
    recipe: Any = machine.recipe
    names = [one.name for one in recipe.members()]
    found = machine.booster_state().get("events")
    rows = [] if found is None else found.reshape(-1, 3).tolist()
    return [Change(example, EVENTS[kind], names[family]) for example, kind, family in rows]


def read_families(families: Any) -> list[Family]:
    """The families from what a user gave; ValueError or TypeError where it is none."""
    if not isinstance(families, list | tuple) or not 1 <= len(families) <= MOST_FAMILIES:
        raise ValueError(f"families must be a list of 1 to {MOST_FAMILIES} pairs (name, estimator), not {families!r}.")
    found = []
    for one in families:
        if not isinstance(one, list | tuple) or len(one) not in (2, 3, 4) or not isinstance(one[0], str):
            raise ValueError(
                "A family is a pair (name, estimator), with a limit of features a triple, and with its cost four, "
                f"not {one!r}."
            )
        name, booster = one[:2]
        if not isinstance(booster, Booster) or booster.many_classes or isinstance(booster, Mixture):
            raise TypeError(f"The family {name!r} must be an onlineboost classifier with a learner, not {booster!r}.")
        limit = checks.integer(f"the limit of {name!r}", one[2], 1, _ANY) if len(one) > 2 else _ANY
        cost = checks.real(f"the cost of {name!r}", one[3], 1e-6, 1e6) if len(one) > 3 else 1.0
        found.append(Family(name, booster, limit, cost))
    names = [one.name for one in found]
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise ValueError(f"Two families are named {twice!r}: names must be unique.")
    return found


def _member(family: Family, n_features: int, seed: int) -> dict[str, Any]:
    booster = family.booster
    seed %= 2**64
    bank = booster.bank_spec(n_features, seed)
    if bank["kind"] == "python":
        raise TypeError(f"A family needs a learner with a native bank, and {booster.weak_learner()!r} has none.")
    return {
        "learners": booster.size(),
        "bank": bank,
        "booster": booster.booster_spec(seed),
        "most_features": family.most_features,
        "cost": family.cost,
    }
