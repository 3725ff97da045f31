"""What a batch was, once it is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from onlineboost._input import Rows
    from onlineboost._labels import Labels


class Lesson(NamedTuple):
    """The batch as it was read, the labels known after it, and what the engine reported of it."""

    rows: Rows
    labels: Labels
    codes: NDArray[np.float64]  # +1 and -1, in the engine's orientation
    weights: NDArray[np.float64] | None
    outputs: list[NDArray[Any]]
