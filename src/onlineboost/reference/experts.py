"""Exponential weights over experts: those of OSBoost.EXP and of AdaBoost.OL, which are the prefixes of the learners."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Experts:
    """Expert i got examples of the summed weight L_i wrong, and has a vote v_i proportional to exp(-eta L_i)."""

    rounds: int

    def _start_experts(self, n_experts: int, rate: float | Literal["adahedge", "anytime", "paper"]) -> None:
        self.expert_rate = rate
        self.L = np.zeros(n_experts)
        self.Delta = 0.0
        self.expected_mistakes = 0.0

    def _expert_eta(self) -> float:
        log_n = math.log(len(self.L))
        if self.expert_rate == "paper":
            return math.log(2)
        if self.expert_rate == "anytime":
            return 2 * math.sqrt(log_n / (self.rounds + 1))
        if self.expert_rate == "adahedge":
            return log_n / self.Delta if self.Delta > 0 else math.inf
        return float(self.expert_rate)

    def expert_weights(self) -> Floats:
        """The distribution v over the experts; at an infinite rate, uniform over the best."""
        v = self._unscaled_weights()
        return v / float(np.sum(v))

    def _unscaled_weights(self) -> Floats:
        eta, gap = self._expert_eta(), self.L - np.min(self.L)
        return np.exp(-eta * gap) if eta < math.inf else (gap == 0).astype(np.float64)

    def _learn_experts(self, scores: Floats, y: int, s: float) -> None:
        """Expert i has the score scores[i] on an example of weight s."""
        loss = np.where(y * scores <= 0, s, 0.0)
        self.expected_mistakes += float(self.expert_weights() @ loss)
        old, new = self.L, self.L + loss
        if self.expert_rate == "adahedge" and len(new) > 1:  # one expert alone has no gap
            eta, mix = self._expert_eta(), float(np.min(new) - np.min(old))
            if eta < math.inf:  # the mix loss as a ratio of sums that are at least 1: none underflows
                sums = [float(np.sum(np.exp(-eta * (losses - np.min(losses))))) for losses in (new, old)]
                mix -= math.log(sums[0] / sums[1]) / eta
            self.Delta += max(float(self.expert_weights() @ loss) - mix, 0.0)
        self.L = new
