"""Several models become one: `merge`, and what it rests on. `docs/merging.md` has the rules."""

from onlineboost.merging.errors import CannotMergeError
from onlineboost.merging.merge import merge, merge_machines

__all__ = ["CannotMergeError", "merge", "merge_machines"]
