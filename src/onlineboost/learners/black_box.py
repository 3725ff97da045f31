"""Any classifier of scikit-learn (with `partial_fit`) or river (with `learn_one`) as a weak learner.

The output is h = 2 P(+1) - 1 where the classifier gives probabilities, tanh of half its decision function where
it gives that, and its vote otherwise; NaN, as GaussianNB gives it until it has seen enough, counts as 0.
A classifier that takes weights gets them; one that does not is taught an example of weight w with floor(w)
repetitions and one more with probability w - floor(w).
The price is one Python call per learner and example.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import Object
from onlineboost.learners.base import Bank, Learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_CLASSES = np.array([-1, 1])
_MOST_REPETITIONS = 1000


def _takes(function: Callable[..., Any], *names: str) -> str | None:
    """The first of the names that is a parameter of the function."""
    parameters = inspect.signature(function).parameters
    return next((name for name in names if name in parameters), None)


class BlackBox(Learner):
    """Another library's online classifier as a weak learner."""

    estimator = Object(
        default=None,
        kind="classifier",
        text="A scikit-learn classifier with `partial_fit`, a river classifier, or an estimator of this package; None "
        "stands for scikit-learn's `GaussianNB()`. It is cloned for every learner, and a parameter `random_state` or "
        "`seed` is set differently for each of them.",
        positional=True,
    )

    def make_bank(self, n_learners: int, n_features: int, seed: int) -> Bank:
        """A bank of clones of the estimator."""
        estimator = self.estimator
        if estimator is None:
            from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415  # another library's, and slow to import

            estimator = GaussianNB()
        if not isinstance(estimator, type):
            if hasattr(estimator, "partial_fit") and hasattr(estimator, "get_params"):
                return _SklearnBank(estimator, n_learners, seed)
            if hasattr(estimator, "learn_one"):
                return _RiverBank(estimator, n_learners, seed)
        raise TypeError(
            "BlackBox needs a classifier with partial_fit (scikit-learn) or learn_one (river), and an instance, "
            f"not {estimator!r}."
        )


class _ClonesBank(Bank):
    def __init__(self, models: list[Any], seed: int, weight_name: str | None) -> None:
        self.n_learners = len(models)
        self.models = models
        self.weight_name = weight_name
        self.fitted = [False] * len(models)
        self.rng = np.random.default_rng(seed)

    def _output(self, model: Any, x: NDArray[np.float64]) -> float:
        raise NotImplementedError

    def _teach(self, model: Any, x: NDArray[np.float64], y: float, weight: dict[str, Any]) -> None:
        raise NotImplementedError

    def _check(self, x: NDArray[np.float64]) -> None:
        """Refuse a row that a model would refuse, before any of them has learned it."""

    def _weight(self, w: float) -> Any:
        return w

    def predict(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([self._output(m, x) if f else 0.0 for m, f in zip(self.models, self.fitted, strict=True)])

    def update(self, x: NDArray[np.float64], y: float, w: NDArray[np.float64]) -> None:
        self._check(x)
        for i in np.flatnonzero(w > 0):
            self._teach_weighted(int(i), x, y, float(w[i]))

    def step(self, i: int, x: NDArray[np.float64], y: float, w: float, times: int) -> float:
        for _ in range(times):
            self._teach_weighted(i, x, y, w)
        return self._output(self.models[i], x) if self.fitted[i] else 0.0

    def _teach_weighted(self, i: int, x: NDArray[np.float64], y: float, w: float) -> None:
        if self.weight_name is not None:
            self._teach(self.models[i], x, y, {self.weight_name: self._weight(w)})
            self.fitted[i] = True
            return
        repetitions = min(int(w) + int(self.rng.random() < w - int(w)), _MOST_REPETITIONS)
        for _ in range(repetitions):
            self._teach(self.models[i], x, y, {})
            self.fitted[i] = True


class _SklearnBank(_ClonesBank):
    def __init__(self, estimator: Any, n_learners: int, seed: int) -> None:
        from sklearn.base import clone  # noqa: PLC0415  # as above

        models = [clone(estimator) for _ in range(n_learners)]
        for i, model in enumerate(models):
            for name in model.get_params(deep=True):
                if name == "random_state" or name.endswith("__random_state"):
                    model.set_params(**{name: (seed + i) % 2**32})
        super().__init__(models, seed, _takes(estimator.partial_fit, "sample_weight"))

    def _output(self, model: Any, x: NDArray[np.float64]) -> float:
        with np.errstate(all="ignore"):
            h = self._opinion(model, x[np.newaxis])
        return 0.0 if math.isnan(h) else h

    def _opinion(self, model: Any, row: NDArray[np.float64]) -> float:
        if hasattr(model, "predict_proba"):
            return float(2 * model.predict_proba(row)[0, 1] - 1)
        if hasattr(model, "decision_function"):
            return float(np.tanh(model.decision_function(row)[0] / 2))
        return float(model.predict(row)[0])

    def _check(self, x: NDArray[np.float64]) -> None:
        for model in self.models:
            expected = getattr(model, "n_features_in_", len(x))
            if expected != len(x):
                raise ValueError(f"The row has {len(x)} features, and {type(model).__name__} has learned {expected}.")

    def _weight(self, w: float) -> Any:
        return np.array([w])

    def _teach(self, model: Any, x: NDArray[np.float64], y: float, weight: dict[str, Any]) -> None:
        if _takes(model.partial_fit, "classes") is not None:
            weight = {**weight, "classes": _CLASSES}
        model.partial_fit(x[np.newaxis], np.array([int(y)]), **weight)


class _RiverBank(_ClonesBank):
    def __init__(self, estimator: Any, n_learners: int, seed: int) -> None:
        models = []
        for i in range(n_learners):
            seeded = {"seed": seed + i} if "seed" in inspect.signature(type(estimator)).parameters else {}
            models.append(estimator.clone(seeded))
        super().__init__(models, seed, _takes(estimator.learn_one, "w"))

    def _row(self, x: NDArray[np.float64]) -> dict[int, float]:
        return {int(j): float(x[j]) for j in np.flatnonzero(x)}

    def _output(self, model: Any, x: NDArray[np.float64]) -> float:
        row = self._row(x)
        try:
            probabilities = model.predict_proba_one(row)
        except NotImplementedError:
            vote = model.predict_one(row)
            return 0.0 if vote is None else float(2 * bool(vote) - 1)
        plus, minus = probabilities.get(True, 0.0), probabilities.get(False, 0.0)
        return float((plus - minus) / (plus + minus)) if plus + minus > 0 else 0.0

    def _teach(self, model: Any, x: NDArray[np.float64], y: float, weight: dict[str, Any]) -> None:
        model.learn_one(self._row(x), y > 0, **weight)
