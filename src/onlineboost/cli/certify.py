"""`onlineboost certify`: what the theory guarantees for a saved model, beside what happened."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from onlineboost.cli.output import protect, show, write_json
from onlineboost.persistence import load_machine

if TYPE_CHECKING:
    import argparse

WIDTH = 80


def run(arguments: argparse.Namespace) -> int:
    """Print the certificate, and draw it if asked to."""
    protect([arguments.file], arguments.plot)
    machine, _, _ = load_machine(arguments.file)
    machine.require_begun()
    certificate = machine.recipe.certificate(machine, faded=arguments.faded, last=arguments.last)
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
