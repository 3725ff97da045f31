"""`onlineboost inspect`: what a model file holds."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost.boosters import OneVsRest
from onlineboost.cli import options
from onlineboost.cli.output import plural, show, shown, write_json
from onlineboost.explanation import heaviest
from onlineboost.explanation.contributions import importances
from onlineboost.machine.features import NAMES
from onlineboost.persistence import load_machine

if TYPE_CHECKING:
    import argparse

    from onlineboost.machine import Machine

WIDTH = 80
MOST_LABELS = 50  # in the text


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
    extra = extra if isinstance(extra, dict) else {}
    learner, inside = options.learner_of(recipe)
    elsewhere = {"learner", "families", "n_jobs", "verbose"}  # shown as the learner's, or not part of the file
    parameters = recipe.get_params(deep=False)
    if isinstance(recipe, OneVsRest):
        pattern = recipe.pattern()
        parameters = {"booster": pattern.estimator, **pattern.get_params(deep=False)}
    found: dict[str, Any] = {
        "file": file,
        "bytes": Path(file).stat().st_size,
        "estimator": recipe.estimator,
        "parameters": {k: v for k, v in parameters.items() if k not in elsewhere},
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
            "memory": machine.memory,
            "memory_bound": machine.memory_bound,
            "schema": None if machine.schema is None else machine.schema.to_json(),
            "hashed": hashed_of(machine),
            "features_are": "names" if machine.features.kind == NAMES else "columns",
            **heaviest_of(machine, n_features),
            "certificate": certificate_of(machine),
        }
    return found


def heaviest_of(machine: Machine, count: int) -> dict[str, Any]:
    """The features of most weight, and what a weight means; of more than two classes, the shares of `explain`."""
    if machine.recipe.many_classes or len(machine.labels.begun) > 2:
        shares = sorted(importances(machine).items(), key=lambda pair: -pair[1])[:count]
        found = [{"feature": name, "weight": share, "towards": None} for name, share in shares if share > 0]
        return {"heaviest_are": "share in what moves the margins", "heaviest": found}
    found = [vars(feature) for feature in heaviest.heaviest(machine, count)]
    return {"heaviest_are": heaviest.meaning(machine.engine.bank), "heaviest": found}


def hashed_of(machine: Machine) -> dict[str, Any] | None:
    """What `max_features` did: buckets, those in use, about how many names share them, and the standard error.

    n names fall into M buckets and use u of them: n is about -M ln(1 - u / M), linear counting (Whang, Vander-Zanden
    and Taylor, ACM TODS 1990), with standard error sqrt(M (exp(t) - t - 1)), t = n / M. Once all are in use there is no
    estimate: fewer than M ln M names seldom use them all. An exact count would take the memory of the names.
    """
    buckets = machine.buckets
    if not buckets:
        return None
    used = min(len(machine.features.numbers), buckets)
    full = used == buckets
    load = math.log(buckets) if full else -math.log1p(-used / buckets)
    error = None if full else math.ceil(math.sqrt(buckets * (math.expm1(load) - load)))
    return {"buckets": buckets, "used": used, "names": max(used, round(buckets * load)), "standard_error": error}


def certificate_of(machine: Machine) -> dict[str, Any] | None:
    """The certificate's sentences and its two main numbers, for models that have one."""
    certificate = options.certificate_of(machine)
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


def _labels(labels: list[Any]) -> str:
    more = f" and {len(labels) - MOST_LABELS:,} more" if len(labels) > MOST_LABELS else ""
    return ", ".join(shown(label, 30) for label in labels[:MOST_LABELS]) + more


def _facts(found: dict[str, Any]) -> list[tuple[str, str]]:
    families = found["learner_parameters"] if found["learner"] == "Families" else {}
    parameters = found["parameters"] | ({} if families else found["learner_parameters"])
    facts = [("parameters", ", ".join(f"{k}={v!r}" for k, v in parameters.items() if v is not None))]
    facts += [("family", f"{shown(name, 40)}: {what}") for name, what in families.items()]
    if not found["fitted"]:
        return [*facts, ("learned", "nothing yet")]
    facts += [
        ("labels", _labels(found["labels"])),
        ("learned", plural(found["n_examples"], "example")),
        ("features", f"{found['n_features']:,} seen, identified by {found['features_are'].removesuffix('s')}"),
    ]
    if found["schema"] is not None:
        kinds = dict(found["schema"]["columns"])
        declared = set(found["schema"]["declared"])
        facts += [
            ("column", f"{shown(name, 40)}: {kind}" + (", declared" if name in declared else ""))
            for name, kind in kinds.items()
        ]
    bound = "" if found["memory_bound"] is None else f"; at most {found['memory_bound']:,}"
    facts.append(("memory", f"{found['memory']:,} bytes{bound}"))
    if (hashed := found["hashed"]) is not None:
        names = f"{hashed['names']:,}"
        names += " or more" if hashed["standard_error"] is None else f" ± {hashed['standard_error']:,}"
        facts.append(("hashed", f"{hashed['used']:,} of {hashed['buckets']:,} buckets in use, by about {names} names"))
    position = found["position"] if isinstance(found["position"], dict) else {}
    counts = [f"{position[k]:,} {k}" for k in ("rows", "bad", "bytes") if isinstance(position.get(k), int)]
    facts.append(("read", ", ".join(counts)))
    if found["error"] is not None:
        facts.append(("error", f"{found['error']:.4f} so far, each example tested before it was learned"))
    return facts
