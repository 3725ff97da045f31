"""What the theory guarantees for the stream that a model has seen, beside what happened.

The central fact (Lemma 2 of the paper with its index put right; `docs/theory.md`): for any stream and any weak
learners, with W_{i+1} the summed weights after learner i and Σs the summed sample weights,

    #{t : y f_i ≤ 0} ≤ #{t : y f_i ≤ θ} ≤ W_{i+1}       f_i = (h_1 + … + h_i)/i

so W_{i+1}/Σs certifies the error of the first i learners. A certificate reads both sides off the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost.declarations import checks
from onlineboost.theory import bounds, certificate_report, sentences
from onlineboost.theory.constants import Constants, constants
from onlineboost.theory.risk import ALPHA, risk_bound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LIGHTEST = 1e-6  # of a window, beside what came before it
DELTAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Sums:
    """The engine's sums over examples of weight s; entry i - 1 belongs to learner i or to the first i learners."""

    mass: Floats  # Σ s w_i, i = 1…N+1; the first is Σ s
    squares: Floats  # Σ (s w_i)²
    edges: Floats  # Σ s w_i y h_i
    shortfalls: Floats  # Σ s max(0, -z_i)
    margin_errors: Floats  # Σ s 1{z_i ≤ 0}
    mistakes: Floats  # Σ s 1{y f_i ≤ 0}

    def plus(self, other: Sums) -> Sums:
        """The sums over the examples of both."""
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def minus(self, earlier: Sums) -> Sums:
        """The sums over what came after `earlier`."""
        return Sums(*(getattr(self, f.name) - getattr(earlier, f.name) for f in fields(self)))


@dataclass(frozen=True)
class Vote:
    """What the ensemble's own vote did; losses and bounds are sums over the stream, NaN where they do not apply.

    `loss`: OCP's and EG's hinge loss Σ max(0, θ - y f), the experts' expected mistakes. `best_loss`: that of the best
    prefix. `regret_bound` limits loss - best_loss on any stream; `prior_bound` is what of it is known without the data.
    """

    kind: str
    mistakes: float
    loss: float = math.nan
    best_loss: float = math.nan
    regret_bound: float = math.nan
    prior_bound: float = math.nan

    @property
    def regret(self) -> float:
        """Loss beyond that of the best prefix of the learners."""
        return self.loss - self.best_loss

    def plus(self, other: Vote) -> Vote:
        """The votes of two models, each on its own stream: losses and bounds add, each against its own best prefix."""
        return Vote(self.kind, *(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)[1:]))


