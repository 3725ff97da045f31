"""The guarantee of a mixture of families for the stream it has seen, and the share of each family.

With η = 1 / the largest sample weight, or 1 if that is less, exponential weights over M experts that give probabilities
lose at most ln(M) / η more than the best of them, on every stream: the log-loss is 1-mixable, and the rate never
grows (Vovk, COLT 1990; Cesa-Bianchi and Lugosi, Prediction, Learning, and Games, 2006, Sections 3.3 and 9.2). It holds
for the experts that are still at work. An example that weighs more than all before it is predicted at a rate that is
too large for it; what that cost is counted, and is part of the bound. With weights of at most 1 it is 0.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations.extras import require

if TYPE_CHECKING:
    from onlineboost.machine import Machine


@dataclass(frozen=True)
class FamilyShare:
    """One family: what it carries of the prediction, and its own log-loss per example; NaN once it has retired."""

    name: str
    at_work: bool
    carries: float
    """Its own weight plus its share of the stack's; these sum to 1."""
    weight: float
    """As an expert of its own."""
    coefficient: float
    """In the stack, of its logit."""
    log_loss: float


@dataclass(frozen=True)
class MixtureCertificate:
    """The guarantee beside what happened; losses are in nats and per unit of weight, regrets are sums."""

    families: tuple[FamilyShare, ...]
    log_loss: float
    """Of the mixture."""
    stack_log_loss: float
    stack_weight: float
    regret: float
    """Loss of the mixture less that of the best expert still at work."""
    regret_bound: float
    examples: int

    @property
    def heaviest(self) -> FamilyShare:
        """The family that carries most."""
        return max(self.families, key=lambda family: family.carries)

    def summary(self) -> str:
        """In words, a sentence per line."""
        top = self.heaviest
        best = "the best expert" + ("" if all(one.at_work for one in self.families) else " of those still at work")
        lines = [
            f"After {self.examples:,} examples the mixture loses {self.log_loss:.4f} nats per example.",
            f"In all it lost {self.regret:.2f} nats more than {best}; never above {self.regret_bound:.2f}.",
            f"{top.name!r} carries {top.carries:.0%} of the prediction.",
        ]
        for family in sorted(self.families, key=lambda one: -one.carries):
            if family.at_work:
                lines.append(f"{family.name}: carries {family.carries:.1%}, alone {family.log_loss:.4f} nats.")
            else:
                lines.append(f"{family.name}: retired.")
        return "\n".join(lines)

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
        found = asdict(self)
        found["families"] = [
            {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in family.items()}
            for family in found["families"]
        ]
        found["heaviest"] = self.heaviest.name
        return found


def read(machine: Machine, names: list[str]) -> MixtureCertificate:
    """The certificate of a mixture of families with these names."""
    state = machine.booster_state()
    present = state["families_present"] > 0
    losses, mean = state["expert_losses"], state["stack_mean"]
    total = max(float(state["example_weight"][0]), 1e-300)
    largest = float(state["largest_weight"][0])
    at_work = np.concatenate([[True], present])
    best = losses[at_work].min()
    weights = np.where(at_work, np.exp(np.clip((best - losses) / largest, -700.0, 0.0)), 0.0)
    weights /= weights.sum()
    pull = np.abs(mean) * np.sqrt(state["logit_squares"]) * present
    share = pull / pull.sum() if pull.sum() > 0 else present / max(present.sum(), 1)
    families = tuple(
        FamilyShare(
            name,
            bool(present[k]),
            float(weights[k + 1] + weights[0] * share[k]),
            float(weights[k + 1]),
            float(mean[k]),
            float(losses[k + 1] / total) if present[k] else math.nan,
        )
        for k, name in enumerate(names)
    )
    loss = float(state["mixture_loss"][0])
    return MixtureCertificate(
        families=families,
        log_loss=loss / total,
        stack_log_loss=float(losses[0] / total),
        stack_weight=float(weights[0]),
        regret=loss - float(best),
        regret_bound=largest * math.log(len(losses)) + float(state["rate_surprises"][0]),
        examples=machine.n_examples,
    )
