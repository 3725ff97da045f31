"""What the options of the commands describe: the format and schema of the inputs, and the model."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from onlineboost.boosters import Mixture, MultiLabel, OneVsRest
from onlineboost.cli.commands import BOOSTERS, FORMATS, LEARNERS
from onlineboost.machine import Machine
from onlineboost.streams import Schema, guess_format

if TYPE_CHECKING:
    import argparse

    from onlineboost.boosters import Booster
    from onlineboost.learners import Learner

# The stream is read once, in its order; columns have options of their own.
_NOT_HERE = {"learner", "families", "shuffle", "n_passes", "random_state", "schema", "missing_columns", "verbose"}


def schema_of(arguments: argparse.Namespace) -> Schema:
    """The schema that the options declare."""
    columns: dict[str, str] = {}
    for kind in ("number", "category", "flag", "time", "hash", "text"):
        for given in getattr(arguments, kind) or ():
            name, what = _declared(kind, given)
            if columns.setdefault(name, what) != what:
                raise ValueError(f"Column {name!r} is declared as {columns[name]} and as {what}: choose one.")
    return Schema(
        label=arguments.label or "label",
        positive=arguments.positive,
        weight=arguments.weight,
        ignore=tuple(arguments.ignore or ()),
        columns=columns,
        header=not arguments.no_header,
        separator=arguments.separator,
        label_separator=arguments.label_separator,
    )


def _declared(kind: str, given: str) -> tuple[str, str]:
    """Column and kind of an option's value; texts and hashes may have a number of bits behind a colon."""
    name, colon, bits = given.rpartition(":")
    if kind in {"hash", "text"} and colon and bits.isdigit():
        return name, f"{kind}:{int(bits)}"
    if kind == "hash":
        raise ValueError(f"--{kind} {given}: write the column, a colon and a number of bits, as in {given}:18.")
    return given, kind


def format_of(arguments: argparse.Namespace) -> str:
    """The format of all inputs: as given, else by the endings of their names."""
    if arguments.format:
        return str(arguments.format)
    if arguments.input[0] == "-":
        raise ValueError(f"Standard input has no ending that tells its format: give --format ({', '.join(FORMATS)}).")
    kinds = {guess_format(path): path for path in arguments.input if path != "-"}
    if len(kinds) > 1:
        first, second = list(kinds.items())[:2]
        raise ValueError(f"{first[1]} is {first[0]} and {second[1]} is {second[0]}: give files of one format.")
    return next(iter(kinds))


def model_of(arguments: argparse.Namespace) -> Machine:
    """The model that the options describe; its parameters are checked now, not at the first example."""
    if arguments.booster is None:
        chosen = (arguments.learner, arguments.n_learners, arguments.gamma, arguments.vote)
        parts = any("learner__" in given for given in arguments.param or ())
        arguments.booster = "mixture" if not parts and all(one is None for one in chosen) else "osboost"
    kind = BOOSTERS.table()[arguments.booster]
    mixes = "learner" not in kind.parameters
    if mixes and arguments.learner:
        raise ValueError(f"--booster {arguments.booster} has its own learners: leave --learner out.")
    weak = LEARNERS.table()[arguments.learner] if arguments.learner else kind.default_learner
    known = kind.parameters.keys() - _NOT_HERE, set() if mixes else weak.parameters.keys()
    if "help" in (arguments.param or ()):
        print(_parameter_help(kind, None if mixes else weak))
        raise SystemExit(0)
    parameters: list[dict[str, Any]] = [{}, {}]
    for name in ("n_learners", "gamma", "vote"):
        value = getattr(arguments, name)
        if value is not None:
            if name not in known[0]:
                raise ValueError(f"--{name.replace('_', '-')} is not a parameter of {arguments.booster}: leave it out.")
            parameters[0][name] = value
    for given in arguments.param or ():
        name, equals, text = given.partition("=")
        side = int(name.startswith("learner__"))
        name = name.removeprefix("learner__")
        if not equals or name not in known[side]:
            owner, prefix = (weak.name, "learner__") if side else (arguments.booster, "")
            names = ", ".join(prefix + one for one in sorted(known[side]))
            raise ValueError(f"--param {given}: write NAME=VALUE; {owner} has {names or 'no parameters'}.")
        parameters[side][name] = _value(text)
    if not 0 <= arguments.seed < 2**64:
        raise ValueError(f"--seed must be from 0 to 2^64 - 1, not {arguments.seed}.")
    if not mixes:
        parameters[0]["learner"] = weak(**parameters[1])
    recipe: Booster = kind(random_state=arguments.seed, **parameters[0])
    if arguments.label_separator and not recipe.label_sets:
        recipe = MultiLabel(recipe)
    elif recipe.label_sets and not arguments.label_separator:
        raise ValueError(
            f"--booster {arguments.booster} learns sets of labels: say what is between them, with --label-separator."
        )
    recipe.check()
    return Machine(recipe)


def _parameter_help(kind: type[Booster], weak: type[Learner] | None) -> str:
    """Every parameter that `--param` takes: name, range, default and meaning, from the declarations."""
    lines = []
    for owner, prefix in ((kind, ""), (weak, "learner__")):
        for name, one in owner.parameters.items() if owner else ():
            if name not in _NOT_HERE:
                lines.append(f"{prefix}{name}: {one.range} (default {one.default!r})")
                lines += textwrap.wrap(one.text, 79, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def describe(recipe: Booster) -> dict[str, Any]:
    """The model's parameters by name, the learner's as learner__name; of a mixture, its families."""
    if isinstance(recipe, OneVsRest):
        pattern = describe(recipe.pattern())
        return {**pattern, "booster": recipe.estimator, "of_each": pattern["booster"]}
    given = recipe.get_params(deep=False)
    parameters = {name: value for name, value in given.items() if name not in {*_NOT_HERE, "n_jobs"}}
    parameters["random_state"] = recipe.random_state
    kind, inside = learner_of(recipe)
    return {
        "booster": recipe.estimator,
        "learner": kind,
        **parameters,
        **{f"learner__{name}": value for name, value in inside.items()},
    }


def certificate_of(machine: Machine) -> Any:
    """The certificate; None for models without one, as a mixture of more than two classes."""
    try:
        return machine.recipe.certificate(machine, faded=False)
    except ValueError:
        return None


def learner_of(recipe: Booster) -> tuple[str, dict[str, Any]]:
    """The learner's name and parameters as plain data: a learner inside it by its name; or a mixture's families."""
    if isinstance(recipe, Mixture):
        members = recipe.members()
        return "Families", {one.name: f"{one.booster.estimator} over {learner_of(one.booster)[0]}" for one in members}
    if isinstance(recipe, OneVsRest):
        return learner_of(recipe.pattern())
    if "learner" not in recipe.parameters:
        return "trees", {}
    learner = recipe.weak_learner()
    given = {
        name: type(value).__name__ if hasattr(value, "get_params") else value
        for name, value in learner.get_params().items()
    }
    return type(learner).__name__, given


def _value(text: str) -> Any:
    named = {"true": True, "false": False, "none": None}
    if text.lower() in named:
        return named[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