@dataclass(frozen=True)
class Certificate:
    """Guarantees for one model on the stream it has learned. Made by `OSBoostClassifier.certificate()`.

    Arrays over learners i = 1…N, or over the prefixes "first i learners", start with i = 1 at index 0. Shares are of
    the summed sample weights, which for unit weights is the number of examples.
    """

    n_examples: int
    constants: Constants
    margin_scale: float
    sums: Sums
    vote: Vote
    half_life: float | None = None  # of the fading sums, if this is about those
    one_stream: bool = True  # it is neither of a window nor a sum of certificates
    expert_eta: float = math.nan  # the experts' rate, if it is fixed
    shared_until: int = 0  # with fixed share and examples of weight 1: how many there were at the end; 0 otherwise

    def __add__(self, other: Certificate) -> Certificate:
        """The certificate of two models on their own streams, such as the shards of one: each example counts once."""
        if not isinstance(other, Certificate):
            return NotImplemented
        if (self.constants, self.margin_scale, self.n_learners, self.vote.kind) != (
            other.constants,
            other.margin_scale,
            other.n_learners,
            other.vote.kind,
        ):
            raise ValueError("Only certificates of models with the same learners, gamma, theta and vote can be added.")
        if self.half_life is not None or other.half_life is not None:
            raise ValueError("Fading certificates cannot be added: their clocks differ.")
        return replace(
            self,
            n_examples=self.n_examples + other.n_examples,
            sums=self.sums.plus(other.sums),
            vote=self.vote.plus(other.vote),
            one_stream=False,
            shared_until=0,
        )

    def __radd__(self, other: int) -> Certificate:
        """What `sum` starts with is 0."""
        return self if other == 0 else NotImplemented

    # ---- the prefixes (SPEC I3) --------------------------------------------------------------------------------

    @property
    def n_learners(self) -> int:
        """N."""
        return len(self.sums.mistakes)

    @property
    def weight(self) -> float:
        """Σ s, which is W_1: the number of examples if none was weighted."""
        return float(self.sums.mass[0])

    @property
    def certified_error(self) -> Floats:
        """W_{i+1}/Σs: the first i learners, voting uniformly, err on no larger share. A fact on any stream."""
        return self.sums.mass[1:] / self.weight

    @property
    def observed_error(self) -> Floats:
        """The share on which the first i learners did err, test-then-train; a tie counts."""
        return self.sums.mistakes / self.weight

    @property
    def margin_error(self) -> Floats:
        """The share on which their margin was at most θ: between the observed and the certified error."""
        return self.sums.margin_errors / self.weight

    @property
    def best_prefix(self) -> int:
        """The number of learners with the smallest certified error."""
        return int(np.argmin(self.sums.mass[1:])) + 1

    def prefix_for(self, delta: float) -> int | None:
        """k*(δ) = min{i ≥ 1 : W_{i+1} < δ Σs}: the first so many learners err on less than δ. None if there is none."""
        good = np.flatnonzero(self.sums.mass[1:] < delta * self.weight)
        return int(good[0]) + 1 if len(good) else None

    def prefixes(self, deltas: Iterable[float] = DELTAS) -> dict[float, int | None]:
        """k*(δ) over a grid."""
        return {float(delta): self.prefix_for(delta) for delta in deltas}

    # ---- the learners ------------------------------------------------------------------------------------------

    @property
    def mass_share(self) -> Floats:
        """W_i/Σs: how much of the stream's weight learner i was taught with."""
        return self.sums.mass[:-1] / self.weight

    @property
    def advantage(self) -> Floats:
        """A_i = Σ w y h / Σ w: how right learner i was under its own weights; 2γ is what the theory asks."""
        return self.sums.edges / self.sums.mass[:-1]

    @property
    def mass_suffices(self) -> NDArray[np.bool_]:
        """W_i ≥ 8/γ², the paper's condition (2), which is about weights of at most 1."""
        return self.sums.mass[:-1] >= self.constants.mass_needed

    @property
    def weight_suffices(self) -> NDArray[np.bool_]:
        """`effective_examples` ≥ 8/γ²: from there on a weak learner owes its advantage, whatever the sample weights.

        Implied by `mass_suffices` where no sample weight is above 1. A regret is about a whole stream, so in a window,
        in fading sums and in sums of certificates nobody owes anything: all False. Learners merged from M shards owe
        it from M times as many on.
        """
        asked: NDArray[np.bool_] = self.effective_examples >= self.constants.mass_needed
        return asked & self.whole_stream

    @property
    def keeps_advantage(self) -> NDArray[np.bool_]:
        """A_i ≥ 2γ. The weak-learning assumption is contradicted where this is False and `weight_suffices` True."""
        return self.advantage >= 2.0 * self.constants.gamma

    @property
    def effective_examples(self) -> Floats:
        """(Σw)²/Σw²: of how many equally weighted examples learner i's weights are worth."""
        return self.sums.mass[:-1] ** 2 / self.sums.squares

    @property
    def smoothness(self) -> Floats:
        """1/W_i: an example of weight 1 has no larger share of what learner i is taught."""
        return 1.0 / self.sums.mass[:-1]

    @property
    def whole_stream(self) -> bool:
        """Whether this is about everything that one model has learned."""
        return self.half_life is None and self.one_stream

    @property
    def unit_weights(self) -> bool:
        """Whether every example had the weight 1."""
        return self.whole_stream and self.n_examples == self.weight == float(self.sums.squares[0])

    def effective_learners(self, share: float = 0.05) -> int:
        """The least n such that each learner after it sees less than this share of the stream's weight."""
        share = checks.real("share", share, 0.0, 1.0)
        return int(np.flatnonzero(self.mass_share >= share)[-1]) + 1  # W_1 is all of it

    # ---- Lemma 3 (SPEC I5) -------------------------------------------------------------------------------------

    @property
    def potential(self) -> Floats:
        """Σ s φ(z_k) after k learners, from sums: φ(z) = -max(0, -z) + (1 - w)/β. At most Σs/β."""
        return (self.weight - self.sums.mass[1:]) * self.constants.ceiling - self.sums.shortfalls

    @property
    def spent(self) -> Floats:
        """Σ_{i≤k} (A_i - γ̂) W_i: what k learners have used up of the potential."""
        return np.cumsum(self.sums.edges - self.constants.gamma_hat * self.sums.mass[:-1])

    @property
    def slack(self) -> Floats:
        """Potential less what was spent, per unit of weight: never negative, and 0 where Lemma 3 is tight."""
        return (self.potential - self.spent) / self.weight

    # ---- the ensemble's own vote (SPEC 6.4, 6.5) ----------------------------------------------------------------

    @property
    def vote_error(self) -> float:
        """The share on which the ensemble's own vote erred; a margin of 0 counts."""
        return self.vote.mistakes / self.weight

    @property
    def certified_vote_error(self) -> float:
        """A bound on it from prefixes and regret alone, at most 1. NaN where none is known (a part of a stream).

        Uniform: W_{N+1}/Σs. OCP, EG: (hinge loss of the best prefix + regret bound)/θ: each mistake loses at least θ.
        Experts: twice (mistakes of the best prefix + regret bound), twice because the vote errs only where half the
        weight does; at a fixed rate and with unit weights `bounds.majority_bound` if that is less, with fixed share
        `bounds.share_majority_bound`, which holds on any part of the stream.
        """
        if self.vote.kind == "uniform":
            return float(self.certified_error[-1])
        if math.isnan(self.vote.regret_bound):
            return math.nan
        if self.vote.kind in {"ocp", "eg"}:
            theta, limit = self.constants.theta, self.vote.best_loss + self.vote.regret_bound
            return min(1.0, limit / theta / self.weight) if theta > 0 else 1.0
        most = 2.0 * (self.vote.best_loss + self.vote.regret_bound)
        if self.shared_until:
            most = min(most, bounds.share_majority_bound(self.n_learners, self.shared_until, self.vote.best_loss))
        if self.unit_weights and not math.isnan(self.expert_eta):  # of one stream
            most = min(most, bounds.majority_bound(self.n_learners, self.expert_eta, self.vote.best_loss))
        return min(1.0, most / self.weight)

    # ---- the future (G1, G3) ------------------------------------------------------------------------------------

    def vote_risk(self, alpha: float = ALPHA) -> float:
        """A bound on the vote's mean chance to err, at every time with probability 1 - alpha: `risk_bound`.

        NaN in windows, in fading sums and with sample weights other than 1.
        """
        return float(risk_bound(self.vote.mistakes, self.n_examples, alpha)) if self.unit_weights else math.nan

    def prefix_risk(self, alpha: float = ALPHA) -> Floats:
        """The same for the first i learners, i = 1…N, all at once."""
        if not self.unit_weights:
            return np.full(self.n_learners, math.nan)
        bound: Floats = risk_bound(self.sums.mistakes, self.n_examples, alpha, among=self.n_learners)
        return bound

    @property
    def supported_error(self) -> float:
        """1/(β N (a - γ̂)), a the least advantage: Lemma 3 certifies some prefix at this or below; inf if a ≤ γ̂."""
        return self.constants.certified_by(float(self.advantage.min()), self.n_learners)

    @property
    def violations(self) -> int:
        """How many of the inequalities that must hold do not: 0, but for a defect of this library."""
        room = 1e-9 * self.weight
        W, sums = self.sums.mass[1:], self.sums
        found = np.count_nonzero(sums.mistakes > sums.margin_errors + room) + np.count_nonzero(
            sums.margin_errors > W + room
        )
        found += np.count_nonzero(self.slack < -1e-9 * self.constants.ceiling * self.n_learners)
        if self.half_life is None:  # a regret cannot be told from fading sums
            found += self.vote_error > self.certified_vote_error + 1e-9
            found += self.vote.regret > self.vote.regret_bound + room
        return int(found)

    # ---- parts of a stream, and output --------------------------------------------------------------------------

    def since(self, earlier: Certificate) -> Self:
        """The certificate of what came after `earlier`, of the same model: a window of the stream.

        The prefixes' bounds hold there as everywhere. A regret bound speaks of a whole stream, so there is none, but
        for experts with fixed share, whose bound holds on every interval. A
        window that weighs less than a millionth of what came before it is refused: a difference of sums has about 16
        digits less those of the ratio, and none of the printed figures shall be off by more than 10⁻⁹.
        """
        if self.n_learners != earlier.n_learners or self.n_examples <= earlier.n_examples or self.half_life is not None:
            raise ValueError("since() wants an earlier certificate of the same model, neither of them fading.")
        if self.weight - earlier.weight < LIGHTEST * earlier.weight:
            raise ValueError(
                "The examples since then weigh less than a millionth of those before, and are lost to rounding in the "
                "difference of the sums. Take certificate(faded=True), or learn them with a model of their own."
            )
        vote = Vote(self.vote.kind, self.vote.mistakes - earlier.vote.mistakes, self.vote.loss - earlier.vote.loss)
        sums = self.sums.minus(earlier.sums)
        if self.shared_until:
            best = float(sums.mistakes.min())
            bound = bounds.share_bound(self.n_learners, self.shared_until, best)
            vote = replace(vote, best_loss=best, regret_bound=bound, prior_bound=bound)
        return replace(self, n_examples=self.n_examples - earlier.n_examples, sums=sums, vote=vote, one_stream=False)

    def summary(self) -> str:
        """What the numbers say, in sentences."""
        return sentences.text(self)

    __str__ = summary

    def plot(self, axes: Any = None) -> Any:
        """Draw certified, margin and observed error over the prefixes; gives the matplotlib axes."""
        return certificate_report.draw(self, axes)

    def to_dict(self) -> dict[str, Any]:
        """Everything as numbers, lists and strings, ready for JSON."""
        arrays = ("certified_error", "observed_error", "margin_error", "mass_share", "advantage", "mass_suffices")
        more = ("weight_suffices", "keeps_advantage", "effective_examples", "smoothness", "potential", "slack")
        kept: dict[str, Any] = {name: getattr(self, name).tolist() for name in (*arrays, *more)}
        kept |= {f.name: getattr(self.constants, f.name) for f in fields(self.constants)}
        kept |= {
            "n_examples": self.n_examples,
            "weight": self.weight,
            "n_learners": self.n_learners,
            "margin_scale": self.margin_scale,
            "half_life": self.half_life,
            "best_prefix": self.best_prefix,
            "prefixes": {str(delta): k for delta, k in self.prefixes().items()},
            "effective_learners": self.effective_learners(),
            "vote": {f.name: _plain(getattr(self.vote, f.name)) for f in fields(self.vote)},
            "vote_error": self.vote_error,
            "certified_vote_error": _plain(self.certified_vote_error),
            "vote_risk": _plain(self.vote_risk()),
            "prefix_risk": [_plain(float(value)) for value in self.prefix_risk()],
            "supported_error": self.supported_error if math.isfinite(self.supported_error) else None,
            "violations": self.violations,
        }
        return kept


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def read(state: dict[str, Any], spec: dict[str, Any], half_life: float | None = None) -> Certificate:
    """A certificate from the engine's state and the parameters it was built with."""
    prefix = "" if half_life is None else "faded_"
    names = ("weight_mass", "weight_squares", "weighted_edges", "margin_shortfalls", "margin_errors", "prefix_mistakes")
    sums = Sums(*(np.asarray(state[prefix + name]) for name in names))
    exact = constants(spec["gamma"], spec["theta"])
    rounds = int(state["rounds"][0])
    if half_life is None:
        vote = _vote(state, spec, sums, rounds)
    else:  # a regret is about a whole stream
        vote = Vote(spec["vote"], float(state["faded_vote_mistakes"][0]))
    eta = spec["expert_eta"] if spec["vote"] == "experts" and spec["expert_rate"] == "fixed" else math.nan
    share = spec["vote"] == "experts" and spec["expert_rate"] == "share" and half_life is None
    until = rounds if share and _unit_weights(sums, rounds) else 0
    return Certificate(rounds, exact, spec["margin_scale"], sums, vote, half_life, expert_eta=eta, shared_until=until)


