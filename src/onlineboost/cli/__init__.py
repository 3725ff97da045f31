"""The command line: `onlineboost COMMAND …`. `commands.py` declares all options; each command is a file with `run`."""

from __future__ import annotations

import os
import signal
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

from onlineboost.cli import output
from onlineboost.cli.commands import parser

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "parser", "program"]

NO_MEMORY = (
    "There is not enough memory: use fewer learners (--n-learners) or features (--hash, --max-features). What was "
    "saved before is kept."
)


def program() -> int:
    """The program `onlineboost`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C, with nothing left behind
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors that a user can fix end in one sentence, not in a traceback."""
    top = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next; this answers and ends the process
        import_module("argcomplete").autocomplete(top)
    parsed = top.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("once", UserWarning)
            warnings.showwarning = _tell_warning
            try:
                return int(import_module(f"onlineboost.cli.{parsed.command}").run(parsed))
            finally:
                output.flush()
    except KeyboardInterrupt:
        output.tell("stopped; what was finished is kept")
        return 130
    except BrokenPipeError:
        return 0  # the reader of our output has gone
    except MemoryError:
        output.tell(NO_MEMORY)
        return 2
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
        output.tell(f"{place}{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error))
        return 2


def _tell_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """A warning for the user is one sentence; those for programmers stay out of sight."""
    if issubclass(category, UserWarning):
        output.tell(str(message))
