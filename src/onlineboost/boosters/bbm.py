"""Online BBM, with importance weights (Beygelzimer, Kale, Luo, "Optimal and Adaptive Algorithms for Online Boosting",
ICML 2015, Algorithm 1): Freund's boost-by-majority, online.

Boost-by-majority plays against learners that are right with probability p = 1/2 + γ. Before learner i, the right label
leads by s = Σ_{j<i} y h_j, and R = N - i learners come after it. How much learner i matters is the chance that its vote
decides the majority:

    w_i = ½ C(R, k) p^k (1-p)^(R-k),     k = ⌊(R - s + 1)/2⌋,     0 where k is not in 0…R

Learner i is taught with w_i over its largest value, that at the mode of the binomial, so that weights reach 1. An
example that is won or lost already has hardly any weight: noise is given up. The vote is uniform. If every learner has
the edge 2γ but for a regret S, Σ_t w y h ≥ 2γ Σ_t w - S under weights of largest value 1, then N = O(ln(1/ε)/γ²)
learners suffice for an error ε once T is of the order of S√N/ε: a shorter stream pays the regrets, not the edges. No
booster can do with fewer learners.

Let Φ_i(s) be the chance that the majority errs if the learners after i are right with probability p, independently.
Then Φ_i(s ± 1) + w_i (±1 - 2γ) = Φ_{i-1}(s), and summed over learners and examples, on any stream,

    mistakes of the majority = T Φ_0(0) - Σ_i Σ_t w_i (y h_i - 2γ)     for outputs ±1.

Which variant: p = 1/2 + γ and importance weights. The paper's Algorithm 1 has p = 1/2 + γ/2 and passes an example on
with the probability w_i; with weights no edge is lost to sampling. `output="sign"` takes the signs of the outputs,
which the identity is about; an output of exactly 0 counts as wrong there, and does not vote. `output="real"` takes the
outputs themselves, in the vote and in s.

More than two classes: with the third label a model of at most 20 learners becomes OnlineMBBM (`OnlineMBBMClassifier`)
with γ = 2 edge, which is this algorithm if there are two classes. Learner i of the first class is the learner so far,
that of the second its copy with the sign turned; learners then name classes, whatever `output` is. The potential of
more learners takes milliseconds per example: these models go one against the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.boosters.base import Booster, Shared
from onlineboost.declarations import Choice, Real

if TYPE_CHECKING:
    from onlineboost.machine import Machine


MOST_SHARED = 20  # learners of a model of more than two classes that is boosted by majority of all classes


class BBM(Booster, name="bbm", estimator="BBMClassifier"):
    """Online boost-by-majority.

    Attributes
    ----------
    advantage_ : ndarray of shape (n_learners,)
        Σ w y h / Σ w of each learner: the theory assumes at least 2 edge. NaN for one that had no weight.
    expected_mistakes_ : float
        What the identity gives: with output="sign", exactly the summed weight of the examples on which the majority
        erred, learners that output 0 counted as wrong.

    """

    edge = Real(
        default=0.1,
        low=0.0,
        high=0.5,
        low_open=True,
        high_open=True,
        text="The paper's γ: under its weights a learner is assumed to be right with probability 1/2 + edge. A "
        "smaller edge spreads the weights over more examples.",
    )
    weights = Choice(
        default="relative",
        of=("relative", "absolute"),
        text="Teach with w_i over its largest value, as the paper has it, or with w_i itself. To a Perceptron the "
        "latter is a smaller step beside its random start, and it errs less on short noisy streams.",
    )
    output = Choice(default="sign", of=("sign", "real"), text="Whether learners say yes or no, or how sure they are.")

    def against_the_rest(self) -> Booster | Shared | None:
        """OnlineMBBM, where there are few learners."""
        if self.size() > MOST_SHARED:
            return super().against_the_rest()
        return Shared(self, {"kind": "mbbm", "gamma": 2.0 * self.checked()["edge"]}, calibrated=True)

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        return {
            "kind": "bbm",
            "edge": given["edge"],
            "relative": given["weights"] == "relative",
            "sign": given["output"] == "sign",
        }


def expected_mistakes(machine: Machine) -> float:
    """T Φ_0(0) - Σ w (y h - 2γ), from the sums over the stream."""
    state, spec, N = machine.booster_state(), machine.booster_spec, machine.engine.n_learners
    mass, edge = state["weight_mass"], spec["edge"]
    scale = np.array([0.5 * _largest(N - i, edge) if spec["relative"] else 1.0 for i in range(1, N + 1)])
    start = math.fsum(_binomial(N, k, edge) for k in range(N // 2 + 1))
    return float(state["count"][0] * start - scale @ (state["weighted_edges"] - 2.0 * edge * mass))


def _binomial(trials: int, hits: int, edge: float) -> float:
    """The chance of so many hits at p = 1/2 + edge."""
    ways = math.lgamma(trials + 1) - math.lgamma(hits + 1) - math.lgamma(trials - hits + 1)
    return math.exp(ways + hits * math.log(0.5 + edge) + (trials - hits) * math.log(0.5 - edge))


def _largest(trials: int, edge: float) -> float:
    return _binomial(trials, min(math.floor((trials + 1) * (0.5 + edge)), trials), edge)
