"""Theorem 1 as a calculator: how many learners, how many examples, and what a vote is then sure of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from onlineboost.declarations import checks
from onlineboost.theory import bounds, plan_checks, sentences
from onlineboost.theory.constants import C, Constants, constants
from onlineboost.theory.sentences import printed

VOTES = ("uniform", "ocp", "eg", "experts")
DRAWS = ("sample", "expected")
ASSUMES = "sample weights of at most 1; every learner has A_i ≥ 2γ as soon as W_i ≥ 8/γ² (Assumption 1)"


@dataclass(frozen=True)
class Plan:
    """What Theorem 1 asks for and promises, if every weak learner keeps the advantage 2γ (Assumption 1 with c = 8).

    `n_learners` = ⌈2/(δγ²)⌉; `sharp_n_learners` is what Lemma 3 with its own constants asks. `n_examples` is the length
    of the stream, at least ⌈8/(δγ²)⌉. `vote`, `expert_rate` and `expert_mode` are those of `OSBoostClassifier`.
    """

    delta: float
    constants: Constants
    n_learners: int
    sharp_n_learners: int
    n_examples: int
    vote: str = "experts"
    expert_rate: Any = "adahedge"
    expert_mode: str = "vote"

    @property
    def gamma(self) -> float:
        """The advantage that is assumed."""
        return self.constants.gamma

    @property
    def least_examples(self) -> int:
        """⌈8/(δγ²)⌉: below that the theorem does not speak."""
        return _up(C / (self.delta * self.gamma**2))

    def prefix_error(self) -> float:
        """Some prefix of the learners, voting uniformly, has a margin of at most θ on less than this share."""
        return self.delta

    def error(self, n_examples: float | None = None) -> float:
        """The tightest bound on the error of the chosen vote; ValueError where there is none.

        Of the weighted majority and of OCP and EG it is the error itself, of a draw the expected error.
        """
        if self.vote == "uniform":
            raise ValueError(
                "Theorem 1 has no bound for the uniform vote of all learners: it speaks of some prefix of them, which "
                'model.certificate().prefix_for(delta) finds, or vote="experts" while running.'
            )
        if self.vote == "ocp":
            return self.ocp_error(n_examples)
        if self.vote == "eg":
            return self.eg_error(n_examples)
        if self.expert_mode in DRAWS:
            return self.experts_error(n_examples, self.expert_rate)
        return self.majority_error(n_examples, self.expert_rate)

    def experts_error(self, n_examples: float | None = None, rate: Any = "adahedge") -> float:
        """The expected error of OSBoost.EXP's draw: δ + `bounds.expert_bound`/T, as the best prefix errs below δT."""
        T = self._length(n_examples)
        return self.delta + bounds.expert_bound(T, self.n_learners, rate, self.delta * T) / T

    def majority_error(self, n_examples: float | None = None, rate: Any = "adahedge") -> float:
        """The error of OSBoost.EXP's weighted majority, which errs only where half the weight does.

        At most twice the draw's; at a fixed rate η also (ηδ + ln(N)/T)/ln(2/(1+e^(-η))): for ln 2 that is
        2.41 δ + 3.48 ln(N)/T.
        """
        T = self._length(n_examples)
        twice = 2.0 * self.experts_error(T, rate)
        if rate in {"adahedge", "anytime"}:
            return twice
        eta = math.log(2.0) if rate == "paper" else float(rate)
        return min(twice, bounds.majority_bound(self.n_learners, eta, self.delta * T) / T)

    def ocp_error(self, n_examples: float | None = None) -> float:
        """The error of OSBoost.OCP with η₀ = 1/√N: ((1+θ)δ + regret/T)/θ. True, and loose: it starts above 1."""
        T = self._length(n_examples)
        return self._hinge(bounds.ocp_bound(T, self.n_learners, 1.0 / math.sqrt(self.n_learners)) / T)

    def eg_error(self, n_examples: float | None = None) -> float:
        """The error of the EG vote: ((1+θ)δ + 2√(ln N/T))/θ."""
        T = self._length(n_examples)
        return self._hinge(bounds.eg_bound(T, self.n_learners) / T)

    def _hinge(self, regret: float) -> float:
        theta = self.constants.theta
        return ((1.0 + theta) * self.delta + regret) / theta

    def _length(self, n_examples: float | None) -> float:
        T = self.n_examples if n_examples is None else n_examples
        if self.least_examples > T:
            raise ValueError(
                f"Theorem 1 does not speak of {T:,} examples: γ = {self.gamma:g} and δ = {self.delta:g} take at least "
                f"8/(δγ²) = {self.least_examples:,}. Aim at a larger delta."
            )
        return T

    def summary(self) -> str:
        """The plan in sentences."""
        return sentences.text(self)

    __str__ = summary


