"""The sentences that the product prints about itself, each declared once with its proof and its check.

A summary is made of declared sentences and of nothing else (`text`), so none can be printed without a statement, what
it assumes, where it is proved, and a check that holds it against a run seen from outside.
`tests/theory/test_sentences.py` fails where one of these is missing, and `tools/measure_guarantees.py` searches for
runs that break a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Words = Callable[[Any], str]
    Check = Callable[[Any, Any], float]


@dataclass(frozen=True)
class Sentence:
    """One sentence of a summary, or one documented statement that is printed nowhere (`words` is None)."""

    name: str
    of: str
    """The class that states it."""
    statement: str
    """In symbols, as `docs/theory.md` has it."""
    assumes: str
    """What it takes to be true: "nothing" is any stream, any learners."""
    proof: str
    """A file of docs/ and a heading in it."""
    check: Check
    """check(about, run): by how much the run breaks it, relative to its size; at most 0 where it holds."""
    words: Words | None = None
    """The sentence for one object, or "" where there is nothing to say."""
    chance: float = 0.0
    """The share of streams on which it may fail; 0 for a fact."""


_DECLARED: dict[str, Sentence] = {}


def declare(sentence: Sentence) -> None:
    """Take a sentence into the table; ValueError for a name that is taken."""
    if sentence.name in _DECLARED:
        raise ValueError(f"Two sentences are named {sentence.name!r}: names must be unique.")
    _DECLARED[sentence.name] = sentence


def printed(
    name: str, *, of: str, statement: str, assumes: str, proof: str, check: Check, chance: float = 0.0
) -> Callable[[Words], Words]:
    """Declare the decorated function, object to words, as a sentence of a summary; they print in this order."""

    def take(words: Words) -> Words:
        declare(Sentence(name, of, statement, assumes, proof, check, words, chance))
        return words

    return take


def declared(of: str | None = None) -> list[Sentence]:
    """All sentences, or those of one class."""
    return [one for one in _DECLARED.values() if of in {None, one.of}]


def told(about: Any) -> Iterator[tuple[Sentence, str]]:
    """The sentences that there are to print about an object, with their words."""
    for sentence in declared(type(about).__name__):
        if sentence.words is not None and (words := sentence.words(about)):
            yield sentence, words


def text(about: Any, between: str = "\n") -> str:
    """A summary: every sentence that there is to print."""
    return between.join(words for _, words in told(about))
