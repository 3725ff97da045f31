"""The guarantee of a mixture of families for the stream it has seen, and the share of each family.

The experts' weights follow Bayes' rule and fixed share at rate 1/t (`onlineboost.reference.ExpertTracker`). Let B be
the largest sample weight, or 1 if that is less. On every stream the mixture loses

- in all, at most B (ln(experts ever born) + ln 2) more than the best expert that has lived from the start (with Bayes'
  rule alone B ln(experts); Vovk, COLT 1990);
- on every interval, at most B (ln(most experts at once) + ln t) more than the best expert that lived through it, plus
  the largest B ln(1 / the weight of fixed share) that occurred, which is counted.

docs/drift.md has the proof. An example that weighs more than all before it is predicted with weights that are too
bold for it; what that cost is counted, and is part of both bounds. With weights of at most 1 it is 0. Of a merged
mixture, what is counted is all that it lost beyond Bayes' rule over the summed losses of its experts. Where weights are
targets, all this is about the examples' effective weights (`onlineboost.reference.EffectiveWeights`).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _core
from onlineboost.declarations.extras import require
from onlineboost.theory import mixture_checks as checks
from onlineboost.theory import sentences
from onlineboost.theory.family_risk import bounds_of, mistakes
from onlineboost.theory.sentences import printed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.boosters.mixture import Change
    from onlineboost.machine import Machine

    State = dict[str, NDArray[Any]]

TRACKED = (
    *("expert_losses", "mixture_loss", "example_weight", "largest_weight", "rate_surprises"),
    *("experts_alive", "expert_handicaps", "share_posterior", "forecaster_losses", "share_doubt"),
    *("tracked_rounds", "experts_born", "most_experts"),
)
STATUS = ("empty", "learns", "rests", "awaited")


@dataclass(frozen=True)
class FamilyShare:
    """One family: what all its copies carry, and the copy of the leading generation; NaN once that has retired."""

    name: str
    at_work: bool
    carries: float
    """Its own weight plus its share of the stacks'; these sum to 1."""
    weight: float
    """As an expert of its own."""
    coefficient: float
    """In the stack, of its logit."""
    log_loss: float
    """Per unit of weight since it began."""
    error: float = math.nan
    """The share of the examples on which it erred, as the generation that led just then had it; NaN if not counted."""
    risk: float = math.nan
    """With confidence 95 %, at all times and of all families at once: its mean chance to err is at most this."""


@dataclass(frozen=True)
class GenerationShare:
    """One generation of the families."""

    place: int
    """Of its outputs in a recording: from this times the number of families on."""
    since: int
    """Examples learned before it began."""
    status: str
    """It learns, or rests: predicts and learns nothing."""
    leads: bool
    weight: float
    """Of its experts; these sum to 1."""


@dataclass(frozen=True)
class MixtureCertificate:
    """The guarantee beside what happened; losses are in nats and per unit of weight, regrets are sums."""

    families: tuple[FamilyShare, ...]
    log_loss: float
    """Of the mixture."""
    stack_log_loss: float
    stack_weight: float
    regret: float
    """Loss of the mixture less that of the best expert that has lived from the start; NaN if none has."""
    regret_bound: float
    interval_bound: float
    """On every interval, the mixture lost at most so much more than the best expert that lived through it."""
    examples: int
    generations: tuple[GenerationShare, ...]
    last_change: Change | None
    """The last time that another generation came to lead."""
    error: float = math.nan
    """The share of the examples on which the mixture erred; a probability of 1/2 counts. NaN if it was not counted."""
    risk: float = math.nan
    """As of a family: the mixture's own. NaN with sample weights other than 1."""
    targets: bool = True
    """Sample weights are targets: then losses are about effective examples, see `OnlineBoostClassifier`."""

    @property
    def heaviest(self) -> FamilyShare:
        """The family that carries most."""
        return max(self.families, key=lambda family: family.carries)

    def summary(self) -> str:
        """In words, a sentence per line."""
        return sentences.text(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw what each family carries (needs matplotlib: `pip install "onlineboost[plot]"`) and give the axes."""
        if ax is None:
            plt = require("matplotlib.pyplot", "plot", "Drawing a certificate")
            _, ax = plt.subplots(figsize=(6.4, 0.6 + 0.35 * len(self.families)), layout="constrained")
        shown = sorted(self.families, key=lambda one: one.carries)
        names = [one.name if one.at_work else f"{one.name} (retired)" for one in shown]
        ax.barh(names, [100 * one.carries for one in shown], color="tab:blue")
        ax.set_xlabel(f"share of the prediction after {self.examples:,} examples, %")
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what there is none of is None."""
        found = _plain(asdict(self))
        found["families"] = [_plain(family) for family in found["families"]]
        found["heaviest"] = self.heaviest.name
        return found


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in found.items()}


