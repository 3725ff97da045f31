"""SmoothBoost, the batch algorithm that OSBoost carries over to streams.

Servedio, "Smooth Boosting and Learning with Malicious Noise", Journal of Machine Learning Research 4, 2003,
Section 3. Over m labelled examples (x_j, y_j), with M_1(j) = 1 and N_0(j) = 0:

    D_t = M_t / |M_t|       h_t = the weak learner on D_t       N_t(j) = N_{t-1}(j) + y_j h_t(x_j) - θ
    M_{t+1}(j) = min{(1-γ)^(N_t(j)/2), 1}                        stop when |M_{t+1}| < κ m

and the result is the mean f = (h_1 + … + h_T)/T. Three statements are the algorithm's guarantee:

1. Smooth: D_t(j) ≤ 1/(κ m) at every stage t. Weights are at most 1, and |M_t| ≥ κ m while it runs.
2. Margins: the share of examples with y f(x) ≤ θ is at most |M_{T+1}|/m, so below κ once it has stopped. This
   needs nothing of the weak learner: a margin of at most θ is N_T(j) ≤ 0, which is a weight of exactly 1.
3. Stages: if every h_t has advantage Σ_j D_t(j) y_j h_t(x_j) ≥ 2γ, that is an error of at most 1/2 - γ, and
   θ = γ/(2+γ), then it stops after fewer than 2/(κ γ² √(1-γ)) stages.

Which variant: the weak learner is a scikit-learn classifier that is handed D_t as `sample_weight`, scaled to sum to
the number of examples, so a learner that regularises sees an unchanged sample size. It cannot be forced to have
an edge: a stage that misses 2γ is kept, counted and reported, since statement 2 stands without it.
User weights s_j stand for s_j copies of example j: D_t ∝ s M_t, and Σ s replaces m.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter, validate_data

from onlineboost.boosters.osboost import theta_of
from onlineboost.declarations import checks
from onlineboost.theory import sentences, smoothboost_report
from onlineboost.theory.runs import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 1e-9  # sums over examples are compared with their bounds up to this, relative
stage_bound = smoothboost_report.stage_bound


@dataclass(frozen=True)
class SmoothBoostGuarantee:
    """The guarantee of one run of SmoothBoost, and what was observed."""

    gamma: float
    theta: float
    kappa: float
    weights: NDArray[np.float64]
    """|M_t|/m for t = 1…T+1: the mean weight before each stage and after the last."""
    peaks: NDArray[np.float64]
    """m max_j D_t(j) for t = 1…T: how many times its uniform share the heaviest example gets."""
    advantages: NDArray[np.float64]
    """Σ_j D_t(j) y_j h_t(x_j) for t = 1…T; the assumption is that each is at least 2γ."""
    margin_error: float
    """The share of training examples with y f(x) ≤ θ."""
    training_error: float
    """The share of training examples with y f(x) ≤ 0."""

    @property
    def n_stages(self) -> int:
        """T, the weak hypotheses in the mean."""
        return len(self.advantages)

    @property
    def stopped(self) -> bool:
        """Whether the weight fell below κ, rather than the limit of stages being reached."""
        return bool(self.weights[-1] < self.kappa)

    @property
    def certified_error(self) -> float:
        """|M_{T+1}|/m: no more than this share of the examples has a margin of at most θ, edge or no edge."""
        return float(self.weights[-1])

    @property
    def failed_stages(self) -> NDArray[np.intp]:
        """The stages, counted from 1, on which the weak learner's advantage was below 2γ."""
        return np.flatnonzero(self.advantages < 2.0 * self.gamma - _ROUNDING) + 1

    @property
    def stage_bound(self) -> int | None:
        """The bound on T; None if a stage failed or θ is not γ/(2+γ), for then there is none."""
        usual = math.isclose(self.theta, self.gamma / (2.0 + self.gamma))
        return stage_bound(self.gamma, self.kappa) if usual and not len(self.failed_stages) else None

    @property
    def broken(self) -> list[str]:
        """The statements that the run contradicts. They are theorems: anything here is a fault of the program."""
        bound = self.stage_bound
        contradictions = {
            "smooth": bool((self.peaks > (1.0 + _ROUNDING) / self.kappa).any()),
            "margins": self.margin_error > self.certified_error + _ROUNDING,
            "stages": bound is not None and self.n_stages > bound,
        }
        return [name for name, contradicted in contradictions.items() if contradicted]

    def summary(self) -> str:
        """In sentences."""
        return sentences.text(self, " ")


