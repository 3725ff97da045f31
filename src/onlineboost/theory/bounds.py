"""Bounds on what the votes lose, as formulas; `docs/theory.md` proves them.

Regrets are sums beyond the best prefix, on any stream. L* is the loss of the best prefix, T the number of examples,
N that of learners. Where T stands, sample weights are 1; the forms with a path hold for any weights.
"""

from __future__ import annotations

import math


def ocp_bound(n_examples: float, n_learners: int, eta0: float = 1.0) -> float:
    """Regret of the OCP vote with step η₀/√t: √T/η₀ + η₀ N (√T - 1/2); none for one learner (I8).

    The simplex has squared diameter 2 and gradients have squared norm at most N. η₀ = 1/√N makes it 2√(NT) - √N/2.
    """
    if n_learners == 1 or n_examples <= 0:
        return 0.0
    root = math.sqrt(n_examples)
    return root / eta0 + eta0 * n_learners * (root - 0.5)


def ocp_path_bound(n_learners: int, rate: float, path: float) -> float:
    """The same from the run: 1/η_last + ½ Σ η |s h|² over the rounds that moved the vote (I8)."""
    return 1.0 / rate + path / 2.0 if rate > 0 and n_learners > 1 else 0.0


def eg_bound(n_active: float, n_learners: int) -> float:
    """Regret of the EG vote after n rounds with y f < θ: 2√(n ln N); none for one learner (I8e).

    Exponential weights on losses in [-1, 1] with a falling rate: ln N/η_n + Σ η_k/2, and η_k = √(ln N/k) here.
    """
    return 2.0 * math.sqrt(n_active * math.log(n_learners)) if n_learners > 1 and n_active > 0 else 0.0


def eg_path_bound(n_learners: int, rate: float, path: float) -> float:
    """The same from the run: ln N/η_last + ½ Σ η s² over the rounds that moved the vote (I8e)."""
    return math.log(n_learners) / rate + path / 2.0 if rate > 0 and n_learners > 1 else 0.0


def expert_bound(n_examples: float, n_experts: int, rate: str | float, best_loss: float) -> float:
    """Expected mistakes of the draw beyond those of the best expert; `rate` as the `expert_rate` of OSBoost (I9).

    "anytime": √(T ln N). A fixed rate η: the smaller of (η L* + ln N)/(1-e^(-η)) - L* and ln N/η + ηT/8; "paper" is
    η = ln 2, whose first form is 0.386 L* + 2 ln N. "adahedge": the smaller of √(T a) + b and
    b + 2a + 2√(a(L* + a + b)) with a = ln N, b = (4/3) a + 2.
    """
    log_n = math.log(n_experts)
    if n_experts == 1 or n_examples <= 0:
        return 0.0
    if rate == "anytime":
        return math.sqrt(n_examples * log_n)
    if rate == "adahedge":
        rest = 4.0 / 3.0 * log_n + 2.0
        first_order = rest + 2.0 * log_n + 2.0 * math.sqrt(log_n * (best_loss + log_n + rest))
        return min(math.sqrt(n_examples * log_n) + rest, first_order)
    eta = math.log(2.0) if rate == "paper" else float(rate)
    small_loss = (eta * best_loss + log_n) / -math.expm1(-eta) - best_loss
    return min(small_loss, fixed_path_bound(n_experts, eta, n_examples))


def fixed_path_bound(n_experts: int, eta: float, squares: float) -> float:
    """The same for a fixed rate and any sample weights: ln N/η + η Σs²/8 (I9s)."""
    return math.log(n_experts) / eta + eta * squares / 8.0 if n_experts > 1 else 0.0


def anytime_path_bound(n_experts: int, n_examples: float, path: float) -> float:
    """The same for η_t = 2√(ln N/t) and any sample weights: √(T ln N)/2 + Σ η_t s_t²/8 (I9s)."""
    return math.sqrt(n_examples * math.log(n_experts)) / 2.0 + path / 8.0


def adahedge_path_bound(gap: float) -> float:
    """AdaHedge: twice the cumulated mixability gap, for any sample weights (de Rooij et al., JMLR 2014)."""
    return 2.0 * gap


def majority_bound(n_experts: int, eta: float, best_loss: float) -> float:
    """Mistakes of the weighted majority at a fixed rate η: (η L* + ln N)/ln(2/(1+e^(-η))) (I9m).

    η = ln 2 makes it 2.41 L* + 3.48 ln N. At any rate it is at most twice the draw's expected mistakes.
    """
    return (eta * best_loss + math.log(n_experts)) / (math.log(2.0) - math.log1p(math.exp(-eta)))


SHARE_RATE = math.log(2.0)
MAJORITY_COST = math.log(4.0 / 3.0)  # ln(2/(1+e^(-η))) at η = ln 2: what a mistake of the majority costs the weights


def share_bound(n_experts: int, until: float, best_loss: float) -> float:
    """Fixed share at rate 1/t, η = ln 2: expected mistakes of the draw beyond the best expert's, on any interval.

    (η L + ln(N s))/(1-e^(-η)) - L = 0.386 L + 2 ln(N s), with s the last example of the interval (I9f).
    """
    return (SHARE_RATE * best_loss + math.log(n_experts * until)) / -math.expm1(-SHARE_RATE) - best_loss


def share_majority_bound(n_experts: int, until: float, best_loss: float) -> float:
    """The same for the mistakes of the weighted majority, all of them: 2.41 L + 3.48 ln(N s) (I9f)."""
    return (SHARE_RATE * best_loss + math.log(n_experts * until)) / MAJORITY_COST