@printed(
    "plan: prefix",
    of="Plan",
    statement="N ≥ 2/(δγ²), T ≥ 8/(δγ²) ⇒ some k < N: #{y f_k ≤ 0} < δT",
    assumes=ASSUMES,
    proof="theory.md#4-theorem-1",
    check=plan_checks.prefix,
)
def _prefix(p: Plan) -> str:
    return (
        f"If every weak learner is right by {2 * p.gamma:.3g} on average (γ = {p.gamma:g}) under smooth weights, then "
        f"{p.n_learners:,} learners and {p.least_examples:,} examples, none of a weight above 1, bring the error of "
        f"some prefix below δ = {p.delta:g}."
    )


@printed(
    "plan: sharp",
    of="Plan",
    statement="N > 1/(βδ(2γ - γ̂)) learners are enough",
    assumes=ASSUMES,
    proof="theory.md#3-lemma-3-the-mass-cannot-stay-large-if-learners-have-an-advantage",
    check=plan_checks.sharp,
)
def _sharp(p: Plan) -> str:
    return f"The exact constants of the proof ask for {p.sharp_n_learners:,} learners."


@printed(
    "plan: vote",
    of="Plan",
    statement="error ≤ the least of the bounds for this vote and T: (I8), (I8e), (I9), (I9m) with L* < δT",
    assumes=ASSUMES + "; sample weights of 1",
    proof="theory.md#4-theorem-1",
    check=plan_checks.vote,
)
def _vote(p: Plan) -> str:
    if p.vote == "uniform":
        return (
            "No bound is known for the uniform vote of all learners. `model.certificate().prefix_for(delta)` finds "
            'that prefix afterwards, vote="experts" while running.'
        )
    name = {"ocp": "OSBoost.OCP with η₀ = 1/√N", "eg": "The EG vote"}.get(
        p.vote, "The weighted majority of OSBoost.EXP"
    )
    kind = "error"
    if p.vote == "experts" and p.expert_mode in DRAWS:
        name, kind = "The draw of OSBoost.EXP", "expected error"
    if p.vote == "experts":
        name += f" (rate {p.expert_rate!r})" if isinstance(p.expert_rate, str) else f" (rate {p.expert_rate:g})"
    found = {T: p.error(T) for T in (p.n_examples, 100 * p.n_examples)}
    told = [f"at most {bound:.3f} after {T:,} examples" for T, bound in found.items() if bound < 1]
    if not told:
        worst, T = min(found.values()), 100 * p.n_examples
        return f"{name}: no bound below 1, even after {T:,} examples ({worst:.1f})."
    return f"{name} finds that prefix: {kind} {' and '.join(told)}."


@printed(
    "plan: usually less",
    of="Plan",
    statement="what is asked is enough for every stream that keeps the assumption; none is said to need it",
    assumes=ASSUMES,
    proof="batch-and-online.md#theorem-1-at-work",
    check=plan_checks.prefix,
)
def _less(_: Plan) -> str:
    return (
        "This is enough for any stream that keeps the assumption. A given stream may need far less: "
        "`model.certificate()` measures it."
    )


def plan(
    gamma: float,
    delta: float,
    *,
    n_examples: int | None = None,
    vote: str = "experts",
    expert_rate: Any = "adahedge",
    expert_mode: str = "vote",
) -> Plan:
    """What Theorem 1 asks for an error below δ, given weak learners of advantage γ, and what a vote is then sure of.

    Parameters
    ----------
    gamma : float in (0, 0.5]
        The advantage.
    delta : float in (0, 1]
        The error aimed at.
    n_examples : int, default=None
        The length of the stream; None is the least that the theorem takes, 8/(δγ²).
    vote : {"uniform", "ocp", "eg", "experts"}, default="experts"
        The vote of `OSBoostClassifier`.
    expert_rate : {"adahedge", "anytime", "paper"} or float, default="adahedge"
        As of `OSBoostClassifier`.
    expert_mode : {"vote", "sample", "expected"}, default="vote"
        Whether the weighted majority predicts, or a draw.

    """
    gamma = checks.real("gamma", gamma, 0.0, 0.5, low_open=True)
    delta = checks.real("delta", delta, 0.0, 1.0, low_open=True)
    vote = checks.choice("vote", vote, VOTES)
    expert_mode = checks.choice("expert_mode", expert_mode, ("vote", *DRAWS))
    if expert_rate not in ("adahedge", "anytime", "paper"):
        expert_rate = checks.real("expert_rate", expert_rate, 0.0, math.inf, low_open=True, high_open=True)
    exact = constants(gamma)
    learners, least = _up(2.0 / (delta * gamma**2)), _up(C / (delta * gamma**2))
    sharp = min(learners, math.floor(exact.most_learners(delta)) + 1)
    T = least if n_examples is None else checks.integer("n_examples", n_examples, 1, 10**18)
    found = Plan(delta, exact, learners, sharp, T, vote, expert_rate, expert_mode)
    found.experts_error()  # refuses a stream that is too short
    return found


def _up(q: float) -> int:
    """The next whole number; a quotient that is a whole number but for rounding is that number."""
    return math.ceil(round(q, 6)) if q < 1e9 else math.ceil(q)
