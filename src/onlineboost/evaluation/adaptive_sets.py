"""Prediction sets that follow a stream which changes: strongly adaptive thresholds, corrected to keep their coverage.

The score of an example is S = 1 - p(y), and its set is {y : 1 - p(y) ≤ q}. Bhatnagar, Wang, Xiong and Bai ("Improved
Online Conformal Prediction via Strongly Adaptive Online Learning", ICML 2023) choose q by experts that begin at many
times, each of which descends the pinball loss ℓ(q) = max{(1-α)(S-q), α(q-S)}, mixed so the loss is small on every
interval. Here level k = 0…19 is such an expert, begun anew where ⌊t/2^k⌋ changes, to block B:

    u_k ← [u_k - g_k/√(2 Σ g_k²)] within [0, 1],     g_k = α - 1{S > u_k},     from the mixture's u at the beginning

    u = Σ p η_j u_k / Σ p η_j,     p ← p (1 + η_j g (u - u_k)),     g = α - 1{S > u},     η_j = 2^(-j), j = 1…11

with p = 1/((B+1)(B+2)(k+1)(k+2)j(j+1)) on entering a block. The set is made with q = u + c, c ← c + η (1{S > q} - α),
η = 0.05, which alone is Gibbs and Candès' rule (NeurIPS 2021).

Which variant: the paper mixes by coin betting and has no c. These weights are those of
`OnlineGradient(restart="clock")`; docs/theory.md proves their regret and what `guarantee()` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.theory.sets import AdaptiveSetGuarantee

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS, RATES, STEP = 20, 11, 0.05
_SIZES = 2 ** np.arange(LEVELS)
_ETAS = 2.0 ** -np.arange(1, RATES + 1)
_J = np.arange(1, RATES + 1)
_K = np.arange(LEVELS)
_PRIORS = 1.0 / ((_K[:, None] + 1.0) * (_K[:, None] + 2.0) * _J * (_J + 1.0))


class StronglyAdaptiveSets:
    """A model, and prediction sets of one miss rate that adapt to changes of the stream.

    `predict_set` of a model costs nothing and keeps its coverage too, more slowly after a change. This one takes some
    50 µs per example.

    Parameters
    ----------
    model : estimator of this package
        Fitted or not; it is trained in place.
    alpha : float in (0, 1), default=0.1
        The share of labels to be missed.

    Attributes
    ----------
    examples_, missed_ : int
        Examples learned, and how many of their labels were not in their sets.
    threshold_ : float
        q, for the next example.

    """

    def __init__(self, model: Any, alpha: float = 0.1) -> None:
        self.model = model
        self.alpha = checks.real("alpha", alpha, 0.0, 1.0, low_open=True, high_open=True)
        self.examples_ = self.missed_ = 0
        self._u, self._squares = np.ones(LEVELS), np.zeros(LEVELS)
        self._p = _PRIORS / 2.0
        self._correction = 0.0

    @property
    def mixed_(self) -> float:
        """u, before the correction."""
        pull = (self._p * _ETAS).sum(axis=1)
        return float(pull @ self._u / pull.sum())

    @property
    def threshold_(self) -> float:
        """Q = u + c."""
        return self.mixed_ + self._correction

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> StronglyAdaptiveSets:
        """Test, then train, model and thresholds, on each row in order.

        Parameters
        ----------
        X, y, classes
            As in the model's `partial_fit`.

        """
        report = self.model.learn_batch(X, y, classes, None, report=True)
        true, P = np.asarray(report.true), report.opinion.probabilities
        given = P[np.arange(len(true)), true] if true.ndim == 1 else np.where(true, P, 1.0).min(axis=1, initial=1.0)
        self.learn_scores(1.0 - given)
        return self

    def learn_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Learn from 1 less the probability that each label had; gives the thresholds that were used.

        Parameters
        ----------
        scores : array
            In the order of the stream, each between 0 and 1.

        """
        used = np.empty(len(scores))
        for t, score in enumerate(scores):
            used[t] = self._correction
            used[t] += self.learn_score(float(score))
        return used

    def learn_score(self, score: float) -> float:
        """Learn from one score; gives the u that was used."""
        mixed = self.mixed_
        used = self._correction + mixed
        missed = score > used
        slope = self.alpha - (score > mixed)
        self._p *= 1.0 + _ETAS * (slope * (mixed - self._u))[:, None]
        slopes = self.alpha - (score > self._u)
        self._squares += slopes**2
        self._u = np.clip(self._u - slopes / np.sqrt(2.0 * self._squares), 0.0, 1.0)
        self._correction += STEP * (missed - self.alpha)
        self.examples_ += 1
        self.missed_ += int(missed)
        self._begin(self.mixed_)
        return mixed

    def _begin(self, mixed: float) -> None:
        """Blocks that begin with the next example."""
        fresh = self.examples_ % _SIZES == 0
        block = (self.examples_ // _SIZES[fresh])[:, None]
        self._p[fresh] = _PRIORS[fresh] / ((block + 1.0) * (block + 2.0))
        self._u[fresh], self._squares[fresh] = mixed, 0.0

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """A row per example and a column per label in the model's `classes_`, True where the label is in the set.

        Parameters
        ----------
        X : as in `predict`
            Rows.

        """
        return np.asarray(1.0 - self.model.predict_proba(X) <= self.threshold_)

    def guarantee(self) -> AdaptiveSetGuarantee:
        """What holds on every stream, beside what happened."""
        return AdaptiveSetGuarantee(self.alpha, self.examples_, self.missed_, STEP)
