"""River's contract: one example at a time."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost.estimators.owner import MachineOwner
from onlineboost.estimators.validation import read_single_row
from onlineboost.machine import one_example
from onlineboost.machine.parameters import check_weight
from onlineboost.machine.table import NotPlainError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import Machine, Opinion


class RiverVerbs(MachineOwner):
    """What river's tools call."""

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
            try:
                self._learn_dict(machine, x, y, w)
            except (NotPlainError, TypeError):  # a value that is no number
                self.learn_batch([x], [y], None, None if w == 1 else [w], grow=True)
            return
        row = read_single_row(x)
        if not one_example.learn_row(machine, row, y, w):
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

    def _learn_dict(self, machine: Machine, x: Mapping[Any, Any], y: Any, w: float) -> None:
        if machine.begun:
            one_example.learn_dict(machine, x, y, w)
            return
        with machine.lock.writer:
            try:
                one_example.learn_dict(machine, x, y, w)
            finally:
                self._keep(machine, {})

    def _opinion_of_one(self, x: Any) -> tuple[NDArray[Any], list[float], Any, Any] | None:
        machine: Machine | None = self.__dict__.get("_machine")
        if machine is None:
            return None
        is_dict = type(x) is dict or isinstance(x, Mapping)
        row = x if is_dict else read_single_row(x)
        try:
            return one_example.opinion_of_one(machine, row, is_dict=is_dict)
        except (NotPlainError, TypeError):
            if not machine.begun:
                return None
            opinion = self._opinion([row] if is_dict else row[np.newaxis])
            probable, voted = (self._chosen(opinion, threshold)[0] for threshold in ("calibrated", "vote"))
            return opinion.classes, opinion.probabilities[0].tolist(), probable, voted

    @staticmethod
    def _chosen(opinion: Opinion, threshold: str) -> NDArray[Any]:
        """The column that is predicted for each row."""
        return opinion.chosen(threshold)
