"""The public door: a data set of the paper by name, or any file of the user's own, as rows and labels ±1."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp

from onlineboost.datasets import cache, download, files, readers
from onlineboost.datasets.catalog import DataFile, DatasetInfo, info, names
from onlineboost.datasets.errors import DatasetFormatError, DatasetNotFoundError, DatasetReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

Location = Literal["embedded", "folder", "downloaded"]
Label = int | float | str

EMBEDDED = Path(__file__).with_name("data")
"""The copies that come with the package: small sets, enough to try everything without files or network.

`tools/embed_datasets.py` makes them, and `data/ATTRIBUTION.md` says whose they are.
"""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A stream of examples, in the order of its files.

    Attributes
    ----------
    name : the paper's name, or the file's.
    X : csr_array of float64, one row per example.
    y : labels, -1 or +1.
    labels : the two original labels; the second, larger one is +1.
    source : where it was found.
    notes : what is missing, or different from the paper's stream; one sentence each.
    complete : whether it has every example and every feature of the paper's stream.

    """

    name: str
    X: sp.csr_array
    y: np.ndarray[Any, np.dtype[np.int64]]
    labels: tuple[Label, Label]
    source: Location
    notes: tuple[str, ...] = ()
    complete: bool = True

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        partial = "" if self.complete else ", not complete"
        return f"<Dataset {self.name}: {rows:,} examples, {columns:,} features, {self.source}{partial}>"


@dataclass(frozen=True)
class DatasetStatus:
    """Where a data set is, without reading it.

    Attributes
    ----------
    name : the paper's name.
    examples, features : of the paper's stream.
    available : examples that `load` would give.
    source : where they are, or None if nowhere.
    where : the same in words: the folder or folders, "the package", or "-".
    missing : files of the stream that were not found, joined by commas.
    notes : as `load` would give, as far as it shows before reading.

    """

    name: str
    examples: int
    features: int
    available: int
    source: Location | None
    where: str
    missing: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Search:
    """What was found of a data set: its files and where each lies, or the embedded copy."""

    entry: DatasetInfo
    found: tuple[tuple[DataFile, Path], ...]
    missing: tuple[DataFile, ...]
    looked: tuple[Path, ...]
    given: bool

    @property
    def source(self) -> Location | None:
        if self.found:
            inside = self.given and any(self.looked[0] in path.parents for _, path in self.found)
            return "folder" if inside else "downloaded"
        return "embedded" if self.entry.embedded else None

    @property
    def available(self) -> int:
        if self.source == "embedded":
            return self.entry.examples
        return sum(file.copies * file.examples for file, _ in self.found)

    def notes(self) -> list[str]:
        if self.source == "embedded" and self.entry.embedded:
            return [self.entry.embedded.note] if self.entry.embedded.note else []
        if not (self.found and self.missing):
            return []
        have, lack = (" + ".join(map(str, part)) for part in ([file for file, _ in self.found], self.missing))
        size = f"{self.available:,} of the paper's {self.entry.examples:,} examples"
        return [f"{self.entry.name} is {have} without {lack}: {size}."]


def load(
    name: str, *, data: str | os.PathLike[str] | None = None, download: bool = False, progress: bool = False
) -> Dataset:
    """Load a data set of the paper.

    Its files are looked for in the data folder, then among the downloads; a set of which neither has any file comes
    from the embedded copy, if there is one. Where only some files are found, these are loaded and `notes` says so.

    Parameters
    ----------
    name : str
        A name of `names()`, or an alias.
    data : path, default=$ONLINEBOOST_DATA, if set
        A folder that has the LIBSVM files, in it or in its subfolder `libsvm`, plain or as .gz, .bz2, .xz or .zst.
    download : bool, default=False
        Download first what is missing.
    progress : bool, default=False
        Show progress bars for downloads.

    """
    entry = info(name)
    search = _search(entry, data)
    if download and _lacks(search):
        _download(search.missing, progress=progress)
        search = _search(entry, data)
    if search.source is None:
        raise DatasetNotFoundError(_not_found(search))
    notes = search.notes()
    if search.source == "embedded" and entry.embedded:
        part, width = readers.read_libsvm(EMBEDDED / f"{entry.name}.libsvm.xz"), entry.embedded.features
        return _dataset(entry.name, [part], width, "embedded", notes, complete=width == entry.features)
    parts = []
    for file, path in search.found:
        part = _read(path, "libsvm", None)
        parts += [part] * file.copies
        if len(part.labels) != file.examples:
            notes.append(f"{path} has {len(part.labels):,} examples instead of {file.examples:,}.")
    width = max(part.X.shape[1] for part in parts)
    if width > entry.features or (width < entry.features and not search.missing):
        notes.append(f"{entry.name} has {width:,} features instead of {entry.features:,}.")
    return _dataset(entry.name, parts, max(width, entry.features), search.source, notes, complete=not notes)


