"""Options that several commands share: argparse declarations, and the schema and model that they describe."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from onlineboost.boosters import Booster
    from onlineboost.machine import Machine
    from onlineboost.streams import Schema


class Declared:
    """Names of declared boosters or learners, for argparse; looked up only when a command needs them."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def table(self) -> dict[str, Any]:
        """The classes by their name on the command line."""
        from onlineboost import boosters, learners

        declared: Any = boosters.Booster.declared if self._kind == "booster" else learners.Learner.declared
        return {one.name: one for one in declared.values() if one.name}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.table()))

    def __contains__(self, name: object) -> bool:
        return name in self.table()


BOOSTERS, LEARNERS = Declared("booster"), Declared("learner")
FORMATS = ("libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")
_NOT_HERE = {"learner", "families", "shuffle", "n_passes", "random_state"}  # the stream is read once, in its order


def add_command(commands: Any, module: ModuleType) -> None:
    """Add the command of a module: its name, SUMMARY, DESCRIPTION, EXAMPLES, `add_arguments` and `run`."""
    made = commands.add_parser(
        module.__name__.rpartition(".")[2],
        help=module.SUMMARY,
        description=textwrap.fill(module.DESCRIPTION, 79),
        epilog=f"examples:\n{module.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(made)
    made.set_defaults(run=module.run)


def add_inputs(parser: argparse.ArgumentParser, *, several: bool = True) -> None:
    """Where examples come from, and what happens to malformed lines."""
    group = parser.add_argument_group("input")
    add = group.add_argument
    many = "files, read in order; " if several else "file; "
    add("input", nargs="+" if several else 1, metavar="FILE", help=f"{many}- is standard input")
    add("--format", choices=FORMATS, help="default: by the file's ending; gzip, bzip2, xz and zstd are decompressed")
    add("--strict", action="store_true", help="a malformed line is an error (default: it is skipped)")
    add("--max-bad", type=int, metavar="N", help="more than N malformed lines are an error")
    add("--max-features", type=int, metavar="N", help="a line with more features is malformed (262144)")
    add("--max-line-bytes", type=int, metavar="N", help="a longer line is malformed (16777216)")


def add_saved_model(parser: argparse.ArgumentParser) -> None:
    """Which model predicts."""
    parser.add_argument("model", metavar="MODEL", help="a file of `onlineboost train`")


def add_report(parser: argparse.ArgumentParser) -> None:
    """Where the report of `run` and `train` goes."""
    group = parser.add_argument_group("report")
    group.add_argument("--json", metavar="FILE", help="the report as JSON; - is standard output")
    group.add_argument("--html", metavar="FILE", help="the report as one page with the learning curve")


def add_schema(parser: argparse.ArgumentParser) -> None:
    """How the columns of a table become features."""
    group = parser.add_argument_group("columns (csv, tsv, jsonl, parquet, arrow)")
    add = group.add_argument
    add("--label", metavar="COL", help="the column of the label (label)")
    add("--positive", metavar="LABEL", help="this label becomes 1 and every other label 0 (all formats)")
    add("--weight", metavar="COL", help="the column of example weights")
    add("--ignore", action="append", metavar="COL", help="leave out a column; may be repeated")
    add("--number", action="append", metavar="COL", help="a feature with the column's number as its value")
    add("--category", action="append", metavar="COL", help="a feature COL=VALUE for each value")
    add("--hash", action="append", metavar="COL:BITS", help="as --category, in 2^BITS buckets")
    add("--text", action="append", metavar="COL:BITS", help="words, in 2^BITS buckets")
    add("--separator", metavar="C", help="one character between the cells of a csv file (,)")
    add("--no-header", action="store_true", help="the first line is data; columns are called 0, 1, 2, …")


def schema_of(arguments: argparse.Namespace) -> Schema:
    """The schema that the options declare."""
    from onlineboost.streams import Schema

    columns = dict.fromkeys(arguments.number or (), "number")
    columns |= dict.fromkeys(arguments.category or (), "category")
    for kind in ("hash", "text"):
        for given in getattr(arguments, kind) or ():
            name, colon, bits = given.rpartition(":")
            if not colon or not bits.isdigit():
                raise ValueError(
                    f"--{kind} {given}: write the column, a colon and the number of bits, as in {given}:18."
                )
            columns[name] = f"{kind}:{int(bits)}"
    return Schema(
        label=arguments.label or "label",
        positive=arguments.positive,
        weight=arguments.weight,
        ignore=tuple(arguments.ignore or ()),
        columns=columns,
        header=not arguments.no_header,
        separator=arguments.separator,
    )


def format_of(arguments: argparse.Namespace) -> str:
    """The format of all inputs: as given, else by the endings of their names."""
    from onlineboost.streams import guess_format

    if arguments.format:
        return str(arguments.format)
    if arguments.input[0] == "-":
        raise ValueError(f"Standard input has no ending that tells its format: give --format ({', '.join(FORMATS)}).")
    kinds = {guess_format(path): path for path in arguments.input if path != "-"}
    if len(kinds) > 1:
        first, second = list(kinds.items())[:2]
        raise ValueError(f"{first[1]} is {first[0]} and {second[1]} is {second[0]}: give files of one format.")
    return next(iter(kinds))


def add_model(parser: argparse.ArgumentParser) -> None:
    """Which model learns."""
    group = parser.add_argument_group("model")
    add = group.add_argument
    add("--booster", choices=BOOSTERS, default="osboost", metavar="NAME", help="%(choices)s (%(default)s)")
    learners = "the weak learner: %(choices)s (perceptron; of gradient-boost regression-tree); a mixture has its own"
    add("--learner", choices=LEARNERS, metavar="NAME", help=learners)
    add("--n-learners", type=int, metavar="N", help="how many weak learners (100)")
    add("--gamma", type=float, metavar="G", help="osboost: the learners' assumed advantage over guessing (0.1)")
    add("--vote", choices=("uniform", "ocp", "eg", "experts"), help="osboost: how learners are combined (uniform)")
    add("--seed", type=int, default=0, metavar="S", help="same seed, same bits (%(default)s)")
    add(
        "--param",
        action="append",
        metavar="NAME=VALUE",
        help="any other parameter of the booster, or of the learner as learner__NAME=VALUE; may be repeated",
    )


def model_of(arguments: argparse.Namespace) -> Machine:
    """The model that the options describe; its parameters are checked now, not at the first example."""
    from onlineboost.machine import Machine

    kind = BOOSTERS.table()[arguments.booster]
    mixes = "learner" not in kind.parameters
    if mixes and arguments.learner:
        raise ValueError(f"--booster {arguments.booster} has its own learners: leave --learner out.")
    weak = LEARNERS.table()[arguments.learner] if arguments.learner else kind.default_learner
    known = kind.parameters.keys() - _NOT_HERE, set() if mixes else weak.parameters.keys()
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
    weakly = {} if mixes else {"learner": weak(**parameters[1])}
    recipe: Booster = kind(random_state=arguments.seed, **weakly, **parameters[0])
    recipe.check()
    return Machine(recipe)


def describe(recipe: Booster) -> dict[str, Any]:
    """The model's parameters by name, the learner's as learner__name; of a mixture, its families."""
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


def learner_of(recipe: Booster) -> tuple[str, dict[str, Any]]:
    """The learner's name and parameters as plain data: a learner inside it by its name; or a mixture's families."""
    from onlineboost.boosters import Mixture

    if isinstance(recipe, Mixture):
        members = recipe.members()
        return "Families", {one.name: f"{one.booster.estimator} over {learner_of(one.booster)[0]}" for one in members}
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
