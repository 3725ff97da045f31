"""OSBoost, OSBoost.OCP and OSBoost.EXP: the paper's algorithms.

Chen, Lin, Lu, "An Online Boosting Algorithm with Theoretical Justifications", ICML 2012, Algorithm 1 and
Section 4. For each example (x, y), with h_i the outputs before the update:

    z_0 = 0       z_i = z_{i-1} + y h_i(x) - θ       w_1 = 1       w_{i+1} = min{(1-γ)^(z_i/2), 1}

Learner i is taught (x, y) with weight w_i. The weights are *smooth*: never above 1, and large only where the
learners so far have a small margin, so that no learner is asked to concentrate on a few examples.

Which variant: h is real-valued, in the vote as in z. θ = γ/(2+γ). The paper's step size for OCP is unspecified;
η_t = 1/√t over all rounds reproduces its Table 3. Its EXP halves the weight of an expert that errs and draws one
expert per round (`expert_rate="paper", expert_mode="sample"`); the defaults here have a regret bound that the
halving lacks, and no variance.

`vote="eg"` is not in the paper. On rounds with y f < θ, where OCP steps and projects, it multiplies (Kivinen & Warmuth,
Inf. Comput. 132, 1997; Chen, Lin, Lu, ICML 2014 vote so):

    α_i ∝ exp(η Σ y h_i),     the sum over the n rounds before with y f < θ,     η = √(ln N / (1 + n))
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from onlineboost import _check
from onlineboost.boosters.base import OnlineEstimator
from onlineboost.boosters.parameters import expert_spec, positive, theta_of

if TYPE_CHECKING:
    from onlineboost.theory.certificate import Certificate


class OSBoostClassifier(OnlineEstimator):
    """Online SmoothBoost over any weak learner.

    Parameters
    ----------
    learner : Learner
        The weak learner: `Perceptron()`, `NaiveBayes()`, `OnlineGradient()`, `HoeffdingTree()`, `BlackBox(...)` or
        your own.
    n_learners : int, default=100
        How many.
    gamma : float in (0, 0.5], default=0.1
        The advantage over guessing that the weak learners are assumed to have.
    theta : float in [0, gamma), default=None
        The margin that is aimed at; None is the paper's gamma / (2 + gamma).
    vote : {"uniform", "ocp", "eg", "experts"}, default="uniform"
        How the learners are combined. Uniform: their mean (OSBoost). OCP: weights on the simplex by online
        convex programming (OSBoost.OCP), for long streams. EG: the same by exponentiated gradient, whose regret
        grows with sqrt(ln N) where OCP's grows with sqrt(N); it has no parameters. Experts: expert i is the mean of
        the first i learners, and exponential weights find the best prefix (OSBoost.EXP), for short ones.
    eta0 : float or "theory", default=1.0
        OCP: the step is eta0 / sqrt(t). "theory" is 1 / sqrt(n_learners), which minimises the regret bound.
    schedule : {"sqrt", "adaptive"}, default="sqrt"
        OCP: "adaptive" divides by the root of the summed squared gradients instead of by sqrt(t).
    projection : {"newton", "sort", "pivot"}, default="newton"
        OCP: how to project onto the simplex. Newton's method starts from the learners that have a weight and needs
        a few sweeps (Michelot 1986); "sort" takes O(N log N), "pivot" expected O(N) (Duchi et al. 2008). The
        results agree to rounding.
    expert_rate : {"adahedge", "anytime", "paper"} or float, default="adahedge"
        Experts: the learning rate. "paper" halves the weight of an expert that errs; a number is a fixed rate,
        such as sqrt(8 ln N / T) for a known horizon T.
    expert_mode : {"vote", "sample", "expected"}, default="vote"
        Experts: what a test-then-train round predicts. Vote: the weighted majority of the experts. Sample: one
        expert drawn by weight, as the paper's theorem has it. Expected: as vote, but `prequential` reports the
        exact expected error of the draw. `predict` and its kin always use the weighted majority.
    margin_scale : float in (0, 1e6], default=1.0
        The outputs h are multiplied by this and clipped to [-1, 1] before anything is done with them; 1 is the
        paper. More makes margins larger and so the certificate tighter, and costs accuracy where labels are noisy.
    fading : float of at least 1, default=None
        Keep a second copy of the diagnostics that halves every so many examples: `certificate(faded=True)` then
        speaks of the recent stream. It says what happened lately; only the sums over the whole stream carry the
        theorems.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed. An integer makes everything reproducible, bit for bit.
    n_jobs : int, default=None
        Threads among which the work on one example is split, where N × (numbers in the row) is at least 200,000;
        None is 1, -1 is all cores. No result depends on it, and a model file does not hold it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the array batches.
    weight_mass_ : ndarray of shape (n_learners + 1,)
        The summed weights |w_i|. Entry i bounds the mistakes of the mean of the first i learners, on any stream.
    n_examples_ : int
        Examples learned.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        gamma: float = 0.1,
        theta: float | None = None,
        vote: str = "uniform",
        eta0: float | str = 1.0,
        schedule: str = "sqrt",
        projection: str = "newton",
        expert_rate: float | str = "adahedge",
        expert_mode: str = "vote",
        margin_scale: float = 1.0,
        fading: float | None = None,
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.gamma = gamma
        self.theta = theta
        self.vote = vote
        self.eta0 = eta0
        self.schedule = schedule
        self.projection = projection
        self.expert_rate = expert_rate
        self.expert_mode = expert_mode
        self.margin_scale = margin_scale
        self.fading = fading
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def weight_mass_(self) -> Any:
        """The summed weights |w_i| for i = 1…N+1."""
        self._require_fitted()
        return self._model.booster_state()["weight_mass"]

    def certificate(self, *, faded: bool = False) -> Certificate:
        """What the theory guarantees for the stream learned so far, beside what happened on it.

        Parameters
        ----------
        faded : bool, default=False
            About the recent stream, from the sums that `fading` asked for.

        """
        from onlineboost.theory.certificate import read  # noqa: PLC0415  # the theory is loaded when it is asked for

        self._require_fitted()
        spec, half_life = self._spec[2], None
        if faded:
            if spec["keep"] == 0:
                raise ValueError("This model keeps no fading sums: make it with fading=<a half-life in examples>.")
            half_life = -math.log(2.0) / math.log(spec["keep"])
        return read(self._model.booster_state(), spec, half_life)

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, 1_000_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        gamma, theta = theta_of(self.gamma, self.theta)
        n = self._n_learners()
        eta0 = 1.0 / math.sqrt(n) if self.eta0 == "theory" else positive("eta0", self.eta0)
        keep = 0.0 if self.fading is None else 0.5 ** (1.0 / _check.real("fading", self.fading, 1.0, 1e12))
        return {
            "kind": "osboost",
            "gamma": gamma,
            "theta": theta,
            "margin_scale": _check.real("margin_scale", self.margin_scale, 0.0, 1e6, low_open=True),
            "keep": keep,
            "vote": _check.choice("vote", self.vote, ("uniform", "ocp", "eg", "experts")),
            "eta0": eta0,
            "schedule": _check.choice("schedule", self.schedule, ("sqrt", "adaptive")),
            "projection": _check.choice("projection", self.projection, ("newton", "sort", "pivot")),
            **expert_spec(self.expert_rate, self.expert_mode, paper=math.log(2.0)),
            "seed": seed,
        }
