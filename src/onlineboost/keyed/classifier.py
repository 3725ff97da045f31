"""One small model per key, and a parent that learns from all.

A key's model begins as a copy of the parent as it is before the key's first example, and goes on with the examples of
its key alone. Keys without examples are predicted by the parent. What is learned depends on the order of the rows, not
on how they are cut into batches.

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

from onlineboost.keyed.store import ModelStore, text_of
from onlineboost.persistence import from_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from onlineboost.estimators import OnlineEstimator

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
        self._learn(*self._split_one(x), y)

    def _learn(self, key: Any, rest: dict[str, Any], y: Any) -> None:
        self._open()
        name = text_of(key)
        model = self._find(name, key) or self._copy(self.parent_)
        if not self._is_fitted(model):
            model.set_params(random_state=self.parent_.get_params()["random_state"])
        model.learn_one(rest, y)
        self.parent_.learn_one(rest, y)
        self._keep(name, key, model)

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
        keys, rest = self._split(X)
        y = np.asarray(y)
        if len(keys) != len(y):
            raise ValueError(f"X has {len(keys)} rows and y {len(y)} labels: there must be one label per row.")
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(keys):
            rows.setdefault(text_of(key), []).append(row)
        models, parent, done = {}, self._copy(self.parent_), 0
        for name, own in rows.items():  # in the order of their first rows
            model = self._find(name, keys[own[0]])
            if model is None:
                if own[0] > done:
                    parent.partial_fit(rest.iloc[done : own[0]], y[done : own[0]], classes=classes)
                    done = own[0]
                models[name] = self._copy(parent)
            else:
                models[name] = self._copy(model)
        if done < len(y):
            parent.partial_fit(rest.iloc[done:], y[done:], classes=classes)
        for name, own in rows.items():
            models[name].partial_fit(rest.iloc[own], y[own], classes=classes)
        self.parent_ = parent
        for name, own in rows.items():
            self._keep(name, keys[own[0]], models[name])
        return self

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a data frame one by one, as `learn_one` does.

        Models are copied for new keys only, so it is quicker than `partial_fit` where a batch has many keys. Rows
        before a bad one stay learned.
        """
        keys, rest = self._split(X)
        labels = np.asarray(y).tolist()
        if len(keys) != len(labels):
            raise ValueError(f"X has {len(keys)} rows and y {len(labels)} labels: there must be one label per row.")
        names = [str(name) for name in rest.columns]
        columns = [rest.iloc[:, k].tolist() for k in range(len(names))]
        for key, label, *values in zip(keys, labels, *columns, strict=True):
            self._learn(key, dict(zip(names, values, strict=True)), label)

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
        keys, rest = self._split(X)
        classes = self.classes_.tolist()
        found = np.zeros((len(keys), len(classes)))
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(keys):
            rows.setdefault(text_of(key), []).append(row)
        for own in rows.values():
            model = self._model_of(keys[own[0]])
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
        return list({text_of(key): key for key in [*self.store_.keys(), *self._keys.values()]}.values())

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
            self.store_.write(self._keys[name], self._models[name].to_bytes())
        self.store_.write_note(PARENT, self.parent_.to_bytes())
        self.store_.write_note(POSITION, text.encode())
        self.store_.commit()
        self._dirty.clear()
        self.position_ = position

    def close(self) -> None:
        """Close the store. What was learned since the last `save` is gone."""
        if "store_" in self.__dict__:
            self.store_.close()
            for name in ("store_", "parent_", "position_", "_models", "_keys", "_dirty"):
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
        self._models: OrderedDict[str, OnlineEstimator] = OrderedDict()  # those in memory, used last at the end
        self._keys: dict[str, Any] = {}
        self._dirty: set[str] = set()
        self.store_ = store

    def _fresh(self) -> OnlineEstimator:
        from onlineboost.estimators import OnlineClassifier  # noqa: PLC0415  # it may be given instead

        made: OnlineEstimator = OnlineClassifier() if self.estimator is None else clone(self.estimator)
        return made

    @staticmethod
    def _is_fitted(model: OnlineEstimator) -> bool:
        return model.machine_to_learn().begun

    @staticmethod
    def _copy(model: OnlineEstimator) -> OnlineEstimator:
        return from_bytes(model.to_bytes())

    def _find(self, name: str, key: Any) -> OnlineEstimator | None:
        """The model of a key, from memory or from the store."""
        model = self._models.get(name)
        if model is None:
            data = self.store_.read(key)
            return None if data is None else from_bytes(data)
        self._models.move_to_end(name)
        return model

    def _keep(self, name: str, key: Any, model: OnlineEstimator) -> None:
        self._models[name] = model
        self._models.move_to_end(name)
        self._keys[name] = key
        self._dirty.add(name)
        while len(self._models) > self.max_models:
            oldest, waiting = self._models.popitem(last=False)
            if oldest in self._dirty:
                self.store_.write(self._keys[oldest], waiting.to_bytes())
                self._dirty.remove(oldest)
            del self._keys[oldest]

    def _model_of(self, key: Any) -> OnlineEstimator:
        self._open()
        return self._find(text_of(key), key) or self.parent_

    def _split_one(self, x: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        rest = dict(x)
        if self.key not in rest:
            raise ValueError(f"The row has no {self.key!r}: every row needs its key.")
        return rest.pop(self.key), rest

    def _split(self, X: Any) -> tuple[list[Any], Any]:
        if not hasattr(X, "iloc") or self.key not in X.columns:
            raise ValueError(f"X must be a data frame of pandas with the column {self.key!r}.")
        return X[self.key].tolist(), X.drop(columns=self.key)
