"""`onlineboost completion`: a script that teaches a shell the commands and options, made from the parser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from onlineboost.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = """\
  eval "$(onlineboost completion bash)"     in ~/.bashrc
  eval "$(onlineboost completion zsh)"      in ~/.zshrc, after compinit
  onlineboost completion fish > ~/.config/fish/completions/onlineboost.fish
"""

_BASH = """\
_onlineboost() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= word words=
  for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD-1))}}"; do
    case $word in {commands}) command=$word; break;; esac
  done
  COMPREPLY=()
  case "$command $prev" in
{choices}
{files}
  esac
  case $command in
{words}
  esac
  if [[ $cur == -* || -z $command ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    case $command in
{places}
    *) COMPREPLY=($(compgen -f -- "$cur"));;
    esac
  fi
}}
complete -o filenames -F _onlineboost onlineboost
"""


def register(commands: Any) -> None:
    """Add the command."""
    command = options.command(
        commands,
        "completion",
        "print a script that completes commands and options in bash, zsh or fish",
        "Print a completion script.",
        EXAMPLES,
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"))
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from onlineboost.cli import parser

    found = dict(_commands(parser()))
    if arguments.shell == "fish":
        print(fish(found), end="")
    elif arguments.shell == "zsh":
        print("autoload -U +X bashcompinit && bashcompinit\n" + bash(found), end="")
    else:
        print(bash(found), end="")
    return 0


def _commands(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _flags(command: argparse.ArgumentParser) -> list[str]:
    return [flag for action in command._actions for flag in action.option_strings if flag.startswith("--")]


def bash(commands: dict[str, argparse.ArgumentParser]) -> str:
    """For bash; zsh reads it too."""
    choices, files, words, places = [], [], [], []
    for name, command in commands.items():
        takers = []
        for action in command._actions:
            said = " ".join(map(str, action.choices or ()))
            flags = action.option_strings if said else ()
            choices += [f'  "{name} {flag}") COMPREPLY=($(compgen -W "{said}" -- "$cur")); return;;' for flag in flags]
            if said and not action.option_strings:
                places.append(f'    {name}) COMPREPLY=($(compgen -W "{said}" -- "$cur"));;')
            if action.metavar in {"FILE", "DIR"} and not said:
                takers += [f'"{name} {flag}"' for flag in action.option_strings]
        if takers:
            files.append(f'  {"|".join(takers)}) COMPREPLY=($(compgen -f -- "$cur")); return;;')
        words.append(f'  {name}) words="{" ".join(_flags(command))}";;')
    words.append(f'  *) words="{" ".join(commands)} --help --version";;')
    return _BASH.format(
        commands="|".join(commands),
        choices="\n".join(choices),
        files="\n".join(files),
        words="\n".join(words),
        places="\n".join(places),
    )


def fish(commands: dict[str, argparse.ArgumentParser]) -> str:
    """For fish."""
    lines = ["complete -c onlineboost -f", "complete -c onlineboost -n __fish_use_subcommand -l help -l version"]
    for name, command in commands.items():
        about = command.description or ""
        lines.append(f"complete -c onlineboost -n __fish_use_subcommand -a {name} -d {_quoted(about.split('. ')[0])}")
        here = f"complete -c onlineboost -n '__fish_seen_subcommand_from {name}'"
        for action in command._actions:
            said = " ".join(map(str, action.choices or ()))
            if not action.option_strings:
                lines.append(f"{here} -a {_quoted(said)}" if said else f"{here} -F")
                continue
            needs = "" if action.nargs == 0 else f" -xa {_quoted(said)}" if said else " -rF"
            text = (action.help or "").replace("(%(default)s)", "").strip()
            about = f" -d {_quoted(text)}" if text and text != argparse.SUPPRESS else ""
            lines += [f"{here} -l {flag[2:]}{needs}{about}" for flag in action.option_strings if flag.startswith("--")]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
