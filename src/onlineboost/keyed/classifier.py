"""One small model per key, and a parent that learns from all.

A key's model begins as a copy of the parent as it is before the key's first example, and goes on with the examples of
its key alone. Names and labels have the parent's numbers in all of them. Keys without examples are predicted by the
parent. What is learned depends on the order of the rows, not on how they are cut into batches.

At most `max_models` models are in memory; those used least recently wait in the store. `save` makes everything
permanent in one step, together with a position in the stream, so after a crash the stream is resumed there and no
example is lost or learned twice.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from onlineboost.estimators import OnlineClassifier, OnlineEstimator
from onlineboost.keyed.states import MARK, NotPackedError, is_plain, learn_states, model_of, probabilities, state_of
from onlineboost.keyed.store import ModelStore, text_of
from onlineboost.keyed.whole import learn_whole
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

PARENT, POSITION = "parent", "position"


class KeyedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A model per key over one recipe, with a pooled parent for new keys.

    Parameters
    ----------
    estimator : estimator, default=None
        The recipe of all models, one that can be saved; None stands for `OnlineClassifier()`.
    key : str, default="key"
        The column of a data frame, or the entry of a dict, that holds the key. It is no feature.
    max_models : int, default=10000
        Models in memory; others wait in the store.
    store : path, default=None
        The SQLite file of the models. One that exists is resumed as it was last saved; None is a temporary file.

    Attributes
    ----------
    parent_ : estimator
        The model that has learned all examples.
    position_ : Any
        What was last given to `save`.

    """

    parent_: OnlineEstimator
    position_: Any
    store_: ModelStore

    def __init__(
        self,
        estimator: OnlineEstimator | None = None,
        key: str = "key",
        max_models: int = 10_000,
        store: str | os.PathLike[str] | None = None,
    ) -> None:
        self.estimator = estimator
        self.key = key
        self.max_models = max_models
        self.store = store

    # ---- learning --------------------------------------------------------------------------------------------

    def learn_one(self, x: Mapping[str, Any], y: Any) -> None:
        """Learn one example: its key's model and the parent do."""
        key, rest = self._split_one(x)
        self._open()
        name = text_of(key)
        theirs = self.parent_.machine_to_learn()
        labels, plain = theirs.labels, not theirs.begun or is_plain(theirs)
        model = self._find(name)
        if model is None and theirs.begun:
            model = state_of(self.parent_, self.parent_) if plain else self._copy(self.parent_)
        self.parent_.learn_one(rest, y)
        if not isinstance(model, OnlineEstimator):
            model = model_of(model, self.parent_, labels)
        own = model.machine
        own.features = self.parent_.machine.features
        if is_plain(own) and plain:
            own.labels = labels.copy()
        model.learn_one(rest, y)
        self._keep(name, model)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn the rows of a data frame in order; all of them, or none if something is wrong with one.

        Parameters
        ----------
        X : data frame
            With the column of the keys.
        y : array-like
            Labels.
        classes : array-like, default=None
            All labels, where batches may lack some.

        """
        self._open()
        names, places, rest = self._split(X)
        y = np.asarray(y)
        if len(places) != len(y):
            raise ValueError(f"X has {len(places)} rows and y {len(y)} labels: there must be one label per row.")
        held = [self._find(name) for name in names]
        found: list[bytes | OnlineEstimator]
        try:
            states = [state_of(one, self.parent_) if isinstance(one, OnlineEstimator) else one for one in held]
            found = [*learn_states(self.parent_, rest, y, classes, places, states)]
        except NotPackedError:
            found = [*self._learn_whole(rest, y, classes, places, held)]
        for name, one in zip(names, found, strict=True):
            self._keep(name, one)
        return self

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn a batch, as `partial_fit` does (river's name)."""
        self.partial_fit(X, y)

    def _learn_whole(
        self, rest: Any, y: NDArray[Any], classes: Any, places: NDArray[np.int64], held: list[Any]
    ) -> list[OnlineEstimator]:
        """Learn a batch by an estimator per key, where there are more than two classes."""
        parent = self._copy(self.parent_)
        models = learn_whole(
            parent, rest, y, classes, places, [one if one is None else self._whole(one) for one in held]
        )
        self.parent_ = parent
        return models

    def fit(self, X: Any, y: Any) -> Self:
        """Start afresh with the rows of a data frame; a store that holds models is refused."""
        if "store_" in self.__dict__:
            self.close()
        self._open()
        if self._is_fitted(self.parent_):
            raise ValueError(f"{self.store} holds models already: go on with partial_fit, or give another store.")
        return self.partial_fit(X, y)

    # ---- predicting ------------------------------------------------------------------------------------------

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """The label of one example, by its key's model, or the parent for a key without examples."""
        key, rest = self._split_one(x)
        return self._model_of(key).predict_one(rest)

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Any, float]:
        """The probability of each label."""
        key, rest = self._split_one(x)
        found: dict[Any, float] = self._model_of(key).predict_proba_one(rest)
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the rows of a data frame."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the labels `classes_`, a column each."""
        classes = self.classes_.tolist()
        names, places, rest = self._split(X)
        held = [self._find(name) for name in names]
        try:
            if not is_plain(self.parent_.machine):
                raise NotPackedError  # noqa: TRY301  # as a model of a key does
            pooled = state_of(self.parent_, self.parent_)
            states = [
                state_of(one, self.parent_) if isinstance(one, OnlineEstimator) else one or pooled for one in held
            ]
            return probabilities(self.parent_, rest, places, states)
        except NotPackedError:
            found = np.zeros((len(places), len(classes)))
            for place, one in enumerate(held):
                model = self.parent_ if one is None else self._whole(one)
                own = np.flatnonzero(places == place)
                columns = [classes.index(label) for label in model.classes_.tolist()]
                found[np.ix_(own, columns)] = model.predict_proba(rest.iloc[own])
            return found

    def model_of(self, key: Any) -> OnlineEstimator:
        """A copy of the model that predicts this key."""
        return self._copy(self._model_of(key))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of all keys, sorted."""
        self._open()
        found: NDArray[Any] = self.parent_.classes_
        return found

    @property
    def keys_(self) -> list[Any]:
        """The keys that have models."""
        self._open()
        return [json.loads(name) for name in dict.fromkeys([*self.store_.names(), *self._models])]

    # ---- the store -------------------------------------------------------------------------------------------

    def save(self, position: Any = None) -> None:
        """Make all models permanent in the store, in one step.

        Parameters
        ----------
        position : anything that JSON can hold, default=None
            How far the stream has come; `position_` after a restart.

        """
        self._open()
        text = json.dumps(position)
        for name in self._dirty:
            self.store_.write(name, self._bytes_of(self._models[name]))
        self.store_.write_note(PARENT, self.parent_.to_bytes())
        self.store_.write_note(POSITION, text.encode())
        self.store_.commit()
        self._dirty.clear()
        self.position_ = position

    def close(self) -> None:
        """Close the store. What was learned since the last `save` is gone."""
        if "store_" in self.__dict__:
            self.store_.close()
            for name in ("store_", "parent_", "position_", "_models", "_dirty"):
                del self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """A store is a file: its models do not travel with the object."""
        if "store_" in self.__dict__:
            raise TypeError("A KeyedClassifier that has learned cannot be pickled: save it, and open its store there.")
        state: dict[str, Any] = super().__getstate__()
        return state

    # ---- private ---------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if "store_" in self.__dict__:
            return
        if not isinstance(self.max_models, int) or self.max_models < 1:
            raise ValueError(f"max_models must be at least 1, not {self.max_models!r}.")
        store = ModelStore(self.store)
        saved, position = store.note(PARENT), store.note(POSITION)
        self.parent_ = self._fresh() if saved is None else from_bytes(saved)
        self.position_ = None if position is None else json.loads(position)
        # Those in memory, used last at the end: states, or estimators where they learned one example or many classes.
        self._models: OrderedDict[str, bytes | OnlineEstimator] = OrderedDict()
        self._dirty: set[str] = set()
        self.store_ = store

    def _fresh(self) -> OnlineEstimator:
        made: OnlineEstimator = OnlineClassifier() if self.estimator is None else clone(self.estimator)
        if made.booster_type.label_sets:
            raise TypeError(f"A model per key gives one label per example: {type(made).__name__} gives sets.")
        return made

    @staticmethod
    def _is_fitted(model: OnlineEstimator) -> bool:
        return model.machine_to_learn().begun

    @staticmethod
    def _copy(model: OnlineEstimator) -> OnlineEstimator:
        return from_bytes(model.to_bytes())

    def _whole(self, held: bytes | OnlineEstimator) -> OnlineEstimator:
        return model_of(held, self.parent_) if isinstance(held, bytes) else held

    def _bytes_of(self, held: bytes | OnlineEstimator) -> bytes:
        """What the store keeps: a state, or the model file of a model that is no bare state."""
        if isinstance(held, bytes):
            return held
        try:
            return state_of(held, self.parent_)
        except NotPackedError:
            return held.to_bytes()

    def _find(self, name: str) -> bytes | OnlineEstimator | None:
        """The model of a key, from memory or from the store."""
        held = self._models.get(name)
        if held is None:
            data = self.store_.read(name)
            return data if data is None or data.startswith(MARK) else from_bytes(data)
        self._models.move_to_end(name)
        return held

    def _keep(self, name: str, model: bytes | OnlineEstimator) -> None:
        self._models[name] = model
        self._models.move_to_end(name)
        self._dirty.add(name)
        while len(self._models) > self.max_models:
            oldest, waiting = self._models.popitem(last=False)
            if oldest in self._dirty:
                self.store_.write(oldest, self._bytes_of(waiting))
                self._dirty.remove(oldest)

    def _model_of(self, key: Any) -> OnlineEstimator:
        self._open()
        held = self._find(text_of(key))
        return self.parent_ if held is None else self._whole(held)

    def _split_one(self, x: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        rest = dict(x)
        if self.key not in rest:
            raise ValueError(f"The row has no {self.key!r}: every row needs its key.")
        return rest.pop(self.key), rest

    def _split(self, X: Any) -> tuple[list[str], NDArray[np.int64], Any]:
        """The names of the keys in the order of their first rows, the place of each row's key there, and the rest."""
        if not hasattr(X, "iloc") or self.key not in X.columns:
            raise ValueError(f"X must be a data frame of pandas with the column {self.key!r}.")
        column = X[self.key]
        places: NDArray[np.int64]
        if getattr(column.dtype, "kind", "") in "iu":
            found, first, inverse = np.unique(column.to_numpy(), return_index=True, return_inverse=True)
            order = np.argsort(first)
            places = np.argsort(order)[inverse].astype(np.int64)
            return [str(key) for key in found[order].tolist()], places, X.drop(columns=self.key)
        known: dict[str, int] = {}
        places = np.array([known.setdefault(text_of(key), len(known)) for key in column.tolist()], np.int64)
        return list(known), places, X.drop(columns=self.key)
