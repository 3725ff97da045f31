"""The default: a few boosted families side by side, mixed online, so that nobody has to choose.

With p_k the calibrated probability of family k before the update and l_k its logit, there are K + 1 experts: the
families, and a stack of them, q_0 = σ(Σ_k m_k l_k), whose coefficients follow Bayesian logistic regression from
m_k = 1/K. The prediction is Bayes' rule over the experts,

    p = Σ_k v_k q_k,    v_k ∝ exp(-cumulated log-loss of expert k),

the aggregating algorithm for the log-loss (Vovk, COLT 1990): on every stream its log-loss is at most that of the best
expert plus ln(K + 1) nats in all. That is the best of the experts that are still at work: a family that has retired is
counted up to its retirement only (`retire=False` keeps all of them, and the bound against all). Experts' probabilities
are kept within logits of ±12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from onlineboost.boosters.base import Booster
from onlineboost.boosters.osboost import OSBoost
from onlineboost.boosters.single import Single
from onlineboost.declarations import Flag, Object, checks
from onlineboost.learners import (
    AROW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    HoeffdingTree,
    NaiveBayes,
    Perceptron,
    RandomFourier,
    Scaled,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.machine import Machine
    from onlineboost.theory.mixture import MixtureCertificate

MOST_FAMILIES = 64
_GOLDEN = 0x9E3779B97F4A7C15

# Features that a family takes: beyond, its cost per example or its memory would be out of proportion.
_WITH_A_MATRIX, _WITH_A_TABLE, _ANY = 400, 2000, 2**31


class Family(NamedTuple):
    """One member of a mixture; when the stream brings more features than it takes, it retires."""

    name: str
    booster: Booster
    most_features: int = _ANY


def default_families() -> list[Family]:
    """The seven families; docs/mixture.md says how they were chosen."""
    return [
        Family("trees", OSBoost(HoeffdingTree(), 30, gamma=0.5)),
        Family("naive bayes", OSBoost(NaiveBayes(kind="typed", alpha=0.001), 20), _WITH_A_TABLE),
        Family("adagrad", OSBoost(Scaled(AdaGradLogistic(rate=0.5)), 20)),
        Family("arow", Single(AROW())),
        Family("arow, full", Single(AROW(covariance="full")), _WITH_A_MATRIX),
        Family("bayesian logistic", Single(Scaled(BayesianLogistic())), _WITH_A_MATRIX),
        Family("random features", OSBoost(Scaled(RandomFourier(AveragedPerceptron(), 300)), 10), _WITH_A_TABLE),
    ]


class Mixture(Booster, name="mixture", estimator="OnlineBoostClassifier"):
    """A mixture of boosted trees, linear learners, Naive Bayes and random features."""

    families = Object(
        default=None,
        kind="list of (name, estimator)",
        text="What is mixed: classifiers of this package with native learners. A third entry of a family limits the "
        "features that it takes: when the stream brings more, it retires. None stands for seven families, see "
        "docs/mixture.md.",
        positional=True,
    )
    retire = Flag(
        default=True,
        text="Drop families that contribute almost nothing to the prediction. They are looked at after 4,000, 8,000, "
        "16,000 … examples.",
    )
    learner = n_learners = threshold = property(lambda _: None, doc="A mixture has families instead.")

    def members(self) -> list[Family]:
        """The families with their limits."""
        return default_families() if self.families is None else read_families(self.families)

    def size(self) -> int:
        """How many families."""
        return len(self.members())

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds; a family that has retired is never asked, so the smallest bank stands for it."""
        smallest = Single(Perceptron())
        return {
            "kind": "families",
            "members": [
                _member(smallest if k in retired else one.booster, one.most_features, n_features, seed + k * _GOLDEN)
                for k, one in enumerate(self.members())
            ],
        }

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        looks = 4000 if self.checked()["retire"] else 0
        return {"kind": "mixture", "variance": 0.1, "first_look": looks, "least_weight": 1e-3, "least_share": 0.02}

    def certificate(self, machine: Machine, *, faded: bool) -> MixtureCertificate:
        """What the mixture guarantees for the stream so far, and which family carries the prediction."""
        from onlineboost.theory.mixture import read  # noqa: PLC0415  # the theory is loaded when it is asked for

        if faded:
            raise ValueError("A mixture keeps no fading sums: ask for its certificate without faded.")
        return read(machine, [one.name for one in self.members()])


def read_families(families: Any) -> list[Family]:
    """The families from what a user gave; ValueError or TypeError where it is none."""
    if not isinstance(families, list | tuple) or not 1 <= len(families) <= MOST_FAMILIES:
        raise ValueError(f"families must be a list of 1 to {MOST_FAMILIES} pairs (name, estimator), not {families!r}.")
    found = []
    for one in families:
        if not isinstance(one, list | tuple) or len(one) not in (2, 3) or not isinstance(one[0], str):
            raise ValueError(
                f"A family is a pair (name, estimator), or with a limit of features a triple, not {one!r}."
            )
        name, booster = one[:2]
        if not isinstance(booster, Booster) or booster.many_classes or isinstance(booster, Mixture):
            raise TypeError(f"The family {name!r} must be an onlineboost classifier with a learner, not {booster!r}.")
        limit = checks.integer(f"the limit of {name!r}", one[2], 1, _ANY) if len(one) == 3 else _ANY
        found.append(Family(name, booster, limit))
    names = [one.name for one in found]
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise ValueError(f"Two families are named {twice!r}: names must be unique.")
    return found


def _member(booster: Booster, most: int, n_features: int, seed: int) -> dict[str, Any]:
    seed %= 2**64
    bank = booster.bank_spec(n_features, seed)
    if bank["kind"] == "python":
        raise TypeError(f"A family needs a learner with a native bank, and {booster.weak_learner()!r} has none.")
    return {"learners": booster.size(), "bank": bank, "booster": booster.booster_spec(seed), "most_features": most}
