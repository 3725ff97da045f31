"""The face of every booster: scikit-learn's contract for batches, river's for one example at a time.

An estimator has parameters and a machine. Everything that is learned is the machine's; here are names, checks of what
a user passes, and the conventions of both libraries.
"""

from __future__ import annotations

import copy
import inspect
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from onlineboost.boosters.base import WHILE_LEARNING, Booster
from onlineboost.declarations.component import constructor
from onlineboost.estimators.validation import read_labels, read_rows, read_single_row, read_weights
from onlineboost.machine import Machine
from onlineboost.machine.machine import NotPlainError, Table, check_weight

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from onlineboost.machine import LearnReport, Opinion

_ATTRIBUTES = """

Attributes
----------
classes_ : ndarray of shape (n_classes,)
    The labels, sorted.
n_features_in_ : int
    Columns of the array batches.
n_examples_ : int
    Examples learned.
"""
_making = threading.Lock()  # of an estimator's machine


class OnlineEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of all estimators. A subclass names the booster that it gives a face to."""

    booster_type: ClassVar[type[Booster]]
    _supervised = True  # river's tools ask: learn_one wants a label
    _multiclass = False  # river's tools ask: whether there may be more than two labels

    def __init_subclass__(cls, *, booster: type[Booster] | None = None, **rest: Any) -> None:
        """Take parameters and docstring from the booster's declaration."""
        if booster is not None:
            cls.booster_type = booster
            cls._multiclass = booster.many_classes
            cls.__init__ = constructor(booster.parameters)  # type: ignore[method-assign]  # from the declarations
            text, underlined, tail = inspect.cleandoc(booster.__doc__ or "").partition("\n\nAttributes\n----------\n")
            cls.__doc__ = text + _ATTRIBUTES + (tail if underlined else "")
        super().__init_subclass__(**rest)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make an estimator, and let river count it among its classifiers if river is there."""
        river_base = sys.modules.get("river.base")
        if river_base is not None and not issubclass(cls, river_base.Classifier):
            river_base.Classifier.register(OnlineEstimator)
        made: Self = super().__new__(cls)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        """Note that a parameter was set: learning asks whether the machine was made with another value."""
        super().__setattr__(name, value)
        if "_machine" in self.__dict__ and name in self.booster_type.parameters:
            self.__dict__["_parameters_set"] = True

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        `shuffle`, `n_passes` and `n_jobs` take effect at once, the others with the next `fit`: a model that has learned
        refuses to go on with other parameters than it was made with.
        """
        super().set_params(**params)
        if "_machine" in self.__dict__:
            self.__dict__["_parameters_set"] = True  # of a component inside
        return self

    # ---- scikit-learn: batches -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start afresh and learn the rows in the given order, `n_passes` times.

        Ctrl-C stops it between two rows; what was learned until then is kept, and the message says how much.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        recipe = self.recipe()
        checks = Booster.parameters
        passes = checks["n_passes"].check("n_passes", recipe.n_passes)
        shuffle = checks["shuffle"].check("shuffle", recipe.shuffle)
        table, columns = self._read_first(X)
        weights = read_weights(sample_weight, table.n_rows)
        if weights is not None and not weights.any():
            raise ValueError("sample_weight is zero for every row, so there is nothing to learn.")
        labels = read_labels(y, table.n_rows)
        machine = Machine(recipe.frozen())
        try:
            random = None
            for _ in range(passes):
                if not shuffle:
                    machine.learn(table, labels, weights)
                    continue
                random = random or np.random.RandomState(machine.fix_seed() % 2**32)
                order = random.permutation(table.n_rows)
                part = None if weights is None else weights[order]
                machine.learn(Table(table.rows.take(order), table.names), labels[order], part)
        finally:
            if machine.begun:
                self._take(machine, columns)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn one more batch, row by row in the given order. All of it, or nothing if something is wrong with it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            All labels, if the stream may show only some of them for a while. Never required, and without influence on
            what is learned. Of many classes, batches with other labels are then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 0 is as if it were not there.

        """
        self.learn_batch(X, y, classes, sample_weight)
        return self

    def learn_batch(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        report: bool = False,
        outputs: bool = False,
        grow: bool = False,
    ) -> LearnReport | None:
        """Learn as `partial_fit` does, and report on the test of each row before it was learned.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in `partial_fit`.
        report, outputs : bool, default=False
            Whether to report the tests, and the output of every learner.
        grow : bool, default=False
            Whether a label beyond the declared ones is welcome.

        """
        machine = self.machine_to_learn()
        with machine.lock.writer:
            columns: dict[str, Any] = {}
            try:
                table, columns = self._read(machine, X) if machine.begun else self._read_first(X)
                weights = read_weights(sample_weight, table.n_rows)
                labels = read_labels(y, table.n_rows)
                return machine.learn(table, labels, weights, classes=classes, report=report, outputs=outputs, grow=grow)
            finally:
                self._keep(machine, columns)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What `predict` goes by, in [-1, 1].

        Of two classes, one number per row, above 0 for `classes_[1]`: 2 P - 1 with P its probability, or with
        `threshold="vote"` the margin. Of many, a column per class in the order of `classes_`, whose largest is
        predicted: probabilities, or with "vote" margins.
        """
        opinion = self._opinion(X)
        values = opinion.decisions
        if self._threshold() != "vote":
            values = opinion.probabilities
            if values.shape[1] <= 2:
                return np.asarray(2.0 * values[:, -1] - 1.0)
        return np.asarray((values[:, 1] - values[:, 0]) / 2.0) if values.ndim == 2 and values.shape[1] == 2 else values

    def margin(self, X: Any) -> NDArray[np.float64]:
        """The vote, whatever `threshold` is: what the theory calls f.

        Of two classes, a margin in [-1, 1] per row, above 0 for `classes_[1]`. Of many, a column per class in the order
        of `classes_`; a declared class without examples has -2, which is below all others.
        """
        return self._opinion(X).decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The label for each row: the most probable, or with `threshold="vote"` the one that the vote prefers."""
        return self._opinion(X).labels(self._threshold())

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities for each row, in the order of `classes_`.

        A sigmoid of the margin whose two parameters were learned online from margins taken before each update; a
        mixture and `DefensiveClassifier` forecast probabilities themselves.
        """
        return self._opinion(X).probabilities

    # ---- river: one example ----------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            A dict maps names or column numbers to numbers; features may appear at any time, and a missing one is 0.
        y : label
            Its label; of many classes, it may be one that was never seen.
        w : float, default=1.0
            Its weight.

        """
        check_weight(w)
        machine = self.machine_to_learn()
        if type(x) is dict or isinstance(x, Mapping):
            if machine.begun:
                machine.learn_dict(x, y, w)
                return
            with machine.lock.writer:
                try:
                    machine.learn_dict(x, y, w)
                finally:
                    self._keep(machine, {})
            return
        row = read_single_row(x)
        if not machine.learn_row(row, y, w):
            self.learn_batch(row[np.newaxis], [y], None, None if w == 1 else [w], grow=True)

    def predict_one(self, x: Any) -> Any:
        """The label for one example; None before anything was learned."""
        found = self._opinion_of_one(x)
        if found is None:
            return None
        classes, _, probable, voted = found
        return classes.item(voted if self._threshold() == "vote" else probable)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Probabilities by label for one example; empty before anything was learned."""
        found = self._opinion_of_one(x)
        return {} if found is None else dict(zip(found[0].tolist(), found[1], strict=True))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn a batch, as `partial_fit` does (river's name)."""
        self.learn_batch(X, y, grow=True)

    def predict_many(self, X: Any) -> Any:
        """The labels as a pandas Series (river's convention)."""
        import pandas as pd  # noqa: PLC0415  # river's users have it

        return pd.Series(self.predict(X), index=getattr(X, "index", None))

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities as a pandas DataFrame with a column per label (river's convention)."""
        import pandas as pd  # noqa: PLC0415  # as above

        return pd.DataFrame(self.predict_proba(X), columns=self.classes_, index=getattr(X, "index", None))

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """A fresh estimator with the same parameters (river's contract).

        Parameters
        ----------
        new_params : dict or None, default=None
            Parameters to change.
        include_attributes : bool, default=False
            Whether to take over what was learned.

        """
        made = type(self)(**copy.deepcopy(self.get_params(deep=False)) | (new_params or {}))
        if include_attributes:
            own = vars(made).keys()
            made.__dict__.update({key: one for key, one in vars(copy.deepcopy(self)).items() if key not in own})
        return made

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes, for river's tools."""
        return len(self.to_bytes()) if self._fitted() else sys.getsizeof(self)

    @property
    def _memory_usage(self) -> str:
        """The same for people."""
        return f"{self._raw_memory_usage / 1024:,.2f} KiB"

    # ---- state -----------------------------------------------------------------------------------------------

    def recipe(self) -> Booster:
        """The booster with the parameters as they are now."""
        given = {name: _as_recipe(getattr(self, name)) for name in self.booster_type.parameters}
        return self.booster_type(**given)

    @property
    def machine(self) -> Machine:
        """The machine that has learned; NotFittedError before."""
        machine: Machine | None = self.__dict__.get("_machine")
        if machine is None or not machine.begun:
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet. Call fit, partial_fit or learn_one first."
            )
        return machine

    def machine_to_learn(self) -> Machine:
        """The machine, made when first needed; one with other parameters than now is not learned with."""
        machine: Machine | None = self.__dict__.get("_machine")
        if machine is None:
            with _making:
                machine = self.__dict__.get("_machine") or Machine(self.recipe().frozen())
                self.__dict__["_machine"] = machine
        elif "_parameters_set" in self.__dict__:
            with machine.lock.writer:
                self._compare(machine)
                self.__dict__.pop("_parameters_set", None)
        return machine

    @classmethod
    def of_machine(cls, machine: Machine, recipe: Booster) -> Self:
        """An estimator around a machine, with the parameters of a recipe."""
        made = cls(**{name: as_estimator(getattr(recipe, name)) for name in cls.booster_type.parameters})
        if machine.begun:
            made.__dict__["_machine"] = machine
        if differences(machine.recipe, recipe):
            made.__dict__["_parameters_set"] = True
        if machine.features.n_columns is not None:
            made.n_features_in_ = machine.features.n_columns
        if machine.features.column_names is not None:
            made.feature_names_in_ = np.array(machine.features.column_names, dtype=object)
        return made

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self.machine.labels.classes

    @property
    def n_examples_(self) -> int:
        """Examples learned."""
        return self.machine.n_examples

    def save(self, path: str | os.PathLike[str], extra: Any = None) -> None:
        """Write the model to a file (docs/model-format.md), whole or not at all; `onlineboost.load` reads it.

        Parameters
        ----------
        path : path
            The file; one that exists is replaced at the end, in one step.
        extra : anything that JSON can hold, default=None
            Kept beside the model; `onlineboost.persistence.load_with_extra` gives it back.

        """
        from onlineboost.persistence import save  # noqa: PLC0415  # loaded when it is needed

        save(self.saved_machine(), path, extra, self.recipe())

    def to_bytes(self, extra: Any = None) -> bytes:
        """The bytes that `save` would write; `onlineboost.from_bytes` reads them."""
        from onlineboost.persistence import to_bytes  # noqa: PLC0415  # as above

        return to_bytes(self.saved_machine(), extra, self.recipe())

    def saved_machine(self) -> Machine:
        """What a model file is written from; one that has learned nothing yet where there is none."""
        if type(self) is not sys.modules["onlineboost.estimators"].ESTIMATORS.get(type(self).__name__):
            raise ValueError(
                f"A model file holds onlineboost's own estimators; {type(self).__name__} is not one: use pickle."
            )
        return self.machine if self._fitted() else Machine(self.recipe())

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._multiclass
        tags.input_tags.sparse = True
        return tags

    def __copy__(self) -> Self:
        """A copy shares nothing with the original: both go on learning."""
        return copy.deepcopy(self)

    # ---- private ---------------------------------------------------------------------------------------------

    def _fitted(self) -> bool:
        machine = self.__dict__.get("_machine")
        return machine is not None and machine.begun

    def _threshold(self) -> str:
        return str(self.machine.recipe.threshold)

    def _compare(self, machine: Machine) -> None:
        now = self.recipe()
        if not machine.begun:
            machine.recipe = now.frozen()
        else:
            for name, (was, is_) in differences(machine.recipe, now).items():
                if name.rpartition("__")[2] not in WHILE_LEARNING:
                    raise ValueError(
                        f"{name} was set to {is_!r} after learning with {was!r}: call fit to start afresh, or set "
                        "it back."
                    )
        machine.set_jobs(getattr(now, "n_jobs", None))

    def _keep(self, machine: Machine, columns: dict[str, Any]) -> None:
        """After a batch: a machine that has learned nothing is not kept."""
        if not machine.begun:
            self.__dict__.pop("_machine", None)
        elif columns or "_machine" not in self.__dict__:
            self._take(machine, columns)

    def _take(self, machine: Machine, columns: dict[str, Any]) -> None:
        """Make the machine this estimator's, with what scikit-learn keeps about columns."""
        for name in ("n_features_in_", "feature_names_in_", "_parameters_set"):
            self.__dict__.pop(name, None)
        self.__dict__.update(columns, _machine=machine)

    def _read_first(self, X: Any) -> tuple[Table, dict[str, Any]]:
        """The rows of a model that begins with them, and what scikit-learn keeps about their columns."""
        probe = object.__new__(type(self))
        rows = read_rows(probe, X, reset=True)
        columns = dict(vars(probe))
        names = columns.get("feature_names_in_")
        return Table(rows, None if names is None else list(names)), columns

    def _read(self, machine: Machine, X: Any) -> tuple[Table, dict[str, Any]]:
        if machine.features.n_columns is not None:
            return Table(read_rows(self, X)), {}
        names = [str(name) for name in getattr(X, "columns", ())] or None
        return Table(read_rows(None, X), names), {}

    def _opinion(self, X: Any) -> Opinion:
        machine = self.machine
        table, _ = self._read(machine, X)
        return machine.opinion(table)

    def _opinion_of_one(self, x: Any) -> tuple[NDArray[Any], list[float], int, int] | None:
        machine: Machine | None = self.__dict__.get("_machine")
        if machine is None:
            return None
        if type(x) is dict or isinstance(x, Mapping):
            return machine.opinion_of_one(x, is_dict=True)
        row = read_single_row(x)
        try:
            return machine.opinion_of_one(row, is_dict=False)
        except NotPlainError:
            opinion = self._opinion(row[np.newaxis])
            probable, voted = int(opinion.chosen("calibrated")[0]), int(opinion.chosen("vote")[0])
            return opinion.classes, opinion.probabilities[0].tolist(), probable, voted


def _as_recipe(value: Any) -> Any:
    """Estimators inside parameters as their boosters."""
    if isinstance(value, OnlineEstimator):
        return value.recipe()
    if isinstance(value, list | tuple):
        return type(value)(map(_as_recipe, value)) if type(value) in {list, tuple} else value
    return value


def as_estimator(value: Any) -> Any:
    """The way back: boosters, alone or inside a list, as estimators."""
    if isinstance(value, Booster):
        kind = sys.modules["onlineboost.estimators"].ESTIMATORS[value.estimator]
        return kind(**{name: as_estimator(getattr(value, name)) for name in value.parameters})
    if isinstance(value, list | tuple):
        return [as_estimator(one) for one in value] if isinstance(value, list) else tuple(map(as_estimator, value))
    return value


def differences(was: Any, now: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters in which two recipes differ, by name."""
    found: dict[str, tuple[Any, Any]] = {}
    for name, before in was.get_params(deep=False).items():
        after = getattr(now, name)
        if type(before) is not type(after):
            found[name] = before, after
        elif hasattr(before, "get_params"):
            found |= {f"{name}__{inner}": pair for inner, pair in differences(before, after).items()}
        elif isinstance(before, list | tuple):
            if repr(before) != repr(after):
                found[name] = before, after
        elif before is not after and before != after:
            found[name] = before, after
    return found
