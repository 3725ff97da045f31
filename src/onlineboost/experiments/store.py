"""Results on disk: append-only JSON lines, one per cell. A killed run loses at most the cells under way."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from onlineboost.experiments.grid import cell, key

if TYPE_CHECKING:
    from pathlib import Path


class Store:
    """The results under one folder. Shards of a run write files of their own and read everyone's."""

    def __init__(self, folder: Path, shard: tuple[int, int] | None = None) -> None:
        name = "results.jsonl" if shard is None else f"results-{shard[0]}-of-{shard[1]}.jsonl"
        self.folder = folder
        self.path = folder / name
        self._known: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.glob("results*.jsonl")):
            self._read(path)

    def _read(self, path: Path) -> None:
        with path.open("rb") as file:
            for line in file:
                try:
                    record = json.loads(line)
                    self._known[record["key"]] = record["result"]
                except (ValueError, KeyError, TypeError):
                    continue  # a line that was cut when its process was killed

    def __contains__(self, config: dict[str, Any]) -> bool:
        return key(config) in self._known

    def __getitem__(self, config: dict[str, Any]) -> dict[str, Any]:
        return self._known[key(config)]

    def trials(
        self, count: int, data: str, data_hash: str, learner: str, algorithm: str, **parameters: Any
    ) -> list[dict[str, Any]]:
        """The results of one cell of a table, order by order; `parameters` are those of `grid.cell`."""
        return [self[cell(data, data_hash, learner, algorithm, trial, **parameters)] for trial in range(count)]

    def errors(self, *cell: Any, **parameters: Any) -> list[float]:
        """Only the errors; the arguments are those of `trials`."""
        return [result["error"] for result in self.trials(*cell, **parameters)]

    def __len__(self) -> int:
        return len(self._known)

    def add(self, config: dict[str, Any], result: dict[str, Any]) -> None:
        """Append and make durable before it counts as done."""
        line = json.dumps({"key": key(config), "config": config, "result": result}, separators=(",", ":"))
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            # A line that an earlier process left unfinished must not swallow this one.
            lead = b"\n" if file.tell() > 0 and not _ends_in_newline(self.path) else b""
            file.write(lead + line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._known[key(config)] = result


def _ends_in_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
