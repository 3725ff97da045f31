"""The model file: a saved model goes on, bit for bit, where it was; and loading one cannot run code.

`docs/model-format.md` is the specification. The functions for users are also methods, `model.save(path)` and
`model.to_bytes()`, and `onlineboost.load` and `onlineboost.from_bytes`; those here that speak of machines need no
scikit-learn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost import files
from onlineboost.persistence.container import pack, read, require_regular, unpack
from onlineboost.persistence.describe import describe
from onlineboost.persistence.errors import ModelFileError
from onlineboost.persistence.restore import restore

if TYPE_CHECKING:
    import os

    from onlineboost.boosters import Booster
    from onlineboost.estimators import OnlineEstimator
    from onlineboost.machine import Machine

__all__ = ["ModelFileError", "from_bytes", "load", "load_machine", "load_with_extra", "save", "to_bytes"]


def to_bytes(machine: Machine, extra: Any = None, recipe: Booster | None = None) -> bytes:
    """The machine as the bytes of a model file; the same model gives the same bytes.

    Parameters
    ----------
    machine : Machine
        Whether or not it has learned; over a native learner of this package.
    extra : anything that JSON can hold, default=None
        Kept beside the model.
    recipe : Booster, default=None
        The parameters as they are now, where they were set after learning.

    """
    document, arrays = describe(machine, extra, recipe)
    try:
        return pack(document, arrays)
    except TypeError as error:
        raise ValueError(f"extra must be what JSON can hold: {error}.") from None


def save(machine: Machine, path: str | os.PathLike[str], extra: Any = None, recipe: Booster | None = None) -> None:
    """Write the machine to a file, whole or not at all.

    Parameters
    ----------
    machine, extra, recipe
        As in `to_bytes`.
    path : path
        The file; one that exists is replaced at the end, in one step.

    """
    files.write(path, to_bytes(machine, extra, recipe))


def from_bytes(data: bytes) -> OnlineEstimator:
    """The model from its bytes. Whatever they are, no code of theirs is run; ModelFileError if they are no model."""
    machine, recipe, _ = restore(*unpack(bytes(data)))
    return _estimator(machine, recipe)


def load(path: str | os.PathLike[str]) -> OnlineEstimator:
    """The model of a file. Whatever is in the file, no code of it is run; ModelFileError if it is no model."""
    return load_with_extra(path)[0]


def load_with_extra(path: str | os.PathLike[str]) -> tuple[OnlineEstimator, Any]:
    """The model of a file, and the extra that was saved with it."""
    machine, recipe, extra = load_machine(path)
    return _estimator(machine, recipe), extra


def load_machine(path: str | os.PathLike[str]) -> tuple[Machine, Booster, Any]:
    """The machine of a file, its parameters as they were set last, and the extra."""
    try:
        require_regular(Path(path).stat())  # to open a pipe is to wait for its writer
        with Path(path).open("rb") as file:
            return restore(*unpack(read(file)))
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path)}: {error}") from None


def _estimator(machine: Machine, recipe: Booster) -> OnlineEstimator:
    from onlineboost.estimators import ESTIMATORS  # noqa: PLC0415  # scikit-learn, for those who ask for estimators

    return ESTIMATORS[recipe.estimator].of_machine(machine, recipe)
