"""A model file that says how far its rounds have come: position and model cannot disagree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost.persistence import load_with_extra

if TYPE_CHECKING:
    import os

    from onlineboost.estimators import OnlineEstimator


class Checkpoint:
    """Of a training in rounds.

    Parameters
    ----------
    path : path or None
        The file; None keeps none.
    about : dict
        What is trained, for JSON: a file about something else is refused.
    writes : bool, default=True
        Whether this process writes it, or another.

    """

    def __init__(self, path: str | os.PathLike[str] | None, about: dict[str, Any], *, writes: bool = True) -> None:
        self.path = None if path is None else Path(path)
        self.about, self.writes = about, writes

    def load(self) -> tuple[OnlineEstimator, int] | None:
        """The model and where to resume; None where there is no file."""
        if self.path is None or not self.path.exists():
            return None
        model, extra = load_with_extra(self.path)
        if not isinstance(extra, dict) or extra.get("about") != self.about or not isinstance(extra.get("next"), int):
            raise ValueError(
                f"{self.path} is a checkpoint of other shards or another interval: resume with the same, or remove it."
            )
        return model, extra["next"]

    def save(self, model: OnlineEstimator, following: int) -> None:
        """Write the model and where to resume, in one step."""
        if self.path is not None and self.writes:
            model.save(self.path, {"about": self.about, "next": following})