def _unit_weights(sums: Sums, rounds: int) -> bool:
    return rounds == float(sums.mass[0]) == float(sums.squares[0])


def _vote(state: dict[str, Any], spec: dict[str, Any], sums: Sums, rounds: int) -> Vote:
    kind, mistakes, n = spec["vote"], float(state["vote_mistakes"][0]), len(sums.mistakes)
    total_squares, unit_weights = float(sums.squares[0]), _unit_weights(sums, rounds)
    if kind in {"ocp", "eg"}:
        loss, rate, path = (float(state[f"{kind}_{name}"][0]) for name in ("loss", "rate", "path"))
        bound = (bounds.ocp_path_bound if kind == "ocp" else bounds.eg_path_bound)(n, rate, path)
        best = float(np.min(sums.shortfalls / np.arange(1, n + 1)))
        prior = math.nan
        if unit_weights and kind == "eg":
            prior = bounds.eg_bound(rounds, n)
        elif unit_weights and spec["schedule"] == "sqrt":
            prior = bounds.ocp_bound(rounds, n, spec["eta0"])
        return Vote(kind, mistakes, loss, best, bound, prior)
    if kind == "experts":
        losses, rate = np.asarray(state["expert_losses"]), spec["expert_rate"]
        best = float(losses.min())
        if rate == "share":
            bound = bounds.share_bound(n, max(rounds, 1), best) if unit_weights else math.nan
            return Vote(kind, mistakes, float(state["expected_mistakes"][0]), best, bound, bound)
        fixed = spec["expert_eta"] if rate == "fixed" else rate
        prior = bounds.expert_bound(rounds, n, fixed, best) if unit_weights else math.nan
        if rate == "adahedge":
            bound = bounds.adahedge_path_bound(float(state["mixability_gap"][0]))
        elif rate == "anytime":
            bound = bounds.anytime_path_bound(n, rounds, float(state["expert_path"][0]))
        else:
            bound = prior if unit_weights else bounds.fixed_path_bound(n, spec["expert_eta"], total_squares)
        return Vote(kind, mistakes, float(state["expected_mistakes"][0]), best, bound, prior)
    return Vote(kind, mistakes)
