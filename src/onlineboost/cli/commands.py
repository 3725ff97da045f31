"""Every command and option of the command line. Only argparse is imported here, which keeps --help quick."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import onlineboost
from onlineboost.cli.output import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    AddOptions = Callable[[argparse.ArgumentParser], None]

COMMANDS: dict[str, tuple[str, str, str, AddOptions]] = {}  # by name: summary, description, examples, options
EXIT_CODES = """\
exit codes:
  0    done
  2    bad input or a missing file, disk, memory or permission; one sentence on
       standard error says what to do
  130  stopped by Ctrl-C or SIGTERM; what was finished is kept
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are fit for a terminal, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """Say it, and exit with code 2."""
        super().error(shown(message))


def parser() -> argparse.ArgumentParser:
    """All commands; `command` of what is parsed names the module in this folder that has its `run`."""
    top = Parser(
        prog="onlineboost",
        description="Online boosting: learn from streams, keep and use models, reproduce the paper.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"onlineboost {onlineboost.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (summary, description, examples, add_options) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=textwrap.fill(description, 79),
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(command)
        command.set_defaults(command=name)
    return top


def _command(summary: str, description: str, examples: str) -> Callable[[AddOptions], None]:
    """Declare a command: the function has its name and adds its options."""

    def declare(add_options: AddOptions) -> None:
        COMMANDS[add_options.__name__] = (summary, description, examples, add_options)

    return declare


# ---- options that several commands share -----------------------------------------------------------------------------


class Declared:
    """Names of declared boosters or learners, for argparse; looked up only when a command needs them."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def table(self) -> dict[str, Any]:
        """The classes by their name on the command line."""
        from onlineboost import boosters, learners  # noqa: PLC0415  # --help of the other commands stays quick

        declared: Any = boosters.Booster.declared if self._kind == "booster" else learners.Learner.declared
        return {one.name: one for one in declared.values() if one.name}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.table()))

    def __contains__(self, name: object) -> bool:
        return name in self.table()


BOOSTERS, LEARNERS = Declared("booster"), Declared("learner")
FORMATS = ("libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")


def _add_inputs(parser: argparse.ArgumentParser, *, several: bool = True) -> None:
    """Where examples come from, and what happens to malformed lines."""
    group = parser.add_argument_group("input")
    add = group.add_argument
    many = "files, read in order; " if several else "file; "
    add("input", nargs="+" if several else 1, metavar="FILE", help=f"{many}- is standard input")
    add("--format", choices=FORMATS, help="default: by the file's ending; gzip, bzip2, xz and zstd are decompressed")
    add("--strict", action="store_true", help="a malformed line is an error (default: it is skipped)")
    policy = "malformed lines are skipped; or are errors; or a cell that does not fit is missing (skip)"
    add("--bad-rows", choices=("skip", "stop", "missing"), help=policy)
    add("--max-bad", type=int, metavar="N", help="more than N malformed lines are an error")
    add("--max-features", type=int, metavar="N", help="a line with more features is malformed (262144)")
    add("--max-line-bytes", type=int, metavar="N", help="a longer line is malformed (16777216)")


def _add_schema(parser: argparse.ArgumentParser) -> None:
    """How the columns of a table become features."""
    group = parser.add_argument_group("columns (csv, tsv, jsonl, parquet, arrow)")
    add = group.add_argument
    add("--label", metavar="COL", help="the column of the label (label)")
    add("--positive", metavar="LABEL", help="this label becomes 1 and every other label 0 (all formats)")
    sets = "an example has any number of labels, with C between them (libsvm too): a booster for each label"
    add("--label-separator", metavar="C", help=sets)
    add("--weight", metavar="COL", help="the column of example weights")
    add("--ignore", action="append", metavar="COL", help="leave out a column; may be repeated")
    add("--number", action="append", metavar="COL", help="a feature with the column's number as its value")
    add("--category", action="append", metavar="COL", help="a feature COL=VALUE for each value")
    add("--hash", action="append", metavar="COL:BITS", help="as --category, in 2^BITS buckets")
    add("--text", action="append", metavar="COL[:BITS]", help="words and pairs of words, in 2^BITS buckets (18)")
    add("--flag", action="append", metavar="COL", help="true or false")
    add("--time", action="append", metavar="COL", help="a point in time: hour, weekday, day of the year, trend")
    add("--separator", metavar="C", help="one character between the cells of a csv file (,)")
    add("--no-header", action="store_true", help="the first line is data; columns are called 0, 1, 2, …")


def _add_fit(parser: argparse.ArgumentParser) -> None:
    """How the columns of the input fit those of a saved model."""
    add = parser.add_argument
    add("--label", metavar="COL", help="the column of the label, if it has another name than in training")
    add("--label-separator", metavar="C", help="between an example's labels, if it is another than in training")
    add("--missing-columns", choices=("ignore",), help="a column that the input lacks is missing (default: an error)")


def _add_model(parser: argparse.ArgumentParser) -> None:
    """Which model learns."""
    group = parser.add_argument_group("model")
    add = group.add_argument
    add(
        "--booster",
        choices=BOOSTERS,
        metavar="NAME",
        help="%(choices)s (mixture, which has nothing to choose; osboost if one of the next is given)",
    )
    learners = "the weak learner: %(choices)s (perceptron; for gradient-boost regression-tree); a mixture has its own"
    add("--learner", choices=LEARNERS, metavar="NAME", help=learners)
    add("--n-learners", type=int, metavar="N", help="number of weak learners (100)")
    add("--max-model-features", type=int, metavar="N", help="more features in all are an error (4194304)")
    add("--gamma", type=float, metavar="G", help="osboost: the learners' assumed advantage over guessing (0.1)")
    add("--vote", choices=("uniform", "ocp", "eg", "experts"), help="osboost: how learners are combined (uniform)")
    add("--seed", type=int, default=0, metavar="S", help="same seed, same bits (%(default)s)")
    add(
        "--param",
        action="append",
        metavar="NAME=VALUE",
        help="any other parameter of the booster, or of the learner as learner__NAME=VALUE; may be repeated; "
        "--param help lists them with their ranges",
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    """Where the report of `run` and `train` goes."""
    group = parser.add_argument_group("report")
    group.add_argument("--json", metavar="FILE", help="the report as JSON; - is standard output")
    group.add_argument("--html", metavar="FILE", help="the report as one page with the learning curve")


# ---- the commands ---------------------------------------------------------------------------------------------------


@_command(
    "test, then train, on a stream, and report how well that went",
    "Predict each example, then learn it, in one pass. Ctrl-C ends the run with a report on what was seen.",
    """\
  onlineboost run clicks.libsvm --booster osboost --learner naive-bayes
  onlineboost run day1.csv.gz day2.csv.gz --label clicked --html clicks.html
  onlineboost run news.csv --label topics --label-separator ";"
  zcat log.vw.gz | onlineboost run - --format vw --vote ocp --json - > run.json
""",
)
def run(parser: argparse.ArgumentParser) -> None:
    _add_inputs(parser)
    _add_schema(parser)
    _add_model(parser)
    _add_report(parser)


@_command(
    "learn a stream into a model file, with checkpoints to resume from",
    "Learn a stream in one pass, each example after it was predicted, and write the model to a file.",
    """\
  onlineboost train day1.libsvm day2.libsvm --learner naive-bayes --model m.ob
  zcat log.csv.gz | onlineboost train - --format csv --label spam \\
      --model spam.ob --checkpoint 30s
  onlineboost train s.libsvm --model s.ob --checkpoint 100000 --resume

checkpoints:
  FILE has the newest and FILE.1 the one before. Each knows how far its input
  was read, so --resume continues exactly there and ends with the same bytes as
  an undisturbed run. Give the same options and the same input, from its start.
  Ctrl-C, SIGTERM and errors save what was learned. A checkpoint that cannot be
  written, as when the disk is full, is reported; both files stay as they were,
  and learning continues until the next one is due.
""",
)
def train(parser: argparse.ArgumentParser) -> None:
    _add_inputs(parser)
    add = parser.add_argument_group("model file").add_argument
    add("--model", required=True, metavar="FILE", help="where the model goes; an existing model becomes FILE.1")
    add("--checkpoint", metavar="EVERY", help="save regularly: every 30s, 0.5s, 5m, or 10000 examples")
    add("--resume", action="store_true", help="continue from FILE, if there is one")
    _add_schema(parser)
    _add_model(parser)
    _add_report(parser)


@_command(
    "labels, margins or probabilities of a saved model, as CSV",
    "Predict each example of the input with a saved model. Nothing is learned.",
    """\
  onlineboost predict spam.ob new.parquet > scores.csv
  onlineboost predict spam.ob mail.csv --output probability --out scores.csv
  tail -f mail.jsonl | onlineboost predict spam.ob - --format jsonl

output:
  A header, then a line for each example in the order of the input. A malformed
  line of the input has an empty line (only commas, if there are several
  columns) in its place. margin is from -1 to 1, above 0 where the vote is for
  the larger of the two labels; probability is the larger label's. With more
  labels there is a column for each: margin_LABEL, probability_LABEL; so of sets
  of labels, which are written with their separator between them. A label
  column in the input is not read. A label that a spreadsheet would take for a
  formula (it begins with =, +, -, @, a tab or a line break, and is not a
  number) gets an apostrophe in front, unless --raw-labels is given.
""",
)
def predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file of `onlineboost train`")
    _add_inputs(parser)
    _add_fit(parser)
    add = parser.add_argument
    columns = "label, margin, probability, or several with commas (%(default)s)"
    add("--output", default="label,probability", metavar="COLUMNS", help=columns)
    add("--out", metavar="FILE", help="a file for the CSV (default: standard output)")
    add("--raw-labels", action="store_true", help="labels as they are, even where a spreadsheet would run them")


@_command(
    "error, log-loss and confusion counts of a saved model on labelled data",
    "Predict each example of labelled data with a saved model, and compare. Nothing is learned.",
    """\
  onlineboost evaluate spam.ob test.csv
  onlineboost evaluate spam.ob test1.parquet test2.parquet --json -
""",
)
def evaluate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file of `onlineboost train`")
    _add_inputs(parser)
    _add_fit(parser)
    parser.add_argument("--json", metavar="FILE", help="the result as JSON; - is standard output")


@_command(
    "what a model file holds: the model, its error so far, its features",
    "Print what a model file holds.",
    """\
  onlineboost inspect spam.ob
  onlineboost inspect spam.ob --features 50
  onlineboost inspect spam.ob --json
""",
)
def inspect(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a model file (*.ob)")
    add("--features", metavar="N", type=int, default=10, help="heaviest features shown (%(default)s)")
    add("--json", action="store_true", help="everything as JSON")


@_command(
    "what is guaranteed for a saved model, beside what happened",
    "Print the certificate of a saved model: what the theory guarantees on its stream, and what happened.",
    """\
  onlineboost certify spam.ob
  onlineboost certify spam.ob --json
  onlineboost certify spam.ob --faded --plot recent.svg
""",
)
def certify(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a model file (*.ob) of an OSBoostClassifier or an OnlineBoostClassifier")
    add("--faded", action="store_true", help="about the recent stream, for models made with fading=")
    add("--last", type=int, metavar="N", help="about the last N examples or some more, for models made with history=")
    add("--json", action="store_true", help="all numbers as JSON")
    add("--plot", metavar="IMAGE", help="also draw it, to a .png, .svg or .pdf (needs matplotlib)")


@_command(
    "what moves the prediction: of a saved model, or of one example",
    "Print how far each feature of an example moved the margin of a saved model, and what its families say; without "
    "an example, the share of each feature in what moves the model's predictions.",
    """\
  onlineboost explain spam.ob
  onlineboost explain spam.ob --row mail.csv
  onlineboost explain spam.ob --row mail.csv --count 3 --json
""",
)
def explain(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model file (*.ob)")
    add("--row", metavar="FILE", help="a file of examples, as for `predict`; the first is explained")
    add("--count", type=int, default=1, metavar="N", help="explain the first N (%(default)s)")
    add("--format", choices=FORMATS, help="of the file of examples (default: by its ending)")
    add("--json", action="store_true", help="all numbers as JSON")
    add("--plot", metavar="IMAGE", help="also draw the first, to a .png, .svg or .pdf (needs matplotlib)")
    _add_fit(parser)
    parser.set_defaults(strict=False, bad_rows=None, max_bad=None, max_features=None, max_line_bytes=None)


@_command(
    "convert a stream to another format, as the features that a model would see",
    "Write the examples of a stream in another format. Malformed lines are left out.",
    """\
  onlineboost convert log.csv log.vw --label spam
  onlineboost convert log.csv.gz log.libsvm --label spam --names log.names
  onlineboost convert a9a.libsvm a9a.parquet
  zcat log.csv.gz | onlineboost convert - - --format csv --to jsonl

output:
  Columns become features as for `train`: numbers keep their name, a category is
  COLUMN=VALUE with the value 1. An absent feature is 0. libsvm, vw and jsonl
  hold the features that are there, and take any input. In libsvm, names become
  numbers in order of first appearance (--names keeps them); in vw, blanks,
  bars, colons and percent signs in names are written as %20 and so on. csv,
  tsv, parquet and arrow have a column for each feature, up to 10,000, and so
  need an input that can be read twice: a file.
""",
)
def convert(parser: argparse.ArgumentParser) -> None:
    _add_inputs(parser, several=False)
    add = parser.add_argument
    add("output", metavar="OUT", help="the file to write; - is standard output")
    add("--to", choices=FORMATS, help="the format of OUT (default: by its ending)")
    add("--names", metavar="FILE", help="libsvm: write number, tab and name of each feature here")
    _add_schema(parser)


@_command(
    "run the paper's experiments and write its Tables 1 to 4 with ours beside them",
    "Run the paper's protocol: one pass over each of five random orders, 100 learners, γ = 0.1. An interrupted run "
    "resumes where it stopped.",
    """\
  onlineboost reproduce                          the embedded data sets
  onlineboost reproduce --data DIR               all data sets in a folder
  onlineboost reproduce --download               fetch what is missing first
  onlineboost reproduce --sets heart german --trials 20 --out small
  onlineboost reproduce --data DIR --shard 2/5   the second fifth of the work
""",
)
def reproduce(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data", metavar="DIR", help="folder with LIBSVM files (default: $ONLINEBOOST_DATA, else what is embedded)")
    add("--download", action="store_true", help="fetch missing data sets into the cache folder first")
    add("--sets", nargs="+", metavar="NAME", help="only these data sets")
    add("--out", metavar="DIR", type=Path, default=Path("reproduction"), help="where results go (%(default)s)")
    add("--trials", type=int, default=5, metavar="T", help="random orders per cell (%(default)s)")
    add("--jobs", type=int, default=-1, metavar="J", help="processes (default: all cores)")
    add("--backend", choices=("local", "dask", "ray"), default="local", help="where cells run (%(default)s)")
    add("--address", metavar="ADDR", help="address of the Dask or Ray cluster")
    add("--shard", metavar="i/n", help="run only every n-th cell, starting with the i-th, and write no tables")
    add("--no-figures", action="store_true", help="tables and claims only")


@_command(
    "list the paper's data sets: size, where each is, what is missing",
    "List the paper's data sets with what is here of each, and where.",
    """\
  onlineboost datasets
  onlineboost datasets --data DIR
""",
)
def datasets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="DIR", help="folder with LIBSVM files (default: $ONLINEBOOST_DATA)")


@_command(
    "print a script that completes commands and options in bash, zsh or fish",
    "Print a completion script.",
    """\
  eval "$(onlineboost completion bash)"     in ~/.bashrc
  eval "$(onlineboost completion zsh)"      in ~/.zshrc, after compinit
  onlineboost completion fish > ~/.config/fish/completions/onlineboost.fish
""",
)
def completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
