"""The command line: `onlineboost COMMAND …`. One file per command; this one holds what they share."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING

import onlineboost
from onlineboost.cli import (
    completion,
    convert,
    datasets,
    evaluate,
    explain,
    inspect,
    predict,
    reproduce,
    run,
    train,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_CODES = """\
exit codes:
  0    done
  2    bad input or a missing file, disk or permission; one sentence on standard
       error says what to do
  130  stopped by Ctrl-C or SIGTERM; what was finished is kept
"""


def parser() -> argparse.ArgumentParser:
    """All commands."""
    top = argparse.ArgumentParser(
        prog="onlineboost",
        description="Online boosting: learn from streams, keep and use models, reproduce the paper.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"onlineboost {onlineboost.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (run, train, predict, evaluate, inspect, explain, convert, reproduce, datasets, completion):
        command.register(commands)
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
        return int(parsed.run(parsed))
    except KeyboardInterrupt:
        print("\nonlineboost: stopped; what was finished is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; there is nobody to tell
        return 0
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        print(f"onlineboost: {_sentence(error)}", file=sys.stderr)
        return 2


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}"
    return " ".join(str(error).split())
