"""`onlineboost inspect`: what a model file holds."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost.cli import options
from onlineboost.cli.model_file import refuse_many_classes
from onlineboost.cli.output import plural, show, shown, write_json
from onlineboost.explanation import heaviest
from onlineboost.machine.features import NAMES
from onlineboost.persistence import load_machine

if TYPE_CHECKING:
    import argparse

    from onlineboost.machine import Machine

WIDTH = 80


def run(arguments: argparse.Namespace) -> int:
    """Print what the file holds."""
    found = look(arguments.file, max(0, arguments.features))
    if arguments.json:
        write_json(None, found)
    else:
        show(as_text(found))
    return 0


def look(file: str, n_features: int = 10) -> dict[str, Any]:
    """What the file holds, as plain data."""
    machine, recipe, extra = load_machine(file)
    refuse_many_classes(machine, file)
    extra = extra if isinstance(extra, dict) else {}
    learner, inside = options.learner_of(recipe)
    elsewhere = {"learner", "families", "n_jobs"}  # shown as the learner's, or not part of the file
    found: dict[str, Any] = {
        "file": file,
        "bytes": Path(file).stat().st_size,
        "estimator": recipe.estimator,
        "parameters": {k: v for k, v in recipe.get_params(deep=False).items() if k not in elsewhere},
        "learner": learner,
        "learner_parameters": inside,
        "fitted": machine.begun,
        "position": extra.get("position"),
        "progress": extra.get("progress"),
        "error": error_so_far(extra.get("progress")),
    }
    if machine.begun:
        found |= {
            "n_learners": machine.engine.n_learners,
            "labels": machine.labels.classes.tolist(),
            "n_examples": machine.n_examples,
            "n_features": machine.n_features,
            "features_are": "names" if machine.features.kind == NAMES else "columns",
            "heaviest_are": heaviest.meaning(machine.engine.bank),
            "heaviest": [vars(feature) for feature in heaviest.heaviest(machine, n_features)],
            "certificate": certificate_of(machine),
        }
    return found


def certificate_of(machine: Machine) -> dict[str, Any] | None:
    """The certificate's sentences and its two main numbers, for models that have one."""
    certificate = machine.recipe.certificate(machine, faded=False)
    if certificate is None:
        return None
    if not hasattr(certificate, "best_prefix"):  # of a mixture
        return {**certificate.to_dict(), "summary": certificate.summary()}
    k = certificate.best_prefix
    return {
        "certified_error": float(certificate.certified_error[k - 1]),
        "observed_error": float(certificate.observed_error[k - 1]),
        "learners": k,
        "summary": certificate.summary(),
    }


def error_so_far(progress: Any) -> float | None:
    """The share of mistakes, weighted where weights were given; None where nothing is known."""
    if not isinstance(progress, dict):
        return None
    for wrong, seen in (("weighted_mistakes", "weight"), ("mistakes", "examples")):
        lost, total = progress.get(wrong), progress.get(seen)
        if isinstance(lost, int | float) and isinstance(total, int | float) and total > 0:
            return float(lost / total)
    return None


def as_text(found: dict[str, Any]) -> str:
    """For people: at most 80 columns."""
    lines = textwrap.wrap(f"{shown(found['file'])}: {_headline(found)}", WIDTH, subsequent_indent="  ")
    for name, value in _facts(found):
        if value:
            lines += textwrap.wrap(value, WIDTH, initial_indent=f"  {name:<12}", subsequent_indent=" " * 14)
    if found.get("heaviest"):
        lines += ["", "Heaviest features", *textwrap.wrap(f"({found['heaviest_are']})", WIDTH)]
        for feature in found["heaviest"]:
            towards = "" if feature["towards"] is None else f"  towards {shown(feature['towards'], 18)}"
            name = f"column {feature['feature']}" if found["features_are"] == "columns" else feature["feature"]
            lines.append(f"  {feature['weight']:10.4g}  {shown(name, 36):<36}{towards}".rstrip())
    if found.get("certificate"):
        lines += ["", "Certificate"]
        for sentence in found["certificate"]["summary"].splitlines():
            lines += textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def _headline(found: dict[str, Any]) -> str:
    many = f"{found['n_learners']:,} " if found["fitted"] else ""
    if found["learner"] == "Families":
        return (
            f"{found['estimator']}, a mixture of {len(found['learner_parameters'])} families, {found['bytes']:,} bytes"
        )
    learners = "learner" if found.get("n_learners") == 1 else "learners"
    return f"{found['estimator']} over {many}{found['learner']} {learners}, {found['bytes']:,} bytes"


def _facts(found: dict[str, Any]) -> list[tuple[str, str]]:
    families = found["learner_parameters"] if found["learner"] == "Families" else {}
    parameters = found["parameters"] | ({} if families else found["learner_parameters"])
    facts = [("parameters", ", ".join(f"{k}={v!r}" for k, v in parameters.items() if v is not None))]
    facts += [("family", f"{shown(name, 40)}: {what}") for name, what in families.items()]
    if not found["fitted"]:
        return [*facts, ("learned", "nothing yet")]
    facts += [
        ("labels", ", ".join(shown(label, 30) for label in found["labels"])),
        ("learned", plural(found["n_examples"], "example")),
        ("features", f"{found['n_features']:,} seen, identified by {found['features_are'].removesuffix('s')}"),
    ]
    position = found["position"] if isinstance(found["position"], dict) else {}
    counts = [f"{position[k]:,} {k}" for k in ("rows", "bad", "bytes") if isinstance(position.get(k), int)]
    facts.append(("read", ", ".join(counts)))
    if found["error"] is not None:
        facts.append(("error", f"{found['error']:.4f} so far, each example tested before it was learned"))
    return facts
