"""From bytes to batches: streams of text and tables, plain or compressed, that can be resumed at any position.

    from onlineboost.streams import open_stream

    for batch in open_stream("train.libsvm.gz"):
        print(batch.X.shape, batch.y[:5], batch.position)

`docs/streams.md` has the rules of each format.
"""

from typing import TYPE_CHECKING, Any

from onlineboost.declarations.extras import MissingExtraError
from onlineboost.streams.batch import Batch, Position, Problem
from onlineboost.streams.errors import CompressionError, FormatError, MalformedLineError, SourceError, StreamError
from onlineboost.streams.open import FORMATS, guess_format, open_stream
from onlineboost.streams.schema import Schema
from onlineboost.streams.source import Source, open_source
from onlineboost.streams.stream import Stream

if TYPE_CHECKING:
    from onlineboost.streams.feed import Feed

__all__ = [
    "FORMATS",
    "Batch",
    "CompressionError",
    "Feed",
    "FormatError",
    "MalformedLineError",
    "MissingExtraError",
    "Position",
    "Problem",
    "Schema",
    "Source",
    "SourceError",
    "Stream",
    "StreamError",
    "guess_format",
    "open_source",
    "open_stream",
]


def __getattr__(name: str) -> Any:
    """`Feed` brings the estimators with it, which reading does without."""
    if name == "Feed":
        from onlineboost.streams.feed import Feed  # noqa: PLC0415  # as said

        return Feed
    raise AttributeError(f"module 'onlineboost.streams' has no attribute {name!r}")
