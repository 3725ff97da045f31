"""How a model's features are identified: by column number, by name, or by both; and the engine's number of each.

Arrays fix the number of columns, and a data frame their names, too. Dicts and streams may bring features at any time.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from onlineboost.machine.schema import ColumnSchema

NAMES, COLUMNS, COLUMNS_ONLY = 0, 1, 2  # how dict keys become features; as in the bindings
LAST_INDICATOR = 2**32 - 2  # less j: the feature that says that j is missing (src/native/engine/missing.hpp)
KINDS = ("names", "columns", "columns only")


@dataclass(eq=False)
class Features:
    """The features of one model.

    Attributes
    ----------
    kind : `NAMES`: keys are numbered as they come. `COLUMNS`: an integer key is a column number, others are numbered
        beside them. `COLUMNS_ONLY`: there are no others.
    numbers : the engine's number of each key.
    n_columns : the width of array batches, where these came first; None where rows may have any features.
    column_names : the names of the columns, where a data frame of numbers came first.
    schema : the kinds of the columns, where they are not all numbers or came from a file.

    """

    kind: int
    numbers: dict[Any, int] = field(default_factory=dict)
    n_columns: int | None = None
    column_names: list[str] | None = None
    schema: ColumnSchema | None = None

    @classmethod
    def of_columns(cls, n_columns: int, names: Sequence[Any] | None) -> Features:
        """For a model that begins with an array or a data frame; names that are not unique identify nothing."""
        known = None if names is None else [str(name) for name in names]
        if known is None or len(set(known)) < len(known):
            return cls(COLUMNS_ONLY, {}, n_columns, known)
        return cls(NAMES, {name: j for j, name in enumerate(known)}, n_columns, known)

    @classmethod
    def of_dict(cls, x: Mapping[Any, Any]) -> Features:
        """For a model that begins with a dict."""
        return cls(COLUMNS if len(x) > 0 and all(isinstance(key, numbers.Integral) for key in x) else NAMES)

    @property
    def growing(self) -> bool:
        """Whether a batch may bring names that are not known."""
        return self.kind == NAMES and self.n_columns is None

    def knows(self, x: Mapping[Any, Any]) -> bool:
        """Whether no key of the dict has to be numbered."""
        if self.kind == COLUMNS:
            return all(type(key) is int or key in self.numbers for key in x)
        return self.kind == COLUMNS_ONLY or x.keys() <= self.numbers.keys()

    def add(self, names: Sequence[Any]) -> None:
        """Number names that are not known."""
        before = len(self.numbers)
        self.numbers.update(zip(names, range(before, before + len(names)), strict=True))

    def forget(self, n_known: int) -> None:
        """Only the first `n_known` keys remain."""
        while len(self.numbers) > n_known:
            self.numbers.popitem()

    def key_of(self, number: int, keys: Mapping[int, Any]) -> Any:
        """The name or column of a number, where `keys` is `numbers` the other way round."""
        missing = LAST_INDICATOR - number
        if number in keys or number < 2**31 or (missing not in keys and self.kind == NAMES):
            return keys.get(number, number)
        return f"{keys.get(missing, missing)} is missing"

    def numbers_of(self, names: Sequence[str]) -> tuple[NDArray[np.intp], list[str]]:
        """The number of each name, as if the unknown ones were added; and these."""
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise ValueError(f"X has two columns named {twice!r}: names must be unique to identify features.")
        unknown = [name for name in names if name not in self.numbers]
        fresh = {name: len(self.numbers) + k for k, name in enumerate(unknown)}
        return np.array([fresh[n] if n in fresh else self.numbers[n] for n in names], np.intp), unknown

    def __str__(self) -> str:
        """For messages."""
        if self.n_columns is not None:
            return f"arrays of {self.n_columns} columns"
        if self.schema is not None and self.schema.closed:
            return f"{len(self.schema.columns)} columns with names"
        return "named features" if self.kind == NAMES else "numbered columns"
