"""`onlineboost explain`: what the theory guarantees for a saved model, beside what happened."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

WIDTH = 80


def register(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("explain", help="what is guaranteed for a saved model, beside what happened")
    command.add_argument(
        "file", metavar="FILE", help="a model file (*.ob) of an OSBoostClassifier or an OnlineBoostClassifier"
    )
    command.add_argument("--faded", action="store_true", help="about the recent stream, for models made with fading=")
    command.add_argument("--json", action="store_true", help="all numbers as JSON")
    command.add_argument("--plot", metavar="IMAGE", help="also draw it, to a .png, .svg or .pdf (needs matplotlib)")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it, and draw it if asked to."""
    from onlineboost.persistence import load_machine

    machine, _, _ = load_machine(arguments.file)
    machine.require_begun()
    certificate = machine.recipe.certificate(machine, faded=arguments.faded)
    if certificate is None:
        kind = machine.recipe.estimator
        raise ValueError(f"{arguments.file}: there is no certificate of {kind}, only of OSBoost and mixtures.")
    if arguments.plot:
        try:
            certificate.plot().figure.savefig(arguments.plot)
        except ImportError as error:
            raise ValueError(str(error)) from None
    if arguments.json:
        print(json.dumps(certificate.to_dict(), indent=1, allow_nan=False))
        return 0
    for sentence in certificate.summary().splitlines():
        print(textwrap.fill(sentence, WIDTH))
    return 0
