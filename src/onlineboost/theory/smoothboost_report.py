"""The guarantee of SmoothBoost in plain sentences, each with its check on a run: stages in the place of learners."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from onlineboost.theory.constants import constants
from onlineboost.theory.sentences import printed

if TYPE_CHECKING:
    from onlineboost.theory.runs import Run
    from onlineboost.theory.smoothboost import SmoothBoostGuarantee

PROOF = "batch-and-online.md#smoothboost-in-batch"


def stage_bound(gamma: float, kappa: float) -> int:
    """The most stages that SmoothBoost can take with θ = γ/(2+γ) if every stage has advantage 2γ (statement 3)."""
    return math.ceil(2.0 / (kappa * gamma**2 * math.sqrt(1.0 - gamma)))


def _weights(g: SmoothBoostGuarantee, run: Run) -> Any:
    return run.weights(constants(g.gamma, g.theta))


def _stages(g: SmoothBoostGuarantee, run: Run) -> float:
    """It went on while the mean weight was κ or more, and stopped in time if every stage had its advantage."""
    mean = run.s @ _weights(g, run) / run.total
    late = g.kappa - float(mean[:-1].min()) if g.stopped else -math.inf
    bound = g.stage_bound
    return max(late - 1e-9, -math.inf if bound is None else float(g.n_stages - bound))


def _margins(g: SmoothBoostGuarantee, run: Run) -> float:
    """#{y f ≤ θ} ≤ |M_{T+1}|, and what is printed as observed, counted again."""
    thin = float(run.s @ (run.y * run.margins <= g.theta - 1e-12)) / run.total
    wrong = run.vote_mistakes() / run.total
    left = float(run.s @ _weights(g, run)[:, -1]) / run.total
    return max(thin - g.certified_error, thin - g.margin_error, wrong - g.training_error, left - g.certified_error)


def _smooth(g: SmoothBoostGuarantee, run: Run) -> float:
    """M max_j D_t(j) ≤ 1/κ at every stage."""
    M = _weights(g, run)[:, :-1]
    peaks = M.max(axis=0) * run.total / (run.s @ M)
    return max(float(peaks.max()) - 1.0 / g.kappa, float(peaks.max()) - float(g.peaks.max()))


def _advantages(g: SmoothBoostGuarantee, run: Run) -> float:
    """Σ D_t y h_t, counted again."""
    M = run.s[:, None] * _weights(g, run)[:, :-1]
    return float(abs((M * run.m).sum(axis=0) / M.sum(axis=0) - g.advantages).max()) - 1e-9


def _contradicted(g: SmoothBoostGuarantee, _: Run) -> float:
    """Nothing is named."""
    return float(len(g.broken))


@printed(
    "batch: stages",
    of="SmoothBoostGuarantee",
    statement="stops after fewer than 2/(κγ²√(1-γ)) stages",
    assumes="Σ D_t y h_t ≥ 2γ on every stage, θ = γ/(2+γ)",
    proof=PROOF,
    check=_stages,
)
def _end(g: SmoothBoostGuarantee) -> str:
    end = "Stopped" if g.stopped else "Did not stop: the limit was reached"
    return f"{end} after {g.n_stages:,} stages."


@printed(
    "batch: margins",
    of="SmoothBoostGuarantee",
    statement="#{y f ≤ θ} ≤ |M_{T+1}|",
    assumes="nothing",
    proof=PROOF,
    check=_margins,
)
def _certified(g: SmoothBoostGuarantee) -> str:
    asked = "" if g.stopped else f"; {g.kappa:.1%} was asked for"
    return (
        f"At most {g.certified_error:.1%} of the training examples have a margin of {g.theta:.3g} or less "
        f"(certified{asked}); {g.margin_error:.1%} do, and {g.training_error:.1%} are misclassified."
    )


@printed(
    "batch: smooth",
    of="SmoothBoostGuarantee",
    statement="m max_j D_t(j) ≤ 1/κ",
    assumes="nothing",
    proof=PROOF,
    check=_smooth,
)
def _peaks(g: SmoothBoostGuarantee) -> str:
    return (
        f"No example ever had more than {g.peaks.max():.3g} times its uniform share of the weight "
        f"(1/κ = {1.0 / g.kappa:.3g} is allowed)."
    )


@printed(
    "batch: advantages",
    of="SmoothBoostGuarantee",
    statement="Σ D_t y h_t ≥ 2γ, or not, stage by stage",
    assumes="nothing: it is counted",
    proof=PROOF,
    check=_advantages,
)
def _edges(g: SmoothBoostGuarantee) -> str:
    failed = len(g.failed_stages)
    if failed:
        return (
            f"The weak learner fell short of the advantage 2γ = {2.0 * g.gamma:.3g} on {failed:,} stages, first "
            f"on stage {g.failed_stages[0]:,}, with {g.advantages.min():.3g} at worst: the bound on the "
            "number of stages does not apply."
        )
    if g.stage_bound is None:
        return ""
    return f"Every stage had advantage 2γ, which allows {g.stage_bound:,} stages at most."


@printed(
    "batch: broken",
    of="SmoothBoostGuarantee",
    statement="a theorem that the run contradicts is named",
    assumes="nothing",
    proof=PROOF,
    check=_contradicted,
)
def _broken(g: SmoothBoostGuarantee) -> str:
    return f"BROKEN: {', '.join(g.broken)}. Please report this." if g.broken else ""
