"""OSBoost, OSBoost.OCP and OSBoost.EXP: the paper's algorithms.

Chen, Lin, Lu, "An Online Boosting Algorithm with Theoretical Justifications", ICML 2012, Algorithm 1 and
Section 4. For each example (x, y), with h_i the outputs before the update:

    z_0 = 0       z_i = z_{i-1} + y h_i(x) - θ       w_1 = 1       w_{i+1} = min{(1-γ)^(z_i/2), 1}

Learner i is taught (x, y) with weight w_i. The weights are *smooth*: never above 1, and large only where the
learners so far have a small margin, so that no learner is asked to concentrate on a few examples.

Which variant: h is real-valued, in the vote as in z. θ = γ/(2+γ). The paper gives no step size for OCP;
η_t = 1/√t over all rounds reproduces its Table 3. Nor does it give a rate for EXP, only "weighted majority" with a
regret of 2√(T ln N): halving the weight of an expert that errs and drawing one expert per round
(`expert_rate="paper", expert_mode="sample"`) reproduces its tables, but has no such regret. AdaHedge, the default, has
one for the draw. The weighted majority, the default prediction, makes at most twice the draw's expected mistakes, and
at a fixed rate η at most (η L* + ln N)/ln(2/(1+e^(-η))): 2.41 L* + 3.48 ln N for halving, L* the best prefix's.

`vote="eg"` is not in the paper. On rounds with y f < θ, where OCP steps and projects, it multiplies (Kivinen & Warmuth,
Inf. Comput. 132, 1997; Chen, Lin, Lu, ICML 2014 vote so):

    α_i ∝ exp(η Σ y h_i),     the sum over the n rounds before with y f < θ,     η = √(ln N / (1 + n))
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from onlineboost.boosters.base import GAMMA, MOST_LEARNERS, Booster, Shared
from onlineboost.boosters.experts import EXPERT_MODE, expert_rate, expert_spec
from onlineboost.declarations import Choice, Flag, Integer, Real, checks

if TYPE_CHECKING:
    from collections.abc import Collection

    from onlineboost.machine import Machine
    from onlineboost.theory.certificate import Certificate


DRIFT_DELTA = Real(
    default=0.002,
    low=0.0,
    high=1.0,
    low_open=True,
    high_open=True,
    text="With resets: ADWIN's chance of a false alarm for one look at one cut, every 32 examples. A false alarm costs "
    "a learner its past.",
)


class OSBoost(Booster, name="osboost", estimator="OSBoostClassifier"):
    """Online SmoothBoost over any weak learner.

    Attributes
    ----------
    weight_mass_ : ndarray of shape (n_learners + 1,)
        The summed weights |w_i|. Entry i bounds the mistakes of the mean of the first i learners, on any stream.

    """

    gamma = GAMMA
    theta = Real(
        default=None,
        low=0.0,
        high=0.5,
        high_open=True,
        optional=True,
        text="The margin that is aimed at, below gamma; None is the paper's gamma / (2 + gamma).",
    )
    vote = Choice(
        default="uniform",
        of=("uniform", "ocp", "eg", "experts"),
        text="How the learners are combined. Uniform: their mean (OSBoost). OCP: weights on the simplex by online "
        "convex programming (OSBoost.OCP), for long streams. EG: the same by exponentiated gradient, whose regret "
        "grows with sqrt(ln N) where OCP's grows with sqrt(N); it has no parameters. Experts: expert i is the mean "
        "of the first i learners, and exponential weights find the best prefix (OSBoost.EXP), for short ones.",
    )
    eta0 = Real(
        default=1.0,
        low=0.0,
        high=math.inf,
        low_open=True,
        high_open=True,
        words=("theory",),
        text='OCP: the step is eta0 / sqrt(t). "theory" is 1 / sqrt(n_learners), which minimises the regret bound.',
    )
    schedule = Choice(
        default="sqrt",
        of=("sqrt", "adaptive"),
        text='OCP: "adaptive" divides by the root of the summed squared gradients instead of by sqrt(t).',
    )
    projection = Choice(
        default="newton",
        of=("newton", "sort", "pivot"),
        text="OCP: how to project onto the simplex. Newton's method starts from the learners that have a weight and "
        'needs a few sweeps (Michelot 1986); "sort" takes O(N log N), "pivot" expected O(N) (Duchi et al. 2008). The '
        "results agree to rounding.",
    )
    expert_rate = expert_rate(
        "adahedge",
        'Experts: the learning rate. "paper" halves the weight of an expert that errs, which reproduces the paper\'s '
        "tables; it prints no rate;",
    )
    expert_mode = EXPERT_MODE
    margin_scale = Real(
        default=1.0,
        low=0.0,
        high=1e6,
        low_open=True,
        text="The outputs h are multiplied by this and clipped to [-1, 1] before anything is done with them; 1 is the "
        "paper. More makes margins larger and so the certificate tighter, and costs accuracy where labels are noisy. "
        "What is proved of OnlineGradient is proved for 1.",
    )
    fading = Real(
        default=None,
        low=1.0,
        high=1e12,
        optional=True,
        text="Keep a second copy of the diagnostics that halves every so many examples: `certificate(faded=True)` then "
        "speaks of the recent stream. It says what happened lately; only the sums over the whole stream carry the "
        "theorems.",
    )

    history = Flag(
        default=False,
        text="Keep earlier values of the diagnostics, a few for every doubling of their age: `certificate(last=n)` "
        "then speaks of about the last n examples, with the bounds of the whole, from the model file alone.",
    )
    drift = Choice(
        default=None,
        of=("adwin", "restart", "background"),
        optional=True,
        text="What to do when errors rise. ADWIN: a learner whose own errors have risen begins anew. Restart: all of "
        "them do when the vote's errors have. Background: a second learner begins at a warning, at ten times "
        "drift_delta, and takes the place of the first at the alarm; there are twice as many learners to score. "
        "Certificates stay exact: they are sums over whatever the learners said (docs/drift.md).",
    )
    drift_delta = DRIFT_DELTA
    late_learners = Integer(
        default=None,
        low=1,
        high=MOST_LEARNERS,
        optional=True,
        text="With learners of two classes, of which each class has its own: the fifth class and later ones have at "
        "most so many, and learner i says what the one says whose number is the remainder of i.",
    )

    def against_the_rest(self) -> Booster | Shared | None:
        """Only with learners in Python."""
        return None if self.weak_learner().native else super().against_the_rest()

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        del given["late_learners"]
        if given["drift"] is None:
            del given["drift"], given["drift_delta"]
        if not given["history"]:
            del given["history"]
        return {
            **given,
            "kind": "osboost",
            "theta": theta_of(given["gamma"], given["theta"]),
            "keep": 0.0 if given["fading"] is None else 0.5 ** (1.0 / given["fading"]),
            "eta0": 1.0 / math.sqrt(self.size()) if given["eta0"] == "theory" else given["eta0"],
            **expert_spec(given, paper=math.log(2.0)),
            "seed": seed,
        }

    def bank_spec(self, n_features: int, seed: int, retired: Collection[int] = ()) -> dict[str, Any]:
        """What the engine builds the bank from; with understudies, one of twice as many learners inside another."""
        given = self.checked()
        if given["drift"] != "background":
            spec = super().bank_spec(n_features, seed, retired)
            if given["late_learners"] is not None:
                innermost(spec)["late"] = given["late_learners"]
            return spec
        inner = self.weak_learner().bank_spec(2 * self.size(), n_features, seed)
        if inner["kind"] == "python":
            raise TypeError(
                f'drift="background" needs a learner with a native bank, and {self.weak_learner()!r} has none: use '
                'drift="adwin".'
            )
        return {"kind": "background", "inner": inner}

    def member_mistakes(self, state: dict[str, Any]) -> dict[str, float]:
        """Of the first 1, 2, … learners, voting uniformly; a tie counts."""
        counted = state.get("prefix_mistakes", ())
        return {f"first {k}": float(count) for k, count in enumerate(counted, 1)}

    def certificate(self, machine: Machine, *, faded: bool, last: int | None = None) -> Certificate:
        """What the theory guarantees for the stream learned so far, beside what happened on it."""
        from onlineboost.theory.certificate import read  # noqa: PLC0415  # the theory is loaded when it is asked for
        from onlineboost.theory.windows import read_checkpoint  # noqa: PLC0415  # as above

        spec, half_life = machine.booster_spec, None
        if last is not None:
            if faded:
                raise ValueError("Give faded or last, not both.")
            if "history" not in spec:
                raise ValueError("This model keeps no checkpoints: make it with history=True.")
            state = machine.booster_state()
            earlier = read_checkpoint(state, spec, checks.integer("last", last, 1, 2**60))
            return read(state, spec) if earlier is None else read(state, spec).since(earlier)
        if faded:
            if spec["keep"] == 0:
                raise ValueError("This model keeps no fading sums: make it with fading=<a half-life in examples>.")
            half_life = -math.log(2.0) / math.log(spec["keep"])
        return read(machine.booster_state(), spec, half_life)


class Reset(NamedTuple):
    """A learner that began anew."""

    example: int
    """How many examples had been learned."""
    learner: int | None
    """None: all of them."""


def resets(machine: Machine) -> list[Reset]:
    """The last 128 resets of a model with `drift`, oldest first."""
    rows = machine.booster_state().get("drift_events")
    n = machine.recipe.size()
    return [] if rows is None else [Reset(t, i if i < n else None) for t, i in rows.reshape(-1, 2).tolist()]


def innermost(spec: dict[str, Any]) -> dict[str, Any]:
    """What the bank inside all wrappers is built from."""
    while "inner" in spec:
        spec = spec["inner"]
    return spec


def theta_of(gamma: float, theta: Any) -> float:
    """The margin aimed at, below gamma; the paper's where none is given."""
    return gamma / (2.0 + gamma) if theta is None else checks.real("theta", theta, 0.0, gamma, high_open=True)
