"""What a model has noticed of changes of its stream, for the marks on its curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onlineboost.boosters import Mixture
from onlineboost.boosters.mixture import changes
from onlineboost.boosters.osboost import resets

if TYPE_CHECKING:
    from onlineboost.machine import Machine


def noticed(machine: Machine) -> list[tuple[int, str]]:
    """(examples learned, what happened), oldest first: the last 128 alarms, new leaders and resets.

    Parameters
    ----------
    machine : Machine
        Of any model; one that does not look for changes has noticed none.

    """
    if not machine.begun or not hasattr(machine.engine.core, "booster_state"):
        return []
    if isinstance(machine.recipe, Mixture):
        return [(one.example, f"{one.kind}: {one.family}") for one in changes(machine) if one.kind != "family retired"]
    return [
        (one.example, "all learners begin anew" if one.learner is None else f"learner {one.learner} begins anew")
        for one in resets(machine)
    ]
