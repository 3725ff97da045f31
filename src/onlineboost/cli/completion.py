"""`onlineboost completion`: a script that teaches a shell the commands and options. argcomplete does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    try:
        from argcomplete.shell_integration import shellcode  # noqa: PLC0415  # an extra
    except ImportError:
        raise ImportError('Completion needs argcomplete: pip install "onlineboost[completion]".') from None
    print(shellcode(["onlineboost"], shell=arguments.shell))
    return 0