@printed(
    "mixture: loss",
    of="MixtureCertificate",
    statement="Σ -s ln p(y)/Σs",
    assumes="nothing: it is counted",
    proof="mixture.md#what-is-guaranteed",
    check=checks.loss,
)
def _loss(c: MixtureCertificate) -> str:
    return f"After {c.examples:,} examples the mixture loses {c.log_loss:.4f} nats per example."


@printed(
    "mixture: regret",
    of="MixtureCertificate",
    statement="Σ -s ln p(y) ≤ min_k Σ -s ln q_k(y) + B (ln(experts ever born) + ln 2) + surprises, over the experts at "
    "work from the start; with generations=0 without ln 2",
    assumes="nothing; experts' probabilities within logits of ±12, of many classes from about 1e-6 on",
    proof="mixture.md#what-is-guaranteed",
    check=checks.regret,
)
def _regret(c: MixtureCertificate) -> str:
    if math.isnan(c.regret):
        return ""
    whole = all(one.at_work for one in c.families) and len(c.generations) == 1
    best = "the best expert" + ("" if whole else " of those at work from the start")
    return f"In all it lost {c.regret:.2f} nats more than {best}; never above {c.regret_bound:.2f}."


@printed(
    "mixture: risk",
    of="MixtureCertificate",
    statement="Σμ_t/T ≤ min_j (1 - e^(-(λ_j ē + ln((K+1) j(j+1)/α)/T)))/(1 - e^(-λ_j)), of mixture and K families, for "
    "all T at once",
    assumes="sample weights 1; holds with probability 1 - α over the labels, which may depend on all before them",
    proof="theory.md#9-risk-at-every-time",
    check=checks.risk,
    chance=0.05,
)
def _risk(c: MixtureCertificate) -> str:
    known = [one for one in c.families if not math.isnan(one.risk)]
    if not known or not min(c.risk, *(one.risk for one in known)) < 1:
        return ""
    best = min(known, key=lambda one: one.risk)
    return (
        f"With confidence 95 %, at all times at once: its chance to err on the next example was at most {c.risk:.1%} "
        f"on average, that of {best.name!r} alone at most {best.risk:.1%}."
    )


@printed(
    "mixture: intervals",
    of="MixtureCertificate",
    statement="Σ_[r,s] -s ln p(y) ≤ Σ_[r,s] -s ln q_k(y) + B (ln K + ln t) + max B ln(1/(1-π)) + surprises, on every "
    "[r, s] in the life of expert k",
    assumes="nothing; experts' probabilities within logits of ±12, of many classes from about 1e-6 on",
    proof="drift.md#bayes-rule-beside-it",
    check=checks.intervals,
)
def _intervals(c: MixtureCertificate) -> str:
    if not math.isfinite(c.interval_bound):
        return ""
    return f"On every interval it lost at most {c.interval_bound:.1f} nats more than the best expert of that interval."


@printed(
    "mixture: change",
    of="MixtureCertificate",
    statement="when another generation came to lead, last",
    assumes="nothing: it is counted",
    proof="mixture.md#when-the-stream-changes",
    check=checks.change,
)
def _change(c: MixtureCertificate) -> str:
    if c.last_change is None:
        return ""
    return f"The last change was noticed at example {c.last_change.example:,}: {c.last_change.kind}."


@printed(
    "mixture: heaviest",
    of="MixtureCertificate",
    statement="the largest share of the prediction; shares add up to 1",
    assumes="nothing: it is counted",
    proof="mixture.md#what-is-guaranteed",
    check=checks.shares,
)
def _heaviest(c: MixtureCertificate) -> str:
    return f"{c.heaviest.name!r} carries {c.heaviest.carries:.0%} of the prediction."


