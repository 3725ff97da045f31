"""The error of models that cannot become one."""


class CannotMergeError(ValueError):
    """The models cannot be merged; the message says why, and what to do instead."""
