"""`onlineboost explain`: what the theory guarantees for a saved model, beside what happened."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

WIDTH = 80
SUMMARY = "what is guaranteed for a saved model, beside what happened"
DESCRIPTION = "Print the certificate of a saved model: what the theory guarantees on its stream, and what happened."
EXAMPLES = """\
  onlineboost explain spam.ob
  onlineboost explain spam.ob --json
  onlineboost explain spam.ob --faded --plot recent.svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a model file (*.ob) of an OSBoostClassifier or an OnlineBoostClassifier")
    add("--faded", action="store_true", help="about the recent stream, for models made with fading=")
    add("--json", action="store_true", help="all numbers as JSON")
    add("--plot", metavar="IMAGE", help="also draw it, to a .png, .svg or .pdf (needs matplotlib)")


def run(arguments: argparse.Namespace) -> int:
    """Print the certificate, and draw it if asked to."""
    from onlineboost.cli.output import protect, show, write_json
    from onlineboost.persistence import load_machine

    protect([arguments.file], arguments.plot)
    machine, _, _ = load_machine(arguments.file)
    machine.require_begun()
    certificate = machine.recipe.certificate(machine, faded=arguments.faded)
    if certificate is None:
        kind = machine.recipe.estimator
        raise ValueError(f"{arguments.file}: there is no certificate for {kind}, only for OSBoost and mixtures.")
    if arguments.plot:
        certificate.plot().figure.savefig(arguments.plot)
    if arguments.json:
        write_json(None, certificate.to_dict())
    else:
        show("\n".join(textwrap.fill(sentence, WIDTH) for sentence in certificate.summary().splitlines()))
    return 0
