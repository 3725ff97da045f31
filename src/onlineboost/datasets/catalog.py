"""The twelve data sets of the paper: files, sizes, checksums, origin and licence, as `catalog.toml` lists them.

Sizes and checksums are of the files on the LIBSVM data page (Chang and Lin). Two streams of the paper are longer
than their names suggest:

- *web page* joins the train and test files of w1a … w8a. Each of the first seven pairs holds the pages of w8a once
  more, so the stream is 8 × w8a and, once, w8a.t: 412,943 examples.
- *cod-rna* has a third file, cod-rna.r: 488,565 examples with it.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onlineboost.datasets.errors import UnknownDatasetError

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"


@dataclass(frozen=True)
class DataFile:
    """One file of the LIBSVM page, and how often the paper's stream holds it.

    Attributes
    ----------
    name : its name without any ending for compression.
    examples : lines.
    classes : lines with the smaller and with the larger label; None if not known.
    sha256 : of the uncompressed file; None if not known, so a download is checked by its number of lines.
    copies : how often the stream holds it.
    ending : with which the LIBSVM page compresses it.

    """

    name: str
    examples: int
    classes: tuple[int, int] | None = None
    sha256: str | None = None
    copies: int = 1
    ending: str = ""

    def __str__(self) -> str:
        return self.name if self.copies == 1 else f"{self.copies} × {self.name}"


@dataclass(frozen=True)
class EmbeddedCopy:
    """The copy that comes with the package: its features, and in which way it is not the LIBSVM file."""

    features: int
    note: str = ""


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a data set before it is read.

    Attributes
    ----------
    name : the paper's name.
    features : features of the LIBSVM files.
    labels : the two labels as the files have them; the second, larger one becomes +1.
    positive : what +1 stands for.
    source : where the data come from, and who made them.
    url : the original's page, or that of the article it belongs to.
    licence : under which it is passed on.
    files : the files of the stream, in order.
    embedded : the copy in the package, or None.
    aliases : other names that `info` and `load` understand.

    """

    name: str
    features: int
    labels: tuple[int, int]
    positive: str
    source: str
    url: str
    licence: str
    files: tuple[DataFile, ...]
    embedded: EmbeddedCopy | None = None
    aliases: tuple[str, ...] = ()

    @property
    def examples(self) -> int:
        """Examples in the paper's stream."""
        return sum(file.copies * file.examples for file in self.files)

    @property
    def classes(self) -> tuple[int, int] | None:
        """Examples of the paper's stream with the smaller and with the larger label; None if not known."""
        small = large = 0
        for file in self.files:
            if file.classes is None:
                return None
            small += file.copies * file.classes[0]
            large += file.copies * file.classes[1]
        return small, large


def names() -> list[str]:
    """The twelve names, in the paper's order."""
    return list(_catalog())


def info(name: str) -> DatasetInfo:
    """What is known about a data set; case, spaces, hyphens and underscores in its name do not matter."""
    found = _by_plain_name().get(_plain(name)) if isinstance(name, str) else None
    if found is None:
        raise UnknownDatasetError(_unknown(name))
    return _catalog()[found]


@functools.cache
def _catalog() -> dict[str, DatasetInfo]:
    text = Path(__file__).with_name("catalog.toml").read_text(encoding="utf-8")
    return {name: _entry(name, fields) for name, fields in tomllib.loads(text).items()}


def _entry(name: str, fields: dict[str, Any]) -> DatasetInfo:
    small, large = fields.pop("labels")
    embedded = fields.pop("embedded", None)
    return DatasetInfo(
        name=name,
        labels=(small, large),
        files=tuple(_file(**file) for file in fields.pop("files")),
        embedded=EmbeddedCopy(**embedded) if embedded else None,
        aliases=tuple(fields.pop("aliases", ())),
        **fields,
    )


def _file(*, classes: list[int] | None = None, **fields: Any) -> DataFile:
    return DataFile(classes=(classes[0], classes[1]) if classes else None, **fields)


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", name).casefold()


@functools.cache
def _by_plain_name() -> dict[str, str]:
    return {_plain(alias): name for name, entry in _catalog().items() for alias in (name, *entry.aliases)}


def _unknown(name: object) -> str:
    """One sentence: what was asked for, what may have been meant, and what there is."""
    known = dict(_by_plain_name())
    for entry in _catalog().values():
        known |= {_plain(file.name): entry.name for file in entry.files if _plain(file.name) not in known}
    near = difflib.get_close_matches(_plain(str(name)), known, n=3, cutoff=0.6)
    meant = " or ".join(f'"{match}"' for match in dict.fromkeys(known[match] for match in near))
    question = f" (did you mean {meant}?)" if meant else ""
    return f'There is no data set "{name}"{question}; there are {", ".join(_catalog())}.'
