"""Models by key in one SQLite file: what is written becomes permanent together, at `commit`, or not at all."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

_encode = json.JSONEncoder(ensure_ascii=False).encode


class ModelStore:
    """A table of models, and values beside it.

    Parameters
    ----------
    path : path or None
        The file, made if it is not there; None is a temporary one that goes with the process.

    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.connection = sqlite3.connect("" if path is None else path, check_same_thread=False)
        try:
            with self.connection:
                self.connection.execute("CREATE TABLE IF NOT EXISTS models (key TEXT PRIMARY KEY, data BLOB)")
                self.connection.execute("CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value BLOB)")
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is not a store of models ({error}): give another file, or None.") from None

    def read(self, name: str) -> bytes | None:
        """The model of a key, given as `text_of` it, or None."""
        row = self.connection.execute("SELECT data FROM models WHERE key = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def write(self, name: str, data: bytes) -> None:
        """Keep the model of a key."""
        self.connection.execute("INSERT OR REPLACE INTO models VALUES (?, ?)", (name, data))

    def note(self, name: str) -> bytes | None:
        """A value that was kept, or None."""
        row = self.connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def write_note(self, name: str, value: bytes) -> None:
        """Keep a value."""
        self.connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def names(self) -> list[str]:
        """The keys of all models, each as `text_of` it."""
        return [row[0] for row in self.connection.execute("SELECT key FROM models")]

    def commit(self) -> None:
        """Make all that was written permanent."""
        self.connection.commit()

    def close(self) -> None:
        """Close the file; what was not committed is gone."""
        self.connection.close()


def text_of(key: Any) -> str:
    """A key as text that tells 1, 1.0, True and "1" apart."""
    plain = key.item() if hasattr(key, "item") else key
    if plain is None or type(plain) not in {str, int, bool, float} or plain != plain:  # noqa: PLR0124  # NaN
        raise ValueError(f"The key {key!r} is no string, bool or number: every row needs one.")
    return _encode(plain)
