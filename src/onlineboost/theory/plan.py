"""Theorem 1 as a calculator: how many learners, how many examples, and what is then guaranteed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from onlineboost.declarations import checks
from onlineboost.theory.constants import C, Constants, constants


@dataclass(frozen=True)
class Plan:
    """What Theorem 1 asks for and promises, if every weak learner keeps the advantage 2γ (Assumption 1 with c = 8).

    n_learners = ⌈2/(δγ²)⌉ and n_examples = ⌈8/(δγ²)⌉; `sharp_n_learners` is what Lemma 3 with its own constants asks.
    """

    delta: float
    constants: Constants
    n_learners: int
    sharp_n_learners: int
    n_examples: int

    @property
    def gamma(self) -> float:
        """The advantage that is assumed."""
        return self.constants.gamma

    def prefix_error(self) -> float:
        """Some prefix of the learners, voting uniformly, has a margin of at most θ on less than this share."""
        return self.delta

    def experts_error(self, n_examples: float | None = None) -> float:
        """The expected error of OSBoost.EXP after so many examples: δ + 2√(ln N/T)."""
        T = self.n_examples if n_examples is None else n_examples
        return self.delta + 2.0 * math.sqrt(math.log(self.n_learners) / T)

    def ocp_error(self, n_examples: float | None = None) -> float:
        """The error of OSBoost.OCP with η₀ = 1/√N: ((1+θ)/θ)δ + 2√N/(θ√T). True, and loose: it starts above 1."""
        T = self.n_examples if n_examples is None else n_examples
        theta = self.constants.theta
        return (1.0 + theta) / theta * self.delta + 2.0 * math.sqrt(self.n_learners / T) / theta

    def summary(self) -> str:
        """The plan in sentences."""
        at = 100 * self.n_examples
        soon, later = (min(1.0, self.experts_error(T)) for T in (self.n_examples, at))
        bound = self.ocp_error(at)
        ocp = f"error at most {bound:.3f} after {at:,} examples."
        if bound >= 1:
            ocp = f"its bound says nothing even after {at:,} examples ({bound:.1f}): it pays 1/θ for every loss."
        return (
            f"If every weak learner is right by {2 * self.gamma:.3g} on average (γ = {self.gamma:g}) under smooth "
            f"weights, then {self.n_learners:,} learners and {self.n_examples:,} examples bring the error of some "
            f"prefix below δ = {self.delta:g}.\n"
            f"The exact constants of the proof ask for {self.sharp_n_learners:,} learners.\n"
            f"OSBoost.EXP finds that prefix: expected error at most {soon:.3f} after {self.n_examples:,} examples and "
            f"{later:.3f} after {at:,}.\n"
            f"OSBoost.OCP: {ocp}\n"
            "This is enough for any stream that keeps the assumption. A given stream usually needs far less: "
            "`model.certificate()` measures it."
        )

    __str__ = summary


def plan(gamma: float, delta: float) -> Plan:
    """What Theorem 1 asks for an error below δ, given weak learners of advantage γ.

    Parameters
    ----------
    gamma : float in (0, 0.5]
        The advantage.
    delta : float in (0, 1]
        The error aimed at.

    """
    gamma = checks.real("gamma", gamma, 0.0, 0.5, low_open=True)
    delta = checks.real("delta", delta, 0.0, 1.0, low_open=True)
    exact = constants(gamma)
    # A quotient that is a whole number but for rounding is that number.
    up = [math.ceil(round(q, 6)) if q < 1e9 else math.ceil(q) for q in (2 / (delta * gamma**2), C / (delta * gamma**2))]
    return Plan(delta, exact, up[0], min(up[0], math.floor(exact.most_learners(delta)) + 1), up[1])
