"""AdaBoost.OL.W and AdaBoost.OL (Beygelzimer, Kale, Luo, "Optimal and Adaptive Algorithms for Online Boosting", ICML
2015, Algorithm 2): online AdaBoost with the logistic loss, which needs to know no edge.

For example t, with z_i = y h_i(x) and the votes α_i of the rounds before:

    s_0 = 0     w_i = 1/(1 + e^(s_{i-1}))     s_i = s_{i-1} + α_i z_i
    α_i ← clip(α_i + (4/√t) z_i/(1 + e^(s_i)), [-2, 2])

Learner i is taught with w_i. Each α_i follows the gradient of the logistic loss of its own prefix. Prefix i predicts
the sign of α_1 h_1 + … + α_i h_i; its weight v_i is multiplied by e⁻¹ when it errs, and one prefix is drawn by these.

With γ_i the edge that learner i had under its weights, the expected share of mistakes is at most 2/Σγ_i² plus what
vanishes with T: strong learners pay at once, and weak ones do no harm.

Which variant: weights (`update="weight"`, AdaBoost.OL.W) or drawn examples (`update="sample"`, AdaBoost.OL). The
prefixes vote by their weights instead of one being drawn, which has no variance (`expert_mode` has the draw); one whose
sum is exactly 0 does not vote, and has erred. h is the learner's real output; the paper's h is its sign
(`output="sign"`, 0 for 0), with which Perceptrons err more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _check
from onlineboost.boosters.base import OnlineEstimator
from onlineboost.boosters.parameters import expert_spec

if TYPE_CHECKING:
    from numpy.typing import NDArray


class AdaBoostOLClassifier(OnlineEstimator):
    """Online AdaBoost that adapts to the learners' edges.

    Parameters
    ----------
    learner : Learner
        The weak learner.
    n_learners : int, default=100
        How many.
    update : {"weight", "sample"}, default="weight"
        Teach learner i with the weight w_i (AdaBoost.OL.W), or with weight 1 and probability w_i (AdaBoost.OL).
    output : {"real", "sign"}, default="real"
        Whether learners say how sure they are, or yes or no.
    expert_rate : {"paper", "adahedge", "anytime"} or float, default="paper"
        The learning rate over the prefixes. "paper" is 1; the others are those of `OSBoostClassifier`.
    expert_mode : {"vote", "sample", "expected"}, default="vote"
        What a test-then-train round predicts. Vote: the weighted majority of the prefixes. Sample: one prefix drawn by
        weight, as the paper has it. Expected: as vote, but `prequential` reports the exact expected error of the draw.
        `predict` and its kin always use the weighted majority.
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
        Σ w y h / Σ w of each learner: twice the edge γ_i of the guarantee.

    """

    def __init__(
        self,
        learner: Any,
        n_learners: int = 100,
        *,
        update: str = "weight",
        output: str = "real",
        expert_rate: float | str = "paper",
        expert_mode: str = "vote",
        shuffle: bool = False,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.update = update
        self.output = output
        self.expert_rate = expert_rate
        self.expert_mode = expert_mode
        self.shuffle = shuffle
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def advantage_(self) -> NDArray[np.float64]:
        """Σ w y h / Σ w of each learner."""
        self._require_fitted()
        state = self._model.booster_state()
        mass = state["weight_mass"]
        return np.asarray(state["weighted_edges"] / mass)  # the first example has given each a weight

    def _n_learners(self) -> int:
        return _check.integer("n_learners", self.n_learners, 1, 1_000_000)

    def _booster_spec(self, seed: int) -> dict[str, Any]:
        return {
            "kind": "adaboost_ol",
            "sample_examples": _check.choice("update", self.update, ("weight", "sample")) == "sample",
            "sign": _check.choice("output", self.output, ("sign", "real")) == "sign",
            **expert_spec(self.expert_rate, self.expert_mode, paper=1.0),
            "seed": seed,
        }
