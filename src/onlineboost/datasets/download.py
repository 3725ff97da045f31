"""Files from the LIBSVM page, by pooch: continued where a connection broke, verified, and kept whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import time
from http import HTTPStatus
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from onlineboost.datasets import cache, files
from onlineboost.datasets.catalog import LIBSVM_URL, DataFile, info
from onlineboost.datasets.errors import DatasetFormatError, DownloadError
from onlineboost.declarations.extras import require
from onlineboost.files import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTEMPTS = 10
"""How many connections one file may take."""

TIMEOUT = 30.0
"""Seconds that a server may be silent."""

_PAUSE = 1.0  # seconds before a broken connection is taken up again
_CHUNK = 8192  # bytes; what a broken connection may lose
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def default_folder() -> Path:
    """Where downloads go unless another folder is asked for."""
    return cache.folder() / "libsvm"


def fetch(
    name: str, *, base_url: str = LIBSVM_URL, folder: str | os.PathLike[str] | None = None, progress: bool = False
) -> list[Path]:
    """Download the files of a data set that are not in the folder yet.

    A connection that breaks is taken up again where it broke, if the server can do that. A file appears under its
    name only after its content was verified; whatever ends the download early leaves nothing behind.

    Parameters
    ----------
    name : str
        A name of `names()`.
    base_url : str, default=the LIBSVM page
        The address that file names are appended to.
    folder : path, default=the platform's cache folder
        Where the files go.
    progress : bool, default=False
        Show a progress bar for each file.

    Returns
    -------
    list of Path
        All files of the data set, those that were there before among them.

    """
    return [fetch_file(file, base_url=base_url, folder=folder, progress=progress) for file in info(name).files]


def fetch_file(
    file: DataFile, *, base_url: str = LIBSVM_URL, folder: str | os.PathLike[str] | None = None, progress: bool = False
) -> Path:
    """One file, downloaded if it is not in the folder."""
    place = Path(folder) if folder is not None else default_folder()
    found = files.find(place, file.name)
    if found is not None:
        return found
    pooch = require("pooch", "experiments", "Downloading")
    for ending in sorted(("", ".bz2", ".xz"), key=lambda ending: ending != file.ending):
        url = base_url.rstrip("/") + "/" + file.name + ending
        target = place / (file.name + ending)
        with _one_sentence(file, url, place):
            place.mkdir(parents=True, exist_ok=True)
            with unfinished(target) as part:
                if _transfer(pooch, url, part, file.name if progress else None):
                    _verify(file, url, part)
                    part.replace(target)
                    return target
    raise DownloadError(f"{base_url} has no file {file.name} (HTTP status 404).")


@contextlib.contextmanager
def _one_sentence(file: DataFile, url: str, place: Path) -> Iterator[None]:
    requests = importlib.import_module("requests")  # comes with pooch
    try:
        yield
    except DownloadError:
        raise
    except requests.RequestException as error:
        status = None if error.response is None else error.response.status_code
        cause = f"HTTP status {status}" if status else f"no connection, {type(error).__name__}"
        raise DownloadError(f"{url} could not be downloaded ({cause}); nothing was kept.") from error
    except OSError as error:
        if error.errno in _FULL:
            raise DownloadError(f"There is no space left in {place} for {file.name}; nothing was kept.") from error
        raise DownloadError(f"{file.name} cannot be stored in {place}: {files.reason(error)}.") from error


def _transfer(pooch: Any, url: str, part: Path, title: str | None) -> bool:
    """Fill `part` with what is at `url`, over several connections if they break; False if nothing is there."""
    fails = importlib.import_module("requests").exceptions
    with part.open("r+b") as stream, _bar(title) as bar:
        state = _State(stream)
        for attempt in range(1, ATTEMPTS + 1):
            if attempt > 1:
                time.sleep(_PAUSE)
            load = pooch.HTTPDownloader(
                progressbar=bar,
                chunk_size=_CHUNK,
                timeout=TIMEOUT,
                headers=state.headers(),
                hooks={"response": state.arrived},
            )
            try:
                load(url, stream, None)
            except fails.HTTPError as error:
                if error.response.status_code == HTTPStatus.NOT_FOUND:
                    return False
                if error.response.status_code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                    raise
                state.restart()
            except (fails.ConnectionError, fails.ChunkedEncodingError, fails.Timeout):
                if not state.answered:
                    raise
            else:
                if state.finished():
                    os.fsync(stream.fileno())
                    return True
            finally:
                state.hang_up()
        of = "" if state.size is None else f" of {state.size:,}"
        raise DownloadError(
            f"{url} could not be downloaded: the connection broke {ATTEMPTS} times, at last after "
            f"{stream.tell():,}{of} bytes; nothing was kept."
        )


class _State:
    """How far a file has come, over all connections."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.size: int | None = None
        self.version = ""
        self.answered = False
        self.response: Any = None

    def headers(self) -> dict[str, str]:
        """Ask for the rest, provided that it is still the same file; and for its bytes as they are."""
        asked = {"Accept-Encoding": "identity"}
        if self.stream.tell():
            asked["Range"] = f"bytes={self.stream.tell()}-"
            if self.version:
                asked["If-Range"] = self.version
        return asked

    def arrived(self, response: Any, **_: Any) -> None:
        """Called by requests before the body is read."""
        self.response = response
        if response.status_code not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
            return
        self.answered = True
        if response.status_code == HTTPStatus.OK:
            self.restart()
        length = response.headers.get("Content-Length", "")
        as_it_is = response.headers.get("Content-Encoding", "identity") == "identity"
        self.size = self.stream.tell() + int(length) if length.isdecimal() and as_it_is else None
        tag = response.headers.get("ETag", "")
        self.version = "" if tag.startswith("W/") else tag

    def hang_up(self) -> None:
        if self.response is not None:
            self.response.close()

    def restart(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()

    def finished(self) -> bool:
        return self.size is None or self.stream.tell() >= self.size


@contextlib.contextmanager
def _bar(title: str | None) -> Iterator[Any]:
    """A progress bar if there is a title for it and tqdm is installed; otherwise False."""
    try:
        tqdm = importlib.import_module("tqdm") if title else None
    except ImportError:
        tqdm = None
    if tqdm is None:
        yield False
        return
    with tqdm.tqdm(desc=title, total=1, unit="B", unit_scale=True, dynamic_ncols=True) as bar:
        yield bar


def _verify(file: DataFile, url: str, part: Path) -> None:
    """Raise unless the content is the catalogue's: by its sha256 or, where that is not known, its number of lines."""
    try:
        sha256, lines = files.sha256_unpacked(part)
    except DatasetFormatError as error:
        raise DownloadError(f"{url} is damaged and cannot be uncompressed; nothing was kept.") from error
    if file.sha256 is None and lines != file.examples:
        raise DownloadError(f"{url} has {lines:,} lines instead of {file.examples:,}; nothing was kept.")
    if file.sha256 not in {None, sha256}:
        raise DownloadError(f"{url} is not the file expected: sha256 {sha256}, not {file.sha256}; nothing was kept.")
