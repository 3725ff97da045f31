"""The model file: a model that was saved goes on, bit for bit, where it was; and loading one cannot run code.

`docs/model-format.md` is the specification. The functions for users are also methods, `model.save(path)` and
`model.to_bytes()`, and `onlineboost.load` and `onlineboost.from_bytes`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost import files
from onlineboost.persistence.container import pack, read, unpack
from onlineboost.persistence.describe import describe
from onlineboost.persistence.errors import ModelFileError
from onlineboost.persistence.restore import restore

if TYPE_CHECKING:
    import os

    from onlineboost.boosters.base import OnlineEstimator

__all__ = ["ModelFileError", "from_bytes", "load", "load_with_extra", "save", "to_bytes"]


def to_bytes(model: OnlineEstimator, extra: Any = None) -> bytes:
    """The model as the bytes of a model file; the same model gives the same bytes.

    Parameters
    ----------
    model : estimator of this package
        Fitted or not; over a native learner of this package.
    extra : anything that JSON can hold, default=None
        Kept beside the model.

    """
    document, arrays = describe(model, extra)
    try:
        return pack(document, arrays)
    except TypeError as error:
        raise ValueError(f"extra must be what JSON can hold: {error}.") from None


def save(model: OnlineEstimator, path: str | os.PathLike[str], extra: Any = None) -> None:
    """Write the model to a file, whole or not at all.

    Parameters
    ----------
    model, extra
        As in `to_bytes`.
    path : path
        The file; one that exists is replaced at the end, in one step.

    """
    files.write(path, to_bytes(model, extra))


def from_bytes(data: bytes) -> OnlineEstimator:
    """The model from its bytes. Whatever they are, no code of theirs is run; ModelFileError if they are no model."""
    return restore(*unpack(bytes(data)))[0]


def load(path: str | os.PathLike[str]) -> OnlineEstimator:
    """The model of a file. Whatever is in the file, no code of it is run; ModelFileError if it is no model."""
    return load_with_extra(path)[0]


def load_with_extra(path: str | os.PathLike[str]) -> tuple[OnlineEstimator, Any]:
    """The model of a file, and the extra that was saved with it."""
    try:
        with Path(path).open("rb") as file:
            return restore(*unpack(read(file)))
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path)}: {error}") from None
