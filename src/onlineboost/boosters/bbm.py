"""Online BBM, with importance weights (Beygelzimer, Kale, Luo, "Optimal and Adaptive Algorithms for Online Boosting",
ICML 2015, Algorithm 1): Freund's boost-by-majority, online.

Boost-by-majority plays against learners that are right with probability p = 1/2 + γ. Before learner i, the right label
leads by s = Σ_{j<i} y h_j, and R = N - i learners come after it. How much learner i matters is the chance that its vote
decides the majority:

    w_i = ½ C(R, k) p^k (1-p)^(R-k),     k = ⌊(R - s + 1)/2⌋,     0 where k is not in 0…R

Learner i is taught with w_i over its largest value, that at the mode of the binomial, so that weights reach 1. An
example that is won or lost already has hardly any weight: noise is given up. The vote is uniform. N = O(ln(1/ε)/γ²)
learners suffice for an error ε, and none can do with fewer.

Let Φ_i(s) be the chance that the majority errs if the learners after i are right with probability p, independently.
Then Φ_i(s ± 1) + w_i (±1 - 2γ) = Φ_{i-1}(s), and summed over learners and examples, on any stream,

    mistakes of the majority = T Φ_0(0) - Σ_i Σ_t w_i (y h_i - 2γ)     for outputs ±1.

Which variant: p = 1/2 + γ and importance weights. The paper's Algorithm 1 has p = 1/2 + γ/2 and passes an example on
with the probability w_i; with weights no edge is lost to sampling. `output="sign"` takes the signs of the outputs,
which the identity is about; an output of exactly 0 counts as wrong there, and does not vote. `output="real"` takes the
outputs themselves, in the vote and in s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _check
from onlineboost.boosters.base import OnlineEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray


class BBMClassifier(OnlineEstimator):
    """Online boost-by-majority.

    Parameters
    ----------
    learner : Learner
        The weak learner.
    n_learners : int, default=100
        How many.
    edge : float in (0, 0.5), default=0.1
        The γ above: under its weights a learner is assumed to be right with probability 1/2 + edge. A smaller edge
        spreads the weights over more examples.
    weights : {"relative", "absolute"}, default="relative"
        Teach with w_i over its largest value, as the paper has it, or with w_i itself. To a Perceptron the latter is a
        smaller step beside its random start, and it errs less on short noisy streams.
    output : {"sign", "real"}, default="sign"
        Whether learners say yes or no, or how sure they are.
    shuffle : bool, default=False
        `fit` only: learn the rows in a random order.
    n_passes : int, default=1
        `fit` only: how often to go over the rows.
    random_state : int, RandomState or None, default=None
        The seed.
    n_jobs : int, default=None
        Threads among which the work on one example is split, as in `OSBoostClassifier`; no result depends on it.

    Attributes
    ----------
    advantage_ : ndarray of shape (n_learners,)
        Σ w y h / Σ w of each learner: the theory assumes at least 2 edge.
    expected_mistakes_ : float
        What the identity gives: with output="sign", exactly the summed weight of the examples on which the majority
        erred, learners that output 0 counted as wrong.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        edge: float = 0.1,
        weights: str = "relative",
        output: str = "sign",
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.edge = edge
        self.weights = weights
        self.output = output
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def advantage_(self) -> NDArray[np.float64]:
        """Σ w y h / Σ w of each learner; NaN for one that had no weight."""
        self._require_fitted()
        state = self._model.booster_state()
        mass = state["weight_mass"]
        return np.asarray(np.divide(state["weighted_edges"], mass, out=np.full(len(mass), np.nan), where=mass > 0))

    @property
    def expected_mistakes_(self) -> float:
        """T Φ_0(0) - Σ w (y h - 2γ), from the sums over the stream."""
        self._require_fitted()
        state, edge, relative = self._model.booster_state(), self._spec[2]["edge"], self._spec[2]["relative"]
        mass, N = state["weight_mass"], self._spec[0]
        scale = np.array([0.5 * _largest(N - i, edge) if relative else 1.0 for i in range(1, N + 1)])
        start = math.fsum(_binomial(N, k, edge) for k in range(N // 2 + 1))
        return float(state["count"][0] * start - scale @ (state["weighted_edges"] - 2.0 * edge * mass))

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, 1_000_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {
            "kind": "bbm",
            "edge": _check.real("edge", self.edge, 0.0, 0.5, low_open=True, high_open=True),
            "relative": _check.choice("weights", self.weights, ("relative", "absolute")) == "relative",
            "sign": _check.choice("output", self.output, ("sign", "real")) == "sign",
        }


def _binomial(trials: int, hits: int, edge: float) -> float:
    """The chance of so many hits at p = 1/2 + edge."""
    ways = math.lgamma(trials + 1) - math.lgamma(hits + 1) - math.lgamma(trials - hits + 1)
    return math.exp(ways + hits * math.log(0.5 + edge) + (trials - hits) * math.log(0.5 - edge))


def _largest(trials: int, edge: float) -> float:
    return _binomial(trials, min(math.floor((trials + 1) * (0.5 + edge)), trials), edge)
