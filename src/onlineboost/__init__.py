"""Online boosting with guarantees.

    from onlineboost import OnlineBoostClassifier, prequential

Boosters combine N weak learners that see each example once. `docs/architecture.md` is the map.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onlineboost.estimators import *  # noqa: F403  # what it declares is public
    from onlineboost.evaluation import *  # noqa: F403  # as above
    from onlineboost.explanation import *  # noqa: F403  # as above
    from onlineboost.keyed import KeyedClassifier as KeyedClassifier
    from onlineboost.learners import *  # noqa: F403  # as above
    from onlineboost.merging import CannotMergeError as CannotMergeError
    from onlineboost.merging import merge as merge
    from onlineboost.persistence import ModelFileError as ModelFileError
    from onlineboost.persistence import from_bytes as from_bytes
    from onlineboost.persistence import load as load

__version__ = "0.2.0"

_ROOMS = (
    "learners",
    "persistence",
    "merging",
    "evaluation",
    "explanation",
    "estimators",
    "keyed",
)  # whose public names are the package's, lightest first
_FOR_MACHINES = {
    "load_machine",
    "merge_machines",
    "load_with_extra",
    "save",
    "to_bytes",
    "OnlineEstimator",
    "as_estimator",
}  # public in their rooms


def _names(room: str) -> list[str]:
    return [name for name in import_module(f"onlineboost.{room}").__all__ if name not in _FOR_MACHINES]


def __getattr__(name: str) -> Any:
    """A public name, on first use: the command line starts without most of them."""
    if name == "__all__":
        return sorted(public for room in _ROOMS for public in _names(room))
    if not name.startswith("__"):
        from importlib.util import find_spec  # noqa: PLC0415  # nothing that is not needed is imported

        if find_spec(f"onlineboost.{name}"):
            return import_module(f"onlineboost.{name}")
        for room in _ROOMS:
            if name in _names(room):
                value = globals()[name] = getattr(import_module(f"onlineboost.{room}"), name)
                return value
    raise AttributeError(f"module 'onlineboost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
