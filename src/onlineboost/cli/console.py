"""What a person sees while it runs: one line of progress on a terminal, and the first malformed lines."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onlineboost.cli.score import Score
    from onlineboost.streams import Problem

SHOWN_PROBLEMS = 5
_EVERY = 0.2


def figure(value: float) -> str:
    """A share between 0 and 1 as in the paper's tables: .1992."""
    text = f"{value:.4f}"
    return text[1:] if text.startswith("0.") else text


def plural(count: int, noun: str) -> str:
    """The count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class Console:
    """Standard error. The line of progress is there only on a terminal, and goes before anything else is said."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._shown = False
        self._next = 0.0
        self._since = (time.monotonic(), 0, 0.0, 0.0)  # when the line was drawn last: time, examples, weight, loss
        self._problems = 0

    def say(self, sentence: str) -> None:
        """One sentence on a line of its own."""
        self.clear()
        print(f"onlineboost: {sentence}", file=sys.stderr, flush=True)

    def problem(self, name: str, problem: Problem) -> None:
        """A malformed line: the first few are shown, the others counted."""
        self._problems += 1
        if self._problems <= SHOWN_PROBLEMS:
            self.say(f"{name}, {problem}")
        elif self._problems == SHOWN_PROBLEMS + 1:
            self.say("there are more malformed lines; they are counted")

    def summary(self, bad: int) -> None:
        """At the end: how many malformed lines there were."""
        if bad:
            verb = "was" if bad == 1 else "were"
            self.say(f"{plural(bad, 'malformed line')} {verb} passed over; --strict makes them errors")

    def begin(self, score: Score) -> None:
        """Count speed from here."""
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
        sys.stderr.write(f"\r\x1b[K{line[: width - 1]}")
        sys.stderr.flush()
        self._shown = True
        self._next = now + _EVERY
        if now - then > 1.0:
            self.begin(score)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
