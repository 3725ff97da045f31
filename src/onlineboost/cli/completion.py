"""`onlineboost completion`: a script that teaches a shell the commands and options. argcomplete does the work."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SUMMARY = "print a script that completes commands and options in bash, zsh or fish"
DESCRIPTION = "Print a completion script."
EXAMPLES = """\
  eval "$(onlineboost completion bash)"     in ~/.bashrc
  eval "$(onlineboost completion zsh)"      in ~/.zshrc, after compinit
  onlineboost completion fish > ~/.config/fish/completions/onlineboost.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise ImportError('Completion needs argcomplete: pip install "onlineboost[completion]".') from None
    print(shellcode(["onlineboost"], shell=arguments.shell))
    return 0


def answer(top: argparse.ArgumentParser) -> None:
    """If a shell asks what may come next, answer and end the process."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(top)
