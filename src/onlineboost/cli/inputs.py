"""Several inputs as one stream of batches, with a position to resume from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from onlineboost.streams import Position, Schema, StreamError, open_source, open_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from onlineboost.streams import Batch, Problem, Source
    from onlineboost.streams.stream import Stream

HEAD = 4096  # bytes by which an input is recognised
TICK = 0.25  # seconds after which a slow pipe gives what it has
BATCH_ROWS = 10_000


class OtherInputError(StreamError, ValueError):
    """The input is not the one that was read before."""


@dataclass(frozen=True)
class InputPosition:
    """How far the inputs were read.

    Attributes
    ----------
    file : the number of the input, from 0.
    within : the position in it.
    skip : rows after this position that are done too.
    bad : malformed lines of the inputs before it.
    heads : of each input so far, the number of its first bytes that were seen, and their hash.

    """

    file: int = 0
    within: Position = field(default_factory=Position)
    skip: int = 0
    bad: int = 0
    heads: tuple[tuple[int, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        numbers = {"file": self.file, "skip": self.skip, "bad_before": self.bad}
        return {**self.within.to_json(), **numbers, "heads": [list(head) for head in self.heads]}

    @classmethod
    def from_json(cls, data: Any) -> InputPosition:
        """From plain data; ValueError if it is something else."""
        left = dict(data) if isinstance(data, dict) else {}
        file, skip, bad, heads = (left.pop(name, None) for name in ("file", "skip", "bad_before", "heads"))
        good = all(type(value) is int and 0 <= value < 2**63 for value in (file, skip, bad))
        if not good or not isinstance(heads, list) or len(heads) != file + 1:
            raise ValueError("it has no record of how far its input was read")
        seen = tuple((int(size), str(text)) for size, text in heads)
        return cls(file, Position.from_json(left), skip, bad, seen)


class Inputs:
    """Batches of one input after another. `position` is where the next batch starts, until `passed` says more.

    Parameters
    ----------
    arguments : argparse.Namespace
        The options of `add_inputs`.
    kind, schema
        How the inputs are read.
    on_problem : callable
        Called with the input's name and each malformed line.
    start : InputPosition, default=None
        Where to resume.
    **reading
        Other parameters of `open_stream`.

    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        kind: str,
        schema: Schema,
        on_problem: Callable[[str, Problem], None] | None,
        *,
        start: InputPosition | None = None,
        **reading: Any,
    ) -> None:
        self.paths: list[str] = arguments.input
        self.kind = kind
        self.schema = schema
        self.position = start or InputPosition()
        self.name = ""
        self._start = start
        self._on_problem = on_problem
        self._max_bad: int | None = arguments.max_bad
        self._reading = {"batch_rows": BATCH_ROWS, "tick": TICK, "strict": arguments.strict, **reading}
        if arguments.bad_rows is not None:
            self._reading |= {"strict": arguments.bad_rows == "stop", "forgiving": arguments.bad_rows == "missing"}
        if self.paths.count("-") > 1:
            raise ValueError("Standard input can be read once: name it only once.")
        limits = {"max_features": "most_features", "max_line_bytes": "longest_line"}
        for option, least in (("max_bad", 0), ("max_features", 1), ("max_line_bytes", 1)):
            value = getattr(arguments, option)
            if value is not None and not least <= value < 2**62:
                raise ValueError(f"--{option.replace('_', '-')} must be {least} or more, not {value}.")
            if value is not None and option in limits:
                self._reading[limits[option]] = value
        if start and start.file >= len(self.paths):
            raise OtherInputError(
                f"The checkpoint has read {start.file + 1} inputs and the command names {len(self.paths)}: name the "
                "same inputs, in the same order."
            )

    @property
    def bad(self) -> int:
        """Malformed lines so far."""
        return self.position.bad + self.position.within.bad

    def __iter__(self) -> Iterator[Batch]:
        first = self._start or InputPosition()
        for number, path in enumerate(self.paths):
            if number < first.file:
                if path != "-":
                    with open_source(path, remember=HEAD) as source:
                        _recognise(source, first.heads[number])
                continue
            within = first.within if number == first.file else Position()
            heads = self.position.heads[:number]
            if number > first.file:
                self.position = InputPosition(number, within, 0, self.bad, heads)
            source = open_source(path, remember=HEAD)
            self.name = source.name
            with self._open(source, within) as stream:
                yield from self._read(stream, source, heads)

    def _open(self, source: Source, within: Position) -> Stream:
        on_problem, name = self._on_problem, source.name
        if self._reading["strict"]:
            on_problem = None  # the error tells it
        return open_stream(
            source,
            self.kind,
            self.schema,
            start=within,
            max_bad=None if self._max_bad is None else max(0, self._max_bad - self.position.bad),
            on_problem=None if on_problem is None else lambda problem: on_problem(name, problem),
            **self._reading,
        )

    def _read(self, stream: Stream, source: Source, heads: tuple[tuple[int, str], ...]) -> Iterator[Batch]:
        resumed = self._start if self._start and self._start.file == self.position.file else None
        skip = self.position.skip
        for batch in stream:
            if resumed and len(batch):
                _recognise(source, resumed.heads[resumed.file])
                resumed = None
            self.schema = stream.schema
            self.position = replace(self.position, heads=(*heads, _fingerprint(source)))
            done = min(skip, len(batch))
            skip -= done
            if done < len(batch) or not done:  # an empty batch too: the caller may look at the clock
                yield part(batch, done, len(batch))
            self.position = replace(self.position, within=batch.position, skip=skip)
        if resumed:
            _recognise(source, resumed.heads[resumed.file])
        if skip:
            raise OtherInputError(f"{source.name} has fewer rows than the checkpoint has learned: it is another input.")
        self.schema = stream.schema
        self.position = replace(self.position, within=stream.position, skip=0, heads=(*heads, _fingerprint(source)))

    def passed(self, rows: int) -> None:
        """Count rows of the batch given last as done."""
        self.position = replace(self.position, skip=self.position.skip + rows)


def _fingerprint(source: Source) -> tuple[int, str]:
    """How many first bytes were seen, and their hash."""
    return len(source.head), hashlib.sha256(source.head).hexdigest()


def _recognise(source: Source, known: tuple[int, str]) -> None:
    """Raise an error if the input is not the one that was read before."""
    size, text = known
    head = source.head + (source.peek(size - len(source.head)) if len(source.head) < size else b"")
    if hashlib.sha256(head[:size]).hexdigest() != text:
        raise OtherInputError(
            f"{source.name} does not begin as the input of the checkpoint did: give the same input from its start, or "
            "another --model."
        )


def part(batch: Batch, start: int, stop: int) -> Batch:
    """Some rows of a batch. Its position remains that of the whole."""
    if start == 0 and stop >= len(batch):
        return batch
    weight = None if batch.weight is None else batch.weight[start:stop]
    y = None if batch.y is None else batch.y[start:stop]
    return replace(batch, cells=batch.cells.part(start, stop), y=y, weight=weight, lines=batch.lines[start:stop])
