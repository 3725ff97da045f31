"""The estimator that owns a machine: its parameters, the rows it is given, its files.

Everything that is learned is the machine's; here are names, checks of what a user passes, and what all verbs share.
"""

from __future__ import annotations

import copy
import inspect
import sys
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from onlineboost.boosters.base import WHILE_LEARNING, Booster
from onlineboost.declarations.component import constructor
from onlineboost.estimators.recipes import as_estimator, as_recipe, differences
from onlineboost.estimators.validation import read_labels, read_rows, read_weights
from onlineboost.machine import Machine
from onlineboost.machine.encoding import encode
from onlineboost.machine.features import NAMES
from onlineboost.machine.frames import Frame, tabular
from onlineboost.machine.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from onlineboost.machine import LearnReport, Opinion
    from onlineboost.machine.encoder import NamedRows
    from onlineboost.machine.machine import Walk
    from onlineboost.machine.schema import ColumnSchema

_ATTRIBUTES = """

Attributes
----------
classes_ : ndarray of shape (n_classes,)
    The labels, sorted.
n_features_in_ : int
    Columns of the array batches.
n_examples_ : int
    Examples learned.
schema_ : ColumnSchema or None
    The kinds of the columns of data frames and dicts.
memory_ : int
    Bytes that the model holds.
"""
_making = threading.Lock()  # of an estimator's machine