def run_of(model: SmoothBoostClassifier, X: Any, y: Any, sample_weight: Any = None) -> Run:
    """The run of a fitted model over its training examples, for checks: a stage is a learner."""
    h = np.column_stack([model.stage_outputs(weak, X) for weak in model.estimators_])
    signs = np.where(np.asarray(y) == model.classes_[-1], 1.0, -1.0)
    s = np.ones(len(signs)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    f = h.mean(axis=1)
    return Run(h, signs, s, f, np.zeros(len(f)), (1.0 + f) / 2.0)


@dataclass(eq=False, repr=False)
class SmoothBoostClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Servedio's SmoothBoost over any classifier that takes `sample_weight`.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; None is a decision stump.
    gamma : float in (0, 0.5], default=0.1
        The edge that is assumed: an error of at most 1/2 - gamma under every smooth distribution.
    kappa : float in (0, 1), default=0.1
        The share of training examples that may be left with a small margin; 1/kappa is how many times its
        uniform share of the weight an example may get.
    theta : float in [0, gamma), default=None
        The margin that is aimed at; None is gamma / (2 + gamma), which the bound on the stages is for.
    max_learners : int, default=None
        The most stages; None is the bound on the stages. A weak learner with the edge never gets there.
    hypothesis : {"label", "probability"}, default="label"
        h is the label -1 or +1, or 2p - 1 with p from `predict_proba`.
    random_state : int, RandomState or None, default=None
        Seeds the `random_state` of the weak hypotheses, if they have one.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    estimators_ : list of classifiers
        The weak hypotheses. They were taught the labels -1 and +1.
    guarantee_ : SmoothBoostGuarantee
        Each statement of the guarantee against the run; `print(model.guarantee_.summary())`.
    n_features_in_ : int
        Columns of X.

    """

    estimator: Any = None
    _: KW_ONLY
    gamma: float = 0.1
    kappa: float = 0.1
    theta: float | None = None
    max_learners: int | None = None
    hypothesis: str = "label"
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost until the weight falls below kappa, or up to `max_learners`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Two labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 is as if it were there twice, one of weight 0 as if it were not there.

        """
        gamma = checks.real("gamma", self.gamma, 0.0, 0.5, low_open=True)
        theta = theta_of(gamma, self.theta)
        kappa = checks.real("kappa", self.kappa, 0.0, 1.0, low_open=True, high_open=True)
        limit = stage_bound(gamma, kappa)
        if self.max_learners is not None:
            limit = checks.integer("max_learners", self.max_learners, 1, 2**31)
        checks.choice("hypothesis", self.hypothesis, ("label", "probability"))
        if not has_fit_parameter(self._weak(), "sample_weight"):
            raise TypeError(f"{type(self._weak()).__name__}.fit takes no sample_weight, which boosting needs.")
        X, y = validate_data(self, X, y, accept_sparse="csr")
        signs, s = self._signs(y), _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        kept = s > 0
        if len(np.unique(signs[kept])) < 2:
            raise ValueError(f"SmoothBoost needs two classes, but y has one class only, of {self.classes_!r}.")
        self._boost(X[kept], signs[kept], s[kept], gamma, theta, kappa, limit)
        if not self.guarantee_.stopped:
            warnings.warn(self.guarantee_.summary(), ConvergenceWarning, stacklevel=2)
        return self

    def _boost(
        self, X: Any, y: NDArray[Any], s: NDArray[np.float64], gamma: float, theta: float, kappa: float, limit: int
    ) -> None:
        random = check_random_state(self.random_state)
        total = s.sum()
        N, F, M = np.zeros(len(y)), np.zeros(len(y)), np.ones(len(y))
        weights, self.estimators_ = [1.0], []
        peaks: list[float] = []
        advantages: list[float] = []
        while weights[-1] >= kappa and len(advantages) < limit:
            D = s * M / (s @ M)
            weak = clone(self._weak())
            if "random_state" in weak.get_params(deep=False):
                weak.set_params(random_state=random.randint(np.iinfo(np.int32).max))
            weak.fit(X, y, sample_weight=D * total)
            h = self.stage_outputs(weak, X)
            self.estimators_.append(weak)
            peaks.append(float(M.max() / weights[-1]))
            advantages.append(float(D @ (y * h)))
            F += h
            N += y * h - theta
            M = np.exp(0.5 * math.log1p(-gamma) * np.maximum(N, 0.0))
            weights.append(float(s @ M / total))
        self.guarantee_ = SmoothBoostGuarantee(
            gamma,
            theta,
            kappa,
            np.array(weights),
            np.array(peaks),
            np.array(advantages),
            margin_error=float(s @ (N <= 0) / total),
            training_error=float(s @ (y * F <= 0) / total),
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The mean f(x) of the weak hypotheses, in [-1, 1]; above 0 it means `classes_[1]`."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        mean: NDArray[np.float64] = np.mean([self.stage_outputs(weak, X) for weak in self.estimators_], axis=0)
        return mean

    def predict(self, X: Any) -> NDArray[Any]:
        """The label on the side of the sign of the decision."""
        positive = self.decision_function(X) > 0
        predictions: NDArray[Any] = self.classes_[positive.astype(int)]
        return predictions

    def _weak(self) -> Any:
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _signs(self, y: Any) -> NDArray[np.int64]:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}. "
                "Wrap the model in sklearn.multiclass.OneVsRestClassifier."
            )
        return np.where(y == self.classes_[-1], 1, -1)

    def stage_outputs(self, weak: Any, X: Any) -> NDArray[np.float64]:
        """The outputs h of one weak hypothesis, in [-1, 1]."""
        if self.hypothesis == "label":
            return np.asarray(weak.predict(X), dtype=np.float64)
        return np.clip(2.0 * np.asarray(weak.predict_proba(X), dtype=np.float64)[:, 1] - 1.0, -1.0, 1.0)

    def __sklearn_tags__(self) -> Any:
        """Two classes only; sparse input if the weak learner takes it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self._weak()).input_tags.sparse
        return tags