def load_file(
    path: str | os.PathLike[str],
    *,
    format: Literal["libsvm", "csv"] | None = None,  # noqa: A002  # the word that everybody uses
    label: str | int | None = None,
) -> Dataset:
    """Load any LIBSVM or CSV file, plain or compressed (gzip, bzip2, xz, zstd).

    Parameters
    ----------
    path : path
        The file. A CSV file has numbers, an optional first line of names, and commas, semicolons or tabs.
    format : {"libsvm", "csv"}, default=None
        None tells them apart by the ending, and by the first line where the ending says nothing.
    label : str or int, default=None
        The label's column in a CSV file: its name, or its number from 0, negative ones from the end; None is the last.

    """
    path = Path(path)
    if path.is_dir():
        raise DatasetReadError(f"{path} is a folder, not a file.")
    kind = readers.guess_format(path) if format is None else format
    if kind not in readers.FORMATS:
        if format is None:
            raise ValueError(f"{path} is {kind} by its ending, not LIBSVM or CSV: open it with onlineboost.streams.")
        raise ValueError(f'format must be "libsvm", "csv" or None, not {format!r}.')
    if label is not None and kind == "libsvm":
        raise ValueError(f"label chooses a column of a CSV file, but {path} is read as LIBSVM.")
    part = _read(path, kind, label)
    return _dataset(str(path), [part], part.X.shape[1], "folder", [], complete=True)


def status(data: str | os.PathLike[str] | None = None) -> list[DatasetStatus]:
    """Where each of the twelve data sets is and what of it is missing, in the paper's order."""
    records = []
    for name in names():
        search = _search(info(name), data)
        folders = dict.fromkeys(str(path.parent) for _, path in search.found)
        records.append(
            DatasetStatus(
                name=name,
                examples=search.entry.examples,
                features=search.entry.features,
                available=search.available,
                source=search.source,
                where="the package" if search.source == "embedded" else ", ".join(folders) or "-",
                missing="" if search.source == "embedded" else ", ".join(file.name for file in search.missing),
                notes=tuple(search.notes()),
            )
        )
    return records


def _search(entry: DatasetInfo, data: str | os.PathLike[str] | None) -> _Search:
    given = data if data is not None else os.environ.get("ONLINEBOOST_DATA") or None
    looked = [download.default_folder()]
    if given is not None:
        folder = Path(given).expanduser()
        if not folder.is_dir():
            raise DatasetNotFoundError(f"The data folder {folder} is not there, or is not a folder.")
        looked.insert(0, folder)
    found, missing = [], []
    for file in entry.files:
        path = next((path for folder in looked if (path := files.find(folder, file.name))), None)
        if path is None:
            missing.append(file)
        else:
            found.append((file, path))
    return _Search(entry, tuple(found), tuple(missing), tuple(looked), given is not None)


def _lacks(search: _Search) -> bool:
    """Whether a download would add anything: an embedded copy may be as good as the files."""
    copy = search.entry.embedded
    whole = search.source == "embedded" and copy is not None and copy.features == search.entry.features
    return bool(search.missing) and not whole


def _download(missing: Sequence[DataFile], *, progress: bool) -> None:
    for file in missing:
        download.fetch_file(file, progress=progress)


def _not_found(search: _Search) -> str:
    wanted = ", ".join(file.name for file in search.missing)
    return (
        f"{search.entry.name} needs {wanted}, not found in {' or '.join(map(str, search.looked))}: "
        "name the folder that has it (--data DIR, or ONLINEBOOST_DATA), or download it (--download)."
    )


def _read(path: Path, kind: str, label: str | int | None) -> readers.Parsed:
    try:
        if kind == "csv":
            return cache.parsed(path, f"csv {label!r}", lambda: readers.read_csv(path, label))
        return cache.parsed(path, "libsvm", lambda: readers.read_libsvm(path))
    except DatasetFormatError:
        files.sha256_unpacked(path)  # if the compression is damaged, that is the better explanation
        raise


def _dataset(
    name: str, parts: Sequence[readers.Parsed], width: int, source: Location, notes: list[str], *, complete: bool
) -> Dataset:
    originals = np.concatenate([part.labels for part in parts])
    values = np.unique(originals)
    if len(values) != 2:
        shown = ", ".join(str(_plain(value)) for value in values[:5]) + (", …" if len(values) > 5 else "")
        raise DatasetFormatError(f"{name} has {len(values)} different labels ({shown}); it must have exactly two.")
    for part in parts:
        part.X.resize(part.X.shape[0], width)
    X = sp.csr_array(sp.vstack([part.X for part in parts], format="csr")) if len(parts) > 1 else parts[0].X
    y = np.where(originals == values[1], 1, -1).astype(np.int64)
    return Dataset(name, X, y, (_plain(values[0]), _plain(values[1])), source, tuple(notes), complete)


def _plain(value: Any) -> Label:
    """A label as people write it: 2 rather than 2.0."""
    if isinstance(value, np.floating):
        return int(value) if value == int(value) else float(value)
    return str(value)