class MachineOwner(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Parameters and a machine. A subclass names the booster that it gives a face to."""

    booster_type: ClassVar[type[Booster]]
    _supervised = True  # river's tools ask: learn_one wants a label
    _multiclass = True  # river's tools ask: whether there may be more than two labels

    def __init_subclass__(cls, *, booster: type[Booster] | None = None, **rest: Any) -> None:
        """Take parameters and docstring from the booster's declaration."""
        if booster is not None:
            cls.booster_type = booster
            cls.__init__ = constructor(booster.parameters)  # type: ignore[method-assign]  # from the declarations
            text, underlined, tail = inspect.cleandoc(booster.__doc__ or "").partition("\n\nAttributes\n----------\n")
            cls.__doc__ = text + _ATTRIBUTES + (tail if underlined else "")
        super().__init_subclass__(**rest)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make an estimator, and let river count it among its classifiers if river is there."""
        river_base = sys.modules.get("river.base")
        if river_base is not None and not issubclass(cls, river_base.Classifier):
            river_base.Classifier.register(MachineOwner)
        made: Self = super().__new__(cls)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        """Note that a parameter was set: learning asks whether the machine was made with another value."""
        super().__setattr__(name, value)
        if "_machine" in self.__dict__ and name in self.booster_type.parameters:
            self.__dict__["_parameters_set"] = True

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        `shuffle`, `n_passes`, `n_jobs` and `verbose` take effect at once, the others with the next `fit`: a model that
        has learned refuses to go on with other parameters than it was made with.
        """
        super().set_params(**params)
        if "_machine" in self.__dict__:
            self.__dict__["_parameters_set"] = True  # of a component inside
        return self

    # ---- learning and state ---------------------------------------------------------------------------------

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
        walk: Walk | None = None,
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
        walk : callable, default=None
            What learns the rows in place of the engine (see `Machine.learn`).

        """
        machine = self.machine_to_learn()
        with machine.lock.writer, self._shown():
            columns: dict[str, Any] = {}
            try:
                table, columns = self._read(machine, X) if machine.begun else self._read_first(machine, X)
                weights = read_weights(sample_weight, table.n_rows)
                labels = self._read_labels(y, table.n_rows)
                return machine.learn(
                    table, labels, weights, classes=classes, report=report, outputs=outputs, grow=grow, walk=walk
                )
            finally:
                self._keep(machine, columns)

    def recipe(self) -> Booster:
        """The booster with the parameters as they are now."""
        given = {name: as_recipe(getattr(self, name)) for name in self.booster_type.parameters}
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
        made.__dict__.update(_columns_of(machine.features.schema))
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

    @property
    def memory_(self) -> int:
        """Bytes that the model holds: its numbers, the names of its features, and the tables that find them."""
        return self.machine.memory

    @property
    def schema_(self) -> ColumnSchema | None:
        """The kinds of the columns; None for a model of arrays without names, or of dicts with numbers only."""
        return self.machine.schema

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

    def __copy__(self) -> Self:
        """A copy shares nothing with the original: both go on learning."""
        return copy.deepcopy(self)

    # ---- private ---------------------------------------------------------------------------------------------

    def _fitted(self) -> bool:
        machine = self.__dict__.get("_machine")
        return machine is not None and machine.begun

    def _shown(self) -> AbstractContextManager[None]:
        """Shows the progress of what is learned within, if `verbose` asks for it."""
        own = "verbose" in self.booster_type.parameters  # else it is the pattern's
        if not Booster.parameters["verbose"].check("verbose", (self if own else self.recipe()).verbose):
            return nullcontext()
        from onlineboost.evaluation.progress import progress  # noqa: PLC0415  # evaluation drives estimators

        return progress()

    @staticmethod
    def _read_labels(y: Any, n_rows: int) -> Any:
        """The labels of a batch, checked."""
        return read_labels(y, n_rows)

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

    def _read_first(self, machine: Machine, X: Any) -> tuple[Table | NamedRows, dict[str, Any]]:
        """The rows of a model that begins with them, and what scikit-learn keeps about their columns."""
        data = tabular(X)
        recipe = machine.recipe
        declared = recipe.schema is not None or recipe.max_features is not None
        if data is None and machine.declared:
            name = next(iter(machine.declared))
            raise ValueError(
                f"The schema declares column {name!r}, and X is an array, without names: pass a data frame, or dicts."
            )
        if data is None or (isinstance(data, Frame) and data.numeric and not declared):
            probe = object.__new__(type(self))
            rows = read_rows(probe, X, reset=True)
            columns = dict(vars(probe))
            names = columns.get("feature_names_in_")
            return Table(rows, None if names is None else list(names)), columns
        encoded = self._encode(machine, data, learn=True)
        return encoded, _columns_of(encoded.schema)

    def _read(self, machine: Machine, X: Any, *, learn: bool = True) -> tuple[Table | NamedRows, dict[str, Any]]:
        features, data = machine.features, tabular(X)
        if data is None and features.schema is not None:
            raise ValueError(f"This model has learned from {features}: pass a data frame, or dicts.")
        named = features.kind == NAMES and (isinstance(data, list) or (data is not None and not data.numeric))
        if isinstance(data, Frame) and features.column_names is not None and machine.recipe.missing_columns == "ignore":
            named |= data.names != features.column_names  # by name, in any order
        if data is not None and (features.schema is not None or named):
            return self._encode(machine, data, learn=learn), {}
        if isinstance(data, list):
            raise ValueError(  # noqa: TRY004  # its values are
                f"This model has learned from {features}: values must be numbers, and several rows an array."
            )
        if features.n_columns is not None:
            return Table(read_rows(self, X)), {}
        names = [str(name) for name in getattr(X, "columns", ())] or None
        return Table(read_rows(None, X), names), {}

    @staticmethod
    def _encode(machine: Machine, data: Frame | list[Mapping[Any, Any]], *, learn: bool) -> NamedRows:
        if not (data if isinstance(data, list) else data.n_rows):
            raise ValueError("X has 0 rows: at least one is needed.")
        if isinstance(data, Frame) and not data.names:
            raise ValueError("X has 0 columns: at least one is needed.")
        return encode(machine, data, learn=learn)

    def _opinion(self, X: Any) -> Opinion:
        machine = self.machine
        table, _ = self._read(machine, X, learn=False)
        return machine.opinion(table)


def _columns_of(schema: ColumnSchema | None) -> dict[str, Any]:
    """What scikit-learn keeps about the columns of a table."""
    if schema is None or not schema.closed:
        return {}
    names = list(schema.columns)
    return {"n_features_in_": len(names), "feature_names_in_": np.array(names, dtype=object)}
