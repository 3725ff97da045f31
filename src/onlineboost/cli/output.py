"""What leaves the program: text for a terminal, data for a pipe or a file, and what a person sees while it runs.

Nothing that came from data or from a file's name reaches a terminal as it is: characters that are not printable are
escaped, so no label can move the cursor, hide a line or fake one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import time
from typing import TYPE_CHECKING, Any

from onlineboost import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from onlineboost.cli.score import Score
    from onlineboost.streams import Problem

SHOWN_PROBLEMS = 5
WIDTH = 80  # of text for people
_EVERY = 0.2  # seconds between two lines of progress


def shown(value: Any, width: int | None = None, *, keep: str = "") -> str:
    """The value as printable text, cut to a width; what is not printable is escaped, except for what is to `keep`."""
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"


def figure(value: float) -> str:
    """A share between 0 and 1 as in the paper's tables: .1992."""
    text = f"{value:.4f}"
    return text[1:] if text.startswith("0.") else text


def plural(count: int, noun: str) -> str:
    """The count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def table(rows: list[list[str]], gap: int = 3) -> list[str]:
    """Lines with a column on the left and the others aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [(" " * gap).join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]


def listed(labels: list[Any], most: int = 8) -> str:
    """Labels as text: 'a' and 'b'; of many, the first ones and how many more there are."""
    names = [shown(repr(label), 30) for label in labels]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def confusion_lines(labels: list[Any], confusion: list[list[Any]]) -> list[str]:
    """A row per true label: how often each label was said; where that is too wide, what was said most in its place."""
    rows = [["label", *(f"said {shown(name, 30)}" for name in labels)]]
    rows += [[shown(name, 30), *(f"{n:,.0f}" for n in counts)] for name, counts in zip(labels, confusion, strict=True)]
    lines = table(rows)
    if len(lines[0]) <= WIDTH or len(labels) == 2:
        return lines
    rows = [["label", "examples", "recall", "precision", "mostly taken for"]]
    for k, (name, counts) in enumerate(zip(labels, confusion, strict=True)):
        there, said = sum(counts), sum(row[k] for row in confusion)
        shares = (figure(counts[k] / total) if total else "–" for total in (there, said))
        other = max((j for j in range(len(labels)) if j != k), key=lambda j: counts[j])
        rows.append([shown(name, 24), f"{there:,.0f}", *shares, shown(labels[other], 24) if counts[other] else "–"])
    return table(rows)


def show(text: str) -> None:
    """Text for people, on standard output; nothing where that is closed."""
    if sys.stdout is not None:
        coding = getattr(sys.stdout, "encoding", None) or "utf-8"
        print(shown(text, keep="\n").encode(coding, "backslashreplace").decode(coding))


def tell(sentence: str) -> None:
    """One sentence on standard error, unless that is closed or full."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"onlineboost: {shown(' '.join(sentence.split()))}", file=sys.stderr, flush=True)


def flush() -> None:
    """Flush standard output. If that fails, what is left is dropped, so Python does not try again at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, error.strerror, "standard output") from None


@contextlib.contextmanager
def output(path: str | None) -> Iterator[Callable[[str], object]]:
    """A function that writes text to standard output, for None and -, or to a file that is there, whole, at the end."""

    def put(text: str) -> None:
        print(shown(text, keep="\n\t") if sys.stdout.isatty() else text, end="", flush=True)

    if path is not None and path != "-":
        with files.whole_text(path) as file:
            yield file.write
    elif sys.stdout is None:
        raise ValueError("Standard output is closed: open it, or name a file for the output.")
    else:
        yield put


def write_json(path: str | None, data: Any) -> None:
    """Write data as JSON, in ASCII, to a file or to standard output."""
    text = json.dumps(data, indent=1, allow_nan=False)
    with output(path) as write:
        write(f"{text}\n")


def protect(inputs: Iterable[str], *outputs: str | None) -> None:
    """Refuse outputs that would replace an input or one another; - is standard input, which may be a file too."""
    read = {key for path in inputs for key in _identities(path)}
    written = set[str]()
    for path in outputs:
        if path is not None and path != "-" and (keys := _identities(path)):
            if keys & read:
                raise ValueError(f"{path} is the input, and would be lost: name another file for the output.")
            name = os.path.realpath(path)  # two outputs may be links to one file: each gets a file of its own
            if name in written:
                raise ValueError(f"{path} would be written twice: name another file for one of the outputs.")
            written.add(name)


def _identities(path: str) -> set[Any]:
    """By what a file is recognised: its full name, and its inode; nothing for what is not a regular file."""
    try:
        found = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116  # beside fstat
    except OSError:
        return set() if path == "-" else {os.path.realpath(path)}
    if not stat.S_ISREG(found.st_mode):
        return set()
    return {(found.st_dev, found.st_ino)} | ({os.path.realpath(path)} if path != "-" else set())


class Console:
    """Standard error while a command runs: one line of progress, on a terminal only, and the first malformed lines."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False
        self._next = 0.0
        self._since = (time.monotonic(), 0, 0.0, 0.0)  # when the line was drawn last: time, examples, weight, loss
        self._problems = 0

    def say(self, sentence: str) -> None:
        """One sentence on a line of its own."""
        self.clear()
        tell(sentence)

    def problem(self, name: str, problem: Problem) -> None:
        """Report a malformed line: the first few are shown, the others counted."""
        self._problems += 1
        if self._problems <= SHOWN_PROBLEMS:
            self.say(f"{name}, {problem}")
        elif self._problems == SHOWN_PROBLEMS + 1:
            self.say("there are more malformed lines; they are counted")

    def summary(self, bad: int, policy: str | None = None) -> None:
        """At the end: how many malformed lines there were."""
        if bad:
            verb = "was" if bad == 1 else "were"
            what = "skipped, or had cells taken as missing" if policy == "missing" else "skipped"
            self.say(f"{plural(bad, 'malformed line')} {verb} {what}; --strict makes them errors")

    def begin(self, score: Score) -> None:
        """Measure speed from here."""
        self._since = (time.monotonic(), score.examples, score.weight, score.losses[0])

    def progress(self, score: Score) -> None:
        """Draw the line, now and then."""
        now = time.monotonic()
        if not self._terminal or now < self._next:
            return
        then, examples, weight, loss = self._since
        lately = ""
        if score.weight > weight and len(score.losses) == 1 and loss <= score.losses[0]:
            lately = f", lately {figure((score.losses[0] - loss) / (score.weight - weight))}"
        speed = (score.examples - examples) / max(now - then, 1e-9)
        line = f"{plural(score.examples, 'example')}, error {figure(score.error)}{lately}, {speed:,.0f} a second"
        width = shutil.get_terminal_size().columns
        self._draw(line[: width - 1])
        self._shown = True
        self._next = now + _EVERY
        if now - then > 1.0:
            self.begin(score)

    def clear(self) -> None:
        """Erase the line of progress."""
        if self._shown:
            self._draw("")
            self._shown = False

    def _draw(self, line: str) -> None:
        with contextlib.suppress(OSError):  # the terminal was closed
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
