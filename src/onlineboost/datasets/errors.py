"""What can go wrong with data, each in one sentence that says what to do about it."""

from __future__ import annotations


class DatasetError(Exception):
    """Base of everything that this package raises about data."""


class UnknownDatasetError(DatasetError, ValueError):
    """No data set has this name; the message lists near matches and all names."""


class DatasetNotFoundError(DatasetError, FileNotFoundError):
    """The files are not there; the message says where they were looked for, and the ways out."""


class DatasetFormatError(DatasetError, ValueError):
    """A file cannot be understood; the message names the file, and line and column as far as they are known."""


class DatasetReadError(DatasetError, OSError):
    """The operating system does not let us read a file."""


class DownloadError(DatasetError, OSError):
    """A download failed, and nothing of it was kept."""