@printed(
    "mixture: families",
    of="MixtureCertificate",
    statement="Σ -s ln q_k(y)/Σs of each family at work",
    assumes="nothing: it is counted",
    proof="mixture.md#what-is-guaranteed",
    check=checks.families,
)
def _families(c: MixtureCertificate) -> str:
    return "\n".join(
        f"{family.name}: carries {family.carries:.1%}, alone {family.log_loss:.4f} nats."
        if not math.isnan(family.log_loss)
        else f"{family.name}: retired."
        for family in sorted(c.families, key=lambda one: -one.carries)
    )


def read(machine: Machine, names: list[str], changes: list[Change]) -> MixtureCertificate:
    """The certificate of a mixture of families with these names."""
    state = machine.booster_state()
    K, tracks = len(names), "experts_alive" in state
    present = state["families_present"].reshape(-1, K) > 0
    n = len(present)
    losses = state["expert_losses"].reshape(n, K + 1)
    weights = _weights(state, present)
    lives = state["generations"] if tracks else np.array([0, 1, 0, 0])
    leads, (status, since, _) = int(lives[0]), lives[1:].reshape(n, 3).T
    total, started = float(state["example_weight"][0]), state["generation_weights"][1:] if tracks else np.zeros(n)
    pull = np.abs(state["stack_mean"]).reshape(n, K) * np.sqrt(state["logit_squares"]).reshape(n, K) * present
    even = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    share = np.where(
        pull.sum(axis=1, keepdims=True) > 0, pull / np.maximum(pull.sum(axis=1, keepdims=True), 1e-300), even
    )
    risks, lost = bounds_of(machine), mistakes(state, K) / max(total, 1e-300)
    carries = (weights[:, 1:] + weights[:, :1] * share).sum(axis=0)
    lived = max(total - float(started[leads]), 1e-300)
    families = tuple(
        FamilyShare(
            name,
            bool(present[:, k].any()),
            float(carries[k]),
            float(weights[:, 1 + k].sum()),
            float(state["stack_mean"].reshape(n, K)[leads, k]),
            float(losses[leads, 1 + k] / lived) if present[leads, k] else math.nan,
            float(lost[1 + k]),
            risks[name],
        )
        for k, name in enumerate(names)
    )
    generations = tuple(
        GenerationShare(g, int(since[g]), STATUS[int(status[g])], g == leads, float(weights[g].sum()))
        for g in range(n)
        if status[g] in {1, 2}
    )
    loss = float(state["mixture_loss"][0])
    from_start = np.column_stack([np.isin(status, [1, 2]), present]) & (since == 0)[:, None]
    regret = loss - float(losses[from_start].min()) if from_start.any() else math.nan
    in_all, interval = _bounds(state, K + 1)
    return MixtureCertificate(
        families=families,
        log_loss=loss / max(total, 1e-300),
        stack_log_loss=float(losses[leads, 0] / lived),
        stack_weight=float(weights[:, 0].sum()),
        regret=regret,
        regret_bound=in_all,
        interval_bound=interval,
        examples=machine.n_examples,
        generations=generations,
        targets=machine.booster_spec.get("weights") == "targets",
        last_change=next((one for one in reversed(changes) if one.kind.endswith("leads")), None),
        error=float(lost[0]),
        risk=risks["mixture"],
    )


def _weights(state: State, present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of the experts, a row per generation: its stack, then its families."""
    tracks = "experts_alive" in state
    tracker: Any = _core.ExpertTracker(state["expert_losses"].size, state["expert_losses"].size, tracks)
    tracker.load({name: state[name] for name in TRACKED if name in state})
    if not tracks:
        for k in np.flatnonzero(~present[0]):
            tracker.drop(int(k) + 1)
    return np.array(tracker.weights()).reshape(len(present), -1)


def _bounds(state: State, n_experts: int) -> tuple[float, float]:
    """In all, and on every interval."""
    largest, surprises = float(state["largest_weight"][0]), float(state["rate_surprises"][0])
    if "experts_alive" not in state:
        return largest * math.log(n_experts) + surprises, math.inf
    in_all = largest * (math.log(state["experts_born"][0]) + math.log(2.0)) + surprises
    logs = math.log(state["most_experts"][0]) + math.log(max(int(state["tracked_rounds"][0]), 1))
    later = math.log(2.0) if largest > 1 else 0.0
    return in_all, largest * (logs + later) + float(state["share_doubt"][0]) + surprises
