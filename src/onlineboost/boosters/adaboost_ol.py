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

More than two classes: with the third label the model becomes Adaboost.OLM (`AdaBoostOLMClassifier`), whose loss is this
one if there are two. Learner i of the first class is the learner so far, that of the second its copy with the sign
turned, so it says the same of the two; α and the prefixes' losses stay. Learners then name classes: `update`, `output`
and `expert_rate` are those of OLM, with weights, names and the rate 1.
"""

from __future__ import annotations

from typing import Any

from onlineboost.boosters.base import Booster, Shared
from onlineboost.boosters.experts import EXPERT_MODE, expert_rate, expert_spec
from onlineboost.declarations import Choice


class AdaBoostOL(Booster, name="adaboost-ol", estimator="AdaBoostOLClassifier"):
    """Online AdaBoost that adapts to the learners' edges.

    Attributes
    ----------
    advantage_ : ndarray of shape (n_learners,)
        Σ w y h / Σ w of each learner: twice the edge γ_i of the guarantee.

    """

    update = Choice(
        default="weight",
        of=("weight", "sample"),
        text="Teach learner i with the weight w_i (AdaBoost.OL.W), or with weight 1 and probability w_i (AdaBoost.OL).",
    )
    output = Choice(default="real", of=("real", "sign"), text="Whether learners say how sure they are, or yes or no.")
    expert_rate = expert_rate("paper", 'The learning rate over the prefixes. "paper" is 1;')
    expert_mode = EXPERT_MODE

    def against_the_rest(self) -> Booster | Shared | None:
        """Adaboost.OLM, which goes on with the votes α and the losses of the prefixes."""
        return Shared(self, {"kind": "adaboost_olm"}, kept=("alpha", "expert_losses"))

    def booster_spec(self, seed: int) -> dict[str, Any]:
        """What the engine builds the booster from."""
        given = self.checked()
        return {
            "kind": "adaboost_ol",
            "sample_examples": given["update"] == "sample",
            "sign": given["output"] == "sign",
            **expert_spec(given, paper=1.0),
            "seed": seed,
        }
