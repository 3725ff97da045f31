"""Several inputs as one stream of batches, with a place in it to go on from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from onlineboost.streams import Position, Schema, Source, StreamError, open_source, open_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from onlineboost.streams import Batch, Problem
    from onlineboost.streams.stream import LabelMode, Stream

HEAD = 4096  # bytes by which an input is known again
TICK = 0.25  # seconds that a slow pipe may keep us


class OtherInputError(StreamError, ValueError):
    """The input is not the one that was read before."""


@dataclass(frozen=True)
class Place:
    """How far the inputs were read.

    Attributes
    ----------
    file : the number of the input, from 0.
    position : in it.
    skip : rows behind the position that are done with too.
    bad : malformed lines of the inputs before it.
    heads : of each input so far, the number of its first bytes that were looked at, and their hash.

    """

    file: int = 0
    position: Position = field(default_factory=Position)
    skip: int = 0
    bad: int = 0
    heads: tuple[tuple[int, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        numbers = {"file": self.file, "skip": self.skip, "bad_before": self.bad}
        return {**self.position.to_json(), **numbers, "heads": [list(head) for head in self.heads]}

    @classmethod
    def from_json(cls, data: Any) -> Place:
        """From such data; ValueError if it is something else."""
        left = dict(data) if isinstance(data, dict) else {}
        file, skip, bad, heads = (left.pop(name, None) for name in ("file", "skip", "bad_before", "heads"))
        good = all(type(value) is int and 0 <= value < 2**63 for value in (file, skip, bad))
        if not good or not isinstance(heads, list) or len(heads) != file + 1:
            raise ValueError("it has no record of how far its input was read")
        seen = tuple((int(size), str(text)) for size, text in heads)
        return cls(file, Position.from_json(left), skip, bad, seen)


class Watched(Source):
    """A source that remembers its first bytes."""

    def __init__(self, opened: Source) -> None:
        super().__init__(opened._fd, opened.name, path=opened.path)
        opened._fd = -1  # the file is ours now, and closed by us
        self.head = self.peek(HEAD) if self._regular else b""

    def read(self, timeout: float | None = None) -> bytes | None:
        """As a source's, with an eye on the first bytes."""
        at = self.offset
        data = super().read(timeout)
        if data and at == len(self.head) < HEAD:
            self.head += data[: HEAD - at]
        return data

    def known_as(self) -> tuple[int, str]:
        """How many first bytes were seen, and their hash."""
        return len(self.head), _hash(self.head)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Inputs:
    """Batches of one input after another. `place` is where the next batch starts, until `passed` says more."""

    def __init__(
        self,
        paths: list[str],
        kind: str,
        schema: Schema,
        *,
        start: Place | None = None,
        batch_rows: int,
        strict: bool = False,
        max_bad: int | None = None,
        labels: LabelMode = "required",
        on_problem: Callable[[str, Problem], None] | None = None,
    ) -> None:
        if paths.count("-") > 1:
            raise ValueError("Standard input can be read once: name it only once.")
        if max_bad is not None and max_bad < 0:
            raise ValueError(f"--max-bad must be 0 or more, not {max_bad}.")
        self.paths = paths
        self.kind = kind
        self.schema = schema
        self.place = start or Place()
        self.name = ""
        self._start = start
        self._options: dict[str, Any] = {"batch_rows": batch_rows, "strict": strict, "labels": labels, "tick": TICK}
        self._max_bad = max_bad
        self._on_problem = on_problem
        if start and start.file >= len(paths):
            raise OtherInputError(
                f"The checkpoint has read {start.file + 1} inputs and the command names {len(paths)}: name the same "
                "ones, in the same order."
            )

    @property
    def bad(self) -> int:
        """Malformed lines so far."""
        return self.place.bad + self.place.position.bad

    def __iter__(self) -> Iterator[Batch]:
        first = self._start or Place()
        for number, path in enumerate(self.paths):
            if number < first.file:
                self._check_finished(path, first.heads[number])
                continue
            position = first.position if number == first.file else Position()
            heads = self.place.heads[:number]
            if number > first.file:
                self.place = Place(number, position, 0, self.bad, heads)
            source = Watched(open_source(path))
            self.name = source.name
            with self._open(source, position) as stream:
                yield from self._read(stream, source, heads)

    def _open(self, source: Watched, position: Position) -> Stream:
        on_problem, name = self._on_problem, source.name
        left = None if self._max_bad is None else max(0, self._max_bad - self.place.bad)
        return open_stream(
            source,
            self.kind,
            self.schema,
            start=position,
            max_bad=left,
            on_problem=None if on_problem is None else lambda problem: on_problem(name, problem),
            **self._options,
        )

    def _read(self, stream: Stream, source: Watched, heads: tuple[tuple[int, str], ...]) -> Iterator[Batch]:
        resumed = self._start if self._start and self._start.file == self.place.file else None
        skip = self.place.skip
        for batch in stream:
            if resumed and len(batch):
                self._recognise(source, resumed.heads[resumed.file])
                resumed = None
            self.schema = stream.schema
            self.place = replace(self.place, heads=(*heads, source.known_as()))
            done = min(skip, len(batch))
            skip -= done
            if done < len(batch) or not done:  # an empty batch too: the caller may look at the clock
                yield part(batch, done, len(batch))
            self.place = replace(self.place, position=batch.position, skip=skip)
        if resumed:
            self._recognise(source, resumed.heads[resumed.file])
        if skip:
            raise OtherInputError(f"{source.name} has fewer rows than the checkpoint has learned: it is another input.")
        self.schema = stream.schema
        self.place = replace(self.place, position=stream.position, skip=0, heads=(*heads, source.known_as()))

    def passed(self, rows: int) -> None:
        """So many rows of the batch given last are done with."""
        self.place = replace(self.place, skip=self.place.skip + rows)

    def _recognise(self, source: Watched, known: tuple[int, str]) -> None:
        """An error if the input is not the one that was read before."""
        size, text = known
        head = source.head + (source.peek(size - len(source.head)) if len(source.head) < size else b"")
        if _hash(head[:size]) != text:
            raise OtherInputError(
                f"{source.name} does not begin as the input of the checkpoint did: give the same input from its "
                "start, or another --model."
            )

    def _check_finished(self, path: str, known: tuple[int, str]) -> None:
        if path != "-":
            with Watched(open_source(path)) as source:
                self._recognise(source, known)


def part(batch: Batch, start: int, stop: int) -> Batch:
    """Some rows of a batch. Its position remains that of the whole."""
    if start == 0 and stop >= len(batch):
        return batch
    weight = None if batch.weight is None else batch.weight[start:stop]
    y = None if batch.y is None else batch.y[start:stop]
    return replace(batch, cells=batch.cells.part(start, stop), y=y, weight=weight, lines=batch.lines[start:stop])
