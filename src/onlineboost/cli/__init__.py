"""The command line: `onlineboost COMMAND …`. One file per command; this one holds what they share."""

from __future__ import annotations

import argparse
import signal
from typing import TYPE_CHECKING, NoReturn

import onlineboost
from onlineboost.cli import (
    completion,
    convert,
    datasets,
    evaluate,
    explain,
    inspect,
    options,
    output,
    predict,
    reproduce,
    run,
    train,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (run, train, predict, evaluate, inspect, explain, convert, reproduce, datasets, completion)
EXIT_CODES = """\
exit codes:
  0    done
  2    bad input or a missing file, disk, memory or permission; one sentence on
       standard error says what to do
  130  stopped by Ctrl-C or SIGTERM; what was finished is kept
"""
NO_MEMORY = (
    "There is not enough memory: use fewer learners (--n-learners) or features (--hash, --max-features). What was "
    "saved before is kept."
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are fit for a terminal, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """Say it, and exit with code 2."""
        super().error(output.shown(message))


def parser() -> argparse.ArgumentParser:
    """All commands."""
    top = Parser(
        prog="onlineboost",
        description="Online boosting: learn from streams, keep and use models, reproduce the paper.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"onlineboost {onlineboost.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        options.add_command(commands, command)
    return top


def program() -> int:
    """The program `onlineboost`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C, with nothing left behind
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors that a user can fix end in one sentence, not in a traceback."""
    top = parser()
    completion.answer(top)
    parsed = top.parse_args(arguments)
    try:
        try:
            return int(parsed.run(parsed))
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
        output.tell(_sentence(error))
        return 2


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}"
    return str(error)
